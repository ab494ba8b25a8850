import { cacheByObject } from '../support/caches.js';
import { createReason, type Reason } from '../support/reason.js';
import { minIdLengthInsideText } from './id-finder.js';
import { mergeNestingLevels } from './path-normalization.js';
import { matchesPathPatterns } from './path-patterns.js';
import type { Recognizer } from './recognizer.js';
import type { PathReading, ReturnedTierPaths } from './returned-tier-paths.js';
import { subtractIds, type TierMentions } from './tier-mentions.js';
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

/** Reads which tiers a response returned. */
export function readReturnedTiersOfBody(
  body: string,
  { reading, recognizer }: { readonly reading: ReturnedTierPaths; readonly recognizer: Recognizer },
): ReturnedTiers {
  return readReturnedTiersOfMentions(recognizer.findMentions(body, reading.filter), reading);
}

/** Does the same with the mentions of a body, if they are known. */
export function readReturnedTiersOfMentions(mentions: TierMentions, reading: ReturnedTierPaths): ReturnedTiers {
  return getReader(reading)(mentions);
}

/** Several assertions judge one response. */
const getReader = cacheByObject((reading: ReturnedTierPaths) =>
  cacheByObject((mentions: TierMentions) => readMentions(mentions, reading)),
);

type UnclearReading = Exclude<ReturnedTierPaths, PathReading>;

function readMentions(mentions: TierMentions, reading: ReturnedTierPaths): ReturnedTiers {
  const isNamedElsewhere = (id: string) => mayBeNamed(id, mentions, reading);
  const isClear = reading.kind === 'agreed' || reading.kind === 'stated';
  return { ...(isClear ? readByPath(mentions, reading) : readUnclear(mentions, reading)), isNamedElsewhere };
}

type ReadTiers = Omit<ReturnedTiers, 'isNamedElsewhere'>;

/** Nothing says which of the named tiers were returned. */
function readUnclear({ idsByPattern, unlocatedIds }: TierMentions, reading: UnclearReading): ReadTiers {
  const named = [...idsByPattern.values()].flat();
  return { returned: [], unclear: new Set([...named, ...unlocatedIds]), reason: explainUnclearPaths(reading) };
}

function readByPath(mentions: TierMentions, reading: PathReading): ReadTiers {
  const returned = new Set(listReturned(mentions.idsByPattern, reading));
  const unclear = subtractIds(listDoubtful(mentions, reading), returned);
  const { listTwins } = mentions;
  const twins = reading.mayFoldCase ? [...returned].filter((id) => listTwins(id).length > 0) : [];
  if (twins.length > 0)
    return {
      returned: [...subtractIds(returned, new Set(twins))],
      unclear: new Set([...unclear, ...twins, ...twins.flatMap(listTwins)]),
      reason: createReason('names-in-one-case'),
    };
  if (unclear.size === 0) return { returned: [...returned], unclear };
  const isUnlocated = mentions.unlocatedIds.size > 0;
  const reason = isUnlocated
    ? createReason('names-unlocated')
    : createReason('names-possible', { length: minIdLengthInsideText });
  return { returned: [...returned], unclear, reason };
}

function listReturned(idsByPattern: TierMentions['idsByPattern'], reading: PathReading): readonly string[] {
  const { patterns } = reading;
  if (reading.kind === 'stated')
    return [...idsByPattern].flatMap(([pattern, ids]) => (matchesPathPatterns(pattern, patterns) ? ids : []));
  // Patterns that agree name the same tiers, so the first one that a body has is enough.
  const merged = mergeNestingLevels(idsByPattern, reading.nestedPaths ?? new Map());
  return patterns.map((pattern) => merged.get(pattern)).find((ids) => ids !== undefined) ?? [];
}

/**
 * Lists the tiers that a body names without a path. Where ids always stand alone, as whole values, a short id or a word in a
 * text is a coincidence.
 */
function listDoubtful({ unlocatedIds, possibleIds, listIdsInWords }: TierMentions, reading: PathReading) {
  const { patterns, hasIdsInTexts = patterns.length === 0 } = reading;
  return hasIdsInTexts ? [...unlocatedIds, ...possibleIds, ...listIdsInWords()] : unlocatedIds;
}

/** Whether a body names a tier elsewhere than where returned tiers are, and this may mean that it was returned. */
function mayBeNamed(
  id: string,
  { idsByPattern, locatedIds, isAnywhere }: TierMentions,
  reading: ReturnedTierPaths,
): boolean {
  if (!locatedIds.has(id)) return isAnywhere(id);
  // The target file says which mentions count.
  if (reading.kind !== 'agreed') return false;
  const nestedPaths = reading.nestedPaths ?? new Map<string, string>();
  const patterns = [...idsByPattern].filter(([, ids]) => ids.includes(id)).map(([pattern]) => pattern);
  return patterns.some((pattern) => reading.refuted?.wrong.has(nestedPaths.get(pattern) ?? pattern) !== true);
}

function explainUnclearPaths(reading: UnclearReading): Reason {
  const { patterns: paths } = reading;
  if (reading.kind === 'misstated') return createReason('paths-misstated', { paths, stated: reading.stated });
  const explained = reading.explain?.();
  if (explained !== undefined) return explained;
  const example = paths.find((pattern) => pattern !== catchAllPath) ?? '/promotions/*/id';
  return createReason(paths.includes(catchAllPath) ? 'paths-too-many' : 'paths-disagree', { paths, example });
}
