import { remember } from '../support/caches.js';
import { renderShortList } from '../support/collections.js';
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

export function readReturned(
  body: string,
  { reading, recognizer }: { readonly reading: TierReading; readonly recognizer: Recognizer },
): ReturnedTiers {
  return readReturnedTiers(recognizer.findMentions(body, reading.filter), reading);
}

export function readReturnedTiers(mentions: TierMentions, reading: TierReading): ReturnedTiers {
  return getReader(reading)(mentions);
}

/** Several assertions judge one response. */
const getReader = remember((reading: TierReading) =>
  remember((mentions: TierMentions) => readMentions(mentions, reading)),
);

function readMentions({ idsByPattern, unlocatedIds, possibleIds }: TierMentions, reading: TierReading): ReturnedTiers {
  if (reading.kind === 'ambiguous' || reading.kind === 'misstated')
    return {
      returned: [],
      unclear: new Set([...[...idsByPattern.values()].flat(), ...unlocatedIds]),
      reason: explainUnclearPaths(reading),
    };
  const { patterns, hasIdsInTexts = patterns.length === 0 } = reading;
  const returned = new Set<string>();
  if (reading.kind === 'stated') {
    for (const [pattern, ids] of idsByPattern)
      if (matchesPatterns(pattern, patterns)) for (const id of ids) returned.add(id);
  } else {
    const merged = mergeNestedPaths(idsByPattern, reading.nestedPaths ?? new Map());
    for (const id of patterns.map((pattern) => merged.get(pattern)).find((ids) => ids !== undefined) ?? [])
      returned.add(id);
  }
  const doubtful = hasIdsInTexts ? new Set([...unlocatedIds, ...possibleIds]) : unlocatedIds;
  const reason = unlocatedIds.size > 0 ? unlocatedReason : possibleReason;
  const unclear = subtractIds(doubtful, returned);
  return { returned: [...returned], unclear, reason: doubtful.size === 0 ? '' : reason };
}

const unlocatedReason =
  'The body names promotions outside of JSON values, or several in one sentence, so it is unknown whether they were returned.';

const possibleReason = `The body contains ids of promotions inside longer texts, or as keys that are words. Ids of fewer than ${minLengthInsideText} characters can occur there by chance, so it is unknown whether they were returned.`;

function explainUnclearPaths(reading: Extract<TierReading, { kind: 'ambiguous' | 'misstated' }>): string {
  const { patterns } = reading;
  const named = `Promotions are named under ${renderShortList(patterns)}`;
  if (reading.kind === 'misstated')
    return `${named}, but not under ${reading.stated.join(' or ')}, which the target file states. Correct response.tier there.`;
  const explained = reading.explain?.();
  if (explained !== undefined) return explained;
  const problem = patterns.includes(catchAllPath) ? 'are too many to tell apart' : 'disagree';
  const example = patterns.find((pattern) => pattern !== catchAllPath) ?? '/promotions/*/id';
  return `${named}, which ${problem}. State in the target file which of them names the valid promotions, such as response: { tier: ${example} }, or several in a list. With the wrong one, a deployment that conforms fails.`;
}
