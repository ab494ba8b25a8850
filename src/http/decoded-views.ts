/**
 * Readings of a text in which escapes are replaced by what they stand for. A reading knows the place of each of its characters
 * in the text, so that what is found in it can be replaced there.
 */

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export interface DecodedText {
  readonly text: string;
  /** Returns the place in the text that was decoded. */
  locate(range: TextRange): TextRange;
}

interface Decoder {
  /** Characters of which a text has none if it has no escape. */
  readonly signs: readonly string[];
  readonly escapes: RegExp;
  /** Returns undefined for what is no escape after all. @param match with the groups of the pattern */
  decode(match: readonly (string | undefined)[]): string | undefined;
}

/** Bytes become characters of the same number, as in Latin-1. */
const decodeNumber = (digits: string, base: 10 | 16): string | undefined => {
  const code = Number.parseInt(digits, base);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
};

const percentDecoder: Decoder = {
  signs: ['%'],
  escapes: /%([\da-f]{2})/gi,
  decode: ([, digits = '']) => decodeNumber(digits, 16),
};

/** What a letter behind a backslash stands for. */
const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** The names of characters in HTML: of punctuation in ASCII, and of Latin-1 from 160 on, in their order. */
const names = new Map<string, string>([
  ...Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", tab: '\t', excl: '!', num: '#', dollar: '$' }),
  ...Object.entries({ percnt: '%', lpar: '(', rpar: ')', ast: '*', plus: '+', comma: ',', period: '.', sol: '/' }),
  ...Object.entries({
    colon: ':',
    semi: ';',
    equals: '=',
    quest: '?',
    commat: '@',
    lsqb: '[',
    lbrack: '[',
    bsol: '\\',
  }),
  ...Object.entries({ rsqb: ']', rbrack: ']', hat: '^', lowbar: '_', grave: '`', lcub: '{', lbrace: '{', verbar: '|' }),
  ...Object.entries({ vert: '|', rcub: '}', rbrace: '}', dash: '-', hyphen: '-' }),
  ...(
    'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro ' +
    'para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest agrave aacute acirc atilde auml aring aelig ccedil ' +
    'egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml times oslash ugrave ' +
    'uacute ucirc uuml yacute thorn szlig'
  )
    .split(' ')
    .map((name, n) => [name, String.fromCharCode(160 + n)] as const),
  ...Object.entries({ divide: '÷', yuml: 'ÿ' }),
]);

/** In a string of JSON, or of a programming language. */
const stringDecoder: Decoder = {
  signs: ['\\'],
  escapes: /\\(?:u\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2})|([\s\S]))/gi,
  decode: ([, inBraces, unit, byte, letter = '']) => {
    const digits = inBraces ?? unit ?? byte;
    return digits === undefined ? (controls[letter] ?? letter) : decodeNumber(digits, 16);
  },
};

const formDecoder: Decoder = {
  signs: ['+'],
  escapes: /\+|%([\da-f]{2})/gi,
  decode: (match) => (match[0] === '+' ? ' ' : percentDecoder.decode(match)),
};

/** Letter case is ignored wherever secrets are searched, so that the names need none. */
const htmlDecoder: Decoder = {
  signs: ['&'],
  escapes: /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]\w{1,9}));/gi,
  decode: ([, decimal, hexadecimal, name = '']) => {
    if (decimal !== undefined) return decodeNumber(decimal, 10);
    return hexadecimal === undefined ? names.get(name.toLowerCase()) : decodeNumber(hexadecimal, 16);
  },
};

/** RFC 6901. */
const pointerDecoder: Decoder = {
  signs: ['~'],
  escapes: /~([01])/g,
  decode: ([, digit]) => (digit === '0' ? '~' : '/'),
};

const mixed = [stringDecoder, percentDecoder, htmlDecoder];

/** For a text that is encoded in one notation and then in another. */
const mixedDecoder: Decoder = {
  signs: mixed.flatMap(({ signs }) => signs),
  escapes: new RegExp(mixed.map(({ escapes }) => escapes.source).join('|'), 'gi'),
  decode: ([found = '']) => {
    const decoder = mixed.find(({ signs }) => signs.includes(found.charAt(0)));
    return decoder?.decode(new RegExp(decoder.escapes, 'i').exec(found) ?? []);
  },
};

const decoders = [...mixed, formDecoder, pointerDecoder, mixedDecoder];

/** How often a text may be encoded: percent-encoded, say, in a JSON string within another. */
const maxEncodings = 3;

/** Reads a text in each notation of which it has an escape, and what is escaped again in that. */
export function listDecodedViews(text: string): DecodedText[] {
  return decoders.flatMap((decoder) => {
    const views: DecodedText[] = [];
    let read: DecodedText = { text, locate: (range) => range };
    while (views.length < maxEncodings) {
      const { locate } = read;
      const view = createView(read.text, decoder);
      if (view === undefined) return views;
      read = { text: view.text, locate: (range) => locate(view.locate(range)) };
      views.push(read);
    }
    return views;
  });
}

/** Returns undefined if there is no escape. */
function createView(text: string, { signs, escapes, decode }: Decoder): DecodedText | undefined {
  if (!signs.some((sign) => text.includes(sign))) return undefined;
  const pieces: string[] = [];
  // Behind each escape: the length of the view, and that of the text.
  const decodedEnds: number[] = [];
  const textEnds: number[] = [];
  const escapeStarts: number[] = [];
  let [length, end] = [0, 0];
  for (const match of text.matchAll(escapes)) {
    const decoded = decode(match);
    if (decoded === undefined) continue;
    pieces.push(text.slice(end, match.index), decoded);
    length += match.index - end + decoded.length;
    end = match.index + match[0].length;
    decodedEnds.push(length);
    escapeStarts.push(match.index);
    textEnds.push(end);
  }
  if (pieces.length === 0) return undefined;
  pieces.push(text.slice(end));
  const locateStart = (at: number): number => {
    // The last escape that ends at this place or before it
    const n = countUpTo(decodedEnds, at) - 1;
    const start = n < 0 ? at : (textEnds[n] as number) + at - (decodedEnds[n] as number);
    // Within the characters of the next escape, its start counts.
    return Math.min(start, escapeStarts[n + 1] ?? start);
  };
  const locateEnd = (at: number): number => {
    const last = locateStart(at - 1);
    const n = countUpTo(escapeStarts, last) - 1;
    return escapeStarts[n] === last ? (textEnds[n] as number) : last + 1;
  };
  return {
    text: pieces.join(''),
    locate: (range) => ({ start: locateStart(range.start), end: locateEnd(range.end) }),
  };
}

/** Counts the numbers of a sorted list that are not above a limit. */
function countUpTo(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
