import { parseJson } from '../support/json.js';
/**
 * Finding the promotion tiers that a response names, whatever its shape. Ids are unique, so every place that names one
 * can be found; places are described by their path pattern: a JSON Pointer (RFC 6901) with `*` for array indices and
 * for ids that are keys or parts of keys.
 */

/** What is known of the ids that a response may name. */
export interface KnownIds {
  /** Ids of the tiers that are looked for. */
  readonly tiers: ReadonlySet<string>;
  /** Every other text that, as an object key, stands for a thing rather than for a field. */
  readonly keys: ReadonlySet<string>;
}

/** The tiers that one body names. */
export interface Naming {
  /** Pattern → ids of the tiers named there, in the order of the body. */
  readonly places: ReadonlyMap<string, readonly string[]>;
  /** Tiers that the text names in no place that could be described: not JSON, amid words, or hidden by a repeated key. */
  readonly unplaced: ReadonlySet<string>;
  /** Tiers whose ids are short, and a part of the text: they may be named there, or anything else may. */
  readonly hinted: ReadonlySet<string>;
  /** Whether any tier is named inside a longer text. */
  readonly isInTexts: boolean;
}

/** How the responses of a target are read; `isInTexts` where they name tiers inside longer texts. */
export type Reading =
  /** Tiers named under `patterns` were returned; these agree, so any of them will do. Empty before any was seen. */
  | { readonly kind: 'agreed'; readonly patterns: readonly string[]; readonly isInTexts?: true }
  /** The target file states the patterns; a `*` in them stands for any step. */
  | { readonly kind: 'stated'; readonly patterns: readonly string[]; readonly isInTexts?: true }
  /** Patterns name different tiers; which of them means "returned" cannot be told. */
  | { readonly kind: 'ambiguous'; readonly patterns: readonly string[] }
  /** None of the patterns that the target file states occurs anywhere, others do. */
  | { readonly kind: 'misstated'; readonly stated: readonly string[]; readonly patterns: readonly string[] };

/** Ids shorter than this are looked for as whole values only: they may be part of anything. */
const minLengthInsideText = 12;

/** How many bodies, and how long ones in characters, are kept beside what they name. */
const [maxKept, longestKept] = [256, 32 * 1024];
const kept = new WeakMap<KnownIds, Map<string, Naming>>();

/** Finds the tiers that a body names. Most responses repeat an earlier one, so what was read last is remembered. */
export function namingOf(body: string, ids: KnownIds): Naming {
  if (body.length > longestKept) return namingIn(body, ids);
  const known = kept.get(ids) ?? new Map<string, Naming>();
  kept.set(ids, known);
  const naming = known.get(body) ?? namingIn(body, ids);
  // Put last, whereupon the first is the one that was longest of no use.
  known.delete(body);
  known.set(body, naming);
  const [oldest = ''] = known.keys();
  if (known.size > maxKept) known.delete(oldest);
  return naming;
}

