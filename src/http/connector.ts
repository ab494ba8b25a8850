import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type undici from 'undici';
import type { buildConnector, Dispatcher } from 'undici';
import type { ConnectionOptions, Limits } from './connection-options.js';
import type { HttpRequest } from './exchange.js';
import { exposesCredentials, isLoopback } from './loopback.js';
import { ExchangeError, NoConnection } from './transport-error.js';

// The modules of undici that send requests: the whole package, with fetch and WebSocket, takes three times as long to load.
const load = createRequire(import.meta.url);
const Pool = load('undici/lib/dispatcher/pool.js') as typeof undici.Pool;
const EnvHttpProxyAgent = load('undici/lib/dispatcher/env-http-proxy-agent.js') as typeof undici.EnvHttpProxyAgent;
const createUndiciConnector = load('undici/lib/core/connect.js') as typeof undici.buildConnector;
Object.assign(load('undici/lib/dispatcher/dispatcher.js').prototype, load('undici/lib/api/index.js'));

/**
 * Prepares connections to a deployment. Sends nothing and resolves no name.
 *
 * @returns creates a dispatcher with connections of its own; throws an ExchangeError if nothing must be sent
 */
export function createConnector(
  url: URL,
  { allowHttp, tls, proxy, limits, pacing }: ConnectionOptions,
): (sent?: HttpRequest['sent']) => Dispatcher {
  const refuse = (reason: string) => (): never => {
    throw new ExchangeError('not-sent', `Nothing was sent: ${reason}`);
  };
  if (exposesCredentials(url) && !allowHttp)
    return refuse(`credentials do not go to another machine (${url.host}) over plain HTTP without --allow-http.`);
  const secureContext = readSecureContext(tls);
  if (secureContext === undefined)
    return refuse('tls.ca, tls.cert or tls.key is not valid PEM, or the key does not belong to the certificate.');
  const timeout = limits.timeout_ms;
  const requestTls = { secureContext, timeout };
  const options = {
    connections: pacing.concurrency,
    pipelining: 1,
    maxHeaderSize: limits.header_bytes,
    maxResponseSize: limits.body_bytes,
    connect: createUndiciConnector(requestTls),
    requestTls,
    proxyTls: { timeout },
  };
  // An empty text means none; undefined means that of the environment.
  const usedProxy = isLoopback(url) ? '' : proxy;
  const proxies = usedProxy === undefined ? {} : { httpProxy: usedProxy, httpsProxy: usedProxy };
  // The client limits the whole exchange. These only shorten undici's own, for example for a proxy.
  const timeouts = { headersTimeout: timeout, bodyTimeout: timeout };
  return (sent) => {
    const factory = (origin: string | URL, created: object): undici.Pool => {
      const { connect } = created as { readonly connect: buildConnector.connector };
      return new Pool(origin, { ...created, ...timeouts, connect: connectOnce(connect, limits, sent) });
    };
    try {
      return new EnvHttpProxyAgent({ ...options, ...proxies, factory, clientFactory: factory });
    } catch {
      // The message does not show the URL of the proxy: it may contain a password.
      return refuse(
        'the proxy in HTTPS_PROXY, HTTP_PROXY or the target file is not a URL such as http://proxy.example:3128.',
      )();
    }
  };
}

/**
 * Settles each attempt to connect once and in time, with an error after which undici does not try again. Otherwise undici
 * reconnects without end to a proxy that closes connections, and waits for minutes on a silent one.
 */
function connectOnce(
  connect: buildConnector.connector,
  { timeout_ms }: Limits,
  sent: HttpRequest['sent'],
): buildConnector.connector {
  return (options, callback) => {
    let isSettled = false;
    const settle: buildConnector.Callback = (error, socket) => {
      if (isSettled) return void socket?.on('error', () => undefined).destroy();
      isSettled = true;
      clearTimeout(timer);
      if (error !== null) callback(new NoConnection('No connection was made.', { cause: error }), null);
      else callback(null, rewriteHeads(renumberContinue(socket), sent));
    };
    // Sooner than the whole exchange, whose error says less.
    const ms = Math.ceil(timeout_ms * 0.9);
    const timer = setTimeout(() => settle(new Error(`none within ${ms} ms: limits.timeout_ms`), null), ms);
    connect(options, settle);
  };
}

/** Rewrites what undici writes: it sends neither HTTP/1.0 nor Expect. A tunnel of a proxy stays as it is. */
function rewriteHeads<S extends Socket>(socket: S, sent: HttpRequest['sent']): S {
  if (sent !== 'http-1.0' && sent !== 'expect-100-continue') return socket;
  const [line, headers] = sent === 'http-1.0' ? ['HTTP/1.0', ''] : ['HTTP/1.1', 'Expect: 100-continue\r\n'];
  const { write } = socket;
  socket.write = function (this: S, chunk: unknown, ...args: unknown[]) {
    const rewrite = (head: string) => head.replace(/^((?!CONNECT )\S+ \S+ )HTTP\/1\.1\r\n/, `$1${line}\r\n${headers}`);
    return Reflect.apply(write, this, [typeof chunk === 'string' ? rewrite(chunk) : chunk, ...args]);
  };
  return socket;
}

/** Makes 102 (Processing) of 100 (Continue): undici fails at a 100, and skips other interim responses (RFC 9110, section 15.2). */
function renumberContinue<S extends Socket>(socket: S): S {
  const { push } = socket;
  socket.push = function (this: S, chunk: Buffer | null, encoding) {
    if (chunk?.subarray(0, 12).toString('latin1') === 'HTTP/1.1 100') chunk.write('102', 9);
    return push.call(this, chunk, encoding);
  };
  return socket;
}

/** Returns undefined for invalid PEM. Call it once: it parses all public authorities. */
function readSecureContext({ ca, ...client }: ConnectionOptions['tls']): SecureContext | undefined {
  try {
    return createSecureContext(ca === undefined ? client : { ...client, ca: [...rootCertificates, ca] });
  } catch {
    return undefined;
  }
}
