/** Finding secrets among all readings of a text, in time that is linear in the length of the text. */

import { minSecretLength } from '../redaction/secret-length.js';
import { beginsEscape, type Codes, codesOf, type Escapes, nothing, unescaped } from './escapes.js';

/** A text as it is searched. */
export interface Reading {
  readonly codes: Codes;
  readonly escapes: Escapes;
  /** Memory for the search, one longer than the text at least. */
  readonly scratch: Int32Array;
}

/** Reports where what is looked for stands, in ascending order; what adjoins may be reported piece by piece. */
export type Report = (from: number, to: number) => void;

export interface Search {
  /** A shorter text has nothing of what is looked for. */
  readonly minLength: number;
  /** Whether a character, as it stands, may be part of what is looked for. */
  takes(code: number): boolean;
  find(text: Reading, report: Report): void;
}

/** Bytes that are no UTF-8 become this character where they are read as such. */
const garbled = 0xfffd;

/** The same character for all that are not distinguished: letters in either case, and a space and +, as forms write it. */
const folded = new Uint16Array(0x1_0000);
for (let code = 0; code < folded.length; code += 1) {
  const isCapital = (code >= 0x41 && code <= 0x5a) || (code >= 0xc0 && code <= 0xde && code !== 0xd7);
  folded[code] = isCapital ? code | 0x20 : code;
}
folded['+'.charCodeAt(0)] = ' '.charCodeAt(0);
// Whether a backslash before it makes it a line end depends on what stands around it.
folded['\n'.charCodeAt(0)] = 'n'.charCodeAt(0);
folded['\r'.charCodeAt(0)] = 'r'.charCodeAt(0);
folded['\u0178'.charCodeAt(0)] = '\u00ff'.charCodeAt(0);

/** The characters that are not distinguished from one. */
function alike(code: number): number[] {
  const all = [...Array.from({ length: 0x100 }, (_, n) => n), 0x178];
  return [...all.filter((each) => folded[each] === folded[code]), ...(code > 0x7f ? [code, garbled] : [])];
}

/** What is looked for, character by character. */
interface Spelling {
  /** For each place, the characters that fit; no more places than {@link maxSpelled}. */
  readonly places: readonly (readonly number[])[];
  /** The place that any number of characters may fill. */
  readonly repeated?: number;
  /** The first place of the secret; what is before it only leads there. */
  readonly secretFrom: number;
  /** Whether no letter may follow. */
  readonly endsWord: boolean;
}

/** As many as an integer has bits, the sign aside. */
const maxSpelled = 31;

/**
 * Looks for a spelling along all readings at once (Shift-And of Baeza-Yates and Gonnet, on a graph): bit n of an integer
 * says that from here on, places n and after can be read. Where the whole can be, a second pass goes along it.
 */
function spelled({ places, repeated, secretFrom, endsWord }: Spelling): Search {
  const masks = new Int32Array(0x1_0000);
  for (const [n, codes] of places.entries()) for (const code of codes) masks[code] = (masks[code] as number) | (1 << n);
  const last = 1 << (places.length - 1);
  const loop = repeated === undefined ? 0 : 1 << repeated;
  const ofSecret = -1 << secretFrom;
  const find: Search['find'] = ({ codes, escapes: { count, from, code, to }, scratch: readable }, report) => {
    const { length } = codes;
    if (count === 0 && length < places.length) return;
    /** The places that a character can fill. @param after those that can be filled from then on */
    const fitting = (read: number, next: number, after: number): number => {
      const end = endsWord && next < length && isLetter(codes[next] as number) ? 0 : last;
      return (masks[read] as number) & ((after >>> 1) | end | (after & loop));
    };
    readable[length] = 0;
    let found = 0;
    let anywhere = 0;
    let n = 0;
    let nextEscape = count === 0 ? -1 : (from[0] as number);
    for (let at = length - 1; at >= 0; at -= 1) {
      found = fitting(codes[at] as number, at + 1, found);
      while (at === nextEscape) {
        const [read, next] = [code[n] as number, to[n] as number];
        const after = readable[next] as number;
        found |= read === nothing ? after : fitting(read, next, after);
        n += 1;
        nextEscape = n === count ? -1 : (from[n] as number);
      }
      readable[at] = found;
      anywhere |= found;
    }
    if ((anywhere & 1) === 0) return;

    const reached = new Int32Array(length + 1);
    for (let at = 0, n = count - 1; at < length; at += 1) {
      const here = ((reached[at] as number) | 1) & (readable[at] as number);
      const go = (read: number, next: number): void => {
        const after = readable[next] as number;
        const through = here & (read === nothing ? after : fitting(read, next, after));
        if (through === 0) return;
        reached[next] = (reached[next] as number) | (read === nothing ? through : (through << 1) | (through & loop));
        if ((through & ofSecret) !== 0) report(at, next);
      };
      if (here !== 0) go(codes[at] as number, at + 1);
      for (; n >= 0 && from[n] === at; n -= 1) if (here !== 0) go(code[n] as number, to[n] as number);
    }
  };
  return { minLength: places.length, takes: (code) => masks[code] !== 0, find };
}

/** Of a long secret, so many characters in a row are recognised wherever they begin. */
export const pieceLength = 24;

