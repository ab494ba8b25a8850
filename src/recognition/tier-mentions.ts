import { cacheByText, computeOnce } from '../support/caches.js';
import { isJsonContainer, parseJson, parseJsonExactly } from '../support/json.js';
import type { IdFinder } from './id-finder.js';
import type { IdFinders } from './id-finders.js';
import { matchesPathPatterns } from './path-patterns.js';
import { type BodyPosition, catchAllPath, escapePathStep, getPathOfPosition, walkTexts } from './walk-texts.js';

/**
 * The tiers that a body mentions. The location of a mention is a path pattern: a JSON Pointer (RFC 6901) with `*` for array
 * indices and for ids in keys.
 */
export type TierMentions = ReturnType<typeof createTierMentions>;

export interface Mention {
  readonly id: string;
  readonly pattern: string;
  /** Undefined if the id is the whole body. */
  readonly position: BodyPosition | undefined;
  readonly isKey: boolean;
  /** The text around the id, if the id is a part of a text. */
  readonly template: string | undefined;
}

/** Decides whether a mention counts. The mention is valid during the call only. */
type MentionSelector = (mention: Mention) => boolean;

/** Finds all tiers that a body mentions. @param isSelected leaves mentions out; those stay in `locatedIds` */
export function findTierMentions(body: string, finders: IdFinders, isSelected?: MentionSelector): TierMentions {
  const found = findMentionsOf(finders.tiers, body, finders, isSelected);
  if (found.idsByPattern.size > 0 || found.unlocatedIds.size === 0) return found;
  return findMentionsOf(finders.tiersInWords, body, finders, isSelected);
}

function findMentionsOf(
  tiers: IdFinder,
  body: string,
  finders: IdFinders,
  isSelected: MentionSelector | undefined,
): TierMentions {
  // Where no id is a number and nothing beside the ids counts, no digit of a number matters. To keep them takes time.
  const value = (finders.hasNumericIds || isSelected !== undefined ? parseJsonExactly : parseJson)(body);
  const bodyIds = createBodyIds(tiers, finders);
  const collected: CollectedMentions = {
    idsByPattern: new Map(),
    certainPatterns: new Set(),
    located: new Set(),
    // The text is searched too: the parser drops repeated keys. The parsed value is searched because of escapes.
    unlocated: value === undefined ? tiers.findAnywhere(body) : tiers.findUnencoded(body),
    possible: tiers.findShortIds(body),
    hasIdsInTexts: false,
  };
  walkTexts(
    value,
    (text, position, isKey) => {
      const found = tiers.findIds(text);
      if (found.ids.length > 0)
        collectMention(
          { text, position, isKey, ids: found.ids, isWhole: found.isWhole },
          bodyIds,
          collected,
          isSelected,
        );
    },
    tiers.minLength,
  );
  const { idsByPattern, certainPatterns, located, unlocated, possible, hasIdsInTexts } = collected;
  const found: SerializedMentions = {
    named: [...idsByPattern].map(([pattern, named]) => [pattern, [...named]] as const),
    certain: [...certainPatterns],
    unlocated: [...subtractIds(unlocated, located)],
    possible: [...subtractIds(possible, located)],
    located: [...located],
    hasIdsInTexts,
  };
  return createTierMentions(found, body, finders);
}

/** What a body names, as plain JSON: it is found once, and stored with its exchange. */
export interface SerializedMentions {
  readonly named: readonly (readonly [pattern: string, ids: readonly string[]])[];
  readonly certain: readonly string[];
  readonly unlocated: readonly string[];
  readonly possible: readonly string[];
  readonly located: readonly string[];
  readonly hasIdsInTexts: boolean;
}

/** Makes what was found in a body ready to be read. Nothing is searched, unless it is asked for. */
export function createTierMentions(
  found: SerializedMentions,
  body: string,
  { tiers, searchBroadly, listTwins }: IdFinders,
) {
  const located = new Set(found.located);
  return {
    /** As it is stored. */
    found,
    /** Pattern → ids of the tiers mentioned there, in the order of the body. */
    idsByPattern: new Map<string, readonly string[]>(found.named),
    /** The patterns of mentions that are no coincidence. */
    certainPatterns: new Set(found.certain),
    /** Tiers mentioned without a path: the body is not JSON, a text contains several, or a repeated key hides them. */
    unlocatedIds: new Set(found.unlocated),
    /** Tiers whose short ids are a part of the text, or keys that are words. They may be mentioned, or it is a coincidence. */
    possibleIds: new Set(found.possible),
    /** Whether a longer text contains an id, or a key that is a word is one. */
    hasIdsInTexts: found.hasIdsInTexts,
    /** The tiers with a path, selected or not. */
    locatedIds: located,
    /** Lists tiers whose ids count only as whole values, and are a part of a text. */
    listIdsInWords: computeOnce(() => subtractIds(tiers.findWholeIds(body), located)),
    /** Lists the tiers whose ids differ from an id in letter case alone. */
    listTwins,
    /** Whether the body has an id anywhere, in any letter case and encoding. */
    isAnywhere: searchBroadly(body),
  };
}

