/**
 * Chooses combinations of one value of each axis, so that each two values of two axes are together in one of them.
 *
 * @param axes the values of each axis; the product of their numbers is the number of combinations that are tried
 */
export function coverPairs<Value>(axes: readonly (readonly Value[])[]): Value[][] {
  const all = axes.reduce<number[][]>((rows, axis) => rows.flatMap((row) => axis.map((_, n) => [...row, n])), [[]]);
  const listPairs = (row: readonly number[]) =>
    row.flatMap((left, m) => row.slice(m + 1).map((right, n) => `${m}=${left} ${m + 1 + n}=${right}`));
  const missing = new Set(all.flatMap(listPairs));
  const countMissing = (row: readonly number[]) => listPairs(row).filter((pair) => missing.has(pair)).length;
  const chosen: number[][] = [];
  while (missing.size > 0) {
    const best = all.reduce((left, right) => (countMissing(right) > countMissing(left) ? right : left));
    chosen.push(best);
    for (const pair of listPairs(best)) missing.delete(pair);
  }
  return chosen.map((row) => row.map((n, m) => axes[m]?.[n] as Value));
}
