import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { expect } from '@playwright/test';
import { isLoopback } from '../../src/http/connection-options.js';
import {
  authorityCertificate as authority,
  clientCertificate as client,
  serverCertificate as server,
} from '../support/tls-certificates.js';
import {
  test as base,
  credentials,
  getMessage,
  getOutcome,
  getResponse,
  renderResponse,
  documentedRequest as request,
} from '../support/wire.js';

const ok = renderResponse('200 OK', [], '{}');

interface Proxy {
  readonly url: string;
  /** The CONNECT requests that it received, with their headers. */
  readonly received: readonly string[];
}

const test = base.extend<{
  /** Starts a TLS server with a certificate for 127.0.0.1 and deployment.test. Returns the port. */
  serveSecurely: (options?: TlsOptions) => Promise<number>;
  /** Starts a proxy that connects every tunnel to one port of this machine, or answers with another status. */
  startProxy: (port: number, status?: string) => Promise<Proxy>;
}>({
  serveSecurely: ({ listen }, use) =>
    use(async (options) => {
      const secure = createSecureServer({ ...server, ...options }, ({ headers }, answer) =>
        answer.end(JSON.stringify({ host: headers.host, token: headers['x-client-token'] !== undefined })),
      );
      return (await listen(secure)).port;
    }),
  startProxy: ({ listen }, use) =>
    use(async (port, status = '200 OK') => {
      const received: string[] = [];
      const proxy = createServer().on('connect', ({ url, rawHeaders }, near: Socket) => {
        received.push([url, ...rawHeaders].join('\n'));
        near.on('error', () => undefined).write(`HTTP/1.1 ${status}\r\n\r\n`);
        if (status !== '200 OK') return void near.end();
        const far = connect(port, '127.0.0.1').on('error', () => undefined);
        near.pipe(far).pipe(near);
        near.on('close', () => far.destroy());
      });
      return { url: (await listen(proxy)).url, received };
    }),
});

test.describe('Over plain HTTP, credentials stay on this machine:', () => {
  const ofMachine = ['localhost', 'a.localhost', '127.0.0.1', '127.9.9.9', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]'];
  const others = ['api.example.com', 'localhost.example.com', '128.0.0.1', '10.0.0.1', '[::2]', '127.0.0.1.nip.io'];
  test('it has loopback addresses', () => {
    for (const host of ofMachine) expect(isLoopback(new URL(`http://${host}:8080/x`)), host).toBe(true);
    for (const host of others) expect(isLoopback(new URL(`http://${host}:8080/x`)), host).toBe(false);
  });

  test('nothing is sent to another machine, not even through a proxy', async ({ open, serve, startProxy }) => {
    const wire = await serve(ok);
    const proxy = await startProxy(wire.port);
    const retry = { delays_seconds: [0.001], max_delay_seconds: 0.001 };
    const exchange = await open('http://deployment.test:81', { proxy: proxy.url, retry }).send(request);
    expect([getOutcome(exchange), exchange.attempts, proxy.received.length]).toEqual(['not-sent', 0, 0]);
    expect(getMessage(exchange)).toMatch(/^Nothing was sent: .*\(deployment\.test:81\) .*--allow-http/);
  });
});

test.describe('A proxy', () => {
  test('sees only the address of the deployment', async ({ open, serve, startProxy }) => {
    const wire = await serve(ok);
    const proxy = await startProxy(wire.port);
    const { send } = open('http://deployment.test/shop', { proxy: proxy.url, allowHttp: true });
    // undici's proxy agent merges repeated headers, unless they are grouped by name.
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
    expect(proxy.received).toHaveLength(1);
    expect(proxy.received[0]).toMatch(/^deployment\.test:80\n/);
    expect(proxy.received[0]).not.toContain(credentials.token);
  });

  test('comes from the environment, unless another is set', async ({ open, serve, startProxy }) => {
    const wire = await serve(ok);
    const [usual, stated] = [await startProxy(wire.port), await startProxy(wire.port)];
    const before = process.env.HTTP_PROXY;
    process.env.HTTP_PROXY = usual.url;
    for (const [options, counts] of [
      [{}, [1, 0]],
      [{ proxy: stated.url }, [1, 1]],
    ] as const) {
      await open('http://deployment.test', { allowHttp: true, ...options }).send(request);
      expect([usual.received.length, stated.received.length]).toEqual(counts);
    }
    if (before === undefined) delete process.env.HTTP_PROXY;
    else process.env.HTTP_PROXY = before;
  });

  test('is not used for this machine', async ({ open, serve, startProxy }) => {
    const wire = await serve(ok);
    const proxy = await startProxy(wire.port);
    expect(getOutcome(await open(wire.url, { proxy: proxy.url }).send(request))).toBe(200);
    expect(proxy.received).toEqual([]);
  });

  test('that refuses is not mistaken for the deployment', async ({ open, startProxy }) => {
    const { url } = await startProxy(1, '407 Proxy Authentication Required');
    const options = { proxy: url.replace('//', '//someone:a-password@'), allowHttp: true };
    const exchange = await open('http://deployment.test', options).send(request);
    expect(getOutcome(exchange)).toBe('unreachable');
    expect(getMessage(exchange)).toContain('Proxy response (407)');
  });

  test('that is unreachable is not mistaken for the deployment', async ({ open }) => {
    for (const name of ['127.0.0.1:1', 'proxy.invalid:3128']) {
      const exchange = await open('http://deployment.test', { proxy: `http://${name}`, allowHttp: true }).send(request);
      expect(getOutcome(exchange)).toBe('unreachable');
      const [host] = name.split(':');
      expect(getMessage(exchange)).toMatch(new RegExp(`^No connection to deployment.test was made \\(.*${host}`));
    }
  });
});

