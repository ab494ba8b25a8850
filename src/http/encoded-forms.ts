type WriteCharacter = (character: string) => string;

const codeOf = (character: string): number => character.codePointAt(0) ?? 0;
const asUnicodeEscape: WriteCharacter = (character) => `\\u${codeOf(character).toString(16).padStart(4, '0')}`;
const asDecimalReference: WriteCharacter = (character) => `&#${codeOf(character)};`;
const asHexReference: WriteCharacter = (character) => `&#x${codeOf(character).toString(16)};`;

/** JSON writers (RFC 8259): what they escape with a backslash alone, and what as `\u0000`. */
const jsonWriters: readonly (readonly [short: RegExp, unicode: RegExp])[] = [
  [/["\\]/, /[^ -\uffff]/], // JavaScript
  [/["\\]/, /[^ -~]/], // Python
  [/["\\]/, /[<>&]/], // Go
  [/["\\/]/, /[^ -\uffff]/], // PHP with JSON_UNESCAPED_UNICODE
  [/["\\/]/, /[^ -~]/], // PHP
  [/[\\]/, /["&'+<>`]|[^ -~]/], // .NET
  [/[^\s\S]/, /[\s\S]/],
];

/** Percent-encoding (RFC 3986) and form encoding: the bytes that a writer leaves as they are. */
const percentWriters: readonly RegExp[] = [
  /[\w.!~*'()-]/, // encodeURIComponent
  /[\w.~-]/, // RFC 3986
  /[\w.~/-]/, // Python
  /[\w.*-]/, // URLSearchParams
  /[\w.!~*'();/?:@&=+$,#-]/, // encodeURI
  /[^\s\S]/,
];

/** HTML writers differ in quotation marks and apostrophes. */
const quotes = ['"', '&quot;', '&#34;', '&#034;'];
const apostrophes = ["'", '&apos;', '&#39;', '&#039;', '&#x27;'];

function* listTextForms(value: string): Generator<string> {
  const escapeEach = (selected: RegExp, write: WriteCharacter): string => value.replace(selected, write);
  for (const [short, unicode] of jsonWriters)
    yield escapeEach(/[\s\S]/g, (unit) =>
      short.test(unit) ? `\\${unit}` : unicode.test(unit) ? asUnicodeEscape(unit) : unit,
    );
  for (const quote of quotes)
    for (const apostrophe of apostrophes) {
      const references = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': quote, "'": apostrophe };
      yield escapeEach(/[&<>"']/g, (sign) => references[sign as keyof typeof references]);
    }
  for (const selected of [/[^ \w]/gu, /\W/gu, /[\s\S]/gu])
    for (const write of [asDecimalReference, asHexReference]) yield escapeEach(selected, write);
  // JSON Pointer (RFC 6901)
  yield value.replaceAll('~', '~0').replaceAll('/', '~1');
}

function* listByteForms(bytes: Buffer): Generator<string> {
  const characters = [...bytes.toString('latin1')];
  for (const kept of percentWriters) {
    const encoded = characters
      .map((byte) => (kept.test(byte) ? byte : `%${codeOf(byte).toString(16).padStart(2, '0')}`))
      .join('');
    yield encoded;
    yield encoded.replaceAll('%20', '+');
  }
  yield bytes.toString('hex');
  for (const encoding of ['base64', 'base64url'] as const)
    for (const offset of [0, 1, 2]) {
      const digits = Buffer.concat([Buffer.alloc(offset), bytes]).toString(encoding);
      // Only the digits that depend on nothing but these bytes.
      yield digits.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    }
}

/**
 * Lists the forms in which a text may appear: as it is, escaped or encoded, each by one common writer. The search
 * ignores letter case, so each form stands for those in other letter case, too.
 */
export function listEncodedForms(value: string): Set<string> {
  const [utf8, latin1] = [Buffer.from(value, 'utf8'), Buffer.from(value, 'latin1')];
  // HTTP carries header values in Latin-1. A deployment or a client may take one encoding for the other.
  const spellings = [value, latin1.toString('utf8'), utf8.toString('latin1')];
  return new Set([
    ...spellings,
    ...spellings.flatMap((each) => [...listTextForms(each)]),
    ...listByteForms(utf8),
    ...listByteForms(latin1),
  ]);
}
