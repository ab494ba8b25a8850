import type { HttpRequest } from './exchange.js';

/** What a request says, taken apart for those who judge it. */
export interface RequestContent {
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
  /** Query parameters in order: the name as it goes over the wire, the value percent-decoded (RFC 3986). */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** The JSON value of the body; absent where there is no body or it is no JSON. */
  readonly body?: unknown;
}

/** Takes a request apart. Names of query parameters stay as they are, since how they are written matters. */
export function parseRequest(request: HttpRequest): RequestContent {
  const [path = '', queryString] = splitOnce(request.path, '?');
  const headers: Record<string, string[]> = {};
  for (const [name, value] of request.headers) {
    const key = name.toLowerCase();
    headers[key] = [...(headers[key] ?? []), value];
  }
  return {
    method: request.method,
    path,
    query: (queryString ?? '')
      .split('&')
      .filter((part) => part !== '')
      .map((part) => {
        const [name = '', value = ''] = splitOnce(part, '=');
        return [name, decodePercent(value)] as const;
      }),
    headers,
    ...parseBody(request.body),
  };
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** A value of a query as it was before it was percent-encoded; one that was not, as it is. */
export function decodePercent(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function parseBody(body: string | undefined): { body?: unknown } {
  if (body === undefined) return {};
  try {
    return { body: JSON.parse(body) };
  } catch {
    return {};
  }
}
