import { createHash } from 'node:crypto';
import { parseJson } from '../support/json.js';
import { type FoundIds, type IdFinder, noIds } from './id-finder.js';
import type { KnownIds } from './known-ids.js';

/**
 * The tiers that one body mentions, whatever its shape. Ids are unique, so every mention can be found. Its location is
 * described by a path pattern: a JSON Pointer (RFC 6901) with `*` for array indices and for ids in keys.
 */
export interface TierMentions {
  /** Pattern → ids of the tiers mentioned there, in the order of the body. */
  readonly idsByPattern: ReadonlyMap<string, readonly string[]>;
  /** Tiers mentioned without a path: the body is not JSON, a text contains several, or a repeated key hides them. */
  readonly unlocatedIds: ReadonlySet<string>;
  /** Tiers whose short ids are a part of the text. They may be mentioned, or it may be a coincidence. */
  readonly possibleIds: ReadonlySet<string>;
  /** Whether a longer text contains an id. */
  readonly hasIdsInTexts: boolean;
  /** Whether an id is written in another letter case. */
  readonly hasOtherLetterCase: boolean;
}

const none: ReadonlySet<string> = new Set();
const noMentions: TierMentions = {
  idsByPattern: new Map(),
  unlocatedIds: none,
  possibleIds: none,
  hasIdsInTexts: false,
  hasOtherLetterCase: false,
};

/** One place of a body that names a tier. */
export interface Mention {
  readonly id: string;
  readonly pattern: string;
  /** Undefined if the id is the whole body. */
  readonly position: Position | undefined;
  /** Whether the id is a key, and not a value. */
  readonly isKey: boolean;
  /** The text around the id, if the id is a part of a text. */
  readonly template?: string;
}

/**
 * Finds the tiers that a body mentions, be it JSON or not.
 *
 * @param isSelected whether a mention counts. Default: all do. The mention is valid during the call only.
 */
export function findTierMentions(
  body: string,
  ids: KnownIds,
  isSelected?: (mention: Mention) => boolean,
): TierMentions {
  const found = findMentionsOf(ids.tiers, body, ids, isSelected);
  const { tiersInWords } = ids;
  if (tiersInWords === undefined || found.idsByPattern.size > 0 || found.unlocatedIds.size === 0) return found;
  return findMentionsOf(tiersInWords, body, ids, isSelected);
}

function findMentionsOf(
  tiers: IdFinder,
  body: string,
  { keys }: Pick<KnownIds, 'keys'>,
  isSelected: ((mention: Mention) => boolean) | undefined,
): TierMentions {
  // The text is searched too: the parser drops repeated keys. The parsed value is searched because of escapes.
  const unlocated = tiers.findAnywhere(body);
  const possible = tiers.findShortIds(body);
  if (unlocated.size + possible.size === 0 && !tiers.mayHide(body)) return noMentions;
  const idsByPattern = new Map<string, Set<string>>();
  const notSelected = new Set<string>();
  let hasIdsInTexts = false;
  let hasOtherLetterCase = false;
  // A cache, because all records have the same keys.
  const keyCache = new Map<string, Key>();
  const readKey = (text: string): Key => {
    const cached = keyCache.get(text);
    if (cached !== undefined) return cached;
    const found = tiers.findIds(text);
    const isOther = keys.findExact(text) !== undefined;
    const key = {
      step: found.isWhole || isOther ? '*' : escapePathStep(keys.replaceIds(tiers.replaceIds(text, '*'), '*')),
      // A deployment may use the same id for a tier and for something else.
      found: found.isWhole || !isOther ? found : noIds,
    };
    keyCache.set(text, key);
    return key;
  };
  const addMention = (
    text: string,
    { ids, isWhole }: FoundIds,
    { pattern }: PathNode,
    at?: Container,
    isKey = false,
  ) => {
    if (isWhole && ids[0] !== text) hasOtherLetterCase = true;
    // A sentence with several ids may say that one was returned and the other was not.
    if (ids.length > 1 && /\p{L}/u.test(tiers.replaceIds(text, ''))) {
      for (const id of ids) unlocated.add(id);
      return;
    }
    for (const id of ids) {
      if (isSelected !== undefined) {
        const template = isWhole ? {} : { template: tiers.replaceIds(text, '*') };
        if (!isSelected({ id, pattern, position: at, isKey, ...template })) {
          notSelected.add(id);
          continue;
        }
      }
      if (!isWhole) hasIdsInTexts = true;
      const key = idsByPattern.has(pattern) || idsByPattern.size < maxPatterns ? pattern : catchAllPattern;
      const known = idsByPattern.get(key);
      if (known === undefined) idsByPattern.set(key, new Set([id]));
      else known.add(id);
    }
  };
  const root: PathNode = { pattern: '', children: undefined };
  // A cache, because all records have the same paths.
  const findNode = (container: Container | undefined): PathNode => {
    if (container === undefined) return root;
    const { node, names, isList, next } = container;
    const name = isList ? undefined : names?.[next];
    const cached = node.children?.get(name);
    if (cached !== undefined) return cached;
    const step = name === undefined ? '*' : readKey(name).step;
    const child: PathNode = { pattern: appendStep(node.pattern, step), children: undefined };
    // Deep paths rarely repeat, and a body may have a million of them.
    if (node.pattern.length < maxCachedPattern) {
      node.children ??= new Map();
      node.children.set(name, child);
    }
    return child;
  };
  // Paths are only computed for mentions and for nested values: most values mention nothing.
  const readValue = (value: unknown, container: Container | undefined): Container | undefined => {
    if (typeof value === 'string' || typeof value === 'number') {
      const text = String(value);
      const encoded = parseNestedJson(text);
      if (encoded !== undefined) return readValue(encoded, container);
      const found = tiers.findIds(text);
      if (found.ids.length > 0) addMention(text, found, findNode(container), container);
    } else if (typeof value === 'object' && value !== null) {
      // Without a spread: a body may have a million levels.
      const { members, names, isList } = openContainer(value);
      const depth = (container?.depth ?? 0) + 1;
      if (members.length > 0)
        return { members, names, isList, node: findNode(container), next: 0, parent: container, depth };
    }
    return undefined;
  };
  // An explicit stack, because a body can be nested deeper than the call stack allows.
  const stack: Container[] = [];
  for (let current = readValue(parseJson(body), undefined); current !== undefined; ) {
    const { members, names } = current;
    let inner: Container | undefined;
    while (inner === undefined && current.next < members.length) {
      const name = names?.[current.next];
      if (name !== undefined && name.length >= tiers.minLength) {
        const { found } = readKey(name);
        if (found.ids.length > 0) addMention(name, found, findNode(current), current, true);
      }
      inner = readValue(members[current.next], current);
      if (inner === undefined) current.next += 1;
    }
    if (inner !== undefined && current.next + 1 < members.length) stack.push(current);
    current = inner ?? continueWith(stack.pop());
  }
  const located = new Set([...notSelected, ...[...idsByPattern.values()].flatMap((ids) => [...ids])]);
  return {
    idsByPattern: new Map([...idsByPattern].map(([pattern, ids]) => [pattern, [...ids]])),
    unlocatedIds: subtractIds(unlocated, located),
    possibleIds: subtractIds(possible, located),
    hasIdsInTexts,
    hasOtherLetterCase,
  };
}

