import type { Mistake } from './mistake.js';
import { textHashes } from './text-hashes.js';

/** Compares a text of a request with a stored one. The right decision is `===`. */
export type TextComparison = (sent: string, stored: string) => boolean;

/** Reads a text otherwise than it was written; `undefined` when the text is lost. */
type Misreading = (text: string) => string | undefined;

/** Whose text is misread. */
type Side = 'request' | 'storage' | 'both';

const sideStories: Readonly<Record<Side, string>> = {
  request: 'This happens to the text of the request alone.',
  storage: 'Only the stored text is treated so, not the text of the request.',
  both: 'This happens to both texts, so different texts become equal.',
};

const comparisons: Readonly<Record<Side, (misread: Misreading) => TextComparison>> = {
  request: (misread) => (sent, stored) => misread(sent) === stored,
  storage: (misread) => (sent, stored) => sent === misread(stored),
  both: (misread) => (sent, stored) => {
    const read = misread(sent);
    return read !== undefined && read === misread(stored);
  },
};

type TextMistake = Mistake<TextComparison>;

function misread(id: string, story: string, sides: readonly Side[], misreading: Misreading): TextMistake[] {
  return sides.map((side) => ({
    id: `${id}-in-${side}`,
    story: `${story} ${sideStories[side]}`,
    plug: comparisons[side](misreading),
  }));
}

const everySide: readonly Side[] = ['request', 'storage', 'both'];
const oneSide: readonly Side[] = ['request', 'storage'];

function compared(id: string, story: string, plug: TextComparison): TextMistake {
  return { id, story, plug };
}

// Collations ----------------------------------------------------------------------------------------------------------

const collations = [
  ...misread('letter-case-folded', 'The column has a case-insensitive collation.', ['both'], (text) =>
    text.toLowerCase(),
  ),
  ...misread('accents-folded', 'The column has an accent-insensitive collation.', ['both'], (text) =>
    text.normalize('NFD').replaceAll(/\p{M}/gu, '').normalize('NFC'),
  ),
  ...misread('sharp-s-expanded', 'The collation of the column compares ß as ss.', ['both'], (text) =>
    text.replaceAll('ß', 'ss'),
  ),
  ...misread('emoji-alike', 'The collation gives all letters beyond the basic plane one weight.', ['both'], (text) =>
    text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '\ufffd'),
  ),
  ...misread('trailing-spaces-padded', 'The collation pads the shorter text with spaces.', ['both'], (text) =>
    text.replace(/ +$/, ''),
  ),
  ...misread('ignorable-characters-lost', 'The collation ignores soft hyphens and joiners.', everySide, (text) =>
    text.replaceAll(/\u00ad|\u200b|\u200c|\u200d|\ufe0f/g, ''),
  ),
  ...misread('width-folded', 'The collation compares wide letters as narrow ones.', ['both'], (text) =>
    text.replaceAll(/[\uff01-\uff5e]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0xfee0)),
  ),
  ...misread('punctuation-ignored', 'The collation ignores punctuation.', ['both'], (text) =>
    text.replaceAll(/[^\p{L}\p{N}\s]/gu, ''),
  ),
  ...(['NFC', 'NFD', 'NFKC', 'NFKD'] as const).flatMap((form) =>
    misread(
      `normalized-to-${form.toLowerCase()}`,
      `A library normalizes texts to Unicode ${form}.`,
      everySide,
      (text) => text.normalize(form),
    ),
  ),
];

// Trimming and padding ------------------------------------------------------------------------------------------------

const trimming = [
  ...misread('start-trimmed', 'A helper for input trims the start of texts.', everySide, (text) => text.trimStart()),
  ...misread('end-trimmed', 'A helper for input trims the end of texts.', everySide, (text) => text.trimEnd()),
  ...misread('spaces-trimmed', 'A helper trims spaces at both ends.', everySide, (text) =>
    text.replace(/^ +| +$/g, ''),
  ),
  ...misread('tabs-and-lines-trimmed', 'A parser of lines strips tabs and line ends.', everySide, (text) =>
    text.replace(/^[\t\r\n]+|[\t\r\n]+$/g, ''),
  ),
  ...misread('padded', 'A column of fixed length pads texts with spaces.', oneSide, (text) => text.padEnd(64)),
  ...misread('spaces-collapsed', 'A helper makes several spaces one.', everySide, (text) =>
    text.replaceAll(/ {2,}/g, ' '),
  ),
  ...misread('white-space-as-space', 'A helper makes every white space a space.', everySide, (text) =>
    text.replaceAll(/\s/g, ' '),
  ),
  ...misread('control-characters-lost', 'A sanitizer strips control characters.', everySide, (text) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what the mistake is about.
    text.replaceAll(/[\u0000-\u001f\u007f]/g, ''),
  ),
];

