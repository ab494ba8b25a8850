/**
 * Places in responses that nest: of a linked list or a tree, each level has a path of its own, and all are one place.
 * Steps that repeat, one right after the other, count as one; where the same path occurs without them, too, as for the
 * first of a list, as none.
 */

/** Of steps that repeat together, such as `children/*` . */
const longestRepeat = 6;

/**
 * Finds which paths are one place.
 *
 * @param patterns all path patterns under which a target names tiers
 * @returns for each pattern that is another level of a place, the pattern of that place
 */
export function findNestedPaths(patterns: readonly string[]): ReadonlyMap<string, string> {
  const repeating = new Set<string>();
  const folded = new Map(patterns.map((pattern) => [pattern, withoutRepeats(pattern, repeating)]));
  if (repeating.size === 0) return new Map();
  const known = new Set(folded.values());
  const place = (pattern: string): string => {
    for (const steps of repeating) {
      const at = `${pattern}/`.indexOf(`/${steps}/`);
      const without = at < 0 ? pattern : pattern.slice(0, at) + pattern.slice(at + 1 + steps.length);
      if (without !== pattern && known.has(without)) return place(without);
    }
    return pattern;
  };
  return new Map(
    [...folded].map(([raw, pattern]) => [raw, place(pattern)] as const).filter(([raw, pattern]) => raw !== pattern),
  );
}

/** A pattern with steps that repeat written once. @param repeating where they are noted */
function withoutRepeats(pattern: string, repeating: Set<string>): string {
  const steps: string[] = [];
  for (const step of pattern.split('/')) {
    steps.push(step);
    // What stands before the first slash is no step, though it reads as an empty key does.
    for (let length = 1; length <= longestRepeat && 2 * length < steps.length; length += 1) {
      const last = steps.slice(-length).join('/');
      if (last !== steps.slice(-2 * length, -length).join('/')) continue;
      repeating.add(last);
      steps.length -= length;
      break;
    }
  }
  return steps.join('/');
}

/** What is named in each place, where the levels of one count as that place. */
export function mergeNestedPaths(
  places: ReadonlyMap<string, readonly string[]>,
  folds: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly string[]> {
  if (folds.size === 0) return places;
  const together = new Map<string, Set<string>>();
  for (const [pattern, ids] of places) {
    const place = folds.get(pattern) ?? pattern;
    together.set(place, new Set([...(together.get(place) ?? []), ...ids]));
  }
  return new Map([...together].map(([place, ids]) => [place, [...ids]]));
}
