import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { listCredentialSecrets } from '../../src/contract/operation.js';
import { createRedactor } from '../../src/redaction/redactor.js';
import { allEchoes, echoArbitrary, encodings, escapes, secretArbitrary } from './support/echoes.js';

const secret = { value: `tok/En+7&"q'é\\<9>`, placeholder: '$CLIENT_TOKEN' };
const redact = createRedactor([secret]);
const base64 = (text: string) => Buffer.from(text).toString('base64');

test.describe('A secret is replaced', () => {
  for (const [encoding, write] of Object.entries(encodings))
    test(encoding, () => {
      const redacted = redact(`"${write(secret.value)}"`);
      expect(redacted).toContain('$CLIENT_TOKEN');
      // The digits left beside it stand for its first or last character together with a neighbour.
      const left = redacted.replaceAll('"', '').split('$CLIENT_TOKEN').join('');
      const decoded = Buffer.from(left, 'base64').toString('latin1');
      expect(decoded).not.toContain(secret.value.slice(0, 4));
      expect(decoded).not.toContain(secret.value.slice(-4));
    });

  const values: readonly (readonly [what: string, value: string])[] = [
    ['of all sorts', secret.value],
    ['that means something in a regular expression', '^.*+?()[]{}|$\\/-'],
    ['of quotation marks', `'"\`"'\``],
    ['of white space and punctuation', 'a b  c; d, e=f'],
    ['of letters beyond ASCII', 'sécrèt-ÿÀ'],
    ['of one letter', 'aaaaaaaaaaaa'],
    ['whose base64 has / and +', 'abc???def>>>ghi'],
    ['that looks like a replacement pattern', '$&$1$`$$'],
    ['that looks like an escape', '%41\\u0041&amp;'],
    ['of 16,000 characters', 'abc???def>>>ghi/'.repeat(1_000)],
  ];
  for (const [what, value] of values)
    test(what, () => {
      const redact = createRedactor([{ value, placeholder: '$T' }]);
      for (const { form, write } of allEchoes) expect(redact(`<${write(value)}>`), form).toContain('$T');
      for (const write of Object.values(escapes))
        expect(redact(`x${write(value)}y <${write(value)}>`)).toBe('x$Ty <$T>');
    });

  test('in Latin-1, as HTTP carries it', () => {
    const redact = createRedactor([{ value: 't\u00f6k\u00e9ns', placeholder: '$T' }]);
    expect(redact('<t%F6k%e9ns>')).toBe('<$T>');
    expect(redact(`<${Buffer.from('t\u00f6k\u00e9ns', 'latin1').toString('utf8')}>`)).toBe('<$T>');
    expect(redact(`<${Buffer.from('t\u00f6k\u00e9ns').toString('latin1')}>`)).toBe('<$T>');
  });

  test('without the white space around it, which HTTP drops', () => {
    expect(createRedactor([{ value: ' a-token\t', placeholder: '$T' }])('<a-token>')).toBe('<$T>');
  });
});

test.describe('Nothing else is replaced', () => {
  test('text that resembles the secret', () => {
    const redact = createRedactor([{ value: 'token.4711', placeholder: '$T' }]);
    for (const text of ['token.471', 'oken.4711', 'token 4711', 'token-4711', base64('token.5711')])
      expect(redact(text)).toBe(text);
  });

  test('a short secret, unless it follows its name as a whole word', () => {
    const redact = createRedactor([{ value: 'id-1', placeholder: '$ID', name: 'X-Key' }]);
    expect(redact('X-Key: id-1')).toBe('X-Key: $ID');
    expect(redact('"x_key":"ID-1", x-key=id-1&')).toBe('"x_key":"$ID", x-key=$ID&');
    for (const text of ['id-1 android-1', 'X-Key: id-12', 'X-Keyid-1', 'X-Key: no, id-1'])
      expect(redact(text)).toBe(text);
    expect(createRedactor([{ value: 'id-1', placeholder: '$ID' }])('X-Key: id-1')).toBe('X-Key: id-1');
  });

  test("a word of the suite's own requests, unless it is a whole value or follows its header", () => {
    const redact = createRedactor(listCredentialSecrets({ applicationId: 'application', token: 'a-token-4711' }));
    for (const text of [
      'Content-Type: application/json',
      'Set CLIENT_APPLICATION_ID, or X-Client-Application-Id.',
      '{"application": 1, "note": "an application"}',
      '$CLIENT_APPLICATION_ID',
    ])
      expect(redact(text)).toBe(text);
    for (const [text, redacted] of [
      ['X-Client-Application-Id: application', 'X-Client-Application-Id: $CLIENT_APPLICATION_ID'],
      ['{"x-client-application-id":"application"}', '{"x-client-application-id":"$CLIENT_APPLICATION_ID"}'],
      ['{"client":"Application","b":1}', '{"client":"$CLIENT_APPLICATION_ID","b":1}'],
      ['application', '$CLIENT_APPLICATION_ID'],
      [Buffer.from('application').toString('hex'), '$CLIENT_APPLICATION_ID'],
      ['application a-token-4711', 'application $CLIENT_TOKEN'],
    ] as const)
      expect(redact(text)).toBe(redacted);
  });

  test('six characters are enough to be replaced anywhere', () => {
    expect(createRedactor([{ value: 'abcdef', placeholder: '$T' }])('xabcdef ABCdef abcdef9')).toBe('x$T $T $T9');
  });

  test('a placeholder that holds the secret', () => {
    const redact = createRedactor([{ value: 'client_token', placeholder: '$CLIENT_TOKEN' }]);
    expect(redact('$CLIENT_TOKEN, client_token')).toBe('$CLIENT_TOKEN, $CLIENT_TOKEN');
  });

  test('a blank secret, and none', () => {
    for (const value of ['', '  '])
      expect(createRedactor([{ value, placeholder: '$T' }])('any  text')).toBe('any  text');
    expect(createRedactor([])('any text')).toBe('any text');
  });
});

