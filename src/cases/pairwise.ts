/**
 * Combines axes pairwise (all-pairs testing): any two places of two axes meet in a row. All combinations would be hundreds.
 * The last two axes run through all combinations, and the place of each other axis is a linear function of these two modulo
 * a prime (an orthogonal array). So matrices that end in the same axes share requests.
 *
 * @param sizes the number of places of each axis, at least one
 * @returns rows with one place of each axis; one empty row if there is no axis
 */
export function combinePairwise(sizes: readonly number[]): number[][] {
  if (sizes.length === 0) return [[]];
  const prime = findPrime(Math.max(...sizes, sizes.length - 1));
  const numbers = Array.from({ length: prime }, (_, n) => n);
  const rows = numbers.flatMap((first) =>
    numbers.map((last) => {
      const places = [last, first, ...sizes.slice(2).map((_, n) => (n + 1) * first + prime - last)];
      return sizes.map((size, n) => ((places[sizes.length - 1 - n] as number) % prime) % size);
    }),
  );
  // Axes with fewer places than the prime repeat them.
  const met = new Set<string>();
  const needed = rows.filter((row) => {
    const unmet = listPairs(row).filter((pair) => !met.has(pair));
    for (const pair of unmet) met.add(pair);
    return unmet.length > 0;
  });
  return needed.sort(
    (row, next) => row.map((place, n) => place - (next[n] as number)).find((apart) => apart !== 0) ?? 0,
  );
}

function findPrime(least: number): number {
  const hasDivisor = Array.from({ length: Math.max(0, least - 2) }, (_, n) => n + 2).some((n) => least % n === 0);
  return hasDivisor ? findPrime(least + 1) : least;
}

/** Lists the pairs of places of a row, and each place alone. */
function listPairs(row: readonly number[]): string[] {
  const places = row.map((place, axis) => `${axis}:${place}`);
  return places.flatMap((place, n) => places.slice(n).map((next) => `${place} ${next}`));
}
