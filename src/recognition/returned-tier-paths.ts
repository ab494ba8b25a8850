import type { Reason } from '../support/reason.js';
import { mergeNestingLevels, normalizePathPatterns } from './path-normalization.js';
import { matchesPathPatterns } from './path-patterns.js';
import type { MentionFilter } from './sibling-values.js';
import type { TierMentions } from './tier-mentions.js';
import { catchAllPath } from './walk-texts.js';

/** Patterns that name other tiers than those that were returned, as the documentation shows in the first responses. */
export interface RefutedPatterns {
  /** They lack tiers that must be returned. What they name may have been returned. */
  readonly incomplete: ReadonlySet<string>;
  /** They name tiers that must not be returned. What they name means something else. */
  readonly wrong: ReadonlySet<string>;
}

export type AmbiguousTierPaths = Extract<ReturnedTierPaths, { kind: 'ambiguous' }>;

/** A reading that says under which paths responses name the returned tiers. */
export type PathReading = Extract<ReturnedTierPaths, { kind: 'agreed' | 'stated' }>;

/** How to find the returned tiers in the responses of a target. */
export type ReturnedTierPaths = {
  /** Only these mentions count. Default: that of the recognizer. */
  readonly filter?: MentionFilter;
  /** Whether responses may have all ids in one letter case, although some ids differ in nothing else. */
  readonly mayFoldCase?: true;
  readonly patterns: readonly string[];
} & (
  | {
      /** All patterns name the same tiers: those that were returned. There are none if no response names any. */
      readonly kind: 'agreed';
      /** Patterns of nested levels, as in a linked list, with the pattern that stands for all levels. */
      readonly nestedPaths?: ReadonlyMap<string, string>;
      readonly hasIdsInTexts?: true;
      readonly refuted?: RefutedPatterns;
    }
  /** The target file states the patterns. `*` stands for any step, `**` for any number of steps. */
  | { readonly kind: 'stated'; readonly hasIdsInTexts?: true }
  /** The patterns name different tiers, so it is unknown which one means "returned". */
  | {
      readonly kind: 'ambiguous';
      readonly nestedPaths?: ReadonlyMap<string, string>;
      readonly hasIdsInTexts?: true;
      explain?(): Reason | undefined;
    }
  /** The target file states patterns, but tiers are named under other patterns only. */
  | { readonly kind: 'misstated'; readonly stated: readonly string[] }
);

/** @param mentions the mentions in successful responses @param stated the patterns that the target file states */
export function determineTierReading(mentions: readonly TierMentions[], stated?: readonly string[]): ReturnedTierPaths {
  const found = [...new Set(mentions.flatMap(({ idsByPattern }) => [...idsByPattern.keys()]))].sort();
  const hasIdsInTexts = mentions.some((body) => body.hasIdsInTexts) || undefined;
  const mayFoldCase = isCaseFolded(mentions) || undefined;
  if (stated !== undefined) {
    const isFound = found.length === 0 || found.some((pattern) => matchesPathPatterns(pattern, stated));
    if (!isFound) return { kind: 'misstated', stated, patterns: found };
    return { kind: 'stated', patterns: stated, hasIdsInTexts, mayFoldCase };
  }
  const bodies = mentions.map(({ idsByPattern }) => idsByPattern);
  const nestedPaths = normalizePathPatterns(found, bodies);
  const normalize = (all: Iterable<string>) => new Set([...all].map((pattern) => nestedPaths.get(pattern) ?? pattern));
  const patterns = [...normalize(found)].sort();
  const certain = normalize(mentions.flatMap(({ certainPatterns }) => [...certainPatterns]));
  const [first, ...others] = patterns.filter((pattern) => certain.has(pattern));
  const nested = nestedPaths.size === 0 ? undefined : nestedPaths;
  const common = { nestedPaths: nested, hasIdsInTexts, mayFoldCase };
  // A word beside the ids is a coincidence; where no id is, it may be one.
  const isCoincidence = (pattern: string) =>
    mentions.some((body) => body.idsByPattern.has(pattern) && body.certainPatterns.size > 0);
  const doubtful = patterns.filter((pattern) => !certain.has(pattern) && !isCoincidence(pattern));
  if (doubtful.length > 0)
    return {
      kind: 'ambiguous',
      patterns: [...(first === undefined ? [] : [first, ...others]), ...doubtful],
      ...common,
    };
  if (first === undefined) return { kind: 'agreed', patterns: [] };
  const isAgreed = !patterns.includes(catchAllPath) && doPatternsNameSameTiers([first, ...others], bodies, nestedPaths);
  return { kind: isAgreed ? 'agreed' : 'ambiguous', patterns: [first, ...others], ...common };
}

/** Whether one of the named ids has a twin in another letter case, and nothing shows that the deployment keeps letter case. */
function isCaseFolded(mentions: readonly TierMentions[]): boolean {
  const ids = [...new Set(mentions.flatMap(({ locatedIds }) => [...locatedIds]))];
  const { listTwins } = mentions[0] ?? {};
  if (listTwins === undefined || !ids.some((id) => listTwins(id).length > 0)) return false;
  return ids.every((id) => id === id.toLowerCase()) || ids.every((id) => id === id.toUpperCase());
}

/** Whether all patterns name the same tiers in every body. */
export function doPatternsNameSameTiers(
  [first = '', ...others]: readonly string[],
  bodies: readonly TierMentions['idsByPattern'][],
  nestedPaths: ReadonlyMap<string, string>,
): boolean {
  return bodies.every((body) => {
    const merged = mergeNestingLevels(body, nestedPaths);
    const ids = new Set(merged.get(first));
    const unique = others.map((pattern) => merged.get(pattern) ?? []);
    return unique.every((named) => named.length === ids.size && named.every((id) => ids.has(id)));
  });
}
