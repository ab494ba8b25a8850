/**
 * How else a text can be read than as it stands. From any place, one character may be read as it is, or as what an
 * escape there stands for, at any depth: `%2541` is `%` and `2541`, or `%` and `41`, or `A`. A text is so a graph of
 * readings, whose number is linear: each layer of an escape takes at least one character more.
 *
 * Escapes are those of percent-encoding (RFC 3986), JSON strings (RFC 8259), HTML character references, quoted-printable
 * (RFC 2045), JSON Pointers (RFC 6901), and bytes of UTF-8 that were read one by one. Backslashes, the NULs of UTF-16
 * and the soft line breaks of quoted-printable may be read as nothing.
 */

/** A text as its UTF-16 code units. */
export type Codes = Uint16Array;

/** Stands for no character: what is read so is passed over. */
export const nothing = 0xffff;

/** The escapes of a text, in descending order of where they begin; at one place, each layer after the one around it. */
export interface Escapes {
  readonly count: number;
  /** Where each begins. */
  readonly from: Int32Array;
  /** The character that it stands for, or {@link nothing}. */
  readonly code: Codes;
  /** Where the text goes on after it. */
  readonly to: Int32Array;
  /** For each place the number of its last escape, counted from 1: that with all layers undone. 0 where there is none. */
  readonly lastAt: Int32Array;
  /** Whether there are others where one backslash does not escape another, as in `\\\\u0061`. */
  readonly isDoubtful: boolean;
}

/** @param memory for the result, at least as long as the text */
export function codesOf(text: string, memory: Codes = new Uint16Array(text.length)): Codes {
  Buffer.from(memory.buffer).write(text, 'utf16le');
  return memory.subarray(0, text.length);
}

const [nul, tab, lineFeed, carriageReturn, space] = [0x00, 0x09, 0x0a, 0x0d, 0x20];
const [percent, ampersand, semicolon, equals, tilde, backslash] = [0x25, 0x26, 0x3b, 0x3d, 0x7e, 0x5c];
/** With what is read after them, the bytes of U+0080 to U+00FF in UTF-8, as Latin-1 shows them. */
const [lowLead, highLead] = [0xc2, 0xc3];

/** The characters with which an escape begins. */
const begins = new Uint8Array(0x1_0000);
for (const code of [nul, percent, ampersand, equals, tilde, backslash, lowLead, highLead]) begins[code] = 1;

/** Whether an escape begins with a character. */
export function beginsEscape(code: number): boolean {
  return begins[code] === 1;
}

/**
 * Finds all escapes of a text, in time that is linear in its length.
 *
 * @param lastAt memory for that of the result, at least as long as the text
 * @param slashesEscapeEachOther as those who escape backslashes, too, write them
 */
export function escapesIn(codes: Codes, lastAt: Int32Array, slashesEscapeEachOther = true): Escapes {
  const end = codes.length;
  let capacity = 16;
  let [from, code, to] = [new Int32Array(capacity), new Uint16Array(capacity), new Int32Array(capacity)];
  let count = 0;
  const add = (start: number, read: number, next: number): void => {
    if (count === capacity) {
      capacity *= 2;
      [from, code, to] = [grown(from, capacity), grown(code, capacity), grown(to, capacity)];
    }
    from[count] = start;
    code[count] = read;
    to[count] = next;
    count += 1;
    lastAt[start] = count;
  };
  /** Adds that from here to there, nothing is read; last of all up to where something is, however far that may be. */
  const pass = (start: number, next: number): void => {
    add(start, nothing, next);
    const last = next < end ? (lastAt[next] as number) : 0;
    if (last > 0 && code[last - 1] === nothing) add(start, nothing, to[last - 1] as number);
  };

  let at = 0;
  /** Where that began which was read last. */
  let readFrom = 0;
  /** Where a backslash can be read, and below how many layers. */
  let slashes: Uint8Array | undefined;
  /** Below how many layers the escape begins that is being read. */
  let layer = 0;
  /** Whether some escape begins with a backslash, and what follows is escaped with another: the first may escape that. */
  let isDoubtful = false;
  /** Reads one character of an escape with all its own layers undone; -1 at the end. */
  const read = (): number => {
    while (at < end) {
      readFrom = at;
      const last = lastAt[at] as number;
      const found = last === 0 ? (codes[at] as number) : (code[last - 1] as number);
      at = last === 0 ? at + 1 : (to[last - 1] as number);
      if (found !== nothing) return found;
    }
    return -1;
  };
  const readHex = (digits: number): number => {
    let value = 0;
    for (let n = 0; n < digits; n += 1) {
      const digit = digitOf(read());
      if (digit < 0) return -1;
      value = value * 16 + digit;
    }
    return value;
  };
  const readReference = (): number => {
    let name = '';
    for (let found = read(); found !== semicolon; found = read()) {
      if (!isOfReference(found) || name.length === maxOfReference) return -1;
      name += String.fromCharCode(found);
    }
    return referenceCode(name.toLowerCase());
  };
  const readLineBreak = (): boolean => {
    let found = read();
    while (found === space || found === tab) found = read();
    const afterReturn = at;
    if (found === carriageReturn && read() !== lineFeed) at = afterReturn;
    return found === carriageReturn || found === lineFeed;
  };
  /** What an escape stands for that begins with a character and goes on from here; -1 where there is none. */
  const undone = (first: number): number => {
    const here = at;
    switch (first) {
      case percent:
        return readHex(2);
      case equals: {
        if (readLineBreak()) return nothing;
        at = here;
        return readHex(2);
      }
      case backslash: {
        const kind = shortEscapes.get(read());
        if (kind === undefined) return -1;
        const isEscaped = (slashes?.[readFrom] ?? 0) > layer;
        if ('code' in kind) return isEscaped ? -1 : kind.code;
        const value = readHex(kind.digits);
        if (!isEscaped || value < 0) return value;
        isDoubtful = true;
        return slashesEscapeEachOther ? -1 : value;
      }
      case ampersand:
        return readReference();
      case tilde: {
        const digit = digitOf(read());
        return digit === 0 ? tilde : digit === 1 ? solidus : -1;
      }
      case lowLead:
      case highLead: {
        const byte = read();
        return byte >= 0x80 && byte <= 0xbf ? ((first & 3) << 6) | (byte & 0x3f) : -1;
      }
      default:
        return -1;
    }
  };

  // From the end: what an escape is made of may be escaped itself, and is read already.
  for (let start = end - 1; start >= 0; start -= 1) {
    let first = codes[start] as number;
    lastAt[start] = 0;
    at = start + 1;
    for (layer = 0; begins[first] === 1; layer += 1) {
      if (first === backslash || first === nul) pass(start, at);
      if (first === backslash) {
        slashes ??= new Uint8Array(end);
        slashes[start] = Math.min(layer + 1, 0xff);
      }
      first = undone(first);
      if (first < 0) break;
      if (first === nothing) pass(start, at);
      else add(start, first, at);
    }
  }
  return { count, from, code, to, lastAt, isDoubtful };
}

