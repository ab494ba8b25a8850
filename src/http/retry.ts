import type { RetryOptions } from './connection-options.js';
import { type Exchange, getHeaderValues } from './exchange.js';
import { isTransient } from './response-status.js';

export function wasSent(exchange: Exchange): boolean {
  return 'response' in exchange || exchange.transportError !== 'not-sent';
}

/** Whether an exchange failed because the deployment was busy or unreachable, not because of its request. */
export function isTransientFailure(exchange: Exchange): boolean {
  if ('response' in exchange) return isTransient(exchange.response);
  return wasSent(exchange) && exchange.transportError !== 'too-large';
}

export function isRetryable(exchange: Exchange): boolean {
  if (!isTransientFailure(exchange)) return false;
  if ('response' in exchange || exchange.transportError === 'unreachable' || exchange.transportError === 'tls')
    return true;
  // It may have reached the deployment.
  return exchange.request.method === 'GET';
}

/** Computes the delay before a retry. @param stated the delay in seconds if the deployment names none */
export function computeRetryDelay(exchange: Exchange, stated: number, retry: RetryOptions, now: number) {
  if (!('response' in exchange)) return { ms: stated * 1_000, forAll: false };
  const { status, headers } = exchange.response;
  const requestedMs = parseRetryAfter(getHeaderValues(headers, 'retry-after')[0] ?? '', now);
  const ms = Math.min(requestedMs ?? stated * 1_000, retry.max_delay_seconds * 1_000);
  return { ms, forAll: status === 429 || status === 503 || requestedMs !== undefined };
}

/** Parses Retry-After, in seconds or as an HTTP date (RFC 9110, section 10.2.3), to milliseconds. */
function parseRetryAfter(value: string, now: number): number | undefined {
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  // An HTTP date begins with a weekday. Date.parse also accepts other text, such as '-1'.
  const date = /^[A-Z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}
