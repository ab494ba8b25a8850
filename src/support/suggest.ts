import { closest, distance } from 'fastest-levenshtein';

/**
 * How to hint a name that is not known: the one probably meant when one is near, otherwise all there are.
 *
 * @param known the names that would have been right
 */
export function suggest(unknown: string, known: readonly string[]): string {
  if (known.length === 0) return 'There is none.';
  const nearest = closest(unknown, [...known]);
  const near = distance(unknown.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, unknown.length / 3);
  return near ? `Did you mean '${nearest}'?` : `Known: ${[...known].sort().join(', ')}.`;
}