/** What is taken for syntax, or for the end of a line. */
const marks = Object.entries({
  'line-end': ['A helper chomps texts, or a pattern ends with "$".', /\n$/],
  brackets: ['A text in brackets is taken for a list of one.', /^\[|\]$/g],
  'full-stop': ['A name is made absolute: its last full stop is dropped.', /\.$/],
  slash: ['A path is normalized: its last slash is dropped.', /\/$/],
  'byte-order-mark': ['A reader drops a byte order mark.', /^\ufeff/],
  'plus-sign': ['A plus sign in front is taken for that of a number.', /^\+/],
} satisfies Record<string, readonly [story: string, mark: RegExp]>).flatMap(([name, [story, mark]]) =>
  misread(`${name}-stripped`, story, ['both'], (text) => text.replace(mark, '')),
);

/** Signs that separate the parts of a text. */
const separators = {
  'full-stop': '.',
  'opening-bracket': '[',
  'closing-bracket': ']',
  colon: ':',
  slash: '/',
  hyphen: '-',
  underscore: '_',
  blank: ' ',
  bar: '|',
  comma: ',',
  semicolon: ';',
} as const;

/** A text is split at a sign and joined again: Java's `split` drops empty parts at the end, other functions those at both. */
const lostSeparators = Object.entries(separators).flatMap(([name, sign]) => [
  ...misread(
    `${name}-lost-at-the-start`,
    'The text is split, and an empty part at its start is lost.',
    everySide,
    (text) => (text.startsWith(sign) ? text.slice(1) : text),
  ),
  ...misread(
    `${name}-lost-at-the-end`,
    'The text is split, and an empty part at its end is lost.',
    everySide,
    (text) => (text.endsWith(sign) ? text.slice(0, -1) : text),
  ),
]);

// Hashes --------------------------------------------------------------------------------------------------------------

const hashes = Object.entries(textHashes).map(([id, { name, hash }]) =>
  compared(
    `equal-by-${id}-hash`,
    `An index on ${name} is trusted: texts of equal hash are equal.`,
    (sent, stored) => hash(sent) === hash(stored),
  ),
);

// Texts that mean nothing to a language -------------------------------------------------------------------------------

const nothing = Object.entries({ zero: '0', false: 'false', null: 'null', empty: '' })
  .map(([name, text]) => ({ name, text }))
  .flatMap(({ name, text: falsy }) =>
    misread(`${name}-as-nothing`, `A check for a missing value takes '${falsy}' for one.`, ['request'], (text) =>
      text === falsy ? undefined : text,
    ),
  );

const keysOfObjects = ['__proto__', 'constructor', 'length', 'toString'].flatMap((name) =>
  misread(
    `${name.replaceAll('_', '').toLowerCase()}-lost`,
    `Entries are kept in an object or an array that has a member '${name}' already.`,
    ['request'],
    (text) => (text === name ? undefined : text),
  ),
);

// Comparisons of parts ------------------------------------------------------------------------------------------------

function like(pattern: string, text: string): boolean {
  const source = pattern
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('%', '[^]*')
    .replaceAll('_', '[^]');
  return new RegExp(`^${source}$`, 'u').test(text);
}

function glob(pattern: string, text: string): boolean {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^]*')
    .replaceAll('?', '[^]');
  return new RegExp(`^${source}$`, 'u').test(text);
}

function regularExpression(pattern: string, text: string): boolean {
  try {
    return new RegExp(`^(?:${pattern})$`).test(text);
  } catch {
    return false;
  }
}

