import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from '@playwright/test';
import { runWithDeadline } from '../../src/http/deadline.js';
import type { Exchange, HttpRequest } from '../../src/http/exchange.js';
import { readOwnPackage } from '../../src/support/package-root.js';
import { credentials, type Reply, renderResponse, test } from './support/wire.js';

const request: HttpRequest = {
  method: 'GET',
  path: '/v1/promotions/validation',
  headers: [
    ['X-Client-Application-Id', '$CLIENT_APPLICATION_ID'],
    ['X-Client-Token', '$CLIENT_TOKEN'],
    ['Content-Type', 'application/json'],
  ],
  body: '{"customer":{"id":"ä"}}',
};

const responseOf = (exchange: Exchange) => ('response' in exchange ? exchange.response : undefined);
const transportErrorOf = (exchange: Exchange) =>
  'transportError' in exchange ? [exchange.transportError, exchange.message] : 'a response';
const ok = renderResponse('200 OK', ['Content-Type: application/json'], '{}');
const interim = (status: string) => Buffer.from(`HTTP/1.1 ${status}\r\nLink: </a>; rel=preload\r\n\r\n`);

test.describe('what goes out', () => {
  test('the body of a GET, its headers with the real credentials, and nothing else', async ({ serve, open }) => {
    const wire = await serve(ok);
    const exchange = await open(wire.url).send(request);
    expect(responseOf(exchange)).toEqual({
      status: 200,
      headers: [
        ['Content-Type', 'application/json'],
        ['Content-Length', '2'],
      ],
      body: '{}',
    });
    const [received] = wire.received;
    expect(received?.line).toBe('GET /v1/promotions/validation HTTP/1.1');
    expect(received?.body).toBe('{"customer":{"id":"ä"}}');
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
  });

  test('the exchange has placeholders, not credentials', async ({ serve, open }) => {
    const exchange = await open((await serve(ok)).url).send(request);
    expect(exchange.request).toEqual(request);
    expect(JSON.stringify(exchange)).not.toContain(credentials.token);
  });

  const paths: readonly (readonly [path: string, sent: string])[] = [
    ['/v1?[filters][promotion_id][conditions][$is]=camp_1', '/v1?[filters][promotion_id][conditions][$is]=camp_1'],
    ['/v1?%5Bfilters%5D=a%20b&c=%2f+', '/v1?%5Bfilters%5D=a%20b&c=%2f+'],
    ['/v1/../v2/./x//y/', '/v1/../v2/./x//y/'],
    ['/v1?', '/v1?'],
  ];
  for (const [path, sent] of paths) {
    test(`the path ${path}, as it is written`, async ({ serve, open }) => {
      const wire = await serve(ok);
      await open(wire.url).send({ ...request, path });
      expect(wire.received[0]?.line).toBe(`GET ${sent} HTTP/1.1`);
    });
  }

  for (const [base, sent] of [
    ['/shop/api', '/shop/api/v1/promotions/validation'],
    ['/shop/', '/shop/v1/promotions/validation'],
    ['/', '/v1/promotions/validation'],
  ]) {
    test(`under the base path ${base}`, async ({ serve, open }) => {
      const wire = await serve(ok);
      await open(`${wire.url}${base}`).send(request);
      expect(wire.received[0]?.line).toBe(`GET ${sent} HTTP/1.1`);
    });
  }

  test('no body, another method, a header more than once', async ({ serve, open }) => {
    const wire = await serve(ok);
    const { send } = open(wire.url);
    const headers = [
      ['X-A', '1'],
      ['x-a', '2'],
      ['X-Empty', ''],
    ] as const;
    await send({ method: 'GET', path: '/', headers: [] });
    await send({ method: 'POST', path: '/', headers, body: '' });
    expect(wire.received[0]).toMatchObject({ line: 'GET / HTTP/1.1', body: '' });
    expect(wire.received[0]?.headers.map(([name]) => name.toLowerCase())).not.toContain('content-length');
    expect(wire.received[1]?.headers).toEqual(expect.arrayContaining(headers.map((line) => [...line])));
  });

  test('over one connection, which is kept alive', async ({ serve, open }) => {
    const wire = await serve(ok);
    const { send } = open(wire.url, { concurrency: 1 });
    for (let n = 0; n < 5; n += 1) await send(request);
    expect(wire.received).toHaveLength(5);
    expect(wire.connections()).toBe(1);
  });

  test('over another connection once it was renewed, which breaks off nothing', async ({ serve, open }) => {
    const wire = await serve((socket) => setTimeout(() => socket.write(ok), 50));
    const { send, reconnect: renew } = open(wire.url);
    const underway = send(request);
    await expect.poll(() => wire.received.length).toBe(1);
    renew();
    expect(await underway).toHaveProperty('response');
    // The first connection is free again.
    expect(await send(request)).toHaveProperty('response');
    expect(wire.connections()).toBe(2);
  });

  test('no more at once than the limit', async ({ serve, open }) => {
    const waiting: (() => void)[] = [];
    let maxAtOnce = 0;
    const wire = await serve((socket) => {
      waiting.push(() => socket.write(ok));
      maxAtOnce = Math.max(maxAtOnce, waiting.length);
      // Two are answered only when two are waiting, so more than two could be.
      if (waiting.length === 2) for (const answer of waiting.splice(0)) answer();
    });
    const { send } = open(wire.url, { concurrency: 2 });
    const exchanges = await Promise.all(Array.from({ length: 6 }, () => send(request)));
    expect(exchanges.map((exchange) => responseOf(exchange)?.status)).toEqual(Array(6).fill(200));
    expect(maxAtOnce).toBe(2);
  });
});

