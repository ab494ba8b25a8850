import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { openClient } from '../../src/http/client.js';
import { createRedactor } from '../../src/redaction/redactor.js';
import { echoArbitrary, holdsSecret, secretArbitrary } from './support/echoes.js';

const secret = { value: 'tok/En+7&"q\'é\\<9>', placeholder: '$CLIENT_TOKEN' };
const redact = createRedactor([secret]);

const hex = (text: string, write: (code: number) => string) => text.replace(/./gs, (unit) => write(unit.charCodeAt(0)));
const unicode = (code: number) => `\\u${code.toString(16).padStart(4, '0')}`;
const html = (text: string, entities: Readonly<Record<string, string>>) =>
  [...text].map((each) => entities[each] ?? each).join('');
const named = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const base64 = (text: string) => Buffer.from(text).toString('base64');
const base64url = (text: string) => Buffer.from(text).toString('base64url');

/** Every form in which a deployment may echo a text. */
const forms: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'percent-encoded': encodeURIComponent,
  'percent-encoded, lower case': (text) => encodeURIComponent(text).replace(/%../g, (byte) => byte.toLowerCase()),
  'percent-encoded, every byte': (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'percent-encoded as a path': encodeURI,
  'in a JSON string': (text) => JSON.stringify(text).slice(1, -1),
  'in a JSON string, with \\/': (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
  'in a JSON string, \\u escapes': (text) => hex(text, unicode),
  'in a JSON string, \\U escapes in upper case': (text) =>
    hex(text, (code) => `\\u${code.toString(16).padStart(4, '0').toUpperCase()}`),
  'in a JSON string in a JSON string': (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  'in JSON as ASCII': (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[\u0080-\uffff]/g, (each) => unicode(each.charCodeAt(0))),
  'in HTML, named entities': (text) => html(text, { ...named, "'": '&apos;' }),
  'in HTML, named entities and &#39;': (text) => html(text, { ...named, "'": '&#39;' }),
  'in HTML, decimal entities': (text) => [...text].map((each) => `&#${each.codePointAt(0)};`).join(''),
  'in HTML, hexadecimal entities': (text) =>
    [...text].map((each) => `&#x${each.codePointAt(0)?.toString(16)};`).join(''),
  'in HTML, hexadecimal entities in upper case': (text) =>
    [...text].map((each) => `&#X00${each.codePointAt(0)?.toString(16).toUpperCase()};`).join(''),
};

/** Encodings that change with what stands before: the text begins at each of three offsets. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
  base64,
  base64url,
  'base64 at offset 1': (text) => base64(`:${text}`),
  'base64 at offset 2': (text) => base64(`id${text}`),
  'base64 of Basic credentials': (text) => base64(`application:${text}`),
  'base64 amid other text': (text) => base64(`a long text before ${text} and one after`),
  'base64url amid other text': (text) => base64url(`ab${text}cd`),
};

test.describe('a secret is replaced', () => {
  for (const [form, write] of Object.entries(forms)) {
    test(form, () => {
      expect(redact(`before ${write(secret.value)} after ${write(secret.value)}`)).toBe(
        'before $CLIENT_TOKEN after $CLIENT_TOKEN',
      );
      expect(redact(`x${write(secret.value)}y`)).toBe('x$CLIENT_TOKENy');
    });
  }

  for (const [encoding, write] of Object.entries(encodings)) {
    test(encoding, () => {
      const redacted = redact(`"${write(secret.value)}"`);
      expect(redacted).toContain('$CLIENT_TOKEN');
      // What is left beside it are characters that the secret shares with its neighbours.
      const left = Buffer.from(redacted.replaceAll('"', '').split('$CLIENT_TOKEN').join(''), 'base64').toString(
        'latin1',
      );
      expect(left).not.toContain(secret.value.slice(0, 4));
      expect(left).not.toContain(secret.value.slice(-4));
    });
  }

  const characters: readonly (readonly [what: string, value: string])[] = [
    ['of characters that mean something in a regular expression', '^.*+?()[]{}|$\\/-'],
    ['of quotes', `'"\`'"\``],
    ['of white space and punctuation', 'a b  c; d, e=f'],
    ['of letters beyond ASCII', 'sécrèt-ÿÀ'],
    ['of one letter, many times', 'aaaaaaaaaaaa'],
    ['whose base64 holds / and +', 'abc???def>>>ghi'],
    ['that looks like a replacement pattern', '$&$1$`$$'],
    ['that looks like an escape', '%41\\u0041&amp;'],
  ];
  for (const [what, value] of characters) {
    test(what, () => {
      const redact = createRedactor([{ value, placeholder: '$T' }]);
      for (const write of Object.values(forms)) expect(redact(`<${write(value)}>`)).toBe('<$T>');
      expect(redact(`"${base64(value)}"`)).toContain('$T');
    });
  }
});

test.describe('a secret is replaced, too', () => {
  test('in base64 that is percent-encoded, or escaped as in JSON', () => {
    // Its base64 is all slashes, or all pluses, depending on where it begins.
    for (const value of ['\u00ff'.repeat(6), '???????', '>>>>>>>', '\u00fb\u00ef\u00be'.repeat(3)]) {
      const redact = createRedactor([{ value, placeholder: '$T' }]);
      for (const bytes of [Buffer.from(value), Buffer.from(value, 'latin1')]) {
        const text = bytes.toString('base64');
        const escapes = [encodeURIComponent, (each: string) => each.replaceAll('/', '\\/'), (each: string) => each];
        for (const write of escapes) expect(redact(`"${write(text)}"`)).toContain('$T');
      }
    }
  });

  test('in Latin-1, as it goes over the wire', () => {
    const redact = createRedactor([{ value: 't\u00f6k\u00e9ns', placeholder: '$T' }]);
    expect(redact('<t%F6k%e9ns>')).toBe('<$T>');
    expect(redact(`<${Buffer.from('t\u00f6k\u00e9ns', 'latin1').toString('utf8')}>`)).toBe('<$T>');
  });

  test('without the white space around it, which does not go over the wire', () => {
    expect(createRedactor([{ value: ' a-token\t', placeholder: '$T' }])('<a-token>')).toBe('<$T>');
    expect(createRedactor([{ value: '  ', placeholder: '$T' }])('a  b')).toBe('a  b');
  });
});

test.describe('nothing else is replaced', () => {
  test('what is near the secret', () => {
    const redact = createRedactor([{ value: 'token-4711', placeholder: '$T' }]);
    for (const text of ['token-471', 'oken-4711', 'token 4711', 'token_4711', base64('token-5711')]) {
      expect(redact(text)).toBe(text);
    }
  });

  test('what a dot or an ampersand in it might stand for', () => {
    const redact = createRedactor([{ value: 'a.b&cde', placeholder: '$T' }]);
    for (const text of ['axb&cde', 'a.bacde', 'a.bmcde', 'a.b;cde', 'a.b&acde']) expect(redact(text)).toBe(text);
    expect(redact('a.b&cde a.b&amp;cde')).toBe('$T $T');
  });

  test('a secret of few characters is recognised beside the name of its header alone', () => {
    const redact = createRedactor([{ value: 'id-1', placeholder: '$ID', header: 'X-Key' }]);
    expect(redact('X-Key: id-1')).toBe('X-Key: $ID');
    expect(redact('"x-key":"id-1"')).toBe('"x-key":"$ID"');
    expect(redact('id-1 android-1')).toBe('id-1 android-1');
    expect(createRedactor([{ value: 'id-1', placeholder: '$ID' }])('X-Key: id-1')).toBe('X-Key: id-1');
  });

  test('six characters are long enough to be replaced anywhere, in any letter case', () => {
    expect(createRedactor([{ value: 'abcdef', placeholder: '$T' }])('xabcdef ABCdef abcdef9')).toBe('x$T $T $T9');
  });

  test('an empty secret, and none', () => {
    expect(createRedactor([{ value: '', placeholder: '$T' }])('any text')).toBe('any text');
    expect(createRedactor([])('any text')).toBe('any text');
  });
});

test('of two secrets of which one holds the other, the longer is replaced as a whole', () => {
  const secrets = [
    { value: 'shared', placeholder: '$ID' },
    { value: 'shared-and-more', placeholder: '$TOKEN' },
  ];
  for (const order of [secrets, [...secrets].reverse()]) {
    expect(createRedactor(order)('shared shared-and-more shared-and')).toBe('$ID $TOKEN $ID-and');
  }
});

test('credentials of one character are hidden beside the names of their headers, and rewrite nothing else', async () => {
  const client = openClient({ baseUrl: 'http://127.0.0.1:9', credentials: { applicationId: '1', token: 'a' } });
  const echo = 'a promotion of 1 campaign {"x-client-token":"a"} X-Client-Application-Id: 1, abc 11';
  expect(client.redact(echo)).toBe(
    'a promotion of 1 campaign {"x-client-token":"$CLIENT_TOKEN"} X-Client-Application-Id: $CLIENT_APPLICATION_ID, abc 11',
  );
  await client.close();
});

test('equal secrets are both hidden', () => {
  const both = createRedactor([
    { value: 'the-same', placeholder: '$TOKEN' },
    { value: 'the-same', placeholder: '$ID' },
  ]);
  expect(both('a the-same b')).toBe('a $TOKEN b');
});

test('in a long text, too, wherever in it the secret stands', () => {
  const long = 32 * 1024;
  // One that has a quotation mark itself, and one in whose readings there is none.
  for (const value of [secret.value, secret.value.replace('"', '')]) {
    const redact = createRedactor([{ value, placeholder: '$T' }]);
    for (const write of [...Object.values(forms), (text: string) => `${base64(text)}`]) {
      const echo = write(value);
      for (const before of [0, 1, Math.floor(echo.length / 2), echo.length]) {
        const filling = `["${'~'.repeat(long - 3 - before - 100)}","${'~'.repeat(97)}`;
        const redacted = redact(`${filling}${echo}~","${'~'.repeat(2 * long)}"]`);
        expect(redacted.slice(0, filling.length)).toBe(filling);
        expect(redacted.slice(filling.length).replace(/~+/g, '~')).toMatch(/^\$T.{0,3}~","~"\]$/);
      }
    }
  }
});

test('a text made to keep the search busy is done with', () => {
  const busy = ['\\', '&#0', '%25', '\\u', 'AAAA', 'tok/', '\\u005c', '%5Cu005c', '\\u0026#x5c;', '\\=\r\n', '\\\0'];
  for (const text of busy.map((part) => part.repeat(200_000))) expect(redact(text) === text).toBe(true);
});

test.describe('for any secret', () => {
  const settings = { seed: 20_261_121, numRuns: 300 };
  /** What a header can carry and a person would call a secret: printable, at least 6 characters, no white space. */
  const secretOf = fc.stringMatching(/^[!-~]{6,40}$/);
  const around = fc.stringMatching(/^[ -~]{0,30}$/);

  const echoed = (numRuns: number) =>
    fc.assert(
      fc.property(secretArbitrary, around, around, echoArbitrary, (value, before, after, { write }) => {
        const text = `${before}${write(value)}${after}`;
        expect(holdsSecret(text, value), 'the search finds what there is to find').toBe(true);
        const redacted = createRedactor([{ value, placeholder: '\u2603' }])(text);
        expect(redacted).toContain('\u2603');
        expect(holdsSecret(redacted, value)).toBe(false);
      }),
      { ...settings, numRuns },
    );
  test('it is found nowhere, however it is echoed', () => echoed(60));
  test('it is found nowhere, however it is echoed, many times', { tag: '@long' }, () => echoed(500));

  test('a text without it stays as it is', () => {
    // The secret's alphabet has nothing in common with that of the text, and there is no base64 in words.
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Z0-9]{8,40}$/), fc.lorem({ maxCount: 50 }), (value, text) => {
        const lower = text.toLowerCase();
        expect(createRedactor([{ value, placeholder: '§' }])(lower)).toBe(lower);
      }),
      settings,
    );
  });

  test('the redacted text is redacted already', () => {
    fc.assert(
      fc.property(secretOf, around, (value, text) => {
        const redact = createRedactor([{ value, placeholder: '§' }]);
        expect(redact(redact(`${text}${value}${text}`))).toBe(redact(`${text}${value}${text}`));
      }),
      settings,
    );
  });
});
