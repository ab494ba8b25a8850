/** Lists a sorted list, with entries that follow one another as a range, such as "3 to 5". */
export function listRanges<T>(sorted: readonly T[], follows: (one: T, next: T) => boolean): string[] {
  const ranges: { first: T; last: T }[] = [];
  for (const each of sorted) {
    const range = ranges.at(-1);
    if (range !== undefined && follows(range.last, each)) range.last = each;
    else ranges.push({ first: each, last: each });
  }
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first} to ${last}`));
}
