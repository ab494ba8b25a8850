/** Forms in which a deployment may echo a secret, and a search for them that shares no code with the redactor. */

import fc from 'fast-check';

type Write = (text: string) => string;

const hexOf = (text: string) => Buffer.from(text).toString('hex');
const writeUnits = (text: string, write: (code: number) => string) =>
  Array.from({ length: text.length }, (_, at) => write(text.charCodeAt(at))).join('');
const asUnicodeEscape = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;
const asString = (text: string) => JSON.stringify(text).slice(1, -1);
const withReferences = (text: string, references: Readonly<Record<string, string>>) =>
  [...text].map((each) => references[each] ?? each).join('');
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
  'in a JSON Pointer': (text) => text.replaceAll('~', '~0').replaceAll('/', '~1'),
  'percent-encoded': encodeURIComponent,
  'percent-encoded with lower-case digits': (text) =>
    encodeURIComponent(text).replace(/%../g, (byte) => byte.toLowerCase()),
  'percent-encoded as a URL': encodeURI,
  'percent-encoded, every byte': (text) => hexOf(text).replace(/../g, '%$&'),
  'form-encoded': (text) => new URLSearchParams({ '': text }).toString().slice(1),
  'in HTML': (text) => withReferences(text, markup),
  'in HTML with &#39;': (text) => withReferences(text, { ...markup, "'": '&#39;' }),
  'in HTML with &apos;': (text) => withReferences(text, { ...markup, "'": '&apos;' }),
  'in HTML, every character decimal': (text) => writeUnits(text, (code) => `&#${code};`),
  'in HTML, every character hexadecimal': (text) => writeUnits(text, (code) => `&#x${code.toString(16)};`),
  'in HTML, every character hexadecimal in upper case': (text) =>
    writeUnits(text, (code) => `&#X${code.toString(16).toUpperCase()};`),
  'in hexadecimal digits': hexOf,
  'in hexadecimal digits in upper case': (text) => hexOf(text).toUpperCase(),
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

/** Each form by its name. */
export const allEchoes = Object.entries({ ...escapes, ...encodings }).map(([form, write]) => ({ form, write }));

/** Any form that SECURITY.md says is found. */
export const echoArbitrary = fc.constantFrom(...allEchoes);

const alphabets = [
  Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)),
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'],
  [...'0123456789abcdef'],
  Array.from({ length: 95 }, (_, at) => String.fromCharCode(0xa1 + at)),
  [...'\\"/~%&=+#;u0'],
  [...'\\a'],
];

/** Secrets of 6 to 4,000 printable characters, most of them short, without white space at either end. */
export const secretArbitrary = fc
  .tuple(
    fc.constantFrom(...alphabets),
    fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 6, max: 60 }) },
      { weight: 1, arbitrary: fc.integer({ min: 61, max: 4_000 }) },
    ),
  )
  .chain(([alphabet, length]) =>
    fc
      .infiniteStream(fc.constantFrom(...alphabet))
      .map((units) => [...units.take(length)].join('').replace(/^ | $/g, 'x')),
  );

const decodePercent: Write = (text) =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());

/** Each undoes one escape in a whole text. */
const decoders: readonly Write[] = [
  (text) => text,
  (text) =>
    text.replace(/\\(?:u([0-9a-f]{4})|(["\\/]))/gi, (_, code, sign) =>
      code === undefined ? sign : String.fromCharCode(Number.parseInt(code, 16)),
    ),
  decodePercent,
  (text) => decodePercent(text.replaceAll('+', ' ')),
  (text) =>
    text
      .replace(/&#(?:x([0-9a-f]+)|(\d+));/gi, (_, hex, decimal) =>
        String.fromCharCode(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
      )
      .replace(
        /&(amp|lt|gt|quot|apos);/g,
        (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" })[name as 'amp'],
      ),
  (text) => text.replaceAll('~1', '/').replaceAll('~0', '~'),
];

/** Decodes each run of digits from each place at which a byte may begin. */
function* decodeDigits(text: string): Generator<string> {
  for (const [encoding, digits] of [
    ['base64', /[A-Za-z0-9+/_-]{8,}/g],
    ['hex', /[0-9a-f]{12,}/gi],
  ] as const)
    for (const [run] of text.matchAll(digits))
      for (const begin of [0, 1, 2, 3]) yield Buffer.from(run.slice(begin), encoding).toString();
}

/** Whether a text holds a secret in one of the forms above. */
export function holdsSecret(text: string, secret: string): boolean {
  const wanted = secret.toLowerCase();
  const readings = [...decoders.map((decode) => decode(text)), ...decodeDigits(text)];
  return readings.some((reading) => reading.toLowerCase().includes(wanted));
}
