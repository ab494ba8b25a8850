import type { Exchange, TransportErrorKind } from '../../http/exchange.js';
import {
  describeResponse,
  explainRedirect,
  explainRefusedCredentials,
  explainTransientFailure,
} from '../../http/response-status.js';
import { createReason, type Reason } from '../../support/reason.js';

export interface FailureOfAllRequests {
  readonly area: 'URL' | 'TLS' | 'Credentials' | 'Responses';
  readonly reason: Reason;
}

/** An HTTPS server breaks a connection without TLS, or answers what is no HTTP. */
const failures: { readonly [Kind in TransportErrorKind]?: Pick<FailureOfAllRequests, 'area'> & { code: string } } = {
  tls: { area: 'TLS', code: 'no-response' },
  'broken-connection': { area: 'URL', code: 'odd-response' },
  unreadable: { area: 'URL', code: 'odd-response' },
  'invalid-coding': { area: 'Responses', code: 'invalid-coding' },
};

/** Explains why other requests would fail like this one; undefined if they may succeed. */
export function findRequestIndependentFailure(
  exchange: Exchange,
  isEncrypted = false,
): FailureOfAllRequests | undefined {
  if (!('response' in exchange)) {
    const { transportError, message } = exchange;
    const { area, code } = failures[transportError] ?? { area: 'URL', code: 'no-response' };
    // Then it is no HTTPS server that was spoken to without TLS.
    const isKnownScheme = isEncrypted && code === 'odd-response';
    return { area, reason: createReason(isKnownScheme ? 'no-response' : code, { message }) };
  }
  const { response } = exchange;
  const transient = explainTransientFailure(exchange);
  if (transient !== undefined) return { area: 'URL', reason: createReason('unavailable-now', { reason: transient }) };
  const refusal = explainRefusedCredentials(response);
  if (refusal !== undefined) {
    const reason = createReason('credentials-examined', { reason: refusal, answer: describeResponse(response) });
    return { area: 'Credentials', reason };
  }
  const redirect = explainRedirect(exchange);
  return redirect && { area: 'URL', reason: redirect };
}
