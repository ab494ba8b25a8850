import { decodePercent } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { isJsonObject, parseJson } from '../support/json.js';

type Rewrite = (request: HttpRequest) => HttpRequest;

/**
 * The values of `sent` in a case file: other encodings of a request, which mean the same by HTTP and JSON. Several are
 * applied in this order: those that rewrite the body come before those that change its text.
 */
export const equivalentRequestForms = {
  chunked: (request) => ({ ...request, sent: 'chunked' }),
  'in-pieces': (request) => ({ ...request, sent: 'in-pieces' }),
  'on-a-fresh-connection': (request) => ({ ...request, sent: 'on-a-fresh-connection' }),
  'with-accept-headers': (request) => ({ ...request, sent: 'with-accept-headers' }),
  'members-reversed': rewriteJson((body) => JSON.stringify(JSON.parse(body, reverseMembers))),
  'pretty-printed': rewriteJson((body) => JSON.stringify(JSON.parse(body), null, 2)),
  'with-escaped-letters': rewriteBody((body) => body.replaceAll(/"(?:[^"\\]|\\.)*"/g, escapeLetters)),
  'after-white-space': rewriteBody((body) => `\r\n\t ${body} \n`),
  'values-percent-encoded-in-lower-case': (request) => ({ ...request, path: encodeValues(request.path) }),
  'header-names-in-lower-case': rewriteHeaderNames((name) => name.toLowerCase()),
  'header-names-in-upper-case': rewriteHeaderNames((name) => name.toUpperCase()),
} as const satisfies Readonly<Record<string, Rewrite>>;

export type EquivalentRequestForm = keyof typeof equivalentRequestForms;

/** What a request must have for a form. Any other form fits every request. */
export const equivalentFormNeeds: Readonly<
  Partial<Record<EquivalentRequestForm, 'a JSON body' | 'a percent-encoded query'>>
> = {
  'members-reversed': 'a JSON body',
  'pretty-printed': 'a JSON body',
  'with-escaped-letters': 'a JSON body',
  'values-percent-encoded-in-lower-case': 'a percent-encoded query',
};

export function applyEquivalentForms(request: HttpRequest, forms: readonly EquivalentRequestForm[]): HttpRequest {
  const ordered = (Object.keys(equivalentRequestForms) as EquivalentRequestForm[]).filter((form) =>
    forms.includes(form),
  );
  return ordered.reduce((before, form) => equivalentRequestForms[form](before), request);
}

function rewriteBody(rewrite: (body: string) => string): Rewrite {
  return (request) => (request.body === undefined ? request : { ...request, body: rewrite(request.body) });
}

/** The reader of a case file reports a body that is not JSON: here it stays as it is. */
function rewriteJson(rewrite: (body: string) => string): Rewrite {
  return rewriteBody((body) => (parseJson(body) === undefined ? body : rewrite(body)));
}

/** Escapes the first letter of a JSON string, its slashes and all letters beyond ASCII (RFC 8259, section 7). */
function escapeLetters(text: string): string {
  const escapeUnit = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text
    .replace(/^"[A-Za-z]/, ([quote = '', first = '']) => `${quote}${escapeUnit(first)}`)
    .replaceAll(/[^\0-\x7f]/g, escapeUnit)
    .replaceAll('/', '\\/');
}

function reverseMembers(_: string, value: unknown): unknown {
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).reverse()) : value;
}

/** Percent-encodes every byte of each query value (RFC 3986, section 2). */
function encodeValues(path: string): string {
  const encode = (value: string) => Buffer.from(decodePercent(value)).toString('hex').replaceAll(/../g, '%$&');
  return path.replaceAll(/(?<=[?&][^?&=]*=)[^&]*/g, encode);
}

function rewriteHeaderNames(rewrite: (name: string) => string): Rewrite {
  return (request) => ({
    ...request,
    headers: request.headers.map(([name, value]) => [rewrite(name), value] as const),
  });
}
