import { createHash } from 'node:crypto';
import { parseJson } from '../support/json.js';
import { type FoundIds, noIds } from './id-finder.js';
import type { KnownIds } from './known-ids.js';

/**
 * The tiers that one body names, whatever its shape. Ids are unique, so every place that names one can be found; places
 * are described by their path pattern: a JSON Pointer (RFC 6901) with `*` for array indices and for ids that are keys or
 * stand in keys.
 */
export interface TierMentions {
  /** Pattern → ids of the tiers named there, in the order of the body. */
  readonly idsByPattern: ReadonlyMap<string, readonly string[]>;
  /** Tiers that the text names in no place that could be described: not JSON, amid words, or hidden by a repeated key. */
  readonly unlocatedIds: ReadonlySet<string>;
  /** Tiers whose ids are short, and a part of the text: they may be named there, or anything else may. */
  readonly possibleIds: ReadonlySet<string>;
  /** Whether any tier is named inside a longer text. */
  readonly hasIdsInTexts: boolean;
  /** Whether the id of any tier is written in another letter case. */
  readonly hasOtherLetterCase: boolean;
}

/** Finds the tiers that a body names, be it JSON or not. */
export function findTierMentions(body: string, { tiers, keys }: KnownIds): TierMentions {
  const inText = tiers.findAnywhere(body);
  const hinted = tiers.findShortIds(body);
  const value = parseJson(body);
  if (value === undefined)
    return {
      idsByPattern: new Map(),
      unlocatedIds: inText,
      possibleIds: hinted,
      hasIdsInTexts: false,
      hasOtherLetterCase: false,
    };
  // Records have the same keys, so each is looked at once.
  const seen = new Map<string, Key>();
  const keyOf = (key: string): Key => {
    const known = seen.get(key);
    if (known !== undefined) return known;
    const own = tiers.findIds(key);
    const isOther = keys.findExact(key) !== undefined;
    const made = {
      step: own.isWhole || isOther ? '*' : escapePathStep(keys.replaceIds(tiers.replaceIds(key, '*'), '*')),
      // Where each table of a deployment counts by itself, a key may be the id of a tier and of something else.
      named: own.isWhole || !isOther ? own : noIds,
    };
    seen.set(key, made);
    return made;
  };
  // A repeated key hides an id from the parser, an escape hides it in the text: each is searched for the other's sake.
  const noted = new Map<string, Set<string>>();
  let isInTexts = false;
  let isInOtherCase = false;
  const note = (text: string, { ids, isWhole }: FoundIds, { pattern }: Place) => {
    if (isWhole && ids[0] !== text) isInOtherCase = true;
    // Of several amid words, each may be said to be returned or not to be.
    if (ids.length > 1 && /\p{L}/u.test(tiers.replaceIds(text, ''))) {
      for (const id of ids) inText.add(id);
      return;
    }
    for (const id of ids) {
      if (!isWhole) isInTexts = true;
      const here = noted.has(pattern) || noted.size < maxPatterns ? pattern : anywhereElse;
      const there = noted.get(here);
      if (there === undefined) noted.set(here, new Set([id]));
      else there.add(id);
    }
  };
  const root: Place = { pattern: '', inner: undefined };
  // Records have the same members, so the place of each is described once.
  const placeOf = (from: Opened | undefined): Place => {
    if (from === undefined) return root;
    const { place, names, next } = from;
    const name = names?.[next];
    const known = place.inner?.get(name);
    if (known !== undefined) return known;
    const made = { pattern: below(place.pattern, name === undefined ? '*' : keyOf(name).step), inner: undefined };
    // What nests deep hardly comes again, and there may be a million levels of it.
    if (place.pattern.length < maxOfRemembered) {
      place.inner ??= new Map();
      place.inner.set(name, made);
    }
    return made;
  };
  // Most of a body names nothing: where something stands is worked out only of what names a tier, or is opened.
  const read = (part: unknown, from: Opened | undefined): Opened | undefined => {
    if (typeof part === 'string' || typeof part === 'number') {
      const text = String(part);
      const packed = parseEncodedJson(text);
      if (packed !== undefined) return read(packed, from);
      const named = tiers.findIds(text);
      if (named.ids.length > 0) note(text, named, placeOf(from));
    } else if (typeof part === 'object' && part !== null) {
      const names = Array.isArray(part) ? undefined : Object.keys(part);
      const members = Array.isArray(part) ? part : Object.values(part);
      if (members.length > 0) return { members, names, place: placeOf(from), next: 0 };
    }
    return undefined;
  };
  // An explicit stack: a body may nest deeper than the call stack is tall. What is read to its end is not kept there.
  const open: Opened[] = [];
  for (let last = read(value, undefined); last !== undefined; ) {
    const { members, names } = last;
    let inner: Opened | undefined;
    while (inner === undefined && last.next < members.length) {
      const name = names?.[last.next];
      if (name !== undefined && name.length >= tiers.minLength) {
        const key = keyOf(name);
        if (key.named.ids.length > 0) note(name, key.named, placeOf(last));
      }
      inner = read(members[last.next], last);
      last.next += 1;
    }
    if (last.next < members.length) open.push(last);
    last = inner ?? open.pop();
  }
  const places = new Map([...noted].map(([pattern, there]) => [pattern, [...there]] as const));
  const placed = new Set([...places.values()].flat());
  return {
    idsByPattern: places,
    unlocatedIds: subtractIds(inText, placed),
    possibleIds: subtractIds(hinted, placed),
    hasIdsInTexts: isInTexts,
    hasOtherLetterCase: isInOtherCase,
  };
}