function namingIn(body: string, { tiers, keys }: KnownIds): Naming {
  const { within: tiersIn, anywhere, short } = finderOf(tiers);
  const { within: keysIn } = finderOf(keys);
  const inText = new Set(anywhere(body));
  const hinted = short(body);
  const value = parseJson(body);
  if (value === undefined) return { places: new Map(), unplaced: inText, hinted, isInTexts: false };
  const steps = new Map<string, string>();
  const stepOf = (key: string): string => {
    if (tiers.has(key) || keys.has(key)) return '*';
    const known = steps.get(key);
    if (known !== undefined) return known;
    const general = [...tiersIn(key), ...keysIn(key)].reduce((step, id) => step.replaceAll(id, '*'), key);
    const step = general.replaceAll('~', '~0').replaceAll('/', '~1');
    steps.set(key, step);
    return step;
  };
  // A repeated key hides an id from the parser, an escape hides it in the text: each is searched for the other's sake.
  const places = new Map<string, string[]>();
  let isInTexts = false;
  const note = (text: string, pattern: string) => {
    const ids = tiers.has(text) ? [text] : [...tiersIn(text)];
    // Of several amid words, each may be said to be returned or not to be.
    if (ids.length > 1 && /\p{L}/u.test(ids.reduce((rest, id) => rest.replaceAll(id, ''), text))) {
      for (const id of ids) inText.add(id);
      return;
    }
    for (const id of ids) {
      if (id !== text) isInTexts = true;
      const list = places.get(pattern);
      if (list !== undefined) {
        if (!list.includes(id)) list.push(id);
      } else if (places.size < maxPatterns) places.set(pattern, [id]);
      else inText.add(id);
    }
  };
  // An explicit stack: a body may nest deeper than the call stack is tall. What is read to its end is not kept there.
  const open: Opened[] = [];
  const read = (part: unknown, pattern: string) => {
    const packed = typeof part === 'string' ? packedIn(part) : undefined;
    if (packed !== undefined) read(packed, pattern);
    else if (typeof part === 'string' || typeof part === 'number') note(String(part), pattern);
    else if (typeof part === 'object' && part !== null) {
      const parts = Array.isArray(part) ? part : Object.values(part);
      const names = Array.isArray(part) ? undefined : Object.keys(part);
      if (parts.length > 0) open.push({ parts, names, pattern, next: 0 });
    }
  };
  read(value, '');
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const { parts, names, pattern, next } = last;
    last.next += 1;
    if (last.next === parts.length) open.pop();
    const name = names?.[next];
    const here = below(pattern, name === undefined ? '*' : stepOf(name));
    // Where each table of a deployment counts by itself, a key may be the id of a tier and of something else.
    if (name !== undefined && (tiers.has(name) || !keys.has(name))) note(name, here);
    read(parts[next], here);
  }
  const placed = new Set([...places.values()].flat());
  return { places, unplaced: without(inText, placed), hinted: without(hinted, placed), isInTexts };
}

/** The array or the object that a string of a body holds as JSON, if it does. */
function packedIn(text: string): unknown {
  return /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
}

/** An array or an object of a body that is being read. */
interface Opened {
  readonly parts: readonly unknown[];
  /** The keys of an object. */
  readonly names: readonly string[] | undefined;
  readonly pattern: string;
  next: number;
}

/** A body with more is made to be puzzling: that it names further ids is known, but not where. */
const maxPatterns = 1_000;
/** Of one pattern, in characters. */
const longestPattern = 1_000;
/** Ends a pattern that would be longer. */
const anywhereBelow = '/**';

function below(pattern: string, step: string): string {
  if (pattern.endsWith(anywhereBelow)) return pattern;
  return pattern.length + step.length < longestPattern ? `${pattern}/${step}` : pattern + anywhereBelow;
}

/** Ids of a set, by how sure it is that a text names them; each in the order of the text. */
interface Finder {
  /** Those that stand by themselves inside a text, as in `/tiers/promo_1?expand`. */
  within(text: string): ReadonlySet<string>;
  /** Those that are a part of the text, though perhaps of another word. */
  anywhere(text: string): ReadonlySet<string>;
  /** Those that are too short for either, where they are a part of the text. */
  short(text: string): ReadonlySet<string>;
}

/** What must stand before and after an id: nothing that it might be a part of. */
const byItself = ['(?<![A-Za-z0-9]|[A-Za-z0-9][-_])', '(?![A-Za-z0-9]|[-_][A-Za-z0-9])'] as const;

/** The same, where that is doubtful: a number within a longer one is certainly another. */
const notWithinNumber = ['(?<!\\d(?=\\d))', '(?!(?<=\\d)\\d)'] as const;

const finders = new WeakMap<ReadonlySet<string>, Finder>();

