/**
 * Finds ids in any letter case, encoding and surrounding text. It takes long, and finds coincidences, too. So it is asked
 * only for a promotion that would count as not returned: what a body has in any form is never that.
 */

import { decodePercent } from '../http/decoded-request.js';
import { cacheByText, computeOnce } from '../support/caches.js';

/** A text, and the same without differences in letter case and in how Unicode composes characters. */
interface FoldedText {
  readonly text: string;
  readonly folded: string;
}

/** How much of bodies is kept, with what was found in them. */
const maxCharacters = 16 * 1024 * 1024;

export type BroadIdSearch = (body: string) => (id: string) => boolean;

/** @param ids all that are known: an id is not found where the text has a longer one of these, which contains it */
export function createBroadIdSearch(ids: readonly string[]): BroadIdSearch {
  const getAll = computeOnce(() => ids.map(fold));
  const getDecoders = computeOnce(() => createDecoders(ids));
  // Data files have thousands of ids, and few are asked for.
  const getWanted = cacheByText((id) => {
    const wanted = fold(id);
    const covering = getAll().filter(({ text, folded }) => text !== wanted.text && folded.includes(wanted.folded));
    return { wanted, covering };
  });
  let latest: { readonly body: string; readonly texts: readonly FoldedText[] } | undefined;
  /** The readings of a body are much longer than the body: those of one are kept. */
  const readTexts = (body: string) => {
    if (latest?.body !== body) latest = { body, texts: listReadings(body, getDecoders()).map(fold) };
    return latest.texts;
  };
  // Equal bodies come again: when a case is confirmed, and when failures are explained.
  return cacheByText(
    (body) =>
      cacheByText((id) => {
        const { wanted, covering } = getWanted(id);
        return readTexts(body).some((text) => occurs(wanted, covering, text));
      }),
    maxCharacters,
  );
}

function fold(stated: string): FoldedText {
  const text = stated.normalize('NFC');
  return { text, folded: text.toLowerCase() };
}

/** @param covering other ids that contain this one, or differ from it in letter case alone */
function occurs({ folded: id }: FoldedText, covering: readonly FoldedText[], { text, folded }: FoldedText): boolean {
  for (let start = folded.indexOf(id); start >= 0; start = folded.indexOf(id, start + 1)) {
    const end = start + id.length;
    if (isInsideNumber(folded, start) || isInsideNumber(folded, end)) continue;
    if (!covering.some((other) => covers(other, id, start, { text, folded }))) return true;
  }
  return false;
}

/** Whether the digits before and after a place belong together. A number inside a longer number is another number. */
function isInsideNumber(text: string, at: number): boolean {
  return isDigit(text[at - 1]) && isDigit(text[at]);
}

function isDigit(character = ''): boolean {
  return character >= '0' && character <= '9';
}

/** Whether what was found is only a part of another id, or another id in its letter case. */
function covers(other: FoldedText, id: string, found: number, { text, folded }: FoldedText): boolean {
  if (other.folded === id) return text.length === folded.length && text.slice(found, found + id.length) === other.text;
  for (let offset = other.folded.indexOf(id); offset >= 0; offset = other.folded.indexOf(id, offset + 1)) {
    const [start, end] = [found - offset, found - offset + other.folded.length];
    const isWord = !isWordCharacter(folded[start - 1]) && !isWordCharacter(folded[end]);
    if (isWord && folded.startsWith(other.folded, start)) return true;
  }
  return false;
}

function isWordCharacter(character = ''): boolean {
  return /[\p{L}\p{N}]/u.test(character);
}

/** What is encoded may be encoded again, such as a URL inside of JSON in a text. */
const maxRounds = 3;
const maxReadings = 24;

/** Lists a text as it is, and as its encodings may be read. */
function listReadings(body: string, decoders: readonly Decoder[]): string[] {
  const found = new Set([body]);
  let latest = [body];
  for (let round = 0; round < maxRounds && latest.length > 0; round += 1) {
    const decoded = latest.flatMap((text) => decoders.map((decode) => decode(text)));
    latest = [...new Set(decoded)].filter((text) => text !== '' && !found.has(text)).slice(0, maxReadings - found.size);
    for (const text of latest) found.add(text);
  }
  return [...found];
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const decodeCharacter = (code: number, otherwise: string): string =>
  code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : otherwise;

/** Returns the same text if nothing in it is encoded so. */
type Decoder = (text: string) => string;

/** @param ids what is searched for: what decodes none of them is left out */
const createDecoders = (ids: readonly string[]): readonly Decoder[] => [
  // Percent-encoding (RFC 3986).
  (text) => text.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (encoded) => decodePercent(encoded)),
  // A space in HTML forms. To read it doubles the number of readings.
  ...(ids.some((id) => id.includes(' ')) ? [(text: string) => text.replaceAll('+', ' ')] : []),
  // JSON (RFC 8259, section 7).
  (text) =>
    text.replaceAll(/\\(?:u([0-9A-Fa-f]{4})|(["\\/bfnrt]))/g, (_, code: string | undefined, letter: string) =>
      code === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
    ),
  // HTML and XML.
  (text) =>
    text.replaceAll(/&(?:#x([0-9A-Fa-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/g, (whole, hex, decimal, name) => {
      if (name !== undefined) return entities[name] ?? whole;
      return decodeCharacter(Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16), whole);
    }),
  createBase64Decoder(findLeastEncodedLength(ids)),
  expandNumbers,
];

/** Four letters of base64 are three bytes. */
const [lettersOfGroup, bytesOfGroup] = [4, 3];

/** The length in base64 of the shortest id: nothing shorter has an id in it. */
function findLeastEncodedLength(ids: readonly string[]): number {
  // Other letters may have fewer bytes in another form of Unicode.
  const isAscii = ids.every((id) => /^[\0-\x7f]+$/.test(id));
  const least = isAscii ? ids.reduce((length, id) => Math.min(length, id.length), Number.POSITIVE_INFINITY) : 1;
  return Number.isFinite(least)
    ? Math.max(lettersOfGroup, Math.ceil((least * lettersOfGroup) / bytesOfGroup))
    : lettersOfGroup;
}

/** Decodes base64 (RFC 4648) of texts, as in cursors and global ids. It returns only what was decoded. */
function createBase64Decoder(leastLength: number): Decoder {
  return (text) => {
    // A pattern that counts letters would try each word from each of its letters.
    const words = text.match(/[A-Za-z0-9+/_-]+={0,2}/g)?.filter(({ length }) => length >= leastLength);
    return [...new Set(words)].map(decodeBase64Word).filter(Boolean).join('\n');
  };
}

/** Returns an empty text for what is no text in base64. Responses have the same words. */
const decodeBase64Word = cacheByText((encoded) => {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  return /[\p{Cc}\p{Cn}\ufffd]/u.test(text) ? '' : text;
});

/** Some libraries write a large whole number as `1e20`. Returns the digits of those alone. */
function expandNumbers(text: string): string {
  return (text.match(/\d+(?:\.\d+)?[eE]\+?\d+/g) ?? []).flatMap((number) => expandNumber(number) ?? []).join('\n');
}

/** The largest exponent of a 64-bit floating-point number. */
const maxExponent = 308;

/** Returns the digits of a number without point and exponent; undefined if it is not a whole number. */
function expandNumber(number: string): string | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const shift = Number(exponent);
  const digits = fraction.replace(/0+$/, '');
  if (whole === '' || shift < digits.length || shift > maxExponent) return undefined;
  const text = `${whole}${digits.padEnd(shift, '0')}`.replace(/^0+(?=\d)/, '');
  return text === '0' ? text : `${sign}${text}`;
}
