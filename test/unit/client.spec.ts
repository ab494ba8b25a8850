import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from '@playwright/test';
import type { HttpRequest } from '../../src/http/exchange.js';
import { readOwnPackage } from '../../src/support/package-root.js';
import {
  credentials,
  getMessage,
  getOutcome,
  getResponse,
  type Reply,
  renderResponse,
  documentedRequest as request,
  test,
  timeoutMs,
} from '../support/wire.js';

const ok = renderResponse('200 OK', ['Content-Type: application/json'], '{}');
const encoded = (coding: string, body: string | Buffer) =>
  renderResponse('200 OK', [`Content-Encoding: ${coding}`], body);
const renderInterim = (status: string) => Buffer.from(`HTTP/1.1 ${status}\r\nLink: </a>; rel=preload\r\n\r\n`);

test.describe('The client sends', () => {
  test('the body of a GET, its headers with the real credentials, and nothing else', async ({ serve, open }) => {
    const wire = await serve(ok);
    const exchange = await open(wire.url).send(request);
    expect(getResponse(exchange)).toEqual({
      status: 200,
      headers: [
        ['Content-Type', 'application/json'],
        ['Content-Length', '2'],
      ],
      body: '{}',
    });
    const [received] = wire.received;
    expect(received?.line).toBe('GET /v1/promotions/validation HTTP/1.1');
    expect(received?.body).toBe(request.body);
    expect(Object.fromEntries(received?.headers ?? [])).toEqual({
      host: `127.0.0.1:${wire.port}`,
      connection: 'keep-alive',
      'X-Client-Application-Id': credentials.applicationId,
      'X-Client-Token': credentials.token,
      'Content-Type': 'application/json',
      'User-Agent': `promotion-validation-conformance/${readOwnPackage().version}`,
      Accept: '*/*',
      'Accept-Encoding': 'identity',
      'content-length': '24',
    });
    // The exchange keeps the placeholders.
    expect(exchange.request).toEqual(request);
  });

  test('the path without change, after the path prefix of the base URL', async ({ serve, open }) => {
    const wire = await serve(ok);
    const paths = ['/v1?[filters][promotion_id][conditions][$is]=camp_1', '/v1?%5Bfilters%5D=a%20b&c=%2f+'];
    for (const path of [...paths, '/v1/../v2/./x//y/', '/v1?'])
      for (const prefix of ['', '/', '/shop/', '/shop/api']) {
        await open(`${wire.url}${prefix}`).send({ ...request, path });
        expect(wire.received.at(-1)?.line).toBe(`GET ${prefix.replace(/\/$/, '')}${path} HTTP/1.1`);
      }
  });

  test('over a new connection after reconnect(), which aborts nothing', async ({ serve, open }) => {
    let answer = (): void => undefined;
    const wire = await serve((socket) => {
      answer = () => void socket.write(ok);
    }, ok);
    const { send, reconnect } = open(wire.url);
    const first = send(request);
    await expect.poll(() => wire.received.length).toBe(1);
    reconnect();
    answer();
    expect(getOutcome(await first)).toBe(200);
    // The first connection is idle by now.
    expect(getOutcome(await send(request))).toBe(200);
    expect(wire.countConnections()).toBe(2);
  });

  test('as many requests at the same time as allowed', async ({ serve, open }) => {
    const waiting: (() => void)[] = [];
    let maxWaiting = 0;
    const wire = await serve((socket) => {
      waiting.push(() => socket.write(ok));
      maxWaiting = Math.max(maxWaiting, waiting.length);
      // Answers only when two requests wait, so that more could come.
      if (waiting.length === 2) for (const answer of waiting.splice(0)) answer();
    });
    const { send } = open(wire.url, { pacing: { concurrency: 2 } });
    const exchanges = await Promise.all(Array.from({ length: 6 }, () => send(request)));
    expect(exchanges.map(getOutcome)).toEqual(Array(6).fill(200));
    expect(maxWaiting).toBe(2);
  });
});

test('The client ignores a redirect', async ({ serve, open }) => {
  for (const status of [301, 302, 303, 307, 308]) {
    const elsewhere = await serve(ok);
    const wire = await serve(renderResponse(`${status} Moved`, [`Location: ${elsewhere.url}/x`]));
    expect(getOutcome(await open(wire.url).send(request))).toBe(status);
    expect([wire.received.length, elsewhere.countConnections()]).toEqual([1, 0]);
  }
});

