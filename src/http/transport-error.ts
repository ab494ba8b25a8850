import type { Limits } from './connection-options.js';
import type { TransportErrorKind } from './exchange.js';

/** Thrown where it is known why there is no response. Its message is shown to the user. */
export class ExchangeError extends Error {
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
}

type Meaning = readonly [codes: RegExp, kind: TransportErrorKind, template: string];

/** The first match counts. */
const meanings: readonly Meaning[] = [
  [
    /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/,
    'tls',
    'The certificate of {host} is not trusted ({code}). For a private authority, set tls: { ca: FILE } in the target file.',
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
    'No connection to {host} was made ({cause}). Is the deployment running, and are the base URL and the proxy right?',
  ],
  [/^(AbortError|UND_ERR_DESTROYED|UND_ERR_CLOSED)$/, 'not-sent', 'The run ended before there was a response.'],
  [/TimeoutError|_TIMEOUT$/, 'timed-out', 'There was no complete response within {timeout_ms} ms (limits.timeout_ms).'],
  [/EXCEEDED_MAX_SIZE$/, 'too-large', 'The body is larger than {body_bytes} bytes (limits.body_bytes).'],
  [/HEADERS_OVERFLOW$/, 'too-large', 'The headers are larger than {header_bytes} bytes (limits.header_bytes).'],
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

/** Classifies the error of an exchange without a response, and says what it means. @param host with the port */
export function classifyTransportError(error: unknown, limits: Limits, host: string) {
  if (error instanceof ExchangeError) return { transportError: error.transportError, message: error.message };
  const causes = listCauses(error);
  const codes = causes.flatMap(({ code, name }) => [...(code === undefined ? [] : [code]), name]);
  const code = codes.find((text) => /^[A-Z\d_]+$/.test(text)) ?? codes.at(-1) ?? 'unknown cause';
  // Names the address, which may be that of a proxy. Messages of other errors are not shown: they may contain headers.
  const cause = error instanceof NoConnection ? causes.at(-1)?.message : undefined;
  const [, transportError, template] = meanings.find(([meant]) => codes.some((text) => meant.test(text))) as Meaning;
  const values: Readonly<Record<string, unknown>> = { ...limits, host, code, cause };
  return { transportError, message: template.replace(/\{(\w+)\}/g, (text, name) => String(values[name] ?? text)) };
}

/** Lists an error and its causes. A tunnel fails for the reason of its proxy; a host with several addresses has several. */
function listCauses(error: unknown): NodeJS.ErrnoException[] {
  if (!(error instanceof Error)) return [];
  const aggregated = error instanceof AggregateError ? error.errors : [];
  return [error, ...[...aggregated, error.cause].flatMap(listCauses)];
}