/** A text with all that can be unescaped unescaped. */
export function unescaped(codes: Codes): Codes {
  const { lastAt, code, to } = escapesIn(codes, new Int32Array(codes.length));
  const plain: number[] = [];
  for (let at = 0; at < codes.length; ) {
    const last = lastAt[at] as number;
    const read = last === 0 ? (codes[at] as number) : (code[last - 1] as number);
    if (last === 0 || read !== nothing) plain.push(read);
    at = last === 0 ? at + 1 : (to[last - 1] as number);
  }
  return Uint16Array.from(plain);
}

const solidus = 0x2f;

function grown<T extends Int32Array | Uint16Array>(array: T, length: number): T {
  const larger = new (array.constructor as new (length: number) => T)(length);
  larger.set(array);
  return larger;
}

function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** What follows a backslash: hexadecimal digits, or a character of its own. Before all else it means nothing. */
const shortEscapes = new Map<number, { readonly digits: number } | { readonly code: number }>(
  Object.entries({ u: { digits: 4 }, x: { digits: 2 }, n: { code: lineFeed }, r: { code: carriageReturn } }).flatMap(
    ([letter, kind]) => [
      [letter.charCodeAt(0), kind],
      [letter.toUpperCase().charCodeAt(0), kind],
    ],
  ),
);

/** Of an HTML character reference, between & and ;: zeros may lead a number. */
const maxOfReference = 16;

function isOfReference(code: number): boolean {
  const lower = code | 0x20;
  return code === 0x23 || (code >= 0x30 && code <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
}

/** Stands for all characters that no header can carry. */
const foreign = 0xfffe;

/** From a character on, the names of those that follow in Unicode; a dash stands for one without a name. */
const names: readonly (readonly [first: number, names: string])[] = [
  [0x09, 'tab newline'],
  [0x21, 'excl quot num dollar percnt amp apos lpar rpar ast plus comma - period sol'],
  [0x3a, 'colon semi lt equals gt quest commat'],
  [0x5b, 'lsqb bsol rsqb hat lowbar grave'],
  [0x7b, 'lcub verbar rcub'],
  [0xa0, 'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr'],
  [0xb0, 'deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest'],
  [0xd7, 'times'],
  [0xdf, 'szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml'],
  [0xec, 'igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash'],
  [0xf9, 'ugrave uacute ucirc uuml yacute thorn yuml'],
];

/** Named references to printable characters of Latin-1. Large and small letters are the same here. */
const named = new Map(
  names.flatMap(([first, list]) => list.split(' ').map((name, n): [string, number] => [name, first + n])),
);

function referenceCode(name: string): number {
  const number = /^#(?:x([0-9a-f]+)|(\d+))$/.exec(name);
  if (number === null) return named.get(name) ?? -1;
  const [, hexadecimal, decimal = ''] = number;
  return Math.min(hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16), foreign);
}