const parts = [
  compared('begins-with-stored', 'A text that begins with the stored one is enough.', (sent, stored) =>
    sent.startsWith(stored),
  ),
  compared('stored-begins-with', 'The query says LIKE "text%".', (sent, stored) => stored.startsWith(sent)),
  compared('ends-with-stored', 'A text that ends with the stored one is enough.', (sent, stored) =>
    sent.endsWith(stored),
  ),
  compared('stored-ends-with', 'The query says LIKE "%text".', (sent, stored) => stored.endsWith(sent)),
  compared('contains-stored', 'The right method was "equals", and "contains" was called.', (sent, stored) =>
    sent.includes(stored),
  ),
  compared('stored-contains', 'The search engine looks for a text anywhere in a field.', (sent, stored) =>
    stored.includes(sent),
  ),
  compared(
    'first-word-compared',
    'The search index keeps the first word.',
    (sent, stored) => sent.split(' ')[0] === stored.split(' ')[0],
  ),
  compared('words-in-any-order', 'The search index compares sets of words.', (sent, stored) => {
    const words = (text: string) => [...new Set(text.split(/\s+/))].sort().join(' ');
    return words(sent) === words(stored);
  }),
  compared('sent-as-like-pattern', 'LIKE is used for "=", so the request’s % and _ are wildcards.', like),
  compared('stored-as-like-pattern', 'The stored text is the pattern of a LIKE.', (sent, stored) => like(stored, sent)),
  compared('sent-as-glob', 'The cache is searched with a pattern made of the request’s text.', glob),
  compared('stored-as-glob', 'Stored texts are patterns with * and ?.', (sent, stored) => glob(stored, sent)),
  compared(
    'sent-as-regular-expression',
    'The request’s text becomes a regular expression, unescaped.',
    regularExpression,
  ),
  compared('stored-as-regular-expression', 'The stored text becomes a regular expression, unescaped.', (sent, stored) =>
    regularExpression(stored, sent),
  ),
  compared('one-line-of-sent', 'A pattern made of the stored text has ^ and $ for any line.', (sent, stored) =>
    sent.split('\n').includes(stored),
  ),
  compared('one-line-of-stored', 'A pattern made of the request’s text has ^ and $ for any line.', (sent, stored) =>
    stored.split('\n').includes(sent),
  ),
  compared('same-length', 'Lengths are compared by mistake.', (sent, stored) => sent.length === stored.length),
  compared('any-text', 'The result of the comparison is not used.', () => true),
  compared('no-text', 'Two objects are compared rather than their texts.', () => false),
  compared('different-text', 'The comparison is the wrong way round.', (sent, stored) => sent !== stored),
  compared(
    'hash-of-the-first-letters',
    'An index of prefixes is trusted without a look at the rest.',
    (sent, stored) => sent.slice(0, 3) === stored.slice(0, 3),
  ),
];

// Lengths -------------------------------------------------------------------------------------------------------------

function firstBytes(text: string, count: number): string {
  return Buffer.from(text)
    .subarray(0, count)
    .toString()
    .replace(/\ufffd+$/, '');
}

// At most 128: no text of the world is longer than a column of 255 bytes holds.
const lengths = [8, 16, 32, 64, 128].flatMap((count) => [
  ...misread(`cut-after-${count}-characters`, `A column keeps ${count} characters.`, everySide, (text) =>
    text.slice(0, count),
  ),
  ...misread(`cut-after-${count}-bytes`, `A buffer has room for ${count} bytes.`, everySide, (text) =>
    firstBytes(text, count),
  ),
  ...misread(`longer-than-${count}-lost`, `Texts of more than ${count} characters are dropped.`, ['request'], (text) =>
    text.length > count ? undefined : text,
  ),
]);

// Cuts at a sign ------------------------------------------------------------------------------------------------------

const signs: Readonly<Record<string, readonly [sign: string, why: string]>> = {
  quote: ["'", 'a quote ends a text in SQL'],
  'double-quote': ['"', 'a quote ends a text in JSON'],
  dashes: ['--', 'two dashes begin a comment in SQL'],
  semicolon: [';', 'a semicolon ends a statement, and a parameter in some queries'],
  nul: ['\u0000', 'a NUL ends a text in C'],
  'number-sign': ['#', 'a number sign begins a fragment or a comment'],
  slashes: ['//', 'two slashes begin a comment'],
  slash: ['/', 'a slash separates the parts of a path'],
  ampersand: ['&', 'an ampersand separates parameters'],
  equals: ['=', 'an equals sign separates a name from its value'],
  comma: [',', 'a comma separates the values of a list'],
  colon: [':', 'a colon separates a key from an operator'],
  dot: ['.', 'a dot separates the parts of a key'],
  space: [' ', 'a space separates words'],
  bar: ['|', 'a bar separates alternatives'],
  'question-mark': ['?', 'a question mark begins a query'],
  newline: ['\n', 'a line ends there'],
  backslash: ['\\', 'a backslash begins an escape'],
  bracket: ['[', 'a bracket begins an index'],
  dollar: ['$', 'a dollar sign begins a variable'],
  'less-than': ['<', 'a sign of HTML begins a tag'],
};

const cuts = Object.entries(signs).flatMap(([name, [sign, why]]) =>
  misread(
    `cut-at-${name}`,
    `The text ends too early: ${why}.`,
    ['request', 'both'],
    (text) => text.split(sign)[0] ?? '',
  ),
);

// Decoding ------------------------------------------------------------------------------------------------------------

