/** No exchange that leaves the client shows a secret, wherever a deployment echoes it: in a response, or in what makes one fail. */

import { expect } from '@playwright/test';
import fc from 'fast-check';
import { noRetry } from '../../src/http/connection-options.js';
import type { Exchange } from '../../src/http/exchange.js';
import type { Secret } from '../../src/http/redactor.js';
import { createRedactor } from '../../src/http/redactor.js';
import {
  createTransportClient,
  NoResponse,
  type Transport,
  UnsupportedRequestError,
} from '../../src/http/transport.js';
import { checkEachRow } from '../support/check-each-row.js';
import { allEchoes, echoArbitrary } from '../support/echoes.js';
import { renderResponse, documentedRequest as request, test } from '../support/wire.js';

const [token, session, password] = ['b3ar-Er+9911', 'c00k-Ie+5522', 'p4ss-Wo+7733'];
const encodeBasic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

/** Secrets as they are in headers, and the parts of them that a deployment may echo. */
const headers: Readonly<Record<string, readonly [value: string, ...parts: string[]]>> = {
  Authorization: [`Bearer ${token}`, token],
  Cookie: [`theme=dark; session=${session}; csrf="0a1b2c3d4e5f"`, session, `session=${session}`, '0a1b2c3d4e5f'],
  'X-Gateway': [encodeBasic(`shop-user:${password}`), `shop-user:${password}`, 'shop-user', password],
  'X-Parameters': ['Digest username="someone-else", response="6629fae49393a053"', 'someone-else', '6629fae49393a053'],
  'X-Encoded': ['id=a%2Fb-is-longer', 'a/b-is-longer', 'a%2Fb-is-longer'],
};
const secrets: readonly Secret[] = Object.entries(headers).map(([name, [value]]) => ({
  name,
  value,
  placeholder: `$${name.toUpperCase()}`,
}));
const parts = Object.values(headers).flat();
const allTexts = parts.flatMap((part) => allEchoes.map(({ form, write }) => ({ form, part, text: write(part) })));

/** Lists the parts and forms that an exchange shows. */
function findLeaks(exchange: Exchange): string[] {
  // The request has placeholders.
  const { request: _, ...received } = exchange;
  const shown = JSON.stringify(received).replaceAll('\\', '').toLowerCase();
  const isShown = (text: string) => shown.includes(text.replaceAll('\\', '').toLowerCase());
  return allTexts.filter(({ text }) => isShown(text)).map(({ form, part }) => `${part} ${form}`);
}

/** Where a deployment may echo a text. Only some are possible for each text. */
const places: Readonly<Record<string, (text: string) => Buffer>> = {
  'a body': (text) => renderResponse('200 OK', ['Content-Type: text/plain'], `<${text}>`),
  'a JSON string': (text) => renderResponse('200 OK', [], JSON.stringify({ echo: text })),
  'a JSON key': (text) => renderResponse('200 OK', [], JSON.stringify({ [text]: 1 })),
  'the body of a failure': (text) => renderResponse('401 Unauthorized', [], text),
  'a header': (text) => renderResponse('200 OK', [`X-Echo: ${text}`], '{}'),
  'a cookie': (text) => renderResponse('200 OK', [`Set-Cookie: s=${text}; Path=/`], '{}'),
  'the place of a redirect': (text) => renderResponse('302 Found', [`Location: https://a.test/?t=${text}`]),
  'a content coding': (text) => renderResponse('200 OK', [`Content-Encoding: ${text}`], 'x'),
  'the media type': (text) => renderResponse('200 OK', [`Content-Type: ${text}`], 'x'),
  'the status text': (text) => renderResponse(`200 ${text}`, [], '{}'),
  'something that is no HTTP': (text) => Buffer.from(`${text}\r\n\r\n`),
  'a header without an end': (text) => Buffer.from(`HTTP/1.1 200 OK\r\nX-Echo: ${text}`),
  'a body that is cut': (text) => Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n${text}`),
  'a wrong length': (text) => Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${text}\r\n\r\n`),
};
const isHeaderValue = (text: string) => /^[\x20-\x7e]+$/.test(text);

test('Each part of each secret, in each form, at each place of a response or of a failure', async ({ serve, open }) => {
  const sent = Object.entries(places).flatMap(([place, write]) =>
    // All forms in a text, so that a run of this test sends few requests.
    parts.map((part) => {
      const texts = allEchoes.map(({ write: writeForm }) => writeForm(part)).filter(isHeaderValue);
      return { place, reply: write(texts.join(' ; ')) };
    }),
  );
  const replies = sent.map(
    ({ reply }) =>
      (socket: import('node:net').Socket) =>
        socket.end(reply),
  );
  const wire = await serve(...replies, ...replies);
  const listLeaks = async (hidden: readonly Secret[]) => {
    const leaks: string[] = [];
    for (const { place } of sent) {
      // A client for each: after several failures in a row, a client sends nothing any more.
      const { send } = open(wire.url, { secrets: hidden, retry: noRetry, limits: { timeout_ms: 60_000 } });
      leaks.push(...findLeaks(await send(request)).map((leak) => `${place}: ${leak}`));
    }
    return leaks;
  };
  expect(await listLeaks(secrets)).toEqual([]);
  // A client that does not know the secrets shows them at these places.
  const shown = new Set((await listLeaks([])).map((leak) => leak.split(':')[0]));
  expect(wire.received).toHaveLength(2 * sent.length);
  expect([...shown].toSorted()).toEqual(shownPlaces.toSorted());
});

/** An exchange has nothing of the others: neither the status text nor what is no HTTP. */
const shownPlaces = [
  'a body',
  'a JSON string',
  'a JSON key',
  'the body of a failure',
  'a header',
  'a cookie',
  'the place of a redirect',
  'a content coding',
  'the media type',
  'a body that is cut',
];

