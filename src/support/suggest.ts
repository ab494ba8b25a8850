import { closest, distance } from 'fastest-levenshtein';

const maxListed = 25;

export function suggest(unknown: string, known: readonly string[]): string {
  if (known.length === 0) return 'There is none.';
  const nearest = closest(unknown, [...known]);
  const near = distance(unknown.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, unknown.length / 3);
  if (near) return `Did you mean '${nearest}'?`;
  const byDistance = [...known].sort((name, next) => distance(unknown, name) - distance(unknown, next));
  return `Known: ${byDistance.slice(0, maxListed).join(', ')}${known.length > maxListed ? ', …' : '.'}`;
}
