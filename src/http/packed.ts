/**
 * What a text may hold in base64 or base64url (RFC 4648), in lines or not (RFC 2045), or in hexadecimal digits.
 *
 * Where what is packed begins is not known, so every run of digits is unpacked from each place at which a byte of it may
 * begin, and what comes of it is searched like any text.
 */

import { type Codes, codesOf, type Escapes, nothing } from './escapes.js';

/** Bytes as characters of Latin-1, and where each stands in the text that holds it packed. */
export interface Unpacked {
  readonly codes: Codes;
  from(at: number): number;
  to(at: number): number;
}

/** Digits of a text in a row, as in base64, each with where it begins; between two runs of them there is a gap. */
interface Digits {
  length: number;
  readonly value: Uint8Array;
  readonly from: Int32Array;
}

/** In place of a value. */
const [blank, noDigit] = [0x40, 0x41];

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** What each character stands for in base64, in which hexadecimal digits are digits, too. */
const values = new Uint8Array(0x1_0000).fill(noDigit);
for (const alphabet of [`${letters}+/`, `${letters}-_`])
  for (let n = 0; n < alphabet.length; n += 1) values[alphabet.charCodeAt(n)] = n;
// Lines may be of any length; and what may be read as nothing is.
for (const code of [...codesOf('\t\n\r \0\\'), nothing]) values[code] = blank;

interface Encoding {
  /** That a digit stands for. */
  readonly bits: number;
  /** After so many digits, bytes begin at the same place again. */
  readonly cycle: number;
  /** What each digit of base64 stands for. */
  readonly digits: Uint8Array;
}

const base64Digits = Uint8Array.from({ length: noDigit + 1 }, (_, n) => n);
const hexDigits = new Uint8Array(noDigit + 1).fill(noDigit);
for (const [n, digit] of [...codesOf('0123456789abcdef')].entries()) hexDigits[values[digit] as number] = n;
for (const [n, digit] of [...codesOf('ABCDEF')].entries()) hexDigits[values[digit] as number] = 10 + n;

const encodings: readonly Encoding[] = [
  { bits: 6, cycle: 4, digits: base64Digits },
  { bits: 4, cycle: 2, digits: hexDigits },
];

/**
 * How digits are read: as they stand; with signs and line ends unescaped; or with letters unescaped, too. Runs in which
 * there is nothing to unescape beyond the reading before were unpacked with that.
 */
interface DigitReading {
  unescapes(code: number): boolean;
  isBeyond(code: number): boolean;
}
const asItStands: DigitReading = { unescapes: () => false, isBeyond: () => false };
const unescapedReadings: readonly DigitReading[] = [
  { unescapes: (code) => values[code] !== noDigit && !isLetter(code), isBeyond: () => true },
  { unescapes: (code) => values[code] !== noDigit, isBeyond: isLetter },
];

/** Between two runs: a character that no secret has. */
const gap = 0xfffe;

/**
 * Unpacks all that may be packed in a text.
 *
 * @param minBytes how many bytes in a row are of interest: shorter runs of digits are passed over
 * @returns texts of which each is good until the next is taken
 */
export function* unpackedIn(codes: Codes, escapes: Escapes, minBytes: number): Generator<Unpacked> {
  // A byte takes more digits in every other encoding.
  const minOfRun = Math.ceil((minBytes * 8) / 6);
  if (codes.length < minOfRun) return;
  const digits: Digits = {
    length: 0,
    value: new Uint8Array(codes.length + 1),
    from: new Int32Array(codes.length + 1),
  };
  const bytes = { codes: new Uint16Array(codes.length + 1), at: new Int32Array(codes.length + 1) };
  for (const reading of escapes.count === 0 ? [asItStands] : [asItStands, ...unescapedReadings]) {
    readDigits(codes, escapes, reading, minOfRun, digits);
    if (digits.length === 0) continue;
    // A byte takes from two digits.
    const from = (at: number) => digits.from[(bytes.at[at] as number) - 1] as number;
    const to = (at: number) => {
      const begin = digits.from[bytes.at[at] as number] as number;
      const taken = reading === asItStands ? 0 : takenAt(begin, codes, escapes, reading);
      return taken === 0 ? begin + 1 : (escapes.to[taken - 1] as number);
    };
    for (const encoding of encodings) {
      for (let begin = 0; begin < encoding.cycle; begin += 1) {
        const length = unpack(digits, encoding, begin, bytes);
        if (length > 0) yield { codes: bytes.codes.subarray(0, length), from, to };
      }
    }
  }
}

/** Reads all runs of so many digits at least; where something has to be unescaped, only those in which something is. */
function readDigits(codes: Codes, escapes: Escapes, reading: DigitReading, minOfRun: number, digits: Digits): void {
  const readsAll = reading === asItStands;
  const { value, from } = digits;
  let length = 0;
  let beginOfRun = 0;
  let isWanted = readsAll;
  for (let at = 0; at < codes.length; ) {
    let code = codes[at] as number;
    let next = at + 1;
    const taken = readsAll ? 0 : takenAt(at, codes, escapes, reading);
    if (taken > 0) {
      code = escapes.code[taken - 1] as number;
      next = escapes.to[taken - 1] as number;
      isWanted ||= reading.isBeyond(code);
    }
    const digit = values[code] as number;
    if (digit < blank) {
      value[length] = digit;
      from[length] = at;
      length += 1;
    } else if (digit === noDigit) {
      length = endOfRun(length);
    }
    at = next;
  }
  digits.length = endOfRun(length);

  /** Ends a run, or takes it back. @returns how many digits there are then */
  function endOfRun(end: number): number {
    const isTaken = isWanted && end - beginOfRun >= minOfRun;
    if (isTaken) value[end] = noDigit;
    beginOfRun = isTaken ? end + 1 : beginOfRun;
    isWanted = readsAll;
    return beginOfRun;
  }
}

/** The number of the escape that is taken at a place, or 0. */
function takenAt(at: number, codes: Codes, { lastAt, code, to }: Escapes, reading: DigitReading): number {
  const last = lastAt[at] as number;
  if (last === 0 || !reading.unescapes(code[last - 1] as number)) return 0;
  // Passed over anyhow.
  if (code[last - 1] === nothing && values[codes[at] as number] === blank) return 0;
  // What escaped the digits after a sign would have escaped the sign, if that were one with them.
  const end = Math.min(at + 3, to[last - 1] as number);
  for (let inside = at + 1; inside < end; inside += 1) if (lastAt[inside] !== 0) return 0;
  return last;
}

/** Puts digits together to bytes, of which the first begins some digits after the beginning of each run. */
function unpack(
  { length, value }: Digits,
  { bits, digits }: Encoding,
  begin: number,
  { codes, at }: { readonly codes: Codes; readonly at: Int32Array },
): number {
  let count = 0;
  let skip = begin;
  let rest = 0;
  let bitsOfRest = 0;
  for (let n = 0; n < length; n += 1) {
    const digit = digits[value[n] as number] as number;
    if (digit === noDigit) {
      if (count > 0 && codes[count - 1] !== gap) {
        codes[count] = gap;
        count += 1;
      }
      skip = begin;
      bitsOfRest = 0;
    } else if (skip > 0) skip -= 1;
    else {
      rest = (rest << bits) | digit;
      bitsOfRest += bits;
      if (bitsOfRest < 8) continue;
      bitsOfRest -= 8;
      codes[count] = (rest >> bitsOfRest) & 0xff;
      at[count] = n;
      count += 1;
    }
  }
  return count;
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
}
