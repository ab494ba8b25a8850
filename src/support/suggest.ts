import { requireLazily } from './require-lazily.js';

const levenshtein = requireLazily<typeof import('fastest-levenshtein')>('fastest-levenshtein');

/** Above this number, none are listed. */
const maxListed = 25;

/** Suggests the known name that is most similar to an unknown one, or lists the known names. */
export function suggest(unknown: string, known: readonly string[]): string {
  if (known.length === 0) return 'There is none.';
  const { closest, distance } = levenshtein();
  const nearest = closest(unknown, [...known]);
  const near = distance(unknown.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, unknown.length / 3);
  if (near || known.length > maxListed) return `Did you mean '${nearest}'?`;
  return `Known: ${[...known].sort().join(', ')}.`;
}
