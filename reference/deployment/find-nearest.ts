import { distance } from 'fastest-levenshtein';

const maxNamed = 4;

/** The few names that are nearest to one that is not known, the nearest first; one that it is a part of is very near. */
export function findNearest(unknown: string, names: readonly string[]): string[] {
  const strangeness = (name: string) => (name.includes(unknown) ? 1 : distance(unknown, name));
  return [...names].sort((a, b) => strangeness(a) - strangeness(b)).slice(0, maxNamed);
}
