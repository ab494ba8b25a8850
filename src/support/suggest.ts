import { requireLazily } from './require-lazily.js';

const levenshtein = requireLazily<typeof import('fastest-levenshtein')>('fastest-levenshtein');

/** So many names are listed as a whole; of more, the nearest few. */
const maxListed = 25;
const maxNearest = 5;

/**
 * Which name was meant in place of one that is not known: the one probably meant when one is near, otherwise those that
 * there are.
 *
 * @param known the names that would have been right
 */
export function suggest(unknown: string, known: readonly string[]): string {
  if (known.length === 0) return 'There is none.';
  const { closest, distance } = levenshtein();
  const nearest = closest(unknown, [...known]);
  const near = distance(unknown.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, unknown.length / 3);
  if (near) return `Did you mean '${nearest}'?`;
  if (known.length <= maxListed) return `Known: ${[...known].sort().join(', ')}.`;
  const byDistance = [...known].sort((one, other) => distance(unknown, one) - distance(unknown, other));
  return `The nearest of ${known.length}: ${byDistance.slice(0, maxNearest).join(', ')}.`;
}
