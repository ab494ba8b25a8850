import { createReason, type Reason } from '../support/reason.js';
import { shorten, toOneLine } from '../support/untrusted-text.js';
import type { RetryOptions } from './connection-options.js';
import { type Exchange, findRefusableEncoding, getHeaderValues, type HttpResponse } from './exchange.js';

export function isSuccessful({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

/** Whether only connection or load failed, so that a retry may differ. Gateways answer 499, CDNs 520 to 530. */
export function hasTransientStatus({ status }: HttpResponse): boolean {
  return [408, 421, 425, 429, 499, 502, 503, 504].includes(status) || (status >= 520 && status <= 530);
}

export function wasSent(exchange: Exchange): boolean {
  return 'response' in exchange || exchange.transportError !== 'not-sent';
}

export function isTimeout(exchange: Exchange): boolean {
  return 'transportError' in exchange && exchange.transportError === 'timed-out';
}

/** Whether an exchange failed because the deployment was busy or unreachable, not because of its request. */
export function isTransientFailure(exchange: Exchange): boolean {
  if ('response' in exchange) return hasTransientStatus(exchange.response);
  return !['not-sent', 'too-large', 'unknown-coding'].includes(exchange.transportError);
}

/** Without a response, the request may have reached the deployment, unless no connection was made. */
export function isRetryable(exchange: Exchange): boolean {
  const isSafe = 'response' in exchange || ['unreachable', 'tls'].includes(exchange.transportError);
  return isTransientFailure(exchange) && (isSafe || exchange.request.method === 'GET');
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

/** Explains a transport error or a transient status; undefined if the exchange shows something of the deployment. */
export function explainTransientFailure(exchange: Exchange): Reason | undefined {
  if (!('response' in exchange)) return createReason('no-response', { message: exchange.message });
  const { status } = exchange.response;
  return hasTransientStatus(exchange.response) ? createReason('unavailable', { status }) : undefined;
}

export function explainRefusedCredentials({ status }: HttpResponse): Reason | undefined {
  return status === 401 || status === 403 ? createReason('credentials-refused', { status }) : undefined;
}

/** Explains that a request is too long (RFC 9110, sections 15.5.14 and 15.5.15; RFC 6585, section 5). */
export function explainTooLongRequest({ request, response }: Extract<Exchange, { response: unknown }>) {
  if (![413, 414, 431].includes(response.status)) return undefined;
  const { path, headers, body = '' } = request;
  const head = headers.reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, 0);
  const { status } = response;
  return createReason('too-long', { status, path: path.length, head, body: Buffer.byteLength(body) });
}

/** Explains a redirect by what differs from the request: a slash, or what stands before the path of the operation. */
export function explainRedirect({
  request,
  response: { status, headers },
}: Extract<Exchange, { response: unknown }>): Reason | undefined {
  if (status < 300 || status >= 400) return undefined;
  const location = getHeaderValues(headers, 'location')[0] ?? '';
  const path = withoutQuery(request.path);
  const redirected = withoutQuery(location);
  if (redirected.endsWith(`${path}/`)) return createReason('redirected-to-slash', { status, location });
  const base = redirected.slice(0, -path.length);
  // A path alone would be that of the request itself, at an unknown host.
  const isBase = redirected.endsWith(path) && /^https?:\/\/./i.test(base);
  return createReason(isBase ? 'redirected-to-base' : 'redirected', { status, location, base });
}

function withoutQuery(path: string): string {
  return path.replace(/[?#].*$/s, '');
}

export function explainUnsupportedRequest(exchange: Exchange): Reason | undefined {
  const isUnsupported = 'transportError' in exchange && exchange.transportError === 'unsupported';
  return isUnsupported ? explainTransientFailure(exchange) : undefined;
}

/** Explains why an exchange shows nothing. HTTP permits to refuse a body without Content-Length (RFC 9112, section 6.3). */
export function explainUnusableExchange(exchange: Exchange): Reason | undefined {
  const refusable = findRefusableEncoding(exchange.request);
  const outcome = 'response' in exchange ? exchange.response.status : exchange.transportError;
  const isRefused =
    refusable === 'chunked'
      ? outcome === 411 || outcome === 501
      : outcome === 'broken-connection' || Number(outcome) >= 400;
  if (refusable === undefined || !isRefused) return explainUnsupportedRequest(exchange);
  return createReason('way-refused', { way: refusable, outcome });
}

/** Whether a response refuses its request for what that says: its credentials, its length and its way are right. */
export function isContentRefusal(response: HttpResponse): boolean {
  const { status } = response;
  const isOfContent = ![401, 403, 413, 414, 431].includes(status) && !isDataIndependentRefusal(status);
  return status >= 400 && status < 500 && isOfContent && !hasTransientStatus(response);
}

/** The media type of a response, without parameters and in lower case; empty if it has none. */
export function getMediaType({ headers }: HttpResponse): string {
  return getHeaderValues(headers, 'content-type')[0]?.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Describes a response in one line: status, media type, and the beginning of its body. */
export function describeResponse(response: HttpResponse): string {
  const body = toOneLine(response.body.replaceAll(/\s+/g, ' ').trim());
  const type = getMediaType(response);
  return `${response.status}${type === '' ? '' : ` (${type})`}, ${body === '' ? 'without a body' : `"${shorten(body, 200)}"`}`;
}

/** Whether a status speaks of the method, the media type or the operation, whatever data a deployment has (RFC 9110). */
export function isDataIndependentRefusal(status: number): boolean {
  return [405, 406, 410, 415].includes(status);
}

/** Whether the Allow header of a 405 (RFC 9110, section 10.2.1) lists POST, and not GET. */
export function allowsPostAlone({ status, headers }: HttpResponse): boolean {
  const methods = getHeaderValues(headers, 'allow').flatMap((value) => value.split(',').map((method) => method.trim()));
  return status === 405 && methods.includes('POST') && !methods.includes('GET');
}
