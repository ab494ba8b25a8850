/** Lists a sorted list, with entries that follow one another as a range, such as "3 to 5". */
export function listRanges<T>(sorted: readonly T[], follows: (item: T, next: T) => boolean): string[] {
  const ranges: { first: T; last: T }[] = [];
  for (const item of sorted) {
    const range = ranges.at(-1);
    if (range !== undefined && follows(range.last, item)) range.last = item;
    else ranges.push({ first: item, last: item });
  }
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first} to ${last}`));
}
