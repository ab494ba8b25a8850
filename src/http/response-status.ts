import { toOneLine, truncate } from '../support/untrusted-text.js';
import { type Exchange, getHeaderValues, type HttpResponse, usesOptionalHttp } from './exchange.js';

/** Whether the status is 2xx, so that the body is a result. */
export function isSuccessful({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

/** Statuses about the connection or the load, not about the request. */
const transientStatuses: Readonly<Record<number, string>> = {
  408: 'the deployment timed out while it waited for the request',
  421: 'the request reached a server that is not responsible for the deployment',
  425: 'the request came too early on its connection',
  429: 'the deployment limits the rate of requests; send fewer per second',
  499: 'a gateway assumed that the connection was closed',
  502: 'a gateway got no valid response from the deployment',
  503: 'the deployment is not available',
  504: 'a gateway got no response from the deployment in time',
};

function explainTransientStatus(status: number): string | undefined {
  // Content delivery networks answer 520 to 530 themselves.
  return status >= 520 && status <= 530
    ? 'a content delivery network got no valid response from the deployment'
    : transientStatuses[status];
}

/** Whether a response is only about the connection or the load, so that a retry may differ. */
export function isTransient({ status }: HttpResponse): boolean {
  return explainTransientStatus(status) !== undefined;
}

/** Explains a transport error or a transient status; undefined if the exchange shows something of the deployment. */
export function explainTransientFailure(exchange: Exchange): string | undefined {
  if (!('response' in exchange)) return exchange.message;
  const { status } = exchange.response;
  const meaning = explainTransientStatus(status);
  return meaning === undefined ? undefined : `Answered ${status}: ${meaning}.`;
}

/** Explains a response that refuses the credentials; undefined for any other. */
export function explainRefusedCredentials({ status }: HttpResponse): string | undefined {
  if (status !== 401 && status !== 403) return undefined;
  return `Answered ${status}: the credentials are probably wrong. Check CLIENT_APPLICATION_ID and CLIENT_TOKEN.`;
}

/** Explains a redirect; undefined for any other response. */
export function explainRedirect({ status, headers }: HttpResponse): string | undefined {
  if (status < 300 || status >= 400) return undefined;
  const location = getHeaderValues(headers, 'location')[0];
  const to = location === undefined ? '' : ` to ${location}`;
  return `Redirected (${status})${to}; redirects are not followed. Is the base URL right?`;
}

/** Explains that the adapter of the target cannot express a request. */
export function explainUnsupported(exchange: Exchange): string | undefined {
  return 'transportError' in exchange && exchange.transportError === 'unsupported' ? exchange.message : undefined;
}

/**
 * Explains why an exchange shows nothing about its request: the adapter cannot express it, or the target refuses a body
 * without Content-Length, HTTP/1.0 or Expect, which HTTP permits (RFC 9112, sections 6.1 and 6.3; RFC 9110, sections 10.1.1
 * and 15.6.6).
 */
export function explainInapplicable(exchange: Exchange): string | undefined {
  const { sent } = exchange.request;
  const isOptional = usesOptionalHttp(exchange.request) && sent !== 'chunked';
  if (!('response' in exchange)) {
    if (isOptional && exchange.transportError === 'broken-connection') return `The target does not accept '${sent}'.`;
    return explainUnsupported(exchange);
  }
  const { status } = exchange.response;
  if (isOptional && status >= 400) return `Answered ${status}: the target does not accept '${sent}'.`;
  if (sent !== 'chunked') return undefined;
  if (status !== 411 && status !== 501) return undefined;
  return `Answered ${status}: the target accepts no body without Content-Length.`;
}

/** The media type of a response, without parameters and in lower case; empty if it has none. */
export function getMediaType({ headers }: HttpResponse): string {
  return getHeaderValues(headers, 'content-type')[0]?.split(';')[0]?.trim().toLowerCase() ?? '';
}

const maxShownBody = 200;

/**
 * Describes a response in one line: status, media type, and the beginning of its body.
 *
 * @param redact replaces secrets, before the body is cut: a part of a secret would not be found
 */
export function describeAnswer(response: HttpResponse, redact: (text: string) => string): string {
  const body = toOneLine(redact(response.body).replaceAll(/\s+/g, ' ').trim());
  const shown = body.length > maxShownBody ? `${truncate(body, maxShownBody)}…` : body;
  const type = getMediaType(response);
  return `${response.status}${type === '' ? '' : ` (${type})`}, ${body === '' ? 'without a body' : `"${shown}"`}`;
}

export const headersHint = "If a gateway asks for further headers, set 'headers' in the target file.";

/** Describes why a first request got no response. An HTTPS server breaks a connection without TLS. */
export function describeTransportError({ transportError, message }: Extract<Exchange, { message: unknown }>): string {
  const isOdd = transportError === 'broken-connection' || transportError === 'unreadable';
  return isOdd ? `${message} If the port is for HTTPS, write https:// in the base URL.` : message;
}
