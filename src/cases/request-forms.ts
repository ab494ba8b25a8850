import type { HttpRequest } from '../http/exchange.js';

/** Writes or sends a request otherwise, which HTTP and JSON say means the same. */
type Rewriting = (request: HttpRequest) => HttpRequest;

/**
 * What a case file may say under `sent`. Several together are applied in this order: those that write the body anew come
 * before those that change its text.
 */
export const requestForms = {
  chunked: (request) => ({ ...request, sent: 'chunked' }),
  'in-pieces': (request) => ({ ...request, sent: 'in-pieces' }),
  'on-a-fresh-connection': (request) => ({ ...request, sent: 'on-a-fresh-connection' }),
  'members-reversed': withBody((body) => JSON.stringify(reversed(JSON.parse(body)))),
  'pretty-printed': withBody((body) => JSON.stringify(JSON.parse(body), null, 2)),
  'with-escaped-letters': withBody((body) => body.replaceAll(/"(?:[^"\\]|\\.)*"/g, escaped)),
  'after-white-space': withBody((body) => `\r\n\t ${body} \n`),
  'values-percent-encoded': withValues((byte) => `%${byte.toUpperCase()}`),
  'values-percent-encoded-in-lower-case': withValues((byte) => `%${byte}`),
  'header-names-in-lower-case': withHeaderNames((name) => name.toLowerCase()),
  'header-names-in-upper-case': withHeaderNames((name) => name.toUpperCase()),
} as const satisfies Readonly<Record<string, Rewriting>>;

export type RequestForm = keyof typeof requestForms;

/** Of these a request has one at the most. */
const exclusive: readonly (readonly RequestForm[])[] = [
  ['chunked', 'in-pieces', 'on-a-fresh-connection'],
  ['values-percent-encoded', 'values-percent-encoded-in-lower-case'],
  ['header-names-in-lower-case', 'header-names-in-upper-case'],
];

/** What cannot be done to one request together, if there is such. */
export function findConflictingForms(sent: readonly RequestForm[]): readonly RequestForm[] | undefined {
  return exclusive.map((group) => group.filter((each) => sent.includes(each))).find((together) => together.length > 1);
}

/** A request with all of this done to it. */
export function applyForms(request: HttpRequest, sent: readonly RequestForm[]): HttpRequest {
  const inTurn = (Object.keys(requestForms) as RequestForm[]).filter((each) => sent.includes(each));
  return inTurn.reduce((before, each) => requestForms[each](before), request);
}

function withBody(write: (body: string) => string): Rewriting {
  return (request) => (request.body === undefined ? request : { ...request, body: write(request.body) });
}

/** A text of JSON with its first letter and all letters beyond ASCII escaped (RFC 8259, section 7). */
function escaped(text: string): string {
  const unit = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text
    .replace(/^"[A-Za-z]/, ([quote = '', first = '']) => `${quote}${unit(first)}`)
    .replaceAll(/[^\0-\x7f]/g, unit);
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, part]) => [name, reversed(part)] as const)
      .reverse(),
  );
}

/** Every byte of each value of the query written otherwise (RFC 3986, section 2). */
function withValues(write: (byte: string) => string): Rewriting {
  const rewritten = (value: string) =>
    [...Buffer.from(decodeURIComponent(value))].map((byte) => write(byte.toString(16).padStart(2, '0'))).join('');
  return (request) => ({
    ...request,
    path: request.path.replaceAll(/(?<=[?&][^?&=]*=)[^&]*/g, rewritten),
  });
}

function withHeaderNames(write: (name: string) => string): Rewriting {
  return (request) => ({ ...request, headers: request.headers.map(([name, value]) => [write(name), value] as const) });
}
