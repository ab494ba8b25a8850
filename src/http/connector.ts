import { BlockList } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { buildConnector, Dispatcher, Pool } from 'undici';
import { requireLazily } from '../support/require-lazily.js';
import type { ConnectionOptions, Limits, Tls } from './connection-options.js';
import { withoutInterimResponses } from './interim-responses.js';
import { NoConnection } from './transport-error.js';

const undici = requireLazily<typeof import('undici')>('undici');

/** What requests are sent over, or why none may be sent, in words for the user. */
export type Connection = { readonly dispatcher: Dispatcher } | { readonly refusal: string };

/**
 * Prepares for connections to a deployment; nothing is sent, and no name resolved.
 *
 * @returns makes something to send over; each shares no connection with the others
 */
export function createConnector(
  url: URL,
  { allowHttp, tls, proxy, limits, pacing }: ConnectionOptions,
): () => Connection {
  const refused = (refusal: string) => (): Connection => ({ refusal: `Nothing was sent: ${refusal}` });
  if (exposesCredentials(url) && !allowHttp)
    return refused(
      `credentials do not go to another machine (${url.host}) over plain HTTP, unless --allow-http says so.`,
    );
  const secureContext = secureContextOf(tls);
  if (secureContext === undefined)
    return refused('tls.ca, tls.cert or tls.key is no PEM, or the key is not that of the certificate.');
  const { Agent, buildConnector, EnvHttpProxyAgent, Pool } = undici();
  const { timeoutMs } = limits;
  // The whole exchange is timed by the client; these only keep undici from waiting longer, as it would for a proxy.
  const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const toDeployment = { secureContext, timeout: timeoutMs };
  const poolFor = (origin: string | URL, options: object): Pool => {
    const { connect, ...own } = options as Pool.Options & { readonly connect: buildConnector.connector };
    return new Pool(origin, { ...own, ...timeouts, connect: settled(connect, limits) });
  };
  const options = {
    connections: pacing.concurrency,
    pipelining: 1,
    maxHeaderSize: limits.headerBytes,
    connect: buildConnector(toDeployment),
    factory: poolFor,
  };
  if (isLoopback(url)) return () => ({ dispatcher: new Agent(options) });
  const stated = proxy === undefined ? {} : { httpProxy: proxy, httpsProxy: proxy };
  const tunnels = { clientFactory: poolFor, proxyTls: { timeout: timeoutMs }, requestTls: toDeployment };
  return () => {
    try {
      return { dispatcher: new EnvHttpProxyAgent({ ...options, ...stated, ...tunnels }) };
    } catch {
      // The URL of a proxy may hold a password, so it is not shown.
      return refused(
        'the proxy that HTTPS_PROXY, HTTP_PROXY or the target file names is no URL such as http://proxy.example:3128.',
      )();
    }
  };
}

/**
 * Makes connections so that each attempt ends: once, in time, and if it failed, in an error after which undici does not
 * try again. On a proxy that closes its connections, it would without end, and wait for minutes on one that is silent.
 */
function settled(connect: buildConnector.connector, { timeoutMs, headerBytes }: Limits): buildConnector.connector {
  return (options, callback) => {
    let isSettled = false;
    const settle: buildConnector.Callback = (error, socket) => {
      if (isSettled) return void socket?.on('error', () => undefined).destroy();
      isSettled = true;
      clearTimeout(timer);
      if (error !== null) callback(new NoConnection(error), null);
      else callback(null, withoutInterimResponses(socket, headerBytes));
    };
    const timer = setTimeout(() => settle(new (undici().errors.ConnectTimeoutError)(), null), timeoutMs);
    connect(options, settle);
  };
}

/** Undefined where the texts are unusable. Made once: to read all public authorities takes its time. */
function secureContextOf({ ca, ...own }: Tls): SecureContext | undefined {
  try {
    return createSecureContext(ca === undefined ? own : { ...own, ca: [...rootCertificates, ca] });
  } catch {
    return undefined;
  }
}

const thisMachine = new BlockList();
thisMachine.addSubnet('127.0.0.0', 8, 'ipv4');
thisMachine.addAddress('0.0.0.0', 'ipv4');
thisMachine.addAddress('::1', 'ipv6');

/** Whether what is sent to a URL goes to another machine in plain text. */
export function exposesCredentials(url: URL): boolean {
  return url.protocol === 'http:' && !isLoopback(url);
}

/** Whether a URL names the machine on which this runs: a loopback address, or localhost (RFC 6761, section 6.3). */
export function isLoopback({ hostname }: URL): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true;
  return hostname.startsWith('[')
    ? thisMachine.check(hostname.slice(1, -1), 'ipv6')
    : /^[\d.]+$/.test(hostname) && thisMachine.check(hostname, 'ipv4');
}
