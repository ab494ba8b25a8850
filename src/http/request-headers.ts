import type { Secret } from '../redaction/redactor.js';
import { getHeaderValues, type Headers, type HttpRequest } from './exchange.js';

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
