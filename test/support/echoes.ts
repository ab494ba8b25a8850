/** Forms in which a deployment may echo a secret. They share no code with the redactor. */

import fc from 'fast-check';

type Write = (text: string) => string;

const hexOf = (text: string) => Buffer.from(text).toString('hex');
const writeUnits = (text: string, write: (code: number) => string) =>
  Array.from({ length: text.length }, (_, at) => write(text.charCodeAt(at))).join('');
const asUnicodeEscape = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;
const asString = (text: string) => JSON.stringify(text).slice(1, -1);
const withReferences = (text: string, references: Readonly<Record<string, string>>) =>
  [...text].map((character) => references[character] ?? character).join('');
const punctuation = {
  '!': '&excl;',
  '#': '&num;',
  $: '&dollar;',
  '%': '&percnt;',
  '(': '&lpar;',
  ')': '&rpar;',
  '*': '&ast;',
  '+': '&plus;',
  ',': '&comma;',
  '.': '&period;',
  '/': '&sol;',
  ':': '&colon;',
  ';': '&semi;',
  '=': '&equals;',
  '?': '&quest;',
  '@': '&commat;',
  '[': '&lsqb;',
  ']': '&rsqb;',
  _: '&lowbar;',
  '{': '&lcub;',
  '|': '&vert;',
  '}': '&rcub;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  é: '&eacute;',
  '\t': '&Tab;',
};
const markup = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Forms that keep the length of the text around them: the secret is replaced exactly. */
export const escapes: Readonly<Record<string, Write>> = {
  'as it is': (text) => text,
  'in upper case': (text) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase()),
  'in lower case': (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  'in a JSON string': asString,
  'in a JSON string with \\/': (text) => asString(text).replaceAll('/', '\\/'),
  'in a JSON string of ASCII': (text) =>
    asString(text).replace(/[^ -~]/g, (unit) => asUnicodeEscape(unit.charCodeAt(0))),
  'in a JSON string with <, > and & escaped': (text) =>
    asString(text).replace(/[<>&]/g, (unit) => asUnicodeEscape(unit.charCodeAt(0))),
  'in a JSON string with \\u escapes': (text) => writeUnits(text, asUnicodeEscape),
  'in a JSON string with \\u escapes in upper case': (text) =>
    writeUnits(text, (code) => `\\u${asUnicodeEscape(code).slice(2).toUpperCase()}`),
  'in a JSON string with \\u{} and \\x escapes': (text) =>
    writeUnits(text, (code) =>
      code % 2 === 0 ? `\\u{${code.toString(16)}}` : `\\x${code.toString(16).padStart(2, '0')}`,
    ),
  'in a JSON string within one': (text) => asString(asString(text)),
  'with a tab as a space': (text) => text.replaceAll('\t', ' '),
  'in a JSON Pointer': (text) => text.replaceAll('~', '~0').replaceAll('/', '~1'),
  'percent-encoded': encodeURIComponent,
  'percent-encoded with lower-case digits': (text) =>
    encodeURIComponent(text).replace(/%../g, (byte) => byte.toLowerCase()),
  'percent-encoded as a URL': encodeURI,
  'percent-encoded, every byte': (text) => hexOf(text).replace(/../g, '%$&'),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'percent-encoded in a JSON string with \\u escapes': (text) => writeUnits(encodeURIComponent(text), asUnicodeEscape),
  'form-encoded': (text) => new URLSearchParams({ '': text }).toString().slice(1),
  'in HTML': (text) => withReferences(text, markup),
  'in HTML with &#39;': (text) => withReferences(text, { ...markup, "'": '&#39;' }),
  'in HTML with &apos;': (text) => withReferences(text, { ...markup, "'": '&apos;' }),
  'in HTML with a name for each sign': (text) => withReferences(text, punctuation),
  'in HTML within HTML': (text) => withReferences(withReferences(text, markup), markup),
  'in HTML, every character decimal': (text) => writeUnits(text, (code) => `&#${code};`),
  'in HTML, every character hexadecimal': (text) => writeUnits(text, (code) => `&#x${code.toString(16)};`),
  'in HTML, every character hexadecimal in upper case': (text) =>
    writeUnits(text, (code) => `&#X${code.toString(16).toUpperCase()};`),
  'in hexadecimal digits': hexOf,
  'in hexadecimal digits in upper case': (text) => hexOf(text).toUpperCase(),
  'in hexadecimal digits with colons': (text) => hexOf(text).replace(/..(?!$)/g, '$&:'),
  'in hexadecimal digits with spaces': (text) => hexOf(text).replace(/..(?!$)/g, '$& '),
};

/** Encodings that depend on the text before the secret. */
export const encodings: Readonly<Record<string, Write>> = Object.fromEntries(
  (['base64', 'base64url'] as const).flatMap((encoding) =>
    ['', ':', 'id', 'application:'].map((before) => [
      `${encoding} after '${before}'`,
      (text: string) => Buffer.from(`${before}${text}!`).toString(encoding),
    ]),
  ),
);

/** Base64 in a notation that escapes its signs. */
const escapedEncodings: Readonly<Record<string, Write>> = {
  'base64, percent-encoded': (text) => encodeURIComponent(Buffer.from(`id:${text}!`).toString('base64')),
  'base64 in a JSON string with \\/': (text) => Buffer.from(`:${text}!`).toString('base64').replaceAll('/', '\\/'),
};

/** Each form by its name. */
export const allEchoes = Object.entries({ ...escapes, ...encodings, ...escapedEncodings }).map(([form, write]) => ({
  form,
  write,
}));

/** Any form that SECURITY.md says is found. */
export const echoArbitrary = fc.constantFrom(...allEchoes);

const alphabets = [
  Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)),
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'],
  [...'0123456789abcdef'],
  Array.from({ length: 95 }, (_, at) => String.fromCharCode(0xa1 + at)),
  [...'\\"/~%&=+#;u0'],
  [...'\\a'],
  [...'ab\t c'],
];

/** Secrets of 8 to 4,000 printable characters, most of them short, without white space at either end. */
export const secretArbitrary = fc
  .tuple(
    fc.constantFrom(...alphabets),
    fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 8, max: 60 }) },
      { weight: 1, arbitrary: fc.integer({ min: 61, max: 4_000 }) },
    ),
  )
  .chain(([alphabet, length]) =>
    fc
      .infiniteStream(fc.constantFrom(...alphabet))
      .map((units) => [...units.take(length)].join('').replace(/^[ \t]|[ \t]$/g, 'x')),
  );
