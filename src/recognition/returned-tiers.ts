import { renderShortList } from '../support/render-short-list.js';
import { minLengthInsideText } from './id-finder.js';
import { mergeNestedPaths } from './path-normalization.js';
import { matchesPatterns } from './path-patterns.js';
import type { Recognizer } from './recognizer.js';
import { subtractIds, type TierMentions } from './tier-mentions.js';
import type { TierReading } from './tier-reading.js';
import { catchAllPath } from './walk-texts.js';

/** The tiers that a response returned. A tier in neither list was not returned. */
export interface ReturnedTiers {
  /** In the order of the body. */
  readonly returned: readonly string[];
  /** Tiers that the body mentions, but perhaps not as returned. */
  readonly unclear: ReadonlySet<string>;
  /** Why tiers are unclear. Empty if none is. */
  readonly reason: string;
}

/** Reads the returned tiers of a body. */
export function readReturned(
  body: string,
  { reading, recognizer }: { readonly reading: TierReading; readonly recognizer: Recognizer },
): ReturnedTiers {
  return readReturnedTiers(recognizer.findMentions(body, reading.filter), reading);
}

/** Reads the returned tiers from the mentions of a body. */
export function readReturnedTiers(
  { idsByPattern, unlocatedIds, possibleIds }: TierMentions,
  reading: TierReading,
): ReturnedTiers {
  const resultOf = (returned: readonly string[], mayBeInTexts: boolean | undefined): ReturnedTiers => {
    const doubtful = mayBeInTexts ? new Set([...unlocatedIds, ...possibleIds]) : unlocatedIds;
    const reason = unlocatedIds.size > 0 ? unlocatedReason : possibleReason;
    return { returned, unclear: subtractIds(doubtful, new Set(returned)), reason: doubtful.size === 0 ? '' : reason };
  };
  const unclear = (reason: string): ReturnedTiers => ({
    returned: [],
    unclear: new Set([...[...idsByPattern.values()].flat(), ...unlocatedIds]),
    reason,
  });
  const named = `Promotions are named under ${renderShortList(reading.patterns)}`;
  switch (reading.kind) {
    case 'stated': {
      const matching = [...idsByPattern].filter(([pattern]) => matchesPatterns(pattern, reading.patterns));
      return resultOf([...new Set(matching.flatMap(([, ids]) => ids))], reading.hasIdsInTexts);
    }
    case 'agreed': {
      const { patterns, nestedPaths = new Map(), hasIdsInTexts = patterns.length === 0 } = reading;
      const merged = mergeNestedPaths(idsByPattern, nestedPaths);
      return resultOf(
        patterns.map((pattern) => merged.get(pattern)).find((ids) => ids !== undefined) ?? [],
        hasIdsInTexts,
      );
    }
    case 'ambiguous':
      return unclear(reading.explain?.() ?? `${named}, which ${renderAmbiguity(reading.patterns)}`);
    case 'misstated':
      return unclear(
        `${named}, but not under ${reading.stated.join(' or ')}, which the target file states. Correct response.tier there.`,
      );
  }
}

const unlocatedReason =
  'The body names promotions outside of JSON values, or several in one sentence, so it is unknown whether they were returned.';

const possibleReason = `The body contains ids of promotions inside longer texts, or as keys that are words. Ids of fewer than ${minLengthInsideText} characters can occur there by chance, so it is unknown whether they were returned.`;

function renderAmbiguity(patterns: readonly string[]): string {
  const problem = patterns.includes(catchAllPath) ? 'are too many to tell apart' : 'disagree';
  const example = patterns.find((pattern) => pattern !== catchAllPath) ?? '/promotions/*/id';
  return `${problem}. State in the target file which of them names the valid promotions, such as response: { tier: ${example} }, or several in a list. With the wrong one, a deployment that conforms fails.`;
}
