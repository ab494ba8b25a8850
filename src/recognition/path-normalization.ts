/**
 * Each level of a linked list or a tree has a path of its own, but all levels are one list of promotions. Repeated steps
 * count once, or not at all if the same path also occurs without them, as for the first entry of a linked list.
 */

import { groupBy } from '../support/collections.js';

/** Up to six steps that repeat together, such as `/children/*`. */
const repetition = /((?:\/[^/]*){1,6}?)\1+(?=\/|$)/g;

/** Returns the normalized pattern of each pattern that differs from it. @param bodies the patterns of each body */
export function normalizePathPatterns(
  patterns: readonly string[],
  bodies: readonly { has(pattern: string): boolean }[],
): ReadonlyMap<string, string> {
  return new Map([...findRepeatedPaths(patterns), ...findSingleResults(patterns, bodies)]);
}

/** In a longer pattern, a list is not searched for a single result: that takes quadratic time. */
const maxPattern = 1_000;

/** Finds paths of a single result where several are a list: `/data/id` beside `/data/*` + `/id`, never in one body. */
function findSingleResults(patterns: readonly string[], bodies: Parameters<typeof normalizePathPatterns>[1]) {
  const known = new Set(patterns);
  const lists = patterns.filter(({ length }) => length <= maxPattern);
  return lists.flatMap((list) =>
    [...list.matchAll(/\/\*(?=\/|$)/g)]
      .map(({ index }) => list.slice(0, index) + list.slice(index + '/*'.length))
      .filter((single) => known.has(single) && !bodies.some((body) => body.has(single) && body.has(list)))
      .map((single): [string, string] => [single, list]),
  );
}

function findRepeatedPaths(patterns: readonly string[]): [pattern: string, path: string][] {
  const repeated = new Set<string>();
  const removeRepetitions = (pattern: string): string => {
    const shorter = pattern.replaceAll(repetition, (_, steps: string) => {
      repeated.add(steps);
      return steps;
    });
    return shorter === pattern ? pattern : removeRepetitions(shorter);
  };
  const shortened = patterns.map((pattern) => [pattern, removeRepetitions(pattern)] as const);
  const known = new Set(shortened.map(([, path]) => path));
  const removeRepeated = (path: string): string => {
    for (const steps of repeated) {
      const at = `${path}/`.indexOf(`${steps}/`);
      const without = at < 0 ? path : path.slice(0, at) + path.slice(at + steps.length);
      if (without !== path && known.has(without)) return removeRepeated(without);
    }
    return path;
  };
  return shortened
    .map(([pattern, path]): [string, string] => [pattern, removeRepeated(path)])
    .filter(([pattern, path]) => pattern !== path);
}

/** Merges the ids of all levels of a nested list. @param nestedPaths each pattern with the one that stands for all levels */
export function mergeNestingLevels(
  idsByPattern: ReadonlyMap<string, readonly string[]>,
  nestedPaths: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly string[]> {
  if (nestedPaths.size === 0) return idsByPattern;
  const levels = groupBy(idsByPattern, ([pattern]) => nestedPaths.get(pattern) ?? pattern);
  return new Map([...levels].map(([path, found]) => [path, [...new Set(found.flatMap(([, ids]) => ids))]]));
}