/** Stray percent signs stay as they are. */
function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function unescapedJson(text: string): string {
  const letters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };
  return text
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replaceAll(/\\(.)/gs, (_, letter: string) => letters[letter] ?? letter);
}

const decoding = [
  ...misread('percent-decoded-again', 'A second layer decodes percent escapes once more.', oneSide, percentDecoded),
  ...misread('percent-encoded', 'One layer fewer than expected decodes percent escapes.', oneSide, encodeURIComponent),
  ...misread('plus-as-space', 'The text is decoded as a form would be.', everySide, (text) =>
    text.replaceAll('+', ' '),
  ),
  ...misread('space-as-plus', 'The text is encoded as a form would be.', oneSide, (text) => text.replaceAll(' ', '+')),
  ...misread('html-escaped', 'A filter against attacks escapes HTML.', oneSide, (text) =>
    text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign),
  ),
  ...misread('html-unescaped', 'The text is taken for HTML and unescaped.', everySide, (text) =>
    Object.entries(entities).reduceRight((read, [sign, entity]) => read.replaceAll(entity, sign), text),
  ),
  ...misread('tags-stripped', 'A filter against attacks strips tags.', everySide, (text) =>
    text.replaceAll(/<[^>]*>?/g, ''),
  ),
  ...misread('quotes-stripped', 'A filter against injections strips quotes.', everySide, (text) =>
    text.replaceAll(/["']/g, ''),
  ),
  ...misread('quotes-doubled', 'Quotes are escaped for SQL, and bound as a parameter too.', oneSide, (text) =>
    text.replaceAll("'", "''"),
  ),
  ...misread('backslashes-lost', 'The text is unescaped once too often.', everySide, (text) =>
    text.replaceAll('\\', ''),
  ),
  ...misread('backslashes-doubled', 'The text is escaped once too often.', oneSide, (text) =>
    text.replaceAll('\\', '\\\\'),
  ),
  ...misread('json-unescaped', 'Escapes of JSON are resolved a second time.', everySide, unescapedJson),
  ...misread('json-escaped', 'The text of the JSON document is compared, escapes and all.', oneSide, (text) =>
    JSON.stringify(text).slice(1, -1),
  ),
  ...misread('letters-escaped', 'Letters beyond ASCII stay escaped as \\u….', oneSide, (text) =>
    text.replaceAll(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ),
  ...misread('slashes-escaped', 'Slashes stay escaped as the JSON of PHP has them.', oneSide, (text) =>
    text.replaceAll('/', '\\/'),
  ),
  ...misread('placeholders-filled', 'The text passes a template engine.', oneSide, (text) =>
    text.replaceAll(/\{\w*\}|\$\{\w*\}/g, ''),
  ),
];

// Charsets ------------------------------------------------------------------------------------------------------------

const charsets = [
  ...misread('read-as-latin-1', 'UTF-8 is taken for ISO 8859-1.', oneSide, (text) =>
    Buffer.from(text).toString('latin1'),
  ),
  ...misread('latin-1-only', 'The column has the character set Latin-1.', everySide, (text) =>
    text.replaceAll(/[^\0-\u00ff]/gu, '?'),
  ),
  ...misread('ascii-only', 'Letters beyond ASCII become question marks.', everySide, (text) =>
    text.replaceAll(/[^\0-\x7f]/gu, '?'),
  ),
  ...misread('beyond-ascii-lost', 'Letters beyond ASCII are dropped.', everySide, (text) =>
    text.replaceAll(/[^\0-\x7f]/gu, ''),
  ),
  ...misread('three-byte-utf-8', 'The column stores at most three bytes for each letter.', everySide, (text) =>
    text.replace(/[\u{10000}-\u{10ffff}].*$/su, ''),
  ),
  ...misread('surrogates-replaced', 'The text is copied by 16-bit units, and checked.', everySide, (text) =>
    text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '\ufffd\ufffd'),
  ),
  ...misread('unencodable-lost', 'An entry that Latin-1 cannot encode is skipped.', ['request'], (text) =>
    /[^\0-\u00ff]/u.test(text) ? undefined : text,
  ),
];

// Types ---------------------------------------------------------------------------------------------------------------

const isNumber = (text: string): boolean => text.trim() !== '' && !Number.isNaN(Number(text));

const types = [
  ...misread('outer-quotes-stripped', 'A value in quotes is taken for a quoted text.', everySide, (text) =>
    text.replace(/^"(.*)"$/s, '$1'),
  ),
  compared('compared-as-numbers', 'Texts that look like numbers are compared as numbers.', (sent, stored) =>
    isNumber(sent) && isNumber(stored) ? Number(sent) === Number(stored) : sent === stored,
  ),
  ...misread('leading-digits-read', 'A text that begins with digits is read as a number.', ['both'], (text) =>
    /^\s*\d/.test(text) ? String(Number.parseInt(text, 10)) : text,
  ),
  ...misread('decimal-numbers-rewritten', 'A number is parsed and printed again.', oneSide, (text) =>
    /^[\d.]+$/.test(text) && isNumber(text) ? String(Number(text)) : text,
  ),
  ...misread('notations-read', 'A text such as 012, 1e1 or 0xa is read as a number.', ['request', 'both'], (text) =>
    /^(?:0[0-7]+|\d+e\d+|0x[0-9a-f]+)$/i.test(text) ? String(Number(text.replace(/^0(?=\d)/, '0o'))) : text,
  ),
  ...misread('booleans-read', 'Texts such as yes, on and 1 become true, as in YAML.', everySide, (text) => {
    if (/^(?:true|yes|on|1)$/.test(text)) return 'true';
    return /^(?:false|no|off|0)$/.test(text) ? 'false' : text;
  }),
  ...misread('booleans-as-digits', 'The column for booleans holds 1 and 0.', oneSide, (text) =>
    text === 'true' ? '1' : text === 'false' ? '0' : text,
  ),
  compared('truth-compared', 'Both texts are cast to booleans.', (sent, stored) => Boolean(sent) === Boolean(stored)),
  ...misread('dates-read', 'Texts that look like dates are compared as times.', ['both'], (text) =>
    /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : text,
  ),
  ...misread('dates-rewritten', 'A text that looks like a date is printed with its time.', oneSide, (text) =>
    /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00.000Z` : text,
  ),
];

// Keys ----------------------------------------------------------------------------------------------------------------

const keys = [
  ...misread('word-characters-kept', 'Keys become names of columns: other signs are replaced.', everySide, (text) =>
    text.replaceAll(/\W/g, '_'),
  ),
  ...misread('other-signs-lost', 'Keys become names of variables: other signs are dropped.', everySide, (text) =>
    text.replaceAll(/\W/g, ''),
  ),
  ...misread('hyphens-as-underscores', 'Keys are mapped to names of members.', everySide, (text) =>
    text.replaceAll('-', '_'),
  ),
  ...misread('camel-case', 'A mapper turns snake case into camel case.', everySide, (text) =>
    text.replaceAll(/[_-](\w)/g, (_, letter: string) => letter.toUpperCase()),
  ),
  ...misread('dots-as-underscores', 'A document store takes no dots in keys.', everySide, (text) =>
    text.replaceAll('.', '_'),
  ),
  ...misread('last-part-of-a-path', 'A key with dots is read as a path.', ['request', 'both'], (text) =>
    text.slice(text.lastIndexOf('.') + 1),
  ),
  ...misread('pointer-unescaped', 'A key is read as a JSON Pointer, in which ~1 is a slash.', ['both'], (text) =>
    text.replaceAll('~1', '/').replaceAll('~0', '~'),
  ),
  ...misread('brackets-as-index', 'A key with brackets is read as an index.', ['request'], (text) =>
    text.replaceAll(/\[(\w*)\]/g, '.$1'),
  ),
  ...misread(
    'operators-lost',
    'Keys that begin with a dollar sign are dropped against injections.',
    ['request'],
    (text) => (text.startsWith('$') ? undefined : text),
  ),
  ...misread('numbers-as-index', 'A key of digits is taken for the index of an array.', ['request'], (text) =>
    /^\d+$/.test(text) ? undefined : text,
  ),
];

/** Ids as deployments make them: no two are alike. */
const sampleIds = [
  '943464f08d10e2c74314b133',
  'e7b4b15d5604471f5ad6d017',
  '20c968849b28aaa65bf99e3d',
  'b72b10a3cd109d8e96bc3250',
].map((digits) => `prod_${digits}`);

/** Whether a comparison is right for ids. */
export function isExactForIds(isEqual: TextComparison): boolean {
  return sampleIds.every((sent) => sampleIds.every((stored) => isEqual(sent, stored) === (sent === stored)));
}

/** How developers compare texts wrongly. */
export const textMistakes: readonly TextMistake[] = [
  ...collations,
  ...trimming,
  ...marks,
  ...lostSeparators,
  ...hashes,
  ...parts,
  ...lengths,
  ...cuts,
  ...decoding,
  ...charsets,
];

/** How developers read values wrongly, beside what they do to any text. */
export const valueMistakes: readonly TextMistake[] = [...nothing, ...types];

/** How developers read keys wrongly, beside what they do to any text. */
export const keyMistakes: readonly TextMistake[] = [...keysOfObjects, ...keys];