test.describe('Several secrets', () => {
  test('a secret that holds another is replaced as a whole', () => {
    const secrets = [
      { value: 'shared', placeholder: '$ID' },
      { value: 'shared-and-more', placeholder: '$TOKEN' },
    ];
    for (const order of [secrets, [...secrets].reverse()])
      expect(createRedactor(order)('shared shared-and-more shared-and')).toBe('$ID $TOKEN $ID-and');
  });

  test('secrets that overlap leave no part', () => {
    const redact = createRedactor([
      { value: 'abcdefgh', placeholder: '$LONG' },
      { value: 'fghijk', placeholder: '$SHORT' },
    ]);
    expect(redact('.abcdefghijk.')).toBe('.$LONG.');
    expect(redact('.fghijkabcdefgh.')).toBe('.$SHORT$LONG.');
    expect(createRedactor([{ value: 'aaabaaa', placeholder: '$A' }])('.aaabaaabaaabaaa.')).toBe('.$A.');
  });

  test('equal secrets are replaced once', () => {
    const redact = createRedactor([
      { value: 'the-same', placeholder: '$TOKEN' },
      { value: 'the-same', placeholder: '$ID' },
    ]);
    expect(redact('a the-same b')).toBe('a $TOKEN b');
  });
});

test('Megabytes of text that keep the search busy are redacted', () => {
  const length = 2 * 1024 * 1024;
  const parts = ['x', 'a', 'A', '\\u00', '&#', '%25', 'tok/', secret.value.slice(0, -1), secret.value];
  for (const part of parts) {
    const text = part.repeat(length / part.length);
    const redacted = redact(text);
    expect(redacted).toBe(part === secret.value ? secret.placeholder.repeat(length / part.length) : text);
  }
  // Each letter ends a match, and all of them are one.
  expect(createRedactor([{ value: 'a'.repeat(32), placeholder: '$T' }])('a'.repeat(length))).toBe('$T');
});

test.describe('For any secret', () => {
  const settings = { seed: 20_261_121, numRuns: 300 };
  /** Nothing in it begins an escape, which could take the first characters of the secret with it. */
  const around = fc.stringMatching(/^[ -$'-*,-:<-[\]-}]{0,30}$/);

  for (const [numRuns, tag] of [
    [50, []],
    [1_500, ['@long']],
  ] as const)
    test(`each form is found, ${numRuns} times`, { tag: [...tag] }, () => {
      fc.assert(
        fc.property(secretArbitrary, around, around, echoArbitrary, (value, before, after, { write }) => {
          const echo = write(value);
          const redacted = createRedactor([{ value, placeholder: '\u2603' }])(`${before}${echo}${after}`);
          expect(redacted).toContain('\u2603');
          expect(redacted.toLowerCase()).not.toContain(echo.toLowerCase());
        }),
        { ...settings, numRuns },
      );
    });

  test('redacting twice changes nothing', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]{6,40}$/), around, (value, text) => {
        const redact = createRedactor([{ value, placeholder: '§' }]);
        const once = redact(`${text}${value}${text}`);
        expect(redact(once)).toBe(once);
      }),
      settings,
    );
  });
});