/** A finder passes over a text once, however many ids there are: bodies are long, and there are many of them. */
function finderOf(ids: ReadonlySet<string>): Finder {
  const made = finders.get(ids);
  if (made !== undefined) return made;
  const [long, short] = [true, false].map((isLong) =>
    [...ids].filter((id) => id.length >= minLengthInsideText === isLong),
  ) as [string[], string[]];
  const finder: Finder = {
    within: searchFor(long, ...byItself),
    anywhere: searchFor(long, ...notWithinNumber),
    short: searchFor(short, ...notWithinNumber),
  };
  finders.set(ids, finder);
  return finder;
}

/** Finds ids between what must stand before and after them. Of ids that are parts of each other the longest counts. */
function searchFor(ids: readonly string[], before: string, after: string): (text: string) => ReadonlySet<string> {
  const shortest = Math.min(...ids.map((id) => id.length));
  const longestFirst = [...ids].sort((a, b) => b.length - a.length);
  const any = longestFirst.map((id) => id.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
  const pattern = new RegExp(`${before}(?:${any})${after}`, 'g');
  return (text) => {
    if (text.length < shortest) return none;
    // In a URL they may be percent-encoded (RFC 3986).
    const readings = text.includes('%') ? [text, percentDecoded(text)] : [text];
    return new Set(readings.flatMap((reading) => [...reading.matchAll(pattern)].map(([id]) => id)));
  };
}

const none: ReadonlySet<string> = new Set();

/** Decodes what is percent-encoded UTF-8, once, and leaves the rest: a text may speak of 10 % as well. */
function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
}

/**
 * Decides how responses are read, from everything that is known of them.
 *
 * @param namings of the bodies of successful responses
 * @param stated the patterns that the target file states, if it does
 */
export function readingOf(namings: readonly Naming[], stated?: readonly string[]): Reading {
  const patterns = [...new Set(namings.flatMap(({ places }) => [...places.keys()]))].sort();
  const inTexts = namings.some(({ isInTexts }) => isInTexts) ? ({ isInTexts: true } as const) : {};
  if (stated !== undefined) {
    const isMet = patterns.length === 0 || patterns.some((pattern) => isStated(pattern, stated));
    return isMet ? { kind: 'stated', patterns: stated, ...inTexts } : { kind: 'misstated', stated, patterns };
  }
  const [first, ...others] = patterns;
  if (first === undefined) return { kind: 'agreed', patterns: [] };
  const agree = namings.every(({ places }) => others.every((other) => sameSet(places.get(first), places.get(other))));
  return agree ? { kind: 'agreed', patterns, ...inTexts } : { kind: 'ambiguous', patterns };
}

/** Whether a pattern is one of those that are stated, in which `*` stands for any step. */
function isStated(pattern: string, stated: readonly string[]): boolean {
  const steps = pattern.split('/');
  return stated.some((wanted) => {
    const wantedSteps = wanted.split('/');
    return wantedSteps.length === steps.length && wantedSteps.every((step, n) => step === '*' || step === steps[n]);
  });
}

function sameSet(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return one.length === other.length && one.every((id) => other.includes(id));
}

/**
 * Whatever stands where promotions are named: the id of each known tier, and the text of each other thing, once. Keys of
 * objects that are no known ids may be names of fields, so they count only where the target file states the pattern.
 */
export function foundIn(
  body: string,
  reading: Extract<Reading, { kind: 'stated' | 'agreed' }>,
  { tiers }: KnownIds,
): string[] {
  const value = parseJson(body);
  if (value === undefined) return [];
  const { within: tiersIn } = finderOf(tiers);
  const knownIn = (text: string) => (tiers.has(text) ? [text] : [...tiersIn(text)]);
  const isTaken = (key: string) => reading.kind === 'stated' || knownIn(key).length > 0;
  const foundUnder = (pattern: string) =>
    textsAt(value, pattern.split('/').slice(1), isTaken).flatMap((text) => {
      const known = knownIn(text);
      return known.length > 0 ? known : [text];
    });
  const found = reading.patterns.map(foundUnder);
  // Those that agree name the same things; those that are stated may each name some.
  return [...new Set(reading.kind === 'stated' ? found.flat() : found.find((texts) => texts.length > 0))];
}

