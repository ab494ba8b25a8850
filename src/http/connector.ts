import { BlockList } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { buildConnector, Dispatcher, Pool } from 'undici';
import { requireLazily } from '../support/require-lazily.js';
import type { ConnectionOptions, Limits, Tls } from './connection-options.js';
import { dropInterimResponses } from './interim-responses.js';
import { NoConnection } from './transport-error.js';

const loadUndici = requireLazily<typeof import('undici')>('undici');

type Connection = { readonly dispatcher: Dispatcher } | { readonly refusal: string };

/**
 * Prepares connections to a deployment. Sends nothing and resolves no name.
 *
 * @returns creates a dispatcher with connections of its own
 */
export function createConnector(
  url: URL,
  { allowHttp, tls, proxy, limits, pacing }: ConnectionOptions,
): () => Connection {
  const refuse = (reason: string) => (): Connection => ({ refusal: `Nothing was sent: ${reason}` });
  if (exposesCredentials(url) && !allowHttp)
    return refuse(`credentials do not go to another machine (${url.host}) over plain HTTP without --allow-http.`);
  const secureContext = readSecureContext(tls);
  if (secureContext === undefined)
    return refuse('tls.ca, tls.cert or tls.key is not valid PEM, or the key does not belong to the certificate.');
  const { Agent, buildConnector, EnvHttpProxyAgent, Pool } = loadUndici();
  const { timeoutMs } = limits;
  // The client limits the whole exchange. These timeouts only shorten undici's own, for example for a proxy.
  const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const requestTls = { secureContext, timeout: timeoutMs };
  const createPool = (origin: string | URL, options: object): Pool => {
    const { connect, ...own } = options as Pool.Options & { readonly connect: buildConnector.connector };
    return new Pool(origin, { ...own, ...timeouts, connect: connectOnce(connect, limits) });
  };
  const options = {
    connections: pacing.concurrency,
    pipelining: 1,
    maxHeaderSize: limits.headerBytes,
    connect: buildConnector(requestTls),
    factory: createPool,
  };
  if (isLoopback(url)) return () => ({ dispatcher: new Agent(options) });
  const proxies = proxy === undefined ? {} : { httpProxy: proxy, httpsProxy: proxy };
  const tunnels = { clientFactory: createPool, proxyTls: { timeout: timeoutMs }, requestTls };
  return () => {
    try {
      return { dispatcher: new EnvHttpProxyAgent({ ...options, ...proxies, ...tunnels }) };
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
function connectOnce(connect: buildConnector.connector, { timeoutMs, headerBytes }: Limits): buildConnector.connector {
  return (options, callback) => {
    let isSettled = false;
    const settle: buildConnector.Callback = (error, socket) => {
      if (isSettled) return void socket?.on('error', () => undefined).destroy();
      isSettled = true;
      clearTimeout(timer);
      if (error !== null) callback(new NoConnection(error), null);
      else callback(null, dropInterimResponses(socket, headerBytes));
    };
    const timer = setTimeout(() => settle(new (loadUndici().errors.ConnectTimeoutError)(), null), timeoutMs);
    connect(options, settle);
  };
}

/** Returns undefined for invalid PEM. Call it once: it parses all public authorities. */
function readSecureContext({ ca, ...own }: Tls): SecureContext | undefined {
  try {
    return createSecureContext(ca === undefined ? own : { ...own, ca: [...rootCertificates, ca] });
  } catch {
    return undefined;
  }
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('0.0.0.0', 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether requests to a URL reach another machine in plain text. */
export function exposesCredentials(url: URL): boolean {
  return url.protocol === 'http:' && !isLoopback(url);
}

/** Whether a URL names this machine: a loopback address, or localhost (RFC 6761, section 6.3). */
export function isLoopback({ hostname }: URL): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  return hostname.startsWith('[')
    ? loopback.check(hostname.slice(1, -1), 'ipv6')
    : /^[\d.]+$/.test(hostname) && loopback.check(hostname, 'ipv4');
}