/**
 * Looks for pieces of a secret in what a text reads with all unescaped, by their rolling hashes (Karp and Rabin). What
 * stands before a secret may be unescaped together with its first characters; the pieces after them are found all the
 * same.
 *
 * @param secret with all unescaped, and folded
 */
function inPieces(secret: Codes): Search {
  const begins = new Map<number, number>();
  // Nearly all hashes of other texts are sorted out by a few of their bits.
  const sieve = new Uint8Array(1 << 20);
  let hash = 0;
  for (const [n, code] of secret.entries()) {
    hash = shifted(hash, code, n < pieceLength ? 0 : (secret[n - pieceLength] as number));
    if (n < pieceLength - 1) continue;
    sieve[hash >>> 12] = 1;
    if (!begins.has(hash)) begins.set(hash, n);
  }
  const find: Search['find'] = ({ codes, escapes: { count, code, to, lastAt } }, report) => {
    // The last characters and where each begins, in a ring.
    const read = new Uint16Array(ring);
    const from = new Int32Array(ring);
    let hash = 0;
    let n = 0;
    for (let at = 0; at < codes.length; ) {
      let found = codes[at] as number;
      let next = at + 1;
      const last = count === 0 ? 0 : (lastAt[at] as number);
      if (last > 0) {
        found = code[last - 1] as number;
        next = to[last - 1] as number;
        if (found === nothing) {
          at = next;
          continue;
        }
      }
      const comes = folded[found] as number;
      // Before a whole piece has come in, zeros go.
      hash = shifted(hash, comes, read[(n - pieceLength) & (ring - 1)] as number);
      read[n & (ring - 1)] = comes;
      from[n & (ring - 1)] = at;
      if (sieve[hash >>> 12] === 1) {
        const end = begins.get(hash);
        if (end !== undefined && isSamePiece(read, n, secret, end))
          report(from[(n - pieceLength + 1) & (ring - 1)] as number, next);
      }
      n += 1;
      at = next;
    }
  };
  return { minLength: pieceLength, takes: (code) => secret.includes(folded[code] as number), find };
}

/** How much is remembered: more than a piece, and a power of two. */
const ring = 32;

/** Multiplies hashes: odd, with its bits well spread. */
const factor = 0x9e3779b1;
/** What the first character of a piece has been multiplied with once it goes. */
const factorOfFirst = Array.from({ length: pieceLength }).reduce<number>((power) => Math.imul(power, factor), 1);

/** The hash of a piece, from that of the piece that begins one character earlier. */
function shifted(hash: number, comes: number, goes: number): number {
  return (Math.imul(hash, factor) + comes - Math.imul(goes, factorOfFirst)) | 0;
}

function isSamePiece(read: Codes, end: number, secret: Codes, endInSecret: number): boolean {
  for (let n = 0; n < pieceLength; n += 1) if (read[(end - n) & (ring - 1)] !== secret[endInSecret - n]) return false;
  return true;
}

/**
 * Makes the searches that find a secret in a text, in any letter case.
 *
 * @param header the name of the header that carries it, if one does
 */
export function searchesFor(secret: string, header: string | undefined): Search[] {
  if (secret.length < minSecretLength) return header === undefined ? [] : [besideName(secret, header)];
  // Headers are sent in Latin-1, which may come back in a text that is meant to be UTF-8.
  const spellings = new Set([secret, Buffer.from(secret, 'latin1').toString('utf8')]);
  return [...spellings].flatMap((each) => {
    const codes = codesOf(each);
    if (codes.length <= maxSpelled) return [anywhere(codes)];
    const plain = unescaped(codes).map((code) => folded[code] as number);
    if (!codes.some(beginsEscape)) return [inPieces(plain)];
    // How one that has escapes itself is unescaped depends on what stands around it, so its ends are spelled out. Where
    // that is all, or little is left of it once unescaped, the whole is.
    const isSpelled = codes.length <= 3 * maxSpelled || plain.length < 2 * pieceLength;
    const all = Array.from({ length: Math.ceil(codes.length / maxSpelled) }, (_, n) => n * maxSpelled);
    const begins = isSpelled ? all : [0, codes.length];
    const pieces = new Set(
      begins.map((at) => Math.min(at, codes.length - maxSpelled)).map((at) => each.slice(at, at + maxSpelled)),
    );
    return [...[...pieces].map((piece) => anywhere(codesOf(piece))), ...(isSpelled ? [] : [inPieces(plain)])];
  });
}

function anywhere(secret: Codes): Search {
  return spelled({ places: [...secret].map(alike), secretFrom: 0, endsWord: false });
}

/** What may stand between the name of a header and its value, in any notation. */
const separators = [...codesOf(' \'"`:=,;()[]{}<>|&#*\\/\t\r\n')];

function besideName(secret: string, header: string): Search {
  // The end of a long name is telling enough.
  const name = [...codesOf(header.slice(-(maxSpelled - secret.length - 1)))];
  const nameSigns = [...codesOf('-_ ')];
  const letters = name.map((code) => (nameSigns.includes(code) ? nameSigns : alike(code)));
  return spelled({
    places: [...letters, separators, ...[...codesOf(secret)].map(alike)],
    repeated: letters.length,
    secretFrom: letters.length + 1,
    endsWord: true,
  });
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
}
