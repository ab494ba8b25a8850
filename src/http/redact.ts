/**
 * Keeping credentials out of everything that is shown or stored.
 *
 * What a deployment echoes is found in any letter case and in any of these forms: as it is; escaped as in JSON, URLs,
 * HTML, JSON Pointers or quoted-printable, at any depth and in any mix; in UTF-16; and all of that in base64, base64url
 * or hexadecimal digits, wherever it begins there. SECURITY.md says what is not found. The time is
 * linear in the length of the text, and does not depend on the secrets.
 */

import { createHash } from 'node:crypto';
import { codesOf, type Escapes, escapesIn } from './escapes.js';
import { unpackedIn } from './packed.js';
import { type Reading, type Search, searchesFor } from './search.js';

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
export function redactor(secrets: readonly Secret[]): (text: string) => string {
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
  const codes = codesOf(text);
  const scratch = new Int32Array(codes.length + 1);
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
  const escapes = escapesIn(codes, new Int32Array(codes.length));
  searchAsItIs(escapes);
  if (escapes.isDoubtful) searchAsItIs(escapesIn(codes, new Int32Array(codes.length), false));
  let lastAt: Int32Array | undefined;
  for (const { codes: bytes, from, to } of unpackedIn(codes, escapes, minLength)) {
    lastAt ??= new Int32Array(codes.length);
    search({ codes: bytes, escapes: escapesIn(bytes, lastAt), scratch }, from, to);
  }
  return found.filter((each) => !wanted.some(({ placeholder }) => isWithin(placeholder, text, each)));
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
