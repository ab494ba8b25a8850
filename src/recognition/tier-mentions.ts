import { cacheByText, computeOnce } from '../support/caches.js';
import { isContainer, parseExactly, parseJson } from '../support/json.js';
import type { IdFinder } from './id-finder.js';
import type { KnownIds } from './known-ids.js';
import { matchesPatterns } from './path-patterns.js';
import { catchAllPath, escapePathStep, getPath, type Position, walkTexts } from './walk-texts.js';

/** The location of a mention is a path pattern: a JSON Pointer (RFC 6901) with `*` for array indices and for ids in keys. */
export type TierMentions = ReturnType<typeof createMentions>;

export interface Mention {
  readonly id: string;
  readonly pattern: string;
  /** Undefined if the id is the whole body. */
  readonly position: Position | undefined;
  readonly isKey: boolean;
  /** The text around the id, if the id is a part of a text. */
  readonly template: string | undefined;
}

/** @param isSelected whether a mention counts. The mention is valid during the call only. */
export function findTierMentions(
  body: string,
  known: KnownIds,
  isSelected?: (mention: Mention) => boolean,
): TierMentions {
  const mentions = findMentionsOf(known.tiers, body, known, isSelected);
  if (mentions.idsByPattern.size > 0 || mentions.unlocatedIds.size === 0) return mentions;
  return findMentionsOf(known.tiersInWords, body, known, isSelected);
}

function findMentionsOf(
  tiers: IdFinder,
  body: string,
  known: KnownIds,
  isSelected: ((mention: Mention) => boolean) | undefined,
): TierMentions {
  const { keys, isGuessable, hasNumericIds } = known;
  // Where no id is a number and nothing beside the ids counts, no digit of a number matters. To keep them takes time.
  const value = (hasNumericIds || isSelected !== undefined ? parseExactly : parseJson)(body);
  // The text is searched too: the parser drops repeated keys. The parsed value is searched because of escapes.
  const unlocated = value === undefined ? tiers.findAnywhere(body) : tiers.findUnencoded(body);
  const possible = tiers.findShortIds(body);
  const idsByPattern = new Map<string, Set<string>>();
  const certainPatterns = new Set<string>();
  const located = new Set<string>();
  let hasIdsInTexts = false;
  const isKnown = (key: string) => [tiers, keys].some((finder) => finder.findExact(key) !== undefined);
  // Caches, because records have the same keys.
  const isCertainId = cacheByText((key) => isKnown(key) && !isGuessable(key));
  const renderWord = cacheByText((key) =>
    isCertainId(key) ? '*' : escapePathStep(keys.replaceIds(tiers.replaceIds(key, '*'), '*')),
  );
  /** Whether a key that may be a word is one of several ids. */
  const isAmongIds = (key: string, position?: Position) =>
    isGuessable(key) && isKnown(key) && position?.names?.some(isCertainId) === true;
  const renderKey = (position: Position) => {
    const key = position.step;
    return isAmongIds(key, position) ? '*' : renderWord(key);
  };
  walkTexts(
    value,
    (text, position, isKey) => {
      const { ids, isWhole } = tiers.findIds(text);
      if (ids.length === 0) return;
      if (isKey && isWhole && isGuessable(text) && !position?.isList && !isAmongIds(text, position)) {
        // Of one record alone, nothing tells whether its key is an id.
        if (isContainer(position?.member)) possible.push(...ids);
        return;
      }
      // A deployment may use the same id for a tier and for something else.
      if (isKey && !isWhole && keys.findExact(text) !== undefined) return;
      // A sentence with several ids may say that one was returned and the other was not.
      if (ids.length > 1 && /\p{L}/u.test(tiers.replaceIds(text, ''))) {
        unlocated.push(...ids);
        return;
      }
      const pattern = position === undefined ? '' : getPath(position, renderKey);
      const template = isWhole ? undefined : tiers.replaceIds(text, '*');
      for (const id of ids) {
        located.add(id);
        if (isSelected?.({ id, pattern, position, isKey, template }) === false) continue;
        hasIdsInTexts ||= !isWhole || (isKey && isGuessable(text));
        const key = idsByPattern.has(pattern) || idsByPattern.size < maxPatterns ? pattern : catchAllPath;
        idsByPattern.set(key, (idsByPattern.get(key) ?? new Set()).add(id));
        if (!isGuessable(id)) certainPatterns.add(key);
      }
    },
    tiers.minLength,
  );
  const found = {
    named: [...idsByPattern].map(([pattern, ids]) => [pattern, [...ids]] as const),
    certain: [...certainPatterns],
    unlocated: [...subtractIds(unlocated, located)],
    possible: [...subtractIds(possible, located)],
    located: [...located],
    hasIdsInTexts,
  };
  return createMentions(found, body, known);
}

/** What a body names, as plain JSON: it is found once, and stored with its exchange. */
export interface FoundMentions {
  readonly named: readonly (readonly [pattern: string, ids: readonly string[]])[];
  readonly certain: readonly string[];
  readonly unlocated: readonly string[];
  readonly possible: readonly string[];
  readonly located: readonly string[];
  readonly hasIdsInTexts: boolean;
}

/** Makes what was found in a body ready to be read. Nothing is searched, unless it is asked for. */
export function createMentions(found: FoundMentions, body: string, { tiers, searchBroadly, listTwins }: KnownIds) {
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

/** The number of patterns per body. All further mentions share one catch-all pattern. */
const maxPatterns = 1_000;

/** @param stated the patterns of the target file: what they name is no coincidence */
export function hasMentions(
  { idsByPattern, certainPatterns, unlocatedIds, possibleIds }: TierMentions,
  stated: readonly string[] = [],
): boolean {
  if ([...idsByPattern.keys()].some((pattern) => matchesPatterns(pattern, stated))) return true;
  return certainPatterns.size + unlocatedIds.size + possibleIds.size > 0;
}

export function subtractIds(ids: Iterable<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...ids].filter((id) => !others.has(id)));
}
