import { findNestedPaths, mergeNestedPaths } from './path-normalization.js';
import { matchesPatterns } from './path-patterns.js';
import type { MentionFilter } from './sibling-values.js';
import { isCatchAllPattern, type TierMentions } from './tier-mentions.js';

/** How to find the returned tiers in the responses of a target. `hasIdsInTexts`: longer texts contain ids. */
export type TierReading = {
  /** Only these mentions count. Default: that of the recognizer. */ readonly filter?: MentionFilter;
} /** The tiers under any of `patterns` were returned. All patterns name the same tiers. Empty if none was seen yet. */ & (
  | {
      readonly kind: 'agreed';
      readonly patterns: readonly string[];
      readonly hasIdsInTexts?: true;
      /** Patterns of nested levels, as in a linked list, with the pattern that stands for all levels. */
      readonly nestedPaths?: ReadonlyMap<string, string>;
    }
  /** The target file states the patterns. `*` stands for any step, `**` for any number of steps. */
  | { readonly kind: 'stated'; readonly patterns: readonly string[]; readonly hasIdsInTexts?: true }
  /** The patterns name different tiers, so it is unknown which one means "returned". */
  | { readonly kind: 'ambiguous'; readonly patterns: readonly string[]; explain?(): string | undefined }
  /** The target file states patterns, but tiers are named under other patterns only. */
  | { readonly kind: 'misstated'; readonly stated: readonly string[]; readonly patterns: readonly string[] }
);

/**
 * Determines how to read responses.
 *
 * @param mentions the mentions in successful responses
 * @param stated the patterns that the target file states
 */
export function determineReading(mentions: readonly TierMentions[], stated?: readonly string[]): TierReading {
  const found = [...new Set(mentions.flatMap(({ idsByPattern }) => [...idsByPattern.keys()]))].sort();
  const nestedPaths = stated === undefined ? findNestedPaths(found) : new Map<string, string>();
  const patterns = [...new Set(found.map((pattern) => nestedPaths.get(pattern) ?? pattern))].sort();
  const inTexts = mentions.some(({ hasIdsInTexts }) => hasIdsInTexts) ? ({ hasIdsInTexts: true } as const) : {};
  if (stated !== undefined) {
    const isFound = patterns.length === 0 || patterns.some((pattern) => matchesPatterns(pattern, stated));
    return isFound ? { kind: 'stated', patterns: stated, ...inTexts } : { kind: 'misstated', stated, patterns };
  }
  const [first, ...others] = patterns;
  if (first === undefined) return { kind: 'agreed', patterns: [] };
  const agree =
    !patterns.some(isCatchAllPattern) &&
    mentions.every(({ idsByPattern }) => {
      const merged = mergeNestedPaths(idsByPattern, nestedPaths);
      const ids = new Set(merged.get(first));
      return others.every((other) => hasSameIds(ids, merged.get(other)));
    });
  const nested = nestedPaths.size === 0 ? {} : { nestedPaths };
  return agree ? { kind: 'agreed', patterns, ...nested, ...inTexts } : { kind: 'ambiguous', patterns };
}

function hasSameIds(ids: ReadonlySet<string>, unique: readonly string[] = []): boolean {
  return unique.length === ids.size && unique.every((id) => ids.has(id));
}