test.describe('Over TLS', () => {
  test('the authority must be trusted, and the certificate must be for the host', async ({ open, serveSecurely }) => {
    const port = await serveSecurely();
    const send = (host: string, tls = {}) => open(`https://${host}:${port}`, { tls }).send(request);
    const unknown = await send('127.0.0.1');
    expect(getOutcome(unknown)).toBe('tls');
    expect(getMessage(unknown)).toMatch(/is not trusted \(.* tls: \{ ca: FILE \}/);
    expect(getOutcome(await send('127.0.0.1', { ca: authority }))).toBe(200);
    expect(getMessage(await send('localhost', { ca: authority }))).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  const mutual = { ca: authority, requestCert: true, rejectUnauthorized: true };

  test('the message says that the client certificate is missing', async ({ open, serveSecurely }) => {
    // In TLS 1.2 the handshake fails. In TLS 1.3 the connection may just break later.
    const port = await serveSecurely({ ...mutual, maxVersion: 'TLSv1.2' });
    const exchange = await open(`https://127.0.0.1:${port}`, { tls: { ca: authority } }).send(request);
    expect(getOutcome(exchange)).toBe('tls');
    expect(getMessage(exchange)).toContain('tls: { cert: FILE, key: FILE }');
  });

  test('a proxy is used', async ({ open, serveSecurely, startProxy }) => {
    const proxy = await startProxy(await serveSecurely(mutual));
    const options = { proxy: proxy.url, tls: { ca: authority, ...client } };
    const exchange = await open('https://deployment.test', options).send(request);
    expect(getResponse(exchange)?.body).toBe('{"host":"deployment.test","token":true}');
    expect(proxy.received[0]).toMatch(/^deployment\.test:443\n/);
  });

  test('nothing is sent with an unusable client certificate', async ({ open }) => {
    for (const tls of [
      { cert: client.cert, key: 'no PEM' },
      { cert: client.cert, key: server.key },
    ]) {
      const exchange = await open('https://127.0.0.1:1', { tls }).send(request);
      expect([getOutcome(exchange), exchange.attempts]).toEqual(['not-sent', 0]);
      expect(getMessage(exchange)).toContain('tls.cert');
    }
  });
});

test.describe('Extra headers', () => {
  const extraHeaders = [
    ['Origin', 'https://shop.example'],
    ['content-type', 'text/plain'],
    ['ACCEPT', 'application/json'],
    ['X-Gateway-Key', '$GATEWAY_KEY'],
    ['X-Price', '$OTHER'],
    ['user-agent', 'shop-tests/1'],
  ] as const;
  const options = { extraHeaders, secrets: [{ value: 'the-key-of-the-gateway', placeholder: '$GATEWAY_KEY' }] };

  test('are sent with every request that has no such header, and are in the exchange without secrets', async ({
    serve,
    open,
  }) => {
    const wire = await serve(renderResponse('200 OK', [], 'the-key-of-the-gateway'));
    const { send, redact } = open(wire.url, options);
    const exchange = await send(request);
    const sent = wire.received[0]?.headers ?? [];
    for (const [name, value] of extraHeaders.map(([name, value]) => [name.toLowerCase(), value] as const)) {
      const expected = { 'content-type': 'application/json', 'x-gateway-key': 'the-key-of-the-gateway' }[name] ?? value;
      expect(sent.filter(([key]) => key.toLowerCase() === name).map(([, text]) => text)).toEqual([expected]);
    }
    const added = extraHeaders.filter(([name]) => name !== 'content-type');
    expect(exchange.request.headers).toEqual([...request.headers, ...added]);
    expect(redact(getResponse(exchange)?.body ?? '')).toBe('$GATEWAY_KEY');
  });
});