test.describe('what is left alone', () => {
  for (const status of ['301 Moved', '302 Found', '303 See Other', '307 Temporary', '308 Permanent']) {
    test(`a redirect is not followed, and the other place gets nothing: ${status}`, async ({ serve, open }) => {
      const elsewhere = await serve(ok);
      const wire = await serve(renderResponse(status, [`Location: ${elsewhere.url}/x`]));
      expect(responseOf(await open(wire.url).send(request))?.status).toBe(Number(status.slice(0, 3)));
      expect(wire.received).toHaveLength(1);
      expect(elsewhere.connections()).toBe(0);
    });
  }

  test('a cookie is not sent back', async ({ serve, open }) => {
    const wire = await serve(renderResponse('200 OK', ['Set-Cookie: session=1; Path=/']), ok);
    const { send } = open(wire.url);
    await send(request);
    await send(request);
    expect(wire.received[1]?.headers.map(([name]) => name.toLowerCase())).not.toContain('cookie');
  });

  test('a challenge is not answered, and nothing is sent twice', async ({ serve, open }) => {
    const wire = await serve(renderResponse('401 Unauthorized', ['WWW-Authenticate: Basic']), ok);
    expect(responseOf(await open(wire.url).send(request))?.status).toBe(401);
    expect(wire.received).toHaveLength(1);
  });
});

test('a request that is withheld when its turn comes is not sent, and says why', async ({ serve, open }) => {
  let isEnough = false;
  const wire = await serve((socket) => {
    isEnough = true;
    socket.write(ok);
  });
  const { send } = open(wire.url, { concurrency: 1 });
  const whyWithheld = () => (isEnough ? 'That is enough.' : undefined);
  const exchanges = await Promise.all([1, 2, 3].map(() => send(request, whyWithheld)));
  const withheld = ['not-sent', 'That is enough.'];
  expect(exchanges.map(transportErrorOf)).toEqual(['a response', withheld, withheld]);
  expect(exchanges.map(({ attempts }) => attempts)).toEqual([1, 0, 0]);
  expect(wire.received).toHaveLength(1);
});

