/** How a deployment may echo a secret, and a search for one that knows nothing of the redactor's. */

import fc from 'fast-check';

type Write = (text: string) => string;

const utf8 = (text: string) => Buffer.from(text);
const hexOf = (bytes: Buffer) => bytes.toString('hex');
const everyUnit = (text: string, write: (code: number) => string) =>
  Array.from({ length: text.length }, (_, at) => write(text.charCodeAt(at))).join('');
const inLines = (text: string) => text.replace(/.{76}/g, '$&\r\n');

/** Escapes, each of which may be applied to what another has written. */
export const escapes: Readonly<Record<string, Write>> = {
  plain: (text) => text,
  'in upper case': (text) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase()),
  'in lower case': (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  'in a JSON string': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'in a JSON string, all of it': (text) => everyUnit(text, (code) => `\\u${code.toString(16).padStart(4, '0')}`),
  'percent-encoded': (text) => encodeURIComponent(text),
  'percent-encoded, every byte': (text) => hexOf(utf8(text)).replace(/../g, '%$&'),
  'in HTML': (text) =>
    everyUnit(text, (code) => (/\w/.test(String.fromCharCode(code)) ? String.fromCharCode(code) : `&#${code};`)),
  'in HTML, all of it': (text) => everyUnit(text, (code) => `&#x${code.toString(16)};`),
  'in a JSON Pointer': (text) => text.replaceAll('~', '~0').replaceAll('/', '~1'),
  'in quoted-printable': (text) => hexOf(utf8(text)).toUpperCase().replace(/../g, '=$&').replace(/.{72}/g, '$&=\r\n'),
};

/** Encodings of bytes, which change with what stands before. */
export const packings: Readonly<Record<string, (bytes: Buffer) => string>> = {
  base64: (bytes) => bytes.toString('base64'),
  base64url: (bytes) => bytes.toString('base64url'),
  'base64 in lines': (bytes) => inLines(bytes.toString('base64')),
  'hexadecimal digits': hexOf,
  'hexadecimal digits in upper case': (bytes) => hexOf(bytes).toUpperCase(),
};

const encodings: readonly ((text: string) => Buffer)[] = [
  utf8,
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.from(text, 'utf16le').swap16(),
];

/** An echo: the names of what was done to the text, and the function that does it. */
export interface Echo {
  readonly form: string;
  readonly write: Write;
}

const escaped = fc.array(fc.constantFrom(...Object.keys(escapes)), { minLength: 1, maxLength: 2 }).map(
  (names): Echo => ({
    form: names.join(', then '),
    write: (text) => names.reduce((written, name) => (escapes[name] as Write)(written), text),
  }),
);

/** @param encoding by its number among the encodings; @param offset how many characters stand before the text */
const packedEcho = (name: string, encoding: number, offset: number): Echo => ({
  form: `${name}, encoding ${encoding}, at offset ${offset}`,
  write: (text) => {
    const bytes = encodings[encoding]?.(`${'-'.repeat(offset)}${text}!`) ?? Buffer.of();
    return packings[name]?.(bytes) ?? '';
  },
});

const packed = fc
  .tuple(fc.constantFrom(...Object.keys(packings)), fc.nat({ max: encodings.length - 1 }), fc.nat({ max: 3 }))
  .map(([name, encoding, offset]) => packedEcho(name, encoding, offset));

/** Each escape and each packing by itself. */
export const allEchoes: readonly Echo[] = [
  ...Object.entries(escapes).map(([form, write]) => ({ form, write })),
  ...Object.keys(packings).flatMap((name) =>
    encodings.flatMap((_, encoding) => [0, 1, 2, 3].map((offset) => packedEcho(name, encoding, offset))),
  ),
];

/** Any echo that SECURITY.md says is found. */
export const echoArbitrary = fc.oneof({ weight: 3, arbitrary: escaped }, { weight: 1, arbitrary: packed });

const alphabets = [
  Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)),
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'],
  [...'0123456789abcdef'],
  Array.from({ length: 95 }, (_, at) => String.fromCharCode(0xa1 + at)),
  [...'\\"/~%&=+#;u0'],
  [...'\\a'],
];

/** Secrets of 6 to 16,000 printable characters, most of them short; white space does not stand around a header's value. */
export const secretArbitrary = fc
  .tuple(
    fc.constantFrom(...alphabets),
    fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 6, max: 60 }) },
      { weight: 3, arbitrary: fc.integer({ min: 61, max: 1_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1_001, max: 16_000 }) },
    ),
  )
  .chain(([alphabet, length]) =>
    fc
      .infiniteStream(fc.constantFrom(...alphabet))
      .map((units) => [...units.take(length)].join('').replace(/^ | $/g, 'x')),
  );

const decoded = (bytes: string, encoding: BufferEncoding) => Buffer.from(bytes, encoding);
const percentBytes = (text: string, sign: string) =>
  text.replace(new RegExp(`(?:${sign}[0-9a-f]{2})+`, 'gi'), (run) =>
    decoded(run.replaceAll(sign, ''), 'hex').toString(),
  );

const lineBreaks: Readonly<Record<string, string>> = { r: '\r', n: '\n' };

/** Each undoes one of the escapes, wherever it stands. */
const undo: readonly Write[] = [
  (text) =>
    text.replace(/\\(?:u([0-9a-f]{4})|(["\\/rn]))/gi, (_, code, sign) =>
      code === undefined ? (lineBreaks[sign.toLowerCase()] ?? sign) : String.fromCharCode(Number.parseInt(code, 16)),
    ),
  (text) => percentBytes(text, '%'),
  (text) => percentBytes(text.replaceAll('=\r\n', ''), '='),
  (text) =>
    text.replace(/&#(?:x([0-9a-f]+)|(\d+));/gi, (_, hex, decimal) =>
      String.fromCharCode(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
    ),
  (text) => text.replaceAll('~1', '/').replaceAll('~0', '~'),
];

/** What packed text may stand for, wherever it begins. */
function* unpacked(text: string): Generator<string> {
  const unbroken = text.replaceAll('\r\n', '');
  for (const [encoding, digits] of [
    ['base64', /[A-Za-z0-9+/_-]{8,}/g],
    ['hex', /[0-9a-f]{8,}/gi],
  ] as const)
    for (const [run] of unbroken.matchAll(digits))
      for (const begin of [0, 1, 2, 3]) {
        const bytes = decoded(run.slice(begin), encoding);
        yield bytes.toString('utf8');
        for (const from of [0, 1]) {
          const pairs = bytes.subarray(from, bytes.length - ((bytes.length - from) % 2));
          yield pairs.toString('utf16le');
          yield Buffer.from(pairs).swap16().toString('utf16le');
        }
      }
}

/** Whether a text holds a secret in one of the forms above: every reading of it is searched, up to three escapes deep. */
export function holdsSecret(text: string, secret: string): boolean {
  const wanted = secret.toLowerCase();
  const isIn = (reading: string) => reading.toLowerCase().includes(wanted);
  let readings = new Set([text]);
  for (let depth = 0; depth <= 3; depth += 1) {
    if ([...readings].some(isIn)) return true;
    readings = new Set([...readings].flatMap((reading) => undo.map((each) => each(reading))));
  }
  return [...unpacked(text)].some(isIn);
}
