import { getHeaderValues, type Headers, type HttpRequest } from './exchange.js';
import type { Secret } from './redactor.js';

/** They leave all to the deployment. */
export const plainAcceptHeaders: Headers = [
  ['Accept', '*/*'],
  ['Accept-Encoding', 'identity'],
];

/** Content negotiation (RFC 9110, section 12) as common client libraries and browsers do it. */
export const acceptHeaders: Headers = [
  ['Accept', 'application/json, text/plain, */*'],
  ['Accept-Encoding', 'gzip, deflate, br'],
  ['Accept-Language', 'de-DE, de;q=0.9, en;q=0.8, *;q=0.5'],
];

/** Adds the headers that a request does not have yet. */
export function addHeaders(request: HttpRequest, extra: Headers): HttpRequest {
  const added = extra.filter(([name]) => getHeaderValues(request.headers, name).length === 0);
  return { ...request, headers: [...request.headers, ...added] };
}

/** Replaces each header value that is a placeholder by the secret itself. */
export function insertSecrets(request: HttpRequest, secrets: readonly Secret[]): HttpRequest {
  const findValue = (value: string) => secrets.find(({ placeholder }) => placeholder === value)?.value ?? value;
  return { ...request, headers: request.headers.map(([name, value]) => [name, findValue(value)] as const) };
}