/** What was found while the texts of a body are visited. */
interface CollectedMentions {
  readonly idsByPattern: Map<string, Set<string>>;
  readonly certainPatterns: Set<string>;
  readonly located: Set<string>;
  readonly unlocated: string[];
  readonly possible: string[];
  hasIdsInTexts: boolean;
}

/** A text of a body that has ids of tiers. */
interface TextWithIds {
  readonly text: string;
  readonly ids: readonly string[];
  /** Whether the text is an id, and nothing else. */
  readonly isWhole: boolean;
  readonly isKey: boolean;
  readonly position: BodyPosition | undefined;
}

function collectMention(
  found: TextWithIds,
  bodyIds: BodyIds,
  collected: CollectedMentions,
  isSelected: MentionSelector | undefined,
): void {
  switch (classifyMention(found, bodyIds)) {
    case 'skip':
      return;
    case 'possible':
      collected.possible.push(...found.ids);
      return;
    case 'unlocated':
      collected.unlocated.push(...found.ids);
      return;
    case 'located':
      collectLocated(found, bodyIds, collected, isSelected);
  }
}

/** `possible`: it may be a coincidence. `unlocated`: the tiers are named, but the path does not say that they were returned. */
type MentionKind = 'skip' | 'possible' | 'unlocated' | 'located';

function classifyMention(found: TextWithIds, bodyIds: BodyIds): MentionKind {
  // Of one record alone, nothing tells whether its key is an id.
  if (isUncertainKey(found, bodyIds)) return isJsonContainer(found.position?.member) ? 'possible' : 'skip';
  // A deployment may use the same id for a tier and for something else.
  if (isKeyOfOtherData(found, bodyIds)) return 'skip';
  // A sentence with several ids may say that one was returned and the other was not.
  return isSentenceOfSeveral(found, bodyIds) ? 'unlocated' : 'located';
}

/** Whether a key may be a word as well, and nothing shows that it is an id. */
function isUncertainKey(
  { text, position, isKey, isWhole }: TextWithIds,
  { isGuessable, isAmongIds }: BodyIds,
): boolean {
  return isKey && isWhole && isGuessable(text) && !position?.isList && !isAmongIds(text, position);
}

function isKeyOfOtherData({ text, isKey, isWhole }: TextWithIds, { keys }: BodyIds): boolean {
  return isKey && !isWhole && keys.findExact(text) !== undefined;
}

function isSentenceOfSeveral({ text, ids }: TextWithIds, { tiers }: BodyIds): boolean {
  return ids.length > 1 && /\p{L}/u.test(tiers.replaceIds(text, ''));
}

function collectLocated(
  { text, position, isKey, ids, isWhole }: TextWithIds,
  { tiers, isGuessable, renderKey }: BodyIds,
  collected: CollectedMentions,
  isSelected: MentionSelector | undefined,
): void {
  const pattern = position === undefined ? '' : getPathOfPosition(position, renderKey);
  const template = isWhole ? undefined : tiers.replaceIds(text, '*');
  const { idsByPattern, certainPatterns, located } = collected;
  for (const id of ids) {
    located.add(id);
    if (isSelected?.({ id, pattern, position, isKey, template }) === false) continue;
    collected.hasIdsInTexts ||= !isWhole || (isKey && isGuessable(text));
    const key = idsByPattern.has(pattern) || idsByPattern.size < maxPatterns ? pattern : catchAllPath;
    idsByPattern.set(key, (idsByPattern.get(key) ?? new Set()).add(id));
    if (!isGuessable(id)) certainPatterns.add(key);
  }
}

type BodyIds = ReturnType<typeof createBodyIds>;

/** Creates what tells ids from names of fields in one body. It has caches, because the records of a body have the same keys. */
function createBodyIds(tiers: IdFinder, { keys, isGuessable }: IdFinders) {
  const isKnown = (key: string) => [tiers, keys].some((finder) => finder.findExact(key) !== undefined);
  const isCertainId = cacheByText((key) => isKnown(key) && !isGuessable(key));
  const renderWord = cacheByText((key) =>
    isCertainId(key) ? '*' : escapePathStep(keys.replaceIds(tiers.replaceIds(key, '*'), '*')),
  );
  /** Whether a key that may be a word is one of several ids. */
  const isAmongIds = (key: string, position?: BodyPosition) =>
    isGuessable(key) && isKnown(key) && position?.names?.some(isCertainId) === true;
  return {
    tiers,
    keys,
    isGuessable,
    isAmongIds,
    /** Renders the key of a member as a step of its path. */
    renderKey(position: BodyPosition): string {
      const key = position.step;
      return isAmongIds(key, position) ? '*' : renderWord(key);
    },
  };
}

/** The number of patterns per body. All further mentions share one catch-all pattern. */
const maxPatterns = 1_000;

/**
 * Whether a body mentions a tier, and not only by chance.
 * @param stated the patterns of the target file: what they name is no coincidence
 */
export function hasMentions(
  { idsByPattern, certainPatterns, unlocatedIds, possibleIds }: TierMentions,
  stated: readonly string[] = [],
): boolean {
  if ([...idsByPattern.keys()].some((pattern) => matchesPathPatterns(pattern, stated))) return true;
  return certainPatterns.size + unlocatedIds.size + possibleIds.size > 0;
}

export function subtractIds(ids: Iterable<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...ids].filter((id) => !others.has(id)));
}