/** Opens an array or an object. */
export function openContainer(value: object): Pick<Position, 'members' | 'names' | 'isList'> {
  if (Array.isArray(value)) return { members: value, names: undefined, isList: true };
  const names = Object.keys(value);
  return { members: Object.values(value), names, isList: areIndices(names) };
}

/** Whether all keys of an object are indices. JavaScript lists such keys before all others. */
export function areIndices(keys: readonly string[]): boolean {
  return /^(0|[1-9]\d{0,8})$/.test(keys.at(-1) ?? '');
}

/** Moves on to the next member. */
function continueWith(container: Container | undefined): Container | undefined {
  if (container !== undefined) container.next += 1;
  return container;
}

/** Parses a string of a body that contains JSON: an array or an object. Returns undefined for any other string. */
export function parseNestedJson(text: string): unknown {
  return firstCharacters.has(text.charCodeAt(0)) && /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
}

/** The characters with which such JSON can begin. Checking them first is faster than a search. */
const firstCharacters = new Set(Array.from('[{ \t\r\n\uFEFF', (character) => character.charCodeAt(0)));

interface Key {
  /** The step of a pattern. */
  readonly step: string;
  readonly found: FoundIds;
}

/** A place in an array or in an object, and in all that surround it. */
export interface Position {
  readonly members: readonly unknown[];
  /** The keys of an object. */
  readonly names: readonly string[] | undefined;
  /** Whether it is an array, or an object whose keys are indices: some languages write a list with gaps so. */
  readonly isList: boolean;
  /** The index of a member. */
  readonly next: number;
  readonly parent: Position | undefined;
  /** The number of steps to its members. */
  readonly depth: number;
}

/** An array or an object that is being read. */
interface Container extends Position {
  readonly node: PathNode;
  /** The index of the member to read next. */
  next: number;
}

/** A path pattern of a body. */
interface PathNode {
  readonly pattern: string;
  /** By key. All items of a list share one node. */
  children: Map<string | undefined, PathNode> | undefined;
}

/** The length of a pattern in characters up to which its children are cached. */
const maxCachedPattern = 500;

/** The length of a key in characters up to which a pattern contains the key itself. */
const maxKey = 500;

/** Escapes a key as a step of a JSON Pointer (RFC 6901). Replaces a long key by its digest. */
export function escapePathStep(key: string): string {
  return key.length > maxKey ? renderDigest('key', key) : key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The length of a pattern in characters from which its beginning is replaced by a digest. */
const maxPattern = 8_000;

function appendStep(pattern: string, step: string): string {
  const parent = pattern.length + step.length < maxPattern ? pattern : `/${renderDigest('path', pattern)}`;
  return `${parent}/${step}`;
}

/** Keeps patterns short and distinct. */
function renderDigest(what: string, text: string): string {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `(${what} of ${text.length} characters with SHA-256 ${digest})`;
}

/** The number of patterns per body. All further mentions share one catch-all pattern. */
const maxPatterns = 1_000;
const catchAllPattern = '/**';

/** Whether a pattern stands for several locations, which may mention different tiers. */
export function isCatchAllPattern(pattern: string): boolean {
  return pattern === catchAllPattern;
}

/** Whether a body mentions tiers, or may mention them. */
export function hasMentions({ idsByPattern, unlocatedIds, possibleIds }: TierMentions): boolean {
  return idsByPattern.size + unlocatedIds.size + possibleIds.size > 0;
}

/** Returns the ids that are not among the others. */
export function subtractIds(ids: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return others.size === 0 ? ids : new Set([...ids].filter((id) => !others.has(id)));
}
