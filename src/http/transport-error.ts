import { createReason, renderReason } from '../support/reason.js';
import type { ConnectionLimits } from './connection-options.js';
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

type Meaning = readonly [codes: RegExp, kind: TransportErrorKind, reason: string];

/** The first match counts. */
const meanings: readonly Meaning[] = [
  [/^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/, 'tls', 'certificate-untrusted'],
  [
    /^ERR_SSL_.*ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)$/,
    'tls',
    'client-certificate-required',
  ],
  [/^(ERR_TLS|ERR_SSL|EPROTO)/, 'tls', 'tls-failed'],
  [/^NoConnection$/, 'unreachable', 'no-connection'],
  [/^(AbortError|UND_ERR_DESTROYED|UND_ERR_CLOSED)$/, 'not-sent', 'run-ended'],
  [/TimeoutError|_TIMEOUT$/, 'timed-out', 'timed-out'],
  [/EXCEEDED_MAX_SIZE$/, 'too-large', 'body-too-large'],
  [/HEADERS_OVERFLOW$/, 'too-large', 'headers-too-large'],
  [/^(HPE_|HTTPParserError$|UND_ERR_RES_CONTENT_LENGTH|UND_ERR_RESPONSE)/, 'unreadable', 'not-http'],
  [/^(UND_ERR_INVALID_ARG|UND_ERR_NOT_SUPPORTED|ERR_INVALID_CHAR)$/, 'not-sent', 'request-unsendable'],
  [/^/, 'broken-connection', 'connection-broken'],
];

/** Classifies the error of an exchange without a response, and says what it means. @param host with the port */
export function classifyTransportError(error: unknown, limits: ConnectionLimits, host: string) {
  if (error instanceof ExchangeError) return { transportError: error.transportError, message: error.message };
  const causes = listCauses(error);
  const codes = causes.flatMap(({ code, name }) => [...(code === undefined ? [] : [code]), name]);
  const code = codes.find((text) => /^[A-Z\d_]+$/.test(text)) ?? codes.at(-1) ?? 'unknown cause';
  // Names the address, which may be that of a proxy. Messages of other errors are not shown: they may contain headers.
  const cause = error instanceof NoConnection ? (causes.at(-1)?.message ?? '') : '';
  const [, transportError, reason] = meanings.find(([meant]) => codes.some((text) => meant.test(text))) as Meaning;
  const message = renderReason(createReason(reason, { ...limits, host, code, cause }));
  return { transportError, message };
}

/** Lists an error and its causes. A tunnel fails for the reason of its proxy; a host with several addresses has several. */
function listCauses(error: unknown): NodeJS.ErrnoException[] {
  if (!(error instanceof Error)) return [];
  const aggregated = error instanceof AggregateError ? error.errors : [];
  return [error, ...[...aggregated, error.cause].flatMap(listCauses)];
}
