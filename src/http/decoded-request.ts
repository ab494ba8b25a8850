import { cacheByObject } from '../support/caches.js';
import { groupBy } from '../support/collections.js';
import type { HttpRequest } from './exchange.js';

export interface DecodedRequest {
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
  /** Query parameters in order, percent-decoded (RFC 3986). */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** The JSON value of the body; absent if there is no body, or if it is not JSON. */
  readonly body?: unknown;
}

/** A request is read several times. */
export const parseRequest = cacheByObject((request: HttpRequest): DecodedRequest => {
  const [, path = '', queryString = ''] = /^([^?]*)\??(.*)$/s.exec(request.path) ?? [];
  const headers = groupBy(request.headers, ([name]) => name.toLowerCase());
  const parameters = queryString.split('&').filter((part) => part !== '');
  return {
    method: request.method,
    path,
    query: parameters.map((part) => {
      const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(part) ?? [];
      return [decodePercent(name), decodePercent(value)] as const;
    }),
    headers: Object.fromEntries(Array.from(headers, ([name, lines]) => [name, lines.map(([, value]) => value)])),
    ...parseBody(request.body),
  };
});

/**
 * Percent-encodes a text as forms do (WHATWG URL, application/x-www-form-urlencoded), but a space as %20. Half of a surrogate
 * pair becomes U+FFFD, as in a form.
 */
export function encodeQueryText(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\uFFFD')).replaceAll(
    /[!'()~]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Whether a text can be percent-decoded: each percent sign begins an escape, and the bytes are UTF-8. */
export function isPercentDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns any other value as it is. */
export function decodePercent(value: string): string {
  return isPercentDecodable(value) ? decodeURIComponent(value) : value;
}

function parseBody(body = ''): { body?: unknown } {
  try {
    return { body: JSON.parse(body) };
  } catch {
    return {};
  }
}
