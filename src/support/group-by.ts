/** Groups by a key, in the order in which the keys come first. (`Map.groupBy` needs Node.js 21.) */
export function groupBy<T, Key>(all: Iterable<T>, keyOf: (each: T) => Key): Map<Key, [T, ...T[]]> {
  const groups = new Map<Key, [T, ...T[]]>();
  for (const each of all) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return groups;
}
