import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, createServer as createPlainServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { TlsOptions } from 'node:tls';
import { expect } from '@playwright/test';
import { isLoopback } from '../../src/http/connector.js';
import type { Exchange, HttpRequest } from '../../src/http/exchange.js';
import { authorityCertificate, clientCertificate, serverCertificate } from './support/tls-certificates.js';
import { test as base, credentials, renderResponse } from './support/wire.js';

const request: HttpRequest = {
  method: 'GET',
  path: '/v1/promotions/validation',
  headers: [
    ['X-Client-Application-Id', '$CLIENT_APPLICATION_ID'],
    ['X-Client-Token', '$CLIENT_TOKEN'],
    ['Content-Type', 'application/json'],
  ],
  body: '{}',
};
const outcomeOf = (exchange: Exchange) => ('response' in exchange ? exchange.response.status : exchange.transportError);
const messageOf = (exchange: Exchange) => ('message' in exchange ? exchange.message : '');
const ok = renderResponse('200 OK', [], '{}');

interface Proxy {
  readonly port: number;
  /** The requests for a connection that it got, with all headers. */
  readonly received: readonly string[];
}

const test = base.extend<{
  /** A server that speaks TLS as the machine 127.0.0.1 and as deployment.test. */
  serveSecurely: (options?: TlsOptions) => Promise<number>;
  /** A proxy that connects to one port of this machine, whatever it is meant for; or one that answers with a status. */
  proxyTo: (port: number, status?: string) => Promise<Proxy>;
}>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for a destructured first argument.
  serveSecurely: async ({}, use) => {
    const servers: ReturnType<typeof createSecureServer>[] = [];
    await use(async (options) => {
      const secure = createSecureServer({ ...serverCertificate, ...options }, ({ headers }, answer) =>
        answer.end(JSON.stringify({ host: headers.host, token: headers['x-client-token'] !== undefined })),
      );
      servers.push(secure);
      await once(secure.listen(0, '127.0.0.1'), 'listening');
      return (secure.address() as AddressInfo).port;
    });
    for (const each of servers) each.close().closeAllConnections();
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for a destructured first argument.
  proxyTo: async ({}, use) => {
    const closing: (() => void)[] = [];
    await use(async (port, status = '200 OK') => {
      const received: string[] = [];
      const sockets = new Set<Socket>();
      const proxy = createServer().on('connect', ({ url, rawHeaders }, near: Socket) => {
        received.push([url, ...rawHeaders].join('\n'));
        sockets.add(near.on('error', () => undefined));
        near.write(`HTTP/1.1 ${status}\r\n\r\n`);
        if (status !== '200 OK') return void near.end();
        const far = connect(port, '127.0.0.1').on('error', () => undefined);
        sockets.add(far);
        near.pipe(far).pipe(near);
      });
      closing.push(() => {
        proxy.close();
        for (const socket of sockets) socket.destroy();
      });
      await once(proxy.listen(0, '127.0.0.1'), 'listening');
      return { port: (proxy.address() as AddressInfo).port, received };
    });
    for (const close of closing) close();
  },
});

test.describe('over plain HTTP, credentials stay on this machine', () => {
  const own = ['localhost', 'a.localhost', '127.0.0.1', '127.9.9.9', '127.1', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]'];
  for (const host of own) {
    test(`which is ${host}`, () => expect(isLoopback(new URL(`http://${host}:8080/x`))).toBe(true));
  }
  const others = ['api.example.com', 'localhost.example.com', '128.0.0.1', '10.0.0.1', '[::2]', '127.0.0.1.nip.io'];
  for (const host of others) {
    test(`which is not ${host}`, () => expect(isLoopback(new URL(`http://${host}:8080/x`))).toBe(false));
  }

  test('nothing is sent to another one, not even through a proxy', async ({ open, serve, proxyTo }) => {
    const wire = await serve(ok);
    const { port, received: proxied } = await proxyTo(wire.port);
    const exchange = await open(
      'http://deployment.test:81',
      {},
      {},
      { proxy: `http://127.0.0.1:${port}`, retry: { waitsMs: [1], longestWaitMs: 1 } },
    ).send(request);
    expect([outcomeOf(exchange), exchange.attempts, proxied.length]).toEqual(['not-sent', 0, 0]);
    expect(messageOf(exchange)).toBe(
      'Nothing was sent: credentials do not go to another machine (deployment.test:81) over plain HTTP, unless --allow-http says so.',
    );
  });

  test('unless that is allowed', async ({ open, serve, proxyTo }) => {
    const wire = await serve(ok);
    const { port } = await proxyTo(wire.port);
    const options = { proxy: `http://127.0.0.1:${port}`, allowHttp: true };
    expect(outcomeOf(await open('http://deployment.test', {}, {}, options).send(request))).toBe(200);
    expect(wire.received).toHaveLength(1);
  });
});

