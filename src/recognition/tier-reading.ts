import { findNestedPaths, mergeNestedPaths } from './path-normalization.js';
import { isCatchAllPattern, type TierMentions } from './tier-mentions.js';

/** How the responses of a target are read; `isInTexts` where they name tiers inside longer texts. */
export type TierReading =
  /** Tiers named under `patterns` were returned; these agree, so any of them will do. Empty before any was seen. */
  | {
      readonly kind: 'agreed';
      readonly patterns: readonly string[];
      readonly isInTexts?: true;
      /** For patterns that are further levels of a place, as in a linked list, that of the place. */
      readonly folds?: ReadonlyMap<string, string>;
    }
  /** The target file states the patterns; a `*` in them stands for any step, `**` for any number of steps. */
  | { readonly kind: 'stated'; readonly patterns: readonly string[]; readonly isInTexts?: true }
  /** Patterns name different tiers, or describe several places that may; which of them means "returned" cannot be determined. */
  | { readonly kind: 'ambiguous'; readonly patterns: readonly string[] }
  /** None of the patterns that the target file states occurs anywhere, others do. */
  | { readonly kind: 'misstated'; readonly stated: readonly string[]; readonly patterns: readonly string[] };

/**
 * Decides how responses are read, from everything that is known of them.
 *
 * @param namings of the bodies of successful responses
 * @param stated the patterns that the target file states, if it does
 */
export function determineReading(namings: readonly TierMentions[], stated?: readonly string[]): TierReading {
  const found = [...new Set(namings.flatMap(({ idsByPattern: places }) => [...places.keys()]))].sort();
  const folds = stated === undefined ? findNestedPaths(found) : new Map<string, string>();
  const patterns = [...new Set(found.map((pattern) => folds.get(pattern) ?? pattern))].sort();
  const inTexts = namings.some(({ hasIdsInTexts: isInTexts }) => isInTexts) ? ({ isInTexts: true } as const) : {};
  if (stated !== undefined) {
    const isMet = patterns.length === 0 || patterns.some((pattern) => matchesPatterns(pattern, stated));
    return isMet ? { kind: 'stated', patterns: stated, ...inTexts } : { kind: 'misstated', stated, patterns };
  }
  const [first, ...others] = patterns;
  if (first === undefined) return { kind: 'agreed', patterns: [] };
  const agree =
    !patterns.some(isCatchAllPattern) &&
    namings.every((naming) => {
      const places = mergeNestedPaths(naming.idsByPattern, folds);
      const ids = new Set(places.get(first));
      return others.every((other) => isSame(ids, places.get(other)));
    });
  const folded = folds.size === 0 ? {} : { folds };
  return agree ? { kind: 'agreed', patterns, ...folded, ...inTexts } : { kind: 'ambiguous', patterns };
}

/** Whether a pattern is one of those that are stated, in which `*` stands for any step, `**` for any number of them. */
export function matchesPatterns(pattern: string, stated: readonly string[]): boolean {
  const steps = pattern.split('/');
  return stated.some((wanted) => fits(steps, wanted.split('/')));
}

function fits(steps: readonly string[], [wanted, ...others]: readonly string[]): boolean {
  if (wanted === undefined) return steps.length === 0;
  if (wanted === anyStepsWildcard) return steps.some((_, n) => fits(steps.slice(n), others)) || fits([], others);
  const [step, ...rest] = steps;
  return step !== undefined && (wanted === '*' || wanted === step) && fits(rest, others);
}

/** In a pattern that a target file states. */
export const anyStepsWildcard = '**';

/** Whether a list, in which nothing stands twice, has what a set has. */
function isSame(ids: ReadonlySet<string>, list: readonly string[] = []): boolean {
  return list.length === ids.size && list.every((id) => ids.has(id));
}
