/**
 * Normalizes paths of nested responses. Each level of a linked list or a tree has a path of its own, but all levels are
 * one list of promotions. Repeated steps count once. If the same path also occurs without these steps, as for the first
 * entry of a linked list, they are removed.
 */

import { cacheByText } from '../support/cache-by-text.js';

/** The number of steps that can repeat together, such as `children/*`. */
const maxRepeatedSteps = 6;

/**
 * Finds the paths of nested levels.
 *
 * @param patterns all path patterns under which a target names tiers
 * @param bodies the patterns of each body
 * @returns the normalized pattern of each pattern that differs from it
 */
export function findNestedPaths(
  patterns: readonly string[],
  bodies: readonly { has(pattern: string): boolean }[],
): ReadonlyMap<string, string> {
  // Paths of a single result where several are a list: `/data/id` beside `/data/*` + `/id`, never in one body.
  const isSingle = (single: string, list: string) =>
    isWithoutOneList(single, list) && !bodies.some((body) => body.has(single) && body.has(list));
  const singleResults = patterns.flatMap((list) =>
    patterns.filter((single) => isSingle(single, list)).map((single) => [single, list] as const),
  );
  return new Map([...findRepeatedPaths(patterns), ...singleResults]);
}

/** Whether a path is another one without one of its steps `*`. In linear time: paths may have thousands of steps. */
function isWithoutOneList(single: string, list: string): boolean {
  if (list.length - single.length !== '/*'.length) return false;
  let same = 0;
  while (same < single.length && single[same] === list[same]) same += 1;
  // The next step may begin as the removed one does.
  return [same, same - 1, same - 2].some(
    (at) => at >= 0 && /^\/\*(\/|$)/.test(list.slice(at, at + 3)) && list.slice(at + 2) === single.slice(at),
  );
}

function findRepeatedPaths(patterns: readonly string[]): ReadonlyMap<string, string> {
  const shortest = patterns.map((pattern) => [pattern, removeRepetitions(pattern)] as const);
  const repeated = new Set(shortest.flatMap(([, { removed }]) => removed));
  if (repeated.size === 0) return new Map();
  const shortened = new Map(shortest.map(([pattern, { path }]) => [pattern, path]));
  const known = new Set(shortened.values());
  const normalize = (pattern: string): string => {
    for (const steps of repeated) {
      const at = `${pattern}/`.indexOf(`/${steps}/`);
      const without = at < 0 ? pattern : pattern.slice(0, at) + pattern.slice(at + 1 + steps.length);
      if (without !== pattern && known.has(without)) return normalize(without);
    }
    return pattern;
  };
  return new Map(
    [...shortened].map(([raw, pattern]) => [raw, normalize(pattern)] as const).filter(([raw, path]) => raw !== path),
  );
}

/** Removes repetitions of steps. A cache, because each case asks for the paths of all responses. */
const removeRepetitions = cacheByText((pattern): { readonly path: string; readonly removed: readonly string[] } => {
  const steps: string[] = [];
  const removed = new Set<string>();
  for (const step of pattern.split('/')) {
    steps.push(step);
    // The first element is not a step: it is the empty text before the first slash.
    for (let length = 1; length <= maxRepeatedSteps && 2 * length < steps.length; length += 1) {
      if (steps.at(-1) !== steps.at(-1 - length)) continue;
      const last = steps.slice(-length).join('/');
      if (last !== steps.slice(-2 * length, -length).join('/')) continue;
      removed.add(last);
      steps.length -= length;
      break;
    }
  }
  return { path: steps.join('/'), removed: [...removed] };
});

/** Merges the ids of nested levels under their normalized pattern. */
export function mergeNestedPaths(
  idsByPattern: ReadonlyMap<string, readonly string[]>,
  nestedPaths: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly string[]> {
  if (nestedPaths.size === 0) return idsByPattern;
  const merged = new Map<string, Set<string>>();
  for (const [pattern, ids] of idsByPattern) {
    const path = nestedPaths.get(pattern) ?? pattern;
    merged.set(path, new Set([...(merged.get(path) ?? []), ...ids]));
  }
  return new Map([...merged].map(([path, ids]) => [path, [...ids]]));
}