/** The array or the object that a string of a body holds as JSON, if it does. */
export function parseEncodedJson(text: string): unknown {
  return beginnings.has(text.charCodeAt(0)) && /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
}

/** What such JSON begins with: of most strings the first character shows that they are none, sooner than a search does. */
const beginnings = new Set(Array.from('[{ \t\r\n\uFEFF', (character) => character.charCodeAt(0)));

/** A key of a body. */
interface Key {
  /** Of a pattern. */
  readonly step: string;
  readonly named: FoundIds;
}

/** An array or an object of a body that is being read. */
interface Opened {
  readonly members: readonly unknown[];
  /** The keys of an object. */
  readonly names: readonly string[] | undefined;
  readonly place: Place;
  /** The member that is read next. */
  next: number;
}

/** A place of a body. */
interface Place {
  readonly pattern: string;
  /** By their keys; all items of a list are one. */
  inner: Map<string | undefined, Place> | undefined;
}

/** Of a pattern, in characters, whose members are remembered. */
const maxOfRemembered = 500;

/** Of a key that a pattern holds as it is, in characters. */
const longestKey = 500;

/** A key as a step of a JSON Pointer (RFC 6901): one that is very long by its digest. */
export function escapePathStep(key: string): string {
  return key.length > longestKey ? digestOf('key', key) : key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Of one pattern, in characters, before what it begins with is given by its digest. */
const longestPattern = 8_000;

function below(pattern: string, step: string): string {
  const begin = pattern.length + step.length < longestPattern ? pattern : `/${digestOf('path', pattern)}`;
  return `${begin}/${step}`;
}

/** Stands for what is too long to stand there: patterns stay short so, and as different as what they describe. */
function digestOf(what: string, text: string): string {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `(${what} of ${text.length} characters with SHA-256 ${digest})`;
}

/** A body that names tiers under more patterns is made to be puzzling: the further ones count as one. */
const maxPatterns = 1_000;
const anywhereElse = '/**';

/** Whether a pattern describes more places than one, which may name different tiers. */
export function isCatchAllPattern(pattern: string): boolean {
  return pattern === anywhereElse;
}

/** Whether anything of the world is named, or may be. */
export function hasMentions({
  idsByPattern: places,
  unlocatedIds: unplaced,
  possibleIds: hinted,
}: TierMentions): boolean {
  return places.size + unplaced.size + hinted.size > 0;
}

/** Those ids that are not among others. */
export function subtractIds(ids: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return others.size === 0 ? ids : new Set([...ids].filter((id) => !others.has(id)));
}