test.describe('The client returns', () => {
  test('headers in their order and spelling', async ({ serve, open }) => {
    const headers = ['B: 2', 'a: 1', 'b: 3', 'Set-Cookie: x=1', 'Set-Cookie: y=2', 'Empty: '];
    const wire = await serve(renderResponse('200 OK', headers));
    const received = getResponse(await open(wire.url).send(request))?.headers.slice(0, 6);
    expect(received?.map(([name, value]) => `${name}: ${value}`)).toEqual(headers);
  });

  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  const text = 'text';
  const typed = (type: string, body: string | Buffer) => renderResponse('200 OK', [`Content-Type: ${type}`], body);
  const ended: Reply = (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\ntext');
  const chunks = '2\r\nte\r\n2;a=b\r\nxt\r\n0\r\nTrailer: x\r\n\r\n';
  const head = renderResponse('200 OK', ['Content-Length: 100', 'Content-Encoding: gzip']);
  const bodies: readonly (readonly [what: string, reply: Reply, body: string, method?: string])[] = [
    ['UTF-8', renderResponse('200 OK', [], 'ä→😀'), 'ä→😀'],
    ['a byte-order mark', renderResponse('200 OK', [], '\uFEFF{}'), '{}'],
    ['UTF-16 with a byte-order mark', typed('a/b; charset=UTF-16LE', utf16('\uFEFF["ä"]')), '["ä"]'],
    ['Latin-1', typed('text/plain; a=b; charset="iso-8859-1"', Buffer.from('ä', 'latin1')), 'ä'],
    ['an unknown charset', typed('text/plain; charset=klingon', 'ä'), 'ä'],
    ['bytes that are not text', renderResponse('200 OK', [], Buffer.from([0x61, 0xff, 0x62])), 'a\uFFFDb'],
    ['gzip', encoded('gzip', gzipSync(text)), text],
    ['deflate', encoded('deflate', deflateSync(text)), text],
    ['br', encoded('br', brotliCompressSync(text)), text],
    ['two codings in one line', encoded('gzip, br', brotliCompressSync(gzipSync(text))), text],
    ['the identity coding', encoded('identity', text), text],
    ['a coding without a body', encoded('gzip', ''), ''],
    ['chunks', renderResponse('200 OK', ['Transfer-Encoding: chunked'], chunks), text],
    ['a body that ends with the connection', ended, text],
    ['none, 204', renderResponse('204 No Content', ['Content-Length: 0']), ''],
    ['none, HEAD', head, '', 'HEAD'],
    ['none, HEAD after an interim response', Buffer.concat([renderInterim('103 Early Hints'), head]), '', 'HEAD'],
  ];
  for (const [what, reply, body, method = 'GET'] of bodies)
    test(`a body: ${what}`, async ({ serve, open }) => {
      const wire = await serve(reply);
      expect(getResponse(await open(wire.url).send({ ...request, method }))?.body).toBe(body);
    });
});

test('The client skips interim responses, over one connection', async ({ serve, open }) => {
  for (const interim of [['199 Whatever'], ['103 Early Hints', '102 Processing']]) {
    const wire = await serve(Buffer.concat([...interim.map(renderInterim), renderResponse('200 OK', [], '{"a":1}')]));
    const { send } = open(wire.url, { pacing: { concurrency: 1 } });
    const exchanges = [await send(request), await send(request)];
    expect(exchanges.map((exchange) => getResponse(exchange)?.body)).toEqual(Array(2).fill('{"a":1}'));
    expect(wire.countConnections()).toBe(1);
  }
});

test.describe('A transport error is part of the exchange, and never shows the token:', () => {
  const limits = { body_bytes: 20_000, header_bytes: 4_096 };
  const timedOut = `There was no complete response within ${timeoutMs} ms (limits.timeout_ms).`;
  const broken = /^The connection broke before the response was complete \(\w+\)\.$/;
  const tooLarge = 'The body is larger than 20000 bytes (limits.body_bytes).';
  const expands = 'The body expands to more than 20000 bytes (limits.body_bytes).';
  const headersTooLarge = 'The headers are larger than 4096 bytes (limits.header_bytes).';
  const invalid = 'The response is not valid HTTP, or its length differs from Content-Length.';
  const echo = `X-Echo: ${credentials.token}`;
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const large = gzipSync(Buffer.alloc(10_000_000));
  const switching = renderInterim('101 Switching Protocols');
  const truncated = renderResponse('200 OK', ['Content-Length: 100', echo], 'five!');
  const ending = (reply: string | Buffer) => (socket: Socket) => void socket.end(reply);
  const interimForever = (socket: Socket): void => {
    const more = setInterval(() => socket.write(renderInterim('102 Processing')), 20);
    socket.on('close', () => clearInterval(more));
  };
  const linksForever = (socket: Socket): void => {
    socket.write('HTTP/1.1 103 Early Hints\r\n');
    const more = (error?: Error | null) => void (error || socket.destroyed || socket.write('Link: </a>\r\n', more));
    more();
  };
  const errors: readonly (readonly [what: string, reply: Reply, kind: string, message: string | RegExp])[] = [
    ['no answer', () => undefined, 'timed-out', timedOut],
    ['an incomplete body', renderResponse('200 OK', ['Content-Length: 10', echo], 'five!'), 'timed-out', timedOut],
    ['interim responses without end', interimForever, 'timed-out', timedOut],
    ['an interim response without end', linksForever, 'too-large', headersTooLarge],
    ['a half of an interim response', ending('HTTP/1.1 10'), 'broken-connection', broken],
    ['a switch of the protocol', ending(Buffer.concat([switching, ok])), 'broken-connection', broken],
    ['a reset connection', (socket) => socket.resetAndDestroy(), 'broken-connection', broken],
    ['a truncated body', ending(truncated), 'broken-connection', broken],
    ['a truncated chunk', ending(`${chunked}9\r\nfive!`), 'broken-connection', broken],
    ['an invalid length', renderResponse('200 OK', ['Content-Length: ten', echo], 'five!'), 'unreadable', invalid],
    ['another protocol', `SSH-2.0 ${credentials.token}\r\n\r\n`, 'unreadable', invalid],
    ['a large body', renderResponse('200 OK', [], 'x'.repeat(20_001)), 'too-large', tooLarge],
    ['a compressed body that is large', encoded('gzip', large), 'too-large', expands],
    ['an unknown coding', encoded('zstd', 'text'), 'unknown-coding', /unknown content coding 'zstd'/],
    ['invalid gzip', encoded('gzip', 'text'), 'invalid-coding', 'The body is not valid gzip.'],
    ['a large header', renderResponse('200 OK', [`X-A: ${'x'.repeat(10_000)}`]), 'too-large', headersTooLarge],
  ];
  test('what a server does wrong', async ({ serve, open }) => {
    const check = async ([what, reply, kind, message]: (typeof errors)[number]) => {
      const wire = await serve(reply, ok);
      const { send } = open(wire.url, { limits: kind === 'timed-out' ? { ...limits, timeout_ms: timeoutMs } : limits });
      const exchange = await send(request);
      const said = typeof message === 'string' ? message : expect.stringMatching(message);
      expect.soft([getOutcome(exchange), getMessage(exchange)], what).toEqual([kind, said]);
      expect.soft(JSON.stringify(exchange), what).not.toContain(credentials.token);
      expect.soft(exchange.request, what).toEqual(request);
      expect.soft(getOutcome(await send(request)), `${what}: the next request`).toBe(200);
    };
    // At the same time, because some wait for a limit.
    await Promise.all(errors.map(check));
  });

  test('a refused connection', async ({ open }) => {
    // Nothing listens on port 1 of loopback.
    const exchange = await open('http://127.0.0.1:1').send(request);
    expect(getOutcome(exchange)).toBe('unreachable');
    expect(getMessage(exchange)).toContain('No connection to 127.0.0.1:1 was made (connect ECONNREFUSED');
  });

  const unsendable: readonly (readonly [what: string, change: Partial<HttpRequest>, token?: string])[] = [
    ['a token with a line break', {}, 'the-secret\ntoken'],
    ['a header value with NUL', { headers: [['X-A', 'a\0b']] }],
    ['a header name with a space', { headers: [['X A', 'a']] }],
    ['a path with a space', { path: '/v1/a b' }],
    ['an invalid method', { method: 'G ET' }],
  ];
  for (const [what, change, token] of unsendable)
    test(`${what} is not sent`, async ({ serve, open }) => {
      const wire = await serve(ok);
      const exchange = await open(wire.url, {}, token).send({ ...request, ...change });
      expect(getOutcome(exchange)).toBe('not-sent');
      expect(getMessage(exchange)).toMatch(/^The request cannot be sent: /);
      expect(JSON.stringify(exchange)).not.toContain('secret');
      expect(wire.countConnections()).toBe(0);
    });
});

test('A closed client sends nothing and does not reject', async ({ serve, open }) => {
  const wire = await serve(() => undefined);
  const client = open(wire.url);
  const pending = client.send(request);
  await client.close();
  for (const exchange of [await pending, await client.send(request)]) {
    expect(getOutcome(exchange)).toBe('not-sent');
    expect(getMessage(exchange)).toBe('The run ended before there was a response.');
  }
});

test('A closed client aborts the requests of all connections, and counts those that were begun', async ({
  serve,
  open,
}) => {
  const wire = await serve(() => undefined);
  const client = open(wire.url);
  const before = client.send(request);
  await expect.poll(wire.countConnections).toBe(1);
  client.reconnect();
  const fresh = client.send({ ...request, sent: 'on-a-fresh-connection' });
  await expect.poll(wire.countConnections).toBe(2);
  await client.close();
  const exchanges = [await before, await fresh, await client.send(request)];
  expect(exchanges.map(getOutcome)).toEqual(['not-sent', 'not-sent', 'not-sent']);
  expect(exchanges.map(({ attempts }) => attempts)).toEqual([1, 1, 0]);
});