test.describe('a proxy', () => {
  test('connects, and sees nothing of what is sent', async ({ open, serve, proxyTo }) => {
    const wire = await serve(ok);
    const { port, received: proxied } = await proxyTo(wire.port);
    const options = { proxy: `http://127.0.0.1:${port}`, allowHttp: true };
    const { send } = open('http://deployment.test/shop', {}, {}, options);
    // Header lines of the same name, which undici's proxy agent merges unless it gets them by name.
    await send({ ...request, headers: [...request.headers, ['X-A', '1'], ['X-A', '2']] });
    const [received] = wire.received;
    expect(received?.line).toBe('GET /shop/v1/promotions/validation HTTP/1.1');
    expect(received?.headers.filter(([name]) => /^(host|x-)/i.test(name))).toEqual(
      expect.arrayContaining([
        ['X-Client-Token', credentials.token],
        ['X-A', '1'],
        ['X-A', '2'],
        ['host', 'deployment.test'],
      ]),
    );
    expect(proxied).toHaveLength(1);
    expect(proxied[0]).toMatch(/^deployment\.test:80\n/);
    expect(proxied[0]).not.toContain(credentials.token);
  });

  test('is that of the environment, unless another is stated', async ({ open, serve, proxyTo }) => {
    const wire = await serve(ok);
    const [usual, stated] = [await proxyTo(wire.port), await proxyTo(wire.port)];
    const before = process.env.HTTP_PROXY;
    process.env.HTTP_PROXY = `http://127.0.0.1:${usual.port}`;
    const options = [{}, { proxy: `http://127.0.0.1:${stated.port}` }];
    const clients = options.map((own) => open('http://deployment.test', {}, {}, { allowHttp: true, ...own }));
    if (before === undefined) delete process.env.HTTP_PROXY;
    else process.env.HTTP_PROXY = before;
    await clients[0]?.send(request);
    expect([usual.received.length, stated.received.length]).toEqual([1, 0]);
    await clients[1]?.send(request);
    expect([usual.received.length, stated.received.length]).toEqual([1, 1]);
  });

  test('is not used for this machine', async ({ open, serve, proxyTo }) => {
    const wire = await serve(ok);
    const { port, received: proxied } = await proxyTo(wire.port);
    expect(outcomeOf(await open(wire.url, {}, {}, { proxy: `http://127.0.0.1:${port}` }).send(request))).toBe(200);
    expect(proxied).toEqual([]);
  });

  test('that refuses is not taken for a deployment that does', async ({ open, proxyTo }) => {
    const { port } = await proxyTo(1, '407 Proxy Authentication Required');
    const options = { proxy: `http://someone:a-password@127.0.0.1:${port}`, allowHttp: true };
    const exchange = await open('http://deployment.test', {}, {}, options).send(request);
    expect(outcomeOf(exchange)).toBe('unreachable');
    expect(messageOf(exchange)).toBe('The proxy answered 407 to the request for a connection to deployment.test.');
  });

  for (const [what, proxy, name] of [
    ['is not there', 'http://127.0.0.1:1', '127.0.0.1:1'],
    ['has a name that nobody knows', 'http://proxy.invalid:3128', 'proxy.invalid'],
  ] as const) {
    test(`that ${what} is not taken for a deployment that is not`, async ({ open }) => {
      const exchange = await open('http://deployment.test', {}, {}, { proxy, allowHttp: true }).send(request);
      expect(outcomeOf(exchange)).toBe('unreachable');
      expect(messageOf(exchange)).toMatch(new RegExp(`^The proxy ${name} cannot be reached`));
    });
  }

  for (const proxy of ['proxy.test:3128', 'http://', 'ftp://someone:a-password@proxy.test']) {
    test(`that is no URL of a proxy: ${proxy}`, async ({ open }) => {
      const exchange = await open('https://deployment.test', {}, {}, { proxy }).send(request);
      expect([outcomeOf(exchange), exchange.attempts]).toEqual(['not-sent', 0]);
      expect(messageOf(exchange)).toContain('HTTPS_PROXY');
      expect(messageOf(exchange)).not.toContain('password');
    });
  }
});

