/** Groups by a key, in the order in which the keys come first. (`Map.groupBy` needs Node.js 21.) */
export function groupBy<T, Key>(all: Iterable<T>, keyOf: (item: T) => Key): Map<Key, [T, ...T[]]> {
  const groups = new Map<Key, [T, ...T[]]>();
  for (const item of all) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Renders the first names for a sentence: `a, b, c, d, e and 3 more`. */
export function renderShortList(names: readonly string[], max = 5): string {
  const more = names.length - max;
  return `${names.slice(0, max).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