/** The texts under a pattern: strings and numbers, and keys where the pattern ends with a wildcard for one. */
function textsAt(value: unknown, steps: readonly string[], isTaken: (key: string) => boolean): string[] {
  const [step, ...rest] = steps;
  if (step === undefined) return typeof value === 'string' || typeof value === 'number' ? [String(value)] : [];
  if (typeof value === 'string') return textsAt(packedIn(value), steps, isTaken);
  if (Array.isArray(value)) return step === '*' ? value.flatMap((item) => textsAt(item, rest, isTaken)) : [];
  if (typeof value !== 'object' || value === null) return [];
  const [before = '', after] = step.replaceAll('~1', '/').replaceAll('~0', '~').split('*');
  return Object.entries(value).flatMap(([key, part]) => {
    if (after === undefined) return key === before ? textsAt(part, rest, isTaken) : [];
    if (!key.startsWith(before) || !key.endsWith(after)) return [];
    if (rest.length > 0) return textsAt(part, rest, isTaken);
    return isTaken(key) ? [key] : [];
  });
}

/** The tiers that a response returned, as far as it can be told. */
export interface Result {
  /** In the order of the body. */
  readonly returned: readonly string[];
  /** Named in the body, but whether as returned cannot be told. Whatever is in neither was not returned. */
  readonly unclear: ReadonlySet<string>;
  /** Why there are unclear ones. */
  readonly because: string;
}

/** Of patterns in a message. */
const maxShown = 5;

/** Reads the result out of a body. */
export function resultOf({ places, unplaced, hinted }: Naming, reading: Reading): Result {
  const named = () => new Set([...[...places.values()].flat(), ...unplaced]);
  const found = (patterns: readonly string[]) => {
    const others = patterns.length - maxShown;
    const rest = others > 0 ? ` and ${others} more paths` : '';
    return `Promotions are named under ${patterns.slice(0, maxShown).join(' and ')}${rest}`;
  };
  const doubts = (returned: readonly string[], mayBeHinted = false): Omit<Result, 'returned'> => {
    const doubtful = mayBeHinted && hinted.size > 0 ? new Set([...unplaced, ...hinted]) : unplaced;
    if (doubtful.size === 0) return { unclear: none, because: '' };
    const because = unplaced.size > 0 ? unplacedBecause : hintedBecause;
    return { unclear: without(doubtful, new Set(returned)), because };
  };
  switch (reading.kind) {
    case 'stated': {
      const lists = [...places].filter(([pattern]) => isStated(pattern, reading.patterns)).map(([, list]) => list);
      const returned = [...new Set(lists.flat())];
      return { returned, ...doubts(returned, reading.isInTexts) };
    }
    case 'agreed': {
      const returned = reading.patterns.map((pattern) => places.get(pattern)).find((list) => list !== undefined) ?? [];
      return { returned, ...doubts(returned, reading.isInTexts ?? reading.patterns.length === 0) };
    }
    case 'ambiguous':
      return {
        returned: [],
        unclear: named(),
        because: `${found(reading.patterns)}, which disagree. Name the right one in a target file: response: { tier: ${reading.patterns[0]} }, or the right ones in a list.`,
      };
    case 'misstated':
      return {
        returned: [],
        unclear: named(),
        because: `${found(reading.patterns)}, nowhere under ${reading.stated.join(' or ')}, which the target file states. Mend response.tier there.`,
      };
  }
}

const unplacedBecause =
  'The body names promotions outside of any JSON value, or several amid words, so whether they were returned cannot be told.';

const hintedBecause = `The body holds ids of promotions inside longer texts. Ids of fewer than ${minLengthInsideText} characters may stand there for anything, so whether they were returned cannot be told.`;

function without(ids: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> {
  return others.size === 0 ? ids : new Set([...ids].filter((id) => !others.has(id)));
}
