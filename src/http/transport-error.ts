import type { Limits } from './connection-options.js';
import type { TransportErrorKind } from './exchange.js';

interface TransportError {
  readonly transportError: TransportErrorKind;
  readonly message: string;
}

/** Thrown when a response exceeds a limit or cannot be decoded. Its message is shown to the user. */
export class UnusableResponse extends Error {
  constructor(
    readonly transportError: TransportErrorKind,
    message: string,
  ) {
    super(message);
  }
}

/** Thrown when no connection was made, so that nothing was sent. Its cause says why. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection';

  constructor(cause: unknown) {
    super('No connection was made.', { cause });
  }
}

type Meaning = readonly [codes: RegExp, kind: TransportErrorKind, template: string];

/** The meaning of error codes. The first match counts. Messages of errors are not shown: they may contain headers. */
const meanings: readonly Meaning[] = [
  [/^(AbortError|UND_ERR_DESTROYED|UND_ERR_CLOSED)$/, 'not-sent', 'The run ended before there was a response.'],
  [
    /^ECONNREFUSED$/,
    'unreachable',
    '{host} refuses the connection. Is the deployment running, and the base URL right?',
  ],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'unreachable', 'The host name of {host} cannot be resolved. Is the base URL right?'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ETIMEDOUT)$/, 'unreachable', '{host} cannot be reached.'],
  [
    /^UND_ERR_CONNECT_TIMEOUT$/,
    'unreachable',
    '{host} did not accept a connection within {timeoutMs} ms (limits.timeout_ms).',
  ],
  [
    /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    'tls',
    'The certificate of {host} has expired, or is not valid yet. Is the clock of this machine right?',
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    'tls',
    'The certificate of {host} is for another host name. Is the base URL right?',
  ],
  [
    /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/,
    'tls',
    'The certificate of {host} is not trusted. For a private authority, set tls: { ca: FILE } in the target file.',
  ],
  [
    /^ERR_SSL_.*ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)$/,
    'tls',
    '{host} requires a client certificate, or rejects it. Set tls: { cert: FILE, key: FILE } in the target file.',
  ],
  [
    /^(ERR_TLS|ERR_SSL|EPROTO)/,
    'tls',
    'The TLS connection to {host} failed. Does it speak TLS? If not, write http:// in the base URL.',
  ],
  [
    /^NoConnection$/,
    'unreachable',
    'No connection to {host} was made ({code}). Is the base URL right, and does a proxy allow the connection?',
  ],
  [/TimeoutError|_TIMEOUT$/, 'timed-out', 'There was no complete response within {timeoutMs} ms (limits.timeout_ms).'],
  [/HEADERS_OVERFLOW$/, 'too-large', 'The headers are larger than {headerBytes} bytes (limits.header_bytes).'],
  [
    /^(HPE_|HTTPParserError$|UND_ERR_RES_CONTENT_LENGTH|UND_ERR_RESPONSE)/,
    'unreadable',
    'The response is not valid HTTP, or its length differs from Content-Length.',
  ],
  [
    /^(UND_ERR_INVALID_ARG|UND_ERR_NOT_SUPPORTED|ERR_INVALID_CHAR)$/,
    'not-sent',
    'The request cannot be sent: a header or the path contains a character that HTTP does not allow.',
  ],
  [/^/, 'broken-connection', 'The connection broke before the response was complete ({code}).'],
];

/**
 * Classifies the error of an exchange without a response, and says what it means.
 *
 * @param error anything that was thrown
 * @param host of the deployment, with the port
 */
export function classifyTransportError(error: unknown, limits: Limits, host: string): TransportError {
  if (error instanceof UnusableResponse) return { transportError: error.transportError, message: error.message };
  const codes = listCodes(error);
  const code = codes.find((each) => /^[A-Z\d_]+$/.test(each)) ?? codes.at(-1) ?? 'unknown cause';
  // undici has no code for a proxy that refuses a tunnel.
  const { message: own = '' } = (error instanceof NoConnection ? error.cause : error) as Partial<Error>;
  const [, status] = /^Proxy response \((\d+)\)/.exec(own) ?? [];
  const proxy = findProxy(error, host);
  const unreachable = (message: string): TransportError => ({ transportError: 'unreachable', message });
  if (status !== undefined) return unreachable(`The proxy answered ${status} to the connection request for ${host}.`);
  if (proxy !== undefined) return unreachable(`The proxy ${proxy} cannot be reached (${code}). Is its URL right?`);
  const known = [...codes, code];
  const [, transportError, template] = meanings.find(([meant]) => known.some((each) => meant.test(each))) as Meaning;
  const values: Readonly<Record<string, string | number>> = { ...limits, host, code };
  return { transportError, message: template.replace(/\{(\w+)\}/g, (text, name) => String(values[name] ?? text)) };
}

/** Returns the address of a failed connection if it is not the deployment's. */
function findProxy(error: unknown, host: string): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { hostname, address, port, cause } = error as { hostname?: string; address?: string; port?: number } & Error;
  const { hostname: ownName, port: ownPort } = new URL(`http://${host}`);
  if (hostname !== undefined && hostname !== ownName) return hostname;
  const isOwnPort = ownPort === '' ? port === 80 || port === 443 : String(port) === ownPort;
  if (port !== undefined && !isOwnPort) return `${address}:${port}`;
  return findProxy(error instanceof AggregateError ? error.errors[0] : cause, host);
}

function listCodes(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { code, name, cause } = error as NodeJS.ErrnoException & { cause?: unknown };
  const aggregated = error instanceof AggregateError ? error.errors.flatMap(listCodes) : [];
  return [...(code === undefined ? [] : [String(code)]), name, ...aggregated, ...listCodes(cause)];
}
