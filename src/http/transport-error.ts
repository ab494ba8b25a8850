import type { Limits } from './connection-options.js';
import type { TransportErrorKind } from './exchange.js';

/** Why there is no response: its kind, and words for the user. */
export interface TransportError {
  readonly transportError: TransportErrorKind;
  readonly message: string;
}

/** Thrown when a response exceeds a limit or cannot be decoded; its message is shown to the user. */
export class UnusableResponse extends Error {
  constructor(
    readonly transportError: TransportErrorKind,
    message: string,
  ) {
    super(message);
  }
}

/** That no connection came about, so that nothing was sent; its cause says why. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection';

  constructor(cause: unknown) {
    super('No connection came about.', { cause });
  }
}

interface Meaning {
  readonly codes: RegExp;
  readonly transportError: TransportErrorKind;
  message(limits: Limits, host: string, code: string): string;
}

/** What network errors mean, by their code: the first that fits. Their own messages are not shown: they may hold headers. */
const meanings: readonly Meaning[] = [
  {
    codes: /^(AbortError|UND_ERR_DESTROYED|UND_ERR_CLOSED)$/,
    transportError: 'not-sent',
    message: () => 'The run ended before there was a response.',
  },
  {
    codes: /^ECONNREFUSED$/,
    transportError: 'unreachable',
    message: (_, host) => `${host} refuses the connection. Is the deployment running, and the base URL right?`,
  },
  {
    codes: /^(ENOTFOUND|EAI_AGAIN)$/,
    transportError: 'unreachable',
    message: (_, host) => `The name of ${host} cannot be resolved. Is the base URL right?`,
  },
  {
    codes: /^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ETIMEDOUT)$/,
    transportError: 'unreachable',
    message: (_, host) => `${host} cannot be reached.`,
  },
  {
    codes: /^UND_ERR_CONNECT_TIMEOUT$/,
    transportError: 'unreachable',
    message: ({ timeoutMs }, host) => `${host} did not accept a connection within ${timeoutMs} ms (limits.timeout_ms).`,
  },
  {
    codes: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    transportError: 'tls',
    message: (_, host) =>
      `The certificate of ${host} has expired, or is not valid yet. Is the clock of this machine right?`,
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    transportError: 'tls',
    message: (_, host) => `The certificate that ${host} shows is that of another name. Is the base URL right?`,
  },
  {
    codes: /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/,
    transportError: 'tls',
    message: (_, host) =>
      `The certificate of ${host} is not trusted. That of a private authority is, once the target file names it: tls: { ca: FILE }.`,
  },
  {
    codes: /^ERR_SSL_.*ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)$/,
    transportError: 'tls',
    message: (_, host) =>
      `${host} does not accept the client's certificate, or wants one: the target file names it, tls: { cert: FILE, key: FILE }.`,
  },
  {
    codes: /^(ERR_TLS|ERR_SSL|EPROTO)/,
    transportError: 'tls',
    message: (_, host) => `The TLS connection to ${host} failed. Does it speak TLS?`,
  },
  {
    codes: /^NoConnection$/,
    transportError: 'unreachable',
    message: (_, host, code) =>
      `No connection to ${host} came about (${code}). Is it the right place, and does a proxy in between let it through?`,
  },
  {
    codes: /TimeoutError|_TIMEOUT$/,
    transportError: 'timed-out',
    message: ({ timeoutMs }) => `There was no complete response within ${timeoutMs} ms (limits.timeout_ms).`,
  },
  {
    codes: /HEADERS_OVERFLOW$/,
    transportError: 'too-large',
    message: ({ headerBytes }) => `The headers are larger than ${headerBytes} bytes (limits.header_bytes).`,
  },
  {
    codes: /^(HPE_|HTTPParserError$|UND_ERR_RES_CONTENT_LENGTH|UND_ERR_RESPONSE)/,
    transportError: 'unreadable',
    message: () => 'The response is no valid HTTP, or its length is not as announced.',
  },
  {
    codes: /^(UND_ERR_INVALID_ARG|UND_ERR_NOT_SUPPORTED|ERR_INVALID_CHAR)$/,
    transportError: 'not-sent',
    message: () => 'The request cannot be sent: a header or the path holds a character that HTTP does not allow.',
  },
];

/**
 * Explains why an exchange brought no response.
 *
 * @param error whatever was thrown; {@link UnusableResponse} speaks for itself
 * @param host of the deployment, with the port
 */
export function describeTransportError(error: unknown, limits: Limits, host: string): TransportError {
  if (error instanceof UnusableResponse) return { transportError: error.transportError, message: error.message };
  const codes = codesOf(error);
  const code = codes.find((each) => /^[A-Z\d_]+$/.test(each)) ?? codes.at(-1) ?? 'unknown cause';
  // Undici has no code of its own for a proxy that does not open a tunnel.
  const { message: own = '' } = (error instanceof NoConnection ? error.cause : error) as Partial<Error>;
  const [, status] = /^Proxy response \((\d+)\)/.exec(own) ?? [];
  if (status !== undefined)
    return {
      transportError: 'unreachable',
      message: `The proxy answered ${status} to the request for a connection to ${host}.`,
    };
  const other = proxyIn(error, host);
  if (other !== undefined)
    return {
      transportError: 'unreachable',
      message: `The proxy ${other} cannot be reached (${code}). Is its URL right?`,
    };
  for (const { codes: known, transportError, message } of meanings) {
    if (codes.some((code) => known.test(code))) return { transportError, message: message(limits, host, code) };
  }
  return {
    transportError: 'broken-connection',
    message: `The connection broke before the response was complete (${code}).`,
  };
}

/** The proxy for which a connection was meant, where it was not meant for the deployment. */
function proxyIn(error: unknown, host: string): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { hostname, address, port, cause } = error as { hostname?: string; address?: string; port?: number } & Error;
  const { hostname: ownName, port: ownPort } = new URL(`http://${host}`);
  if (hostname !== undefined && hostname !== ownName) return hostname;
  const isOwnPort = ownPort === '' ? port === 80 || port === 443 : String(port) === ownPort;
  if (port !== undefined && !isOwnPort) return `${address}:${port}`;
  return proxyIn(error instanceof AggregateError ? error.errors[0] : cause, host);
}

/** The codes of an error, of its causes and of the errors it gathers. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const { code, name, cause } = error as NodeJS.ErrnoException & { cause?: unknown };
  const gathered = error instanceof AggregateError ? error.errors.flatMap(codesOf) : [];
  return [...(code === undefined ? [] : [String(code)]), name, ...gathered, ...codesOf(cause)];
}