test('Header names are redacted, too', async ({ serve, open }) => {
  const wire = await serve(renderResponse('200 OK', [`X-${token}: 1`], '{}'));
  const exchange = await open(wire.url, {
    secrets: [{ value: `Bearer ${token.replace('+', '-')}`, placeholder: '$A' }],
  });
  expect(JSON.stringify(await exchange.send(request))).toContain(token);
  const { send } = open(wire.url, { secrets });
  expect(findLeaks(await send(request))).toEqual([]);
});

test('What a cookie is set to is hidden, whoever made it', async ({ serve, open }) => {
  const cookies = [
    'sid=a-new-session-4711; Path=/; HttpOnly',
    'a=1',
    'a-value-without-name',
    'q="quoted; not"; Secure',
  ];
  const wire = await serve(
    renderResponse(
      '200 OK',
      cookies.map((cookie) => `Set-Cookie: ${cookie}`),
      '{}',
    ),
  );
  const exchange = await open(wire.url).send(request);
  const received = 'response' in exchange ? exchange.response.headers : [];
  expect(received.filter(([name]) => name === 'Set-Cookie').map(([, value]) => value)).toEqual([
    'sid=[hidden]; Path=/; HttpOnly',
    'a=1',
    '[hidden]',
    expect.stringMatching(/^q=.*Secure$/),
  ]);
});

const transports: Readonly<Record<string, (text: string) => Transport>> = {
  'throws an error': (text) => () => Promise.reject(new Error(`No: ${text}`)),
  'throws a text': (text) => () => Promise.reject(text),
  'has no response': (text) => () => Promise.reject(new NoResponse(text)),
  'cannot express it': (text) => () => Promise.reject(new UnsupportedRequestError(text)),
  'returns something else': (text) => () => ({ status: text }) as never,
  'echoes in a header': (text) => () => ({ status: 200, headers: [['x-echo', text]], body: '' }),
  'echoes in a body': (text) => () => ({ status: 200, headers: [], body: text }),
  'sets a cookie': (text) => () => ({ status: 200, headers: [['set-cookie', `s=${text}`]], body: '' }),
};

test('A transport of the user shows no secret, whatever it does', async ({ open }) => {
  const listLeaks = async (hidden: readonly Secret[]) => {
    const client = open('http://127.0.0.1:1', { secrets: hidden });
    const leaks: string[] = [];
    for (const [what, create] of Object.entries(transports))
      for (const part of parts) {
        const text = allEchoes.map(({ write }) => write(part)).join('\n');
        const channel = createTransportClient(create(text), client, { baseUrl: 'http://a.test', idleMs: 60_000 });
        const exchange = await channel.send(request);
        const failure = channel.findFailure()?.message ?? '';
        const ofFailure: Exchange = { request, transportError: 'not-sent', message: failure };
        leaks.push(...[...findLeaks(exchange), ...findLeaks(ofFailure)].map((leak) => `${what}: ${leak}`));
      }
    return leaks;
  };
  expect(await listLeaks(secrets)).toEqual([]);
  // A client that does not know the secrets shows them.
  const shown = new Set((await listLeaks([])).map((leak) => leak.split(':')[0]));
  expect([...shown].toSorted()).toEqual(Object.keys(transports).toSorted());
});

const alphabet = fc.stringMatching(/^[A-Za-z0-9_.~+/-]{8,40}$/);
const structures: readonly ((secret: string) => string)[] = [
  (secret) => `Bearer ${secret}`,
  (secret) => `Token token="${secret}", id=1`,
  (secret) => encodeBasic(`someone:${secret}`),
  (secret) => encodeBasic(`${secret}:x`),
  (secret) => `a=1; sid=${secret}; b=2`,
  (secret) => `sid=${secret}`,
  (secret) => `sid=${encodeURIComponent(secret)}`,
  (secret) => `http://someone:${encodeURIComponent(secret)}@proxy.test:3128`,
];

test('A part of any secret is found in any form', () => {
  const property = fc.property(alphabet, fc.constantFrom(...structures), echoArbitrary, (secret, wrap, { write }) => {
    const redact = createRedactor([{ value: wrap(secret), placeholder: '☃' }]);
    const redacted = redact(`<${write(secret)}>`);
    expect(redacted).toContain('☃');
    expect(redacted.toLowerCase()).not.toContain(write(secret).toLowerCase());
  });
  fc.assert(property, { seed: 20_261_128, numRuns: 300 });
});

/** A secret, a text that it must not change, and what the suite says itself. */
const harmless: readonly (readonly [value: string, text: string, occursInSuiteRequests?: (text: string) => boolean])[] =
  [
    ['Bearer true', '{"valid":true,"is":"not true"}'],
    ['theme=dark; level=gold', '{"level":"gold","theme":"dark","golden":1}'],
    ['Bearer gold', 'a golden promotion for gold customers'],
    ['segment=customer', '{"customer":"a customer"}', (text) => text === 'customer'],
    ['Basic not-base64', '{"Basic":"fare"}'],
    [encodeBasic('admin:x'), '{"role":"admin","x":1,"name":"Max"}'],
    ['a=b; c=d', '{"a":"b","c":"d"}'],
    ['Bearer abcdefgh', 'Bearer abcdefg'],
  ];

test('Short words that are a part of a secret stay in ordinary texts', () =>
  checkEachRow(harmless, (value, text, occursInSuiteRequests = () => false) => {
    expect(createRedactor([{ value, placeholder: '$1', occursInSuiteRequests }])(text)).toBe(text);
  }));
