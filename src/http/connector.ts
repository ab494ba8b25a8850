import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { buildConnector, EnvHttpProxyAgent, Pool } from 'undici';
import { type ConnectionOptions, exposesCredentials, isLoopback } from './connection-options.js';
import { ExchangeError, NoConnection } from './transport-error.js';

/** Prepares connections. @returns creates a dispatcher of its own, or throws an ExchangeError if nothing must be sent */
export function createConnector(url: URL, { allowHttp, tls, proxy, limits, pacing }: ConnectionOptions) {
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
    // The client limits the whole exchange. These only shorten undici's own, for example for a proxy.
    headersTimeout: timeout,
    bodyTimeout: timeout,
    connect: buildConnector(requestTls),
    requestTls,
    proxyTls: { timeout },
  };
  const usedProxy = isLoopback(url) ? '' : proxy;
  const proxies = usedProxy === undefined ? {} : { httpProxy: usedProxy, httpsProxy: usedProxy };
  const factory = (origin: string | URL, created: object): Pool => {
    const { connect } = created as { readonly connect: buildConnector.connector };
    return new Pool(origin, { ...created, connect: connectOnce(connect, timeout) });
  };
  return () => {
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

/** Without this, undici reconnects without end to a proxy that closes connections, and waits for minutes on a silent one. */
function connectOnce(connect: buildConnector.connector, timeoutMs: number): buildConnector.connector {
  return (options, callback) => {
    let isSettled = false;
    const settle: buildConnector.Callback = (error, socket) => {
      if (isSettled) return void socket?.on('error', () => undefined).destroy();
      isSettled = true;
      clearTimeout(timer);
      if (error !== null) callback(new NoConnection('No connection was made.', { cause: error }), null);
      else callback(null, socket);
    };
    // Sooner than the whole exchange, whose error says less.
    const ms = Math.ceil(timeoutMs * 0.9);
    const timer = setTimeout(() => settle(new Error(`none within ${ms} ms: limits.timeout_ms`), null), ms);
    connect(options, settle);
  };
}

/** Returns undefined for invalid PEM. Call it once: it parses all public authorities. */
function readSecureContext({ ca, ...client }: ConnectionOptions['tls']): SecureContext | undefined {
  try {
    return createSecureContext(ca === undefined ? client : { ...client, ca: [...rootCertificates, ca] });
  } catch {
    return undefined;
  }
}
