import type { Exchange } from '../../http/exchange.js';
import {
  describeResponse,
  explainRedirect,
  explainRefusedCredentials,
  explainTransientFailure,
} from '../../http/response-status.js';
import { createReason, type Reason } from '../../support/reason.js';

export interface FailureOfAllRequests {
  readonly area: 'URL' | 'TLS' | 'Credentials';
  readonly reason: Reason;
}

/** Explains why other requests would fail like this one; undefined if they may succeed. */
export function findRequestIndependentFailure(exchange: Exchange): FailureOfAllRequests | undefined {
  if (!('response' in exchange)) {
    const { transportError, message } = exchange;
    // An HTTPS server breaks a connection without TLS.
    const isOdd = transportError === 'broken-connection' || transportError === 'unreadable';
    const area = transportError === 'tls' ? 'TLS' : 'URL';
    return { area, reason: createReason(isOdd ? 'odd-response' : 'no-response', { message }) };
  }
  const { response } = exchange;
  const transient = explainTransientFailure(exchange);
  if (transient !== undefined) return { area: 'URL', reason: createReason('unavailable-now', { reason: transient }) };
  const refusal = explainRefusedCredentials(response);
  if (refusal !== undefined) {
    const reason = createReason('credentials-examined', { reason: refusal, answer: describeResponse(response) });
    return { area: 'Credentials', reason };
  }
  const redirect = explainRedirect(response);
  return redirect && { area: 'URL', reason: redirect };
}