test.describe('a hostile proxy', () => {
  const tunnel = 'HTTP/1.1 200 OK\r\n\r\n';
  const silence = (): void => undefined;
  const reset = (near: Socket): void => void near.resetAndDestroy();
  const close = (near: Socket): void => void near.end();
  const onConnect = (act: (near: Socket) => void) => (near: Socket) => void near.once('data', () => act(near));
  const drip = (near: Socket): void => {
    near.write('HTTP/1.1 200 OK\r\n');
    const more = setInterval(() => near.write('X-A: b\r\n'), 20);
    near.on('close', () => clearInterval(more));
  };
  const notAccepted = 'deployment.test did not accept a connection within 300 ms (limits.timeout_ms).';
  const noConnection = 'No connection to deployment.test came about';
  const timedOut = 'There was no complete response within 300 ms (limits.timeout_ms).';
  const broken = 'The connection broke before the response was complete';
  /** Over TLS, the connection is made only after the tunnel. */
  const behaviours: readonly (readonly [
    what: string,
    act: (near: Socket) => void,
    message: string,
    overTls?: string,
  ])[] = [
    ['closes at once', close, noConnection],
    ['resets at once', reset, 'The proxy 127.0.0.1:'],
    ['says nothing', silence, notAccepted],
    ['closes when a connection is requested', onConnect(close), noConnection],
    ['resets when a connection is requested', onConnect(reset), noConnection],
    ['answers half', onConnect((near) => near.write('HTTP/1.1 200 O')), notAccepted],
    ['answers without end', onConnect(drip), notAccepted],
    ['answers what is no HTTP', onConnect((near) => near.end('SSH-2.0\r\n\r\n')), noConnection],
    ['refuses', onConnect((near) => near.end('HTTP/1.1 503 Busy\r\n\r\n')), 'The proxy answered 503'],
    [
      'opens a tunnel to nowhere',
      onConnect((near) => near.write(`HTTP/1.1 100 Continue\r\n\r\n${tunnel}`)),
      timedOut,
      notAccepted,
    ],
    ['opens a tunnel and closes it', onConnect((near) => near.end(tunnel)), broken, noConnection],
    [
      'opens a tunnel and resets it',
      onConnect((near) => near.write(tunnel, () => setTimeout(reset, 50, near))),
      broken,
      noConnection,
    ],
  ];
  for (const scheme of ['http', 'https']) {
    for (const [what, act, message, overTls = message] of behaviours) {
      test(`that ${what}: each attempt ends, and is one (${scheme})`, async ({ open }) => {
        let connections = 0;
        const sockets = new Set<Socket>();
        const proxy = createPlainServer((near) => {
          connections += 1;
          sockets.add(near.on('error', () => undefined));
          act(near);
        });
        await once(proxy.listen(0, '127.0.0.1'), 'listening');
        const options = { proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, allowHttp: true };
        const repeats = { waitsMs: [1], longestWaitMs: 1 };
        const { send } = open(`${scheme}://deployment.test`, { timeoutMs: 300 }, {}, { ...options, retry: repeats });
        const exchange = await send(request);
        expect(messageOf(exchange)).toContain(scheme === 'https' ? overTls : message);
        expect(exchange.attempts).toBe(2);
        // Long enough for more: it would try again without end. After a request that was broken off it connects again.
        await delay(300);
        expect(connections).toBeLessThanOrEqual(4);
        proxy.close();
        for (const each of sockets) each.destroy();
      });
    }
  }
});