test.describe('what comes back', () => {
  test('headers in their order and spelling, repeated ones apart', async ({ serve, open }) => {
    const wire = await serve(
      renderResponse('200 OK', ['B: 2', 'a: 1', 'b: 3', 'Set-Cookie: x=1', 'Set-Cookie: y=2', 'Empty:']),
    );
    expect(responseOf(await open(wire.url).send(request))?.headers.slice(0, 6)).toEqual([
      ['B', '2'],
      ['a', '1'],
      ['b', '3'],
      ['Set-Cookie', 'x=1'],
      ['Set-Cookie', 'y=2'],
      ['Empty', ''],
    ]);
  });

  const utf16 = (text: string) => Buffer.from(text, 'utf16le');
  const bodies: readonly (readonly [what: string, headers: readonly string[], body: string | Buffer, text: string])[] =
    [
      ['UTF-8', [], 'ä→😀', 'ä→😀'],
      ['a byte-order mark', [], '\uFEFF{}', '{}'],
      ['UTF-16', ['Content-Type: application/json; charset=utf-16'], utf16('["ä"]'), '["ä"]'],
      [
        'UTF-16 with a byte-order mark',
        ['Content-Type: application/json; charset=UTF-16LE'],
        utf16('\uFEFF["ä"]'),
        '["ä"]',
      ],
      ['Latin-1', ['Content-Type: text/plain; a=b; charset="iso-8859-1"'], Buffer.from('ä', 'latin1'), 'ä'],
      ['a charset that nobody knows', ['Content-Type: text/plain; charset=klingon'], 'ä', 'ä'],
      ['bytes that are no text', [], Buffer.from([0x61, 0xff, 0x62]), 'a\uFFFDb'],
      ['gzip, unrequested', ['Content-Encoding: gzip'], gzipSync('text'), 'text'],
      ['gzip under its old name', ['Content-Encoding: X-GZIP'], gzipSync('text'), 'text'],
      ['deflate, unrequested', ['Content-Encoding: deflate'], deflateSync('text'), 'text'],
      ['br, unrequested', ['Content-Encoding: br'], brotliCompressSync('text'), 'text'],
      ['two codings, in one line', ['Content-Encoding: gzip, br'], brotliCompressSync(gzipSync('text')), 'text'],
      [
        'two codings, in two lines',
        ['Content-Encoding: gzip', 'Content-Encoding: br'],
        brotliCompressSync(gzipSync('text')),
        'text',
      ],
      ['the identity coding', ['Content-Encoding: identity'], 'text', 'text'],
      ['a coding without a body', ['Content-Encoding: gzip'], '', ''],
      ['chunks', ['Transfer-Encoding: chunked'], '2\r\nte\r\n2;a=b\r\nxt\r\n0\r\nTrailer: x\r\n\r\n', 'text'],
    ];
  for (const [what, headers, body, text] of bodies) {
    test(`a body: ${what}`, async ({ serve, open }) => {
      const wire = await serve(renderResponse('200 OK', headers, body));
      expect(responseOf(await open(wire.url).send(request))?.body).toBe(text);
    });
  }

  test('a body that ends with the connection', async ({ serve, open }) => {
    const wire = await serve((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\ntext'));
    expect(responseOf(await open(wire.url).send(request))?.body).toBe('text');
  });

  const withoutBody: readonly (readonly [what: string, method: string, reply: Buffer, status: number])[] = [
    ['204', 'GET', renderResponse('204 No Content', ['Content-Length: 0']), 204],
    ['304', 'GET', renderResponse('304 Not Modified'), 304],
    [
      'HEAD, whatever length is announced',
      'HEAD',
      renderResponse('200 OK', ['Content-Length: 100', 'Content-Encoding: gzip']),
      200,
    ],
    [
      'HEAD after an interim response',
      'HEAD',
      Buffer.concat([interim('103 Early Hints'), renderResponse('200 OK')]),
      200,
    ],
  ];
  for (const [what, method, reply, status] of withoutBody) {
    test(`no body: ${what}`, async ({ serve, open }) => {
      const wire = await serve(reply);
      expect(responseOf(await open(wire.url).send({ ...request, method }))).toMatchObject({ status, body: '' });
    });
  }
});

test.describe('interim responses are passed over', () => {
  const heads: readonly (readonly [what: string, before: readonly string[]])[] = [
    ['100', ['100 Continue']],
    ['102', ['102 Processing']],
    ['103', ['103 Early Hints']],
    ['one that nobody knows', ['199 Whatever']],
    ['one without a reason', ['100 ']],
    ['several', ['100 Continue', '103 Early Hints', '102 Processing', '100 Continue', '103 Early Hints']],
    ['a hundred', Array(100).fill('102 Processing')],
  ];
  for (const [what, before] of heads) {
    const reply = Buffer.concat([...before.map(interim), renderResponse('200 OK', [], '{"a":1}')]);

    test(`${what}, all at once`, async ({ serve, open }) => {
      const wire = await serve(reply);
      const { send } = open(wire.url, { concurrency: 1 });
      // The second comes over the same connection.
      const exchanges = [await send(request), await send(request)];
      expect(exchanges.map((each) => responseOf(each)?.body)).toEqual(['{"a":1}', '{"a":1}']);
      expect(wire.connections()).toBe(1);
    });

    test(`${what}, byte by byte`, async ({ serve, open }) => {
      const wire = await serve((socket) => {
        socket.setNoDelay(true);
        const bytes = [...reply.subarray(0, 200), ...reply.subarray(Math.max(200, reply.length - 100))];
        const next = (): void => {
          const byte = bytes.shift();
          if (byte !== undefined) socket.write(Buffer.of(byte), () => setImmediate(next));
        };
        next();
      });
      const exchange = await open(wire.url).send(request);
      expect(responseOf(exchange)?.body).toBe('{"a":1}');
    });
  }

  test('a body that looks like one is left as it is', async ({ serve, open }) => {
    const body = `${interim('100 Continue')}and so on`;
    const wire = await serve((socket) => {
      const bytes = renderResponse('200 OK', [], body);
      const head = bytes.length - body.length;
      socket.write(bytes.subarray(0, head));
      setTimeout(() => socket.write(bytes.subarray(head)), 50);
    });
    expect(responseOf(await open(wire.url).send(request))?.body).toBe(body);
  });

  test('without end they are no response', async ({ serve, open }) => {
    const wire = await serve((socket) => {
      const more = setInterval(() => socket.write(interim('100 Continue')), 20);
      socket.on('close', () => clearInterval(more));
    });
    const exchange = await open(wire.url, { timeoutMs: 300 }).send(request);
    expect(transportErrorOf(exchange)[0]).toBe('timed-out');
  });

  test('one whose head has no end is bounded as any other', async ({ serve, open }) => {
    const wire = await serve((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\n');
      const more = (error?: Error | null) => void (error || socket.destroyed || socket.write('Link: </a>\r\n', more));
      more();
    });
    const exchange = await open(wire.url, { headerBytes: 4_096 }).send(request);
    expect(transportErrorOf(exchange)[0]).toBe('too-large');
  });

  for (const [what, reply] of [
    ['nothing after it', interim('103 Early Hints')],
    ['a half of it', Buffer.from('HTTP/1.1 10')],
    ['another protocol, which nobody wants', Buffer.concat([interim('101 Switching Protocols'), ok])],
  ] as const) {
    test(`the connection broke: ${what}`, async ({ serve, open }) => {
      const wire = await serve((socket) => socket.end(reply));
      expect(transportErrorOf(await open(wire.url).send(request))[0]).toBe('broken-connection');
    });
  }
});

test('what is to be done in time ends then, although nobody heeds that', async () => {
  let isHeeded = false;
  const running = runWithDeadline(20, (signal) => {
    signal.addEventListener('abort', () => (isHeeded = true));
    return new Promise<never>(() => undefined);
  });
  await expect(running).rejects.toThrow(expect.objectContaining({ name: 'TimeoutError' }));
  expect(isHeeded).toBe(true);
});

test.describe('a transport error belongs to the exchange, and its message never has the token', () => {
  const limits = { bodyBytes: 20_000, headerBytes: 4_096 };
  const timedOut = 'There was no complete response within 500 ms (limits.timeout_ms).';
  const tooLarge = 'The body is larger than 20000 bytes (limits.body_bytes).';
  const invalid = 'The response is no valid HTTP, or its length is not as announced.';
  const echo = `X-Echo: ${credentials.token}`;
  const errors: readonly (readonly [what: string, reply: Reply, kind: string, message: string | RegExp])[] = [
    ['no answer', () => undefined, 'timed-out', timedOut],
    ['headers that do not end', `HTTP/1.1 200 OK\r\n${echo}\r\n`, 'timed-out', timedOut],
    [
      'a body that does not end',
      renderResponse('200 OK', ['Content-Length: 10', echo], 'five!'),
      'timed-out',
      timedOut,
    ],
    [
      'a body that comes without end, slowly',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        const drip = setInterval(() => socket.write('1\r\nx\r\n'), 20);
        socket.on('close', () => clearInterval(drip));
      },
      'timed-out',
      timedOut,
    ],
    [
      'a connection that is closed',
      (socket) => socket.end(),
      'broken-connection',
      /^The connection broke before the response was complete \(\w+\)\.$/,
    ],
    [
      'a connection that is reset',
      (socket) => socket.resetAndDestroy(),
      'broken-connection',
      /^The connection broke before the response was complete \(\w+\)\.$/,
    ],
    [
      'a body that is cut',
      (socket) => socket.end(renderResponse('200 OK', ['Content-Length: 100', echo], 'five!')),
      'broken-connection',
      /^The connection broke/,
    ],
    [
      'a chunk that is cut',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nfive!'),
      'broken-connection',
      /^The connection broke/,
    ],
    [
      'a length that is no number',
      renderResponse('200 OK', ['Content-Length: ten', echo], 'five!'),
      'unreadable',
      invalid,
    ],
    [
      'two lengths',
      renderResponse('200 OK', ['Content-Length: 5', 'Content-Length: 6'], 'five!'),
      'unreadable',
      invalid,
    ],
    ['no HTTP', `SSH-2.0 ${credentials.token}\r\n\r\n`, 'unreadable', invalid],
    ['a body that is too large', renderResponse('200 OK', [], 'x'.repeat(20_001)), 'too-large', tooLarge],
    [
      'a body in chunks that is too large',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
        const more = (error?: Error | null) =>
          void (error || socket.destroyed || socket.write(`400\r\n${'x'.repeat(1024)}\r\n`, more));
        more();
      },
      'too-large',
      tooLarge,
    ],
    [
      'a body that unpacks to too much',
      renderResponse('200 OK', ['Content-Encoding: gzip'], gzipSync(Buffer.alloc(10_000_000))),
      'too-large',
      'The body unpacks to more than 20000 bytes (limits.body_bytes).',
    ],
    [
      'a body that unpacks twice to too much',
      renderResponse('200 OK', ['Content-Encoding: gzip, br'], brotliCompressSync(gzipSync(Buffer.alloc(10_000_000)))),
      'too-large',
      'The body unpacks to more than 20000 bytes (limits.body_bytes).',
    ],
    [
      'a coding that nobody requested or knows',
      renderResponse('200 OK', ['Content-Encoding: zstd'], 'text'),
      'unreadable',
      "The body is encoded as 'zstd', which was not requested.",
    ],
    [
      'gzip that is none',
      renderResponse('200 OK', ['Content-Encoding: gzip'], 'text'),
      'unreadable',
      'The body is no valid gzip.',
    ],
    [
      'gzip that is cut',
      renderResponse('200 OK', ['Content-Encoding: gzip'], gzipSync('text').subarray(0, -4)),
      'unreadable',
      'The body is no valid gzip.',
    ],
    [
      'too many headers',
      renderResponse('200 OK', [echo, ...Array.from({ length: 500 }, (_, n) => `X-${n}: value`)]),
      'too-large',
      'The headers are larger than 4096 bytes (limits.header_bytes).',
    ],
    [
      'a header that is too large',
      renderResponse('200 OK', [`X-A: ${'x'.repeat(10_000)}`]),
      'too-large',
      'The headers are larger than 4096 bytes (limits.header_bytes).',
    ],
  ];
  for (const [what, reply, kind, message] of errors) {
    test(what, async ({ serve, open }) => {
      const wire = await serve(reply, ok);
      const { send } = open(wire.url, kind === 'timed-out' ? { ...limits, timeoutMs: 500 } : limits);
      const exchange = await send(request);
      expect(transportErrorOf(exchange)).toEqual([
        kind,
        typeof message === 'string' ? message : expect.stringMatching(message),
      ]);
      expect(JSON.stringify(exchange)).not.toContain(credentials.token);
      expect(exchange.request).toEqual(request);
      // The next one goes well.
      expect(responseOf(await send(request))?.status).toBe(200);
    });
  }

  test('more than was announced: the rest is not taken for the next answer', async ({ serve, open }) => {
    const wire = await serve(renderResponse('200 OK', ['Content-Length: 2'], 'hello'), ok);
    const { send } = open(wire.url, limits);
    const first = await send(request);
    expect(responseOf(first)?.body ?? transportErrorOf(first)).toEqual('he');
    expect(responseOf(await send(request))?.body).toBe('{}');
  });

  test('nobody listens', async ({ open }) => {
    // Port 1 of loopback: nothing listens below 1024 unless somebody starts it.
    expect(transportErrorOf(await open('http://127.0.0.1:1', limits).send(request))).toEqual([
      'unreachable',
      '127.0.0.1:1 refuses the connection. Is the deployment running, and the base URL right?',
    ]);
  });

  test('no TLS is spoken', async ({ open }) => {
    const server = createServer((_, answer) => answer.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const exchange = await open(`https://127.0.0.1:${port}`, limits).send(request);
    server.close();
    expect(transportErrorOf(exchange)).toEqual([
      'tls',
      `The TLS connection to 127.0.0.1:${port} failed. Does it speak TLS?`,
    ]);
  });

  const unsendable: readonly (readonly [what: string, change: Partial<HttpRequest>, token?: string])[] = [
    ['a token with a line break', {}, 'the-secret\ntoken'],
    ['a token beyond Latin-1', {}, 'the-secret-tök€n'],
    ['a header value with NUL', { headers: [['X-A', 'a\0b']] }],
    ['a header name with a space', { headers: [['X A', 'a']] }],
    ['a path with a space', { path: '/v1/a b' }],
    ['a path with a line break', { path: '/v1\r\nX-Evil: 1' }],
    ['a method that is none', { method: 'G ET' }],
  ];
  for (const [what, change, token = credentials.token] of unsendable) {
    test(`nothing is sent: ${what}`, async ({ serve, open }) => {
      const wire = await serve(ok);
      const exchange = await open(wire.url, limits, { token }).send({ ...request, ...change });
      expect(transportErrorOf(exchange)).toEqual(['not-sent', expect.stringMatching(/^The request cannot be sent: /)]);
      expect(JSON.stringify(exchange)).not.toContain('secret');
      expect(wire.connections()).toBe(0);
    });
  }
});

test('a client that was closed sends nothing and does not reject', async ({ serve, open }) => {
  const wire = await serve(() => undefined);
  const client = open(wire.url);
  const under = client.send(request);
  await client.close();
  const ended = ['not-sent', 'The run ended before there was a response.'];
  expect(transportErrorOf(await under)).toEqual(ended);
  expect(transportErrorOf(await client.send(request))).toEqual(ended);
});
