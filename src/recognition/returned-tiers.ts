import { remember } from '../support/caches.js';
import { createReason, type Reason } from '../support/reason.js';
import { minLengthInsideText } from './id-finder.js';
import { mergeNestedPaths } from './path-normalization.js';
import { matchesPatterns } from './path-patterns.js';
import type { Recognizer } from './recognizer.js';
import { subtractIds, type TierMentions } from './tier-mentions.js';
import type { TierReading } from './tier-reading.js';
import { catchAllPath } from './walk-texts.js';

/** The tiers that a response returned. One in neither list was not returned, unless it is named elsewhere. */
export interface ReturnedTiers {
  /** In the order of the body. */
  readonly returned: readonly string[];
  /** Tiers that the body mentions, but perhaps not as returned. */
  readonly unclear: ReadonlySet<string>;
  /** Why tiers are unclear, if any are. */
  readonly reason?: Reason;
  /** Whether the body has the id of another tier somewhere, so that nothing proves that it was not returned. */
  isNamedElsewhere(id: string): boolean;
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

function readMentions(mentions: TierMentions, reading: TierReading): ReturnedTiers {
  const { idsByPattern, unlocatedIds, possibleIds } = mentions;
  const isNamedElsewhere = (id: string) => mayBeNamed(id, mentions, reading);
  if (reading.kind === 'ambiguous' || reading.kind === 'misstated')
    return {
      returned: [],
      unclear: new Set([...[...idsByPattern.values()].flat(), ...unlocatedIds]),
      reason: explainUnclearPaths(reading),
      isNamedElsewhere,
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
  const doubtful = hasIdsInTexts
    ? new Set([...unlocatedIds, ...possibleIds, ...mentions.listIdsInWords()])
    : unlocatedIds;
  const unclear = subtractIds(doubtful, returned);
  const twins = reading.mayFoldCase ? [...returned].filter((id) => mentions.listTwins(id).length > 0) : [];
  if (twins.length > 0)
    return {
      returned: [...subtractIds(returned, new Set(twins))],
      unclear: new Set([...unclear, ...twins, ...twins.flatMap(mentions.listTwins)]),
      reason: createReason('names-in-one-case'),
      isNamedElsewhere,
    };
  if (unclear.size === 0) return { returned: [...returned], unclear, isNamedElsewhere };
  const reason =
    unlocatedIds.size > 0
      ? createReason('names-unlocated')
      : createReason('names-possible', { length: minLengthInsideText });
  return { returned: [...returned], unclear, reason, isNamedElsewhere };
}

/** Whether a body names a tier elsewhere than where returned tiers are, and this may mean that it was returned. */
function mayBeNamed(id: string, { idsByPattern, locatedIds, isAnywhere }: TierMentions, reading: TierReading): boolean {
  if (!locatedIds.has(id)) return isAnywhere(id);
  // The target file says which mentions count.
  if (reading.kind !== 'agreed') return false;
  const nestedPaths = reading.nestedPaths ?? new Map<string, string>();
  const patterns = [...idsByPattern].filter(([, ids]) => ids.includes(id)).map(([pattern]) => pattern);
  return patterns.some((pattern) => reading.refuted?.wrong.has(nestedPaths.get(pattern) ?? pattern) !== true);
}

function explainUnclearPaths(reading: Extract<TierReading, { kind: 'ambiguous' | 'misstated' }>): Reason {
  const { patterns: paths } = reading;
  if (reading.kind === 'misstated') return createReason('paths-misstated', { paths, stated: reading.stated });
  const explained = reading.explain?.();
  if (explained !== undefined) return explained;
  const example = paths.find((pattern) => pattern !== catchAllPath) ?? '/promotions/*/id';
  return createReason(paths.includes(catchAllPath) ? 'paths-too-many' : 'paths-disagree', { paths, example });
}
