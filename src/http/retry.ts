import type { RetryOptions } from './connection-options.js';
import { type Exchange, getHeaderValues } from './exchange.js';
import { isTransient } from './response-status.js';

/** Methods of which a second request does no more than the first (RFC 9110, section 9.2.2). */
const idempotentMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'TRACE']);

/** Whether a request went out. */
export function wasSent(exchange: Exchange): boolean {
  return 'response' in exchange || exchange.transportError !== 'not-sent';
}

/** Whether an exchange brought nothing, but not because of its request: the deployment was busy, or out of reach. */
export function isTransientFailure(exchange: Exchange): boolean {
  if ('response' in exchange) return isTransient(exchange.response);
  return wasSent(exchange) && exchange.transportError !== 'too-large';
}

/** Whether the same request may be sent again, as it may fare better in a while. */
export function isRetryable(exchange: Exchange): boolean {
  if (!isTransientFailure(exchange)) return false;
  if ('response' in exchange || exchange.transportError === 'unreachable' || exchange.transportError === 'tls')
    return true;
  // It may have arrived.
  return idempotentMethods.has(exchange.request.method);
}

/** How long to wait before a request is repeated. */
export interface RetryDelay {
  readonly ms: number;
  /** Whether the deployment wants less of everything, so that all other requests wait too. */
  readonly forAll: boolean;
}

/**
 * How long to wait after an exchange.
 *
 * @param ownMs the wait, in milliseconds, where the deployment names none
 * @param now in milliseconds since the epoch
 */
export function computeRetryDelay(
  exchange: Exchange,
  ownMs: number,
  { longestWaitMs }: RetryOptions,
  now: number,
): RetryDelay {
  if (!('response' in exchange)) return { ms: ownMs, forAll: false };
  const { status, headers } = exchange.response;
  const requestedMs = retryAfter(getHeaderValues(headers, 'retry-after')[0] ?? '', now);
  return { ms: Math.min(requestedMs ?? ownMs, longestWaitMs), forAll: status === 429 || requestedMs !== undefined };
}

/** The milliseconds that a Retry-After header names, in seconds or as an HTTP date (RFC 9110, section 10.2.3). */
function retryAfter(value: string, now: number): number | undefined {
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  // Date.parse reads more than dates of HTTP, which begin with the day of the week: '-1', say.
  const date = /^[A-Z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}
