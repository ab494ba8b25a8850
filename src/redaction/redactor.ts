/**
 * Keeping credentials out of everything that is shown or stored.
 *
 * What a deployment echoes is found in any letter case and in any of these forms: as it is; escaped as in JSON, URLs,
 * HTML, JSON Pointers or quoted-printable, at any depth and in any mix; in UTF-16; and all of that in base64, base64url
 * or hexadecimal digits, wherever it begins there. SECURITY.md says what is not found. The time is
 * linear in the length of the text, and does not depend on the secrets.
 */

import { createHash } from 'node:crypto';
import { codesOf, type Escapes, escapesIn } from '../http/escapes.js';
import { unpackedIn, unpackingMemory } from '../http/packed.js';
import { type Reading, type Search, searchesFor } from '../http/search.js';

/** A secret, and what stands in its place. */
export interface Secret {
  readonly value: string;
  readonly placeholder: string;
  /** The name of the header that carries it, beside which alone one of few characters is recognised. */
  readonly header?: string;
}

/**
 * Makes the function that replaces every occurrence of the secrets.
 *
 * @param secrets white space around a value does not go over the wire, so it does not come back; an empty value is
 *   passed over
 */
export function createRedactor(secrets: readonly Secret[]): (text: string) => string {
  const wanted = secrets
    .map(({ value, placeholder, header }) => ({ value: value.trim(), placeholder, header }))
    .filter(({ value }) => value !== '')
    // The longer first, so that a secret that holds another is replaced as a whole.
    .sort((one, other) => other.value.length - one.value.length)
    .map(({ value, placeholder, header }) => ({ placeholder, searches: searchesFor(value, header) }));
  if (wanted.length === 0) return (text) => text;
  const minLength = Math.min(...wanted.flatMap(({ searches }) => searches.map((search) => search.minLength)));
  const clean = cleanTexts();
  return (text) => {
    if (clean.has(text)) return text;
    const found = occurrences(text, wanted, minLength);
    if (found.length === 0) clean.add(text);
    return replaced(text, found, wanted);
  };
}

/** Texts in which no secret was found: a deployment sends nearly all its headers and bodies many times. */
interface CleanTexts {
  has(text: string): boolean;
  add(text: string): void;
}

function cleanTexts(): CleanTexts {
  const known = new Set<string>();
  // The digest of a long one, which is as long as the shortest that has one: so no text passes for another.
  const keyOf = (text: string): string =>
    text.length < digestLength ? text : createHash('sha256').update(text, 'utf16le').digest('base64url');
  return {
    has: (text) => known.has(keyOf(text)),
    add(text) {
      if (known.size === maxKnown) known.clear();
      known.add(keyOf(text));
    },
  };
}

/** Of SHA-256 in base64url, in characters. */
const digestLength = 43;
/** They take about a megabyte. */
const maxKnown = 10_000;

interface Wanted {
  readonly placeholder: string;
  readonly searches: readonly Search[];
}

/** Where a secret stands in a text. */
interface Occurrence {
  readonly from: number;
  to: number;
  /** Its number: the longest has the first. */
  secret: number;
}

function occurrences(text: string, wanted: readonly Wanted[], minLength: number): Occurrence[] {
  const mayHoldQuotes = wanted.some(({ searches }) => searches.some(({ takes }) => takes(quote)));
  const found = (mayHoldQuotes ? [0] : beginsOfSections(text)).flatMap((from, n, begins) =>
    occurrencesIn(text.slice(from, begins[n + 1]), wanted, minLength).map((each) => ({
      ...each,
      from: from + each.from,
      to: from + each.to,
    })),
  );
  return found.filter((each) => !wanted.some(({ placeholder }) => isWithin(placeholder, text, each)));
}

/** No escape has one, and nothing that is packed: where no secret has one, it divides a text. */
const quote = '"'.charCodeAt(0);
/** In characters. The search needs 26 bytes for each, and takes less time where the processor has them at hand. */
const lengthOfSection = 32 * 1024;

/** Where the sections of a text begin: each ends with a quotation mark, and is no longer than it has to be for that. */
function beginsOfSections(text: string): number[] {
  const begins = [0];
  for (let from = 0; from + lengthOfSection < text.length; ) {
    const last = text.lastIndexOf('"', from + lengthOfSection - 1);
    const next = last < from ? text.indexOf('"', from + lengthOfSection) : last;
    if (next < 0) break;
    from = next + 1;
    begins.push(from);
  }
  return begins;
}

/** Memory for the search, of use for one text after another. */
function memoryFor(length: number) {
  return {
    codes: new Uint16Array(length),
    scratch: new Int32Array(length + 1),
    lastAt: new Int32Array(length),
    lastAtOfBytes: new Int32Array(length + 1),
    unpacking: unpackingMemory(length),
  };
}

let memoryOfSections: ReturnType<typeof memoryFor> | undefined;

function occurrencesIn(text: string, wanted: readonly Wanted[], minLength: number): Occurrence[] {
  memoryOfSections ??= memoryFor(lengthOfSection);
  const memory = text.length > lengthOfSection ? memoryFor(text.length) : memoryOfSections;
  const { scratch } = memory;
  const codes = codesOf(text, memory.codes);
  const found: Occurrence[] = [];
  const search = (reading: Reading, from: (at: number) => number, to: (at: number) => number): void => {
    for (const [secret, { searches }] of wanted.entries()) {
      for (const each of searches) {
        let last: Occurrence | undefined;
        each.find(reading, (begin, end) => {
          const here = { from: from(begin), to: to(end - 1), secret };
          if (last !== undefined && here.from <= last.to) last.to = Math.max(last.to, here.to);
          else {
            found.push(here);
            last = here;
          }
        });
      }
    }
  };
  const searchAsItIs = (escapes: Escapes): void =>
    search(
      { codes, escapes, scratch },
      (at) => at,
      (at) => at + 1,
    );
  const escapes = escapesIn(codes, memory.lastAt);
  searchAsItIs(escapes);
  // Those as they were first are still needed.
  if (escapes.isDoubtful) searchAsItIs(escapesIn(codes, memory.lastAtOfBytes, false));
  for (const { codes: bytes, from, to } of unpackedIn(codes, escapes, minLength, memory.unpacking))
    search({ codes: bytes, escapes: escapesIn(bytes, memory.lastAtOfBytes), scratch }, from, to);
  return found;
}

/** Whether what was found is only a word of a placeholder: `token` in `$CLIENT_TOKEN`. */
function isWithin(placeholder: string, text: string, { from, to }: Occurrence): boolean {
  const { length } = placeholder;
  return to - from <= length && text.slice(Math.max(0, to - length), from + length).includes(placeholder);
}

/** Where occurrences overlap, the longest secret counts. */
function replaced(text: string, found: readonly Occurrence[], wanted: readonly Wanted[]): string {
  if (found.length === 0) return text;
  const joined: Occurrence[] = [];
  for (const each of [...found].sort((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    const isApart = last === undefined || each.from > last.to || (each.from === last.to && each.secret !== last.secret);
    if (isApart) joined.push({ ...each });
    else {
      last.to = Math.max(last.to, each.to);
      last.secret = Math.min(last.secret, each.secret);
    }
  }
  let result = '';
  let at = 0;
  for (const { from, to, secret } of joined) {
    result += text.slice(at, from) + wanted[secret]?.placeholder;
    at = to;
  }
  return result + text.slice(at);
}