test.describe('over TLS', () => {
  test('an authority that nobody knows is not trusted, and the message says what to do', async ({
    open,
    serveSecurely,
  }) => {
    const port = await serveSecurely();
    const exchange = await open(`https://127.0.0.1:${port}`).send(request);
    expect(outcomeOf(exchange)).toBe('tls');
    expect(messageOf(exchange)).toContain('is not trusted');
    expect(messageOf(exchange)).toContain('tls: { ca: FILE }');
  });

  test('a private authority is trusted once it is stated', async ({ open, serveSecurely }) => {
    const port = await serveSecurely();
    const exchange = await open(`https://127.0.0.1:${port}`, {}, {}, { tls: { ca: authorityCertificate } }).send(
      request,
    );
    expect(outcomeOf(exchange)).toBe(200);
  });

  test('its certificate has to be of that very host', async ({ open, serveSecurely }) => {
    const port = await serveSecurely();
    const exchange = await open(`https://localhost:${port}`, {}, {}, { tls: { ca: authorityCertificate } }).send(
      request,
    );
    expect(messageOf(exchange)).toContain('is that of another name');
  });

  const mutual = { ca: authorityCertificate, requestCert: true, rejectUnauthorized: true };

  test('a client certificate is shown where one is wanted', async ({ open, serveSecurely }) => {
    const port = await serveSecurely(mutual);
    const exchange = await open(
      `https://127.0.0.1:${port}`,
      {},
      {},
      { tls: { ca: authorityCertificate, ...clientCertificate } },
    ).send(request);
    expect(outcomeOf(exchange)).toBe(200);
  });

  test('where there is none, the message says so', async ({ open, serveSecurely }) => {
    // With the older version the handshake itself fails; with TLS 1.3 the connection may just break afterwards.
    const port = await serveSecurely({ ...mutual, maxVersion: 'TLSv1.2' });
    const exchange = await open(`https://127.0.0.1:${port}`, {}, {}, { tls: { ca: authorityCertificate } }).send(
      request,
    );
    expect(outcomeOf(exchange)).toBe('tls');
    expect(messageOf(exchange)).toContain('tls: { cert: FILE, key: FILE }');
  });

  test('a proxy is used, too', async ({ open, serveSecurely, proxyTo }) => {
    const { port, received: proxied } = await proxyTo(await serveSecurely(mutual));
    const options = { proxy: `http://127.0.0.1:${port}`, tls: { ca: authorityCertificate, ...clientCertificate } };
    const exchange = await open('https://deployment.test', {}, {}, options).send(request);
    expect('response' in exchange ? exchange.response.body : messageOf(exchange)).toBe(
      '{"host":"deployment.test","token":true}',
    );
    expect(proxied[0]).toMatch(/^deployment\.test:443\n/);
  });

  const unusable = [
    { cert: 'no PEM', key: clientCertificate.key },
    { cert: clientCertificate.cert, key: 'no PEM' },
    { cert: clientCertificate.cert, key: serverCertificate.key },
  ];
  for (const [n, tls] of unusable.entries()) {
    test(`nothing is sent with a client certificate that cannot be used: ${n + 1}`, async ({ open }) => {
      const exchange = await open('https://127.0.0.1:1', {}, {}, { tls }).send(request);
      expect([outcomeOf(exchange), exchange.attempts]).toEqual(['not-sent', 0]);
      expect(messageOf(exchange)).toContain('tls.cert');
    });
  }
});

test.describe('extra headers', () => {
  const extraHeaders = [
    ['Origin', 'https://shop.example'],
    ['content-type', 'text/plain'],
    ['ACCEPT', 'application/json'],
    ['X-Gateway-Key', '$GATEWAY_KEY'],
    ['X-Price', '$OTHER'],
    ['user-agent', 'shop-tests/1'],
  ] as const;
  const options = { extraHeaders, secrets: [{ value: 'the-key-of-the-gateway', placeholder: '$GATEWAY_KEY' }] };

  test('are sent with every request, unless it has its own', async ({ serve, open }) => {
    const wire = await serve(ok);
    await open(wire.url, {}, {}, options).send(request);
    const headers = wire.received[0]?.headers ?? [];
    const valuesOf = (wanted: string) =>
      headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
    expect(valuesOf('origin')).toEqual(['https://shop.example']);
    expect(valuesOf('content-type')).toEqual(['application/json']);
    expect(valuesOf('accept')).toEqual(['application/json']);
    expect(valuesOf('x-gateway-key')).toEqual(['the-key-of-the-gateway']);
    expect(valuesOf('x-price')).toEqual(['$OTHER']);
    expect(valuesOf('user-agent')).toEqual(['shop-tests/1']);
  });

  test('show in the exchange, secrets as their placeholders', async ({ serve, open }) => {
    const wire = await serve(renderResponse('200 OK', [], 'the-key-of-the-gateway'));
    const { send, redact } = open(wire.url, {}, {}, options);
    const exchange = await send(request);
    expect(exchange.request.headers).toEqual([
      ...request.headers,
      ['Origin', 'https://shop.example'],
      ['ACCEPT', 'application/json'],
      ['X-Gateway-Key', '$GATEWAY_KEY'],
      ['X-Price', '$OTHER'],
      ['user-agent', 'shop-tests/1'],
    ]);
    expect(redact('response' in exchange ? exchange.response.body : '')).toBe('$GATEWAY_KEY');
  });
});
