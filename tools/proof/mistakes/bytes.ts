import type { HttpRequest } from '../../../src/http/exchange.js';
import type { Mistake } from './mistake.js';

/** Reads the body of a request from its bytes; `undefined` when the body is taken for absent. */
export type BodyReading = (request: HttpRequest) => HttpRequest | undefined;

/** Reads a query string. */
export type QueryReading = (query: string) => string;

const bodyMistake = (id: string, story: string, plug: BodyReading): Mistake<BodyReading> => ({ id, story, plug });

/** Takes the body for absent when its text has a property. */
const absentIf =
  (isAbsent: (body: string) => boolean): BodyReading =>
  (request) =>
    isAbsent(request.body ?? '') ? undefined : request;

const rewritten =
  (rewrite: (body: string) => string): BodyReading =>
  (request) => ({ ...request, body: rewrite(request.body ?? '') });

/** The members of the top level, in the order of the text. */
function membersOf(body: string): string[] {
  try {
    return Object.keys(JSON.parse(body));
  } catch {
    return [];
  }
}

type Item = Readonly<Record<string, unknown>>;

/** Reads the items of an order otherwise. A body without such items stays as it is. */
function rewriteItems(rewrite: (items: readonly Item[]) => readonly Item[]): BodyReading {
  return (request) => {
    try {
      const body = JSON.parse(request.body ?? '');
      const order = { ...body.order, items: rewrite(body.order.items) };
      return { ...request, body: JSON.stringify({ ...body, order }) };
    } catch {
      return request;
    }
  };
}

function isQuantityFirst(item: Item): boolean {
  return Object.keys(item)[0] === 'quantity';
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

export const bodyMistakes: readonly Mistake<BodyReading>[] = [
  ...[1, 2, 4, 8, 16, 32, 64].map((size) =>
    bodyMistake(
      `above-${size}-kb-unread`,
      `A buffer has room for ${size} KB, and a larger body is dropped.`,
      (request) => (Buffer.byteLength(request.body ?? '') > size * 1024 ? undefined : request),
    ),
  ),
  bodyMistake('dropped', 'A proxy, a gateway or the web framework drops the body of a GET.', () => undefined),
  bodyMistake('without-content-length-unread', 'Without Content-Length there is no body.', (request) =>
    request.sent === 'chunked' ? undefined : request,
  ),
  bodyMistake('first-piece-only', 'The first piece is taken for the whole body.', (request) =>
    request.sent === 'in-pieces' ? undefined : request,
  ),
  bodyMistake(
    'fresh-connections-unread',
    'The first request on a connection is answered before its body has come.',
    (request) => (request.sent === 'on-a-fresh-connection' ? undefined : request),
  ),
  bodyMistake(
    'unread-where-compression-is-asked-for',
    'A cache in front drops the body of a GET when it asks for a compressed response.',
    (request) => (request.sent === 'with-accept-headers' ? undefined : request),
  ),
  bodyMistake('reused-connections-unread', 'The body of a second request on a connection is dropped.', (request) =>
    request.sent === undefined ? undefined : request,
  ),
  bodyMistake(
    'white-space-before-unread',
    'A body must begin with a brace.',
    absentIf((body) => !body.startsWith('{')),
  ),
  bodyMistake(
    'byte-order-mark-unread',
    'The parser does not know a byte order mark.',
    absentIf((body) => body.startsWith('\ufeff')),
  ),
  bodyMistake(
    'white-space-after-unread',
    'A body must end with a brace.',
    absentIf((body) => !body.endsWith('}')),
  ),
  bodyMistake(
    'several-lines-unread',
    'The body is read up to the end of the line.',
    absentIf((body) => body.trim().includes('\n')),
  ),
  bodyMistake(
    'one-line-unread',
    'The parser skips the first line.',
    absentIf((body) => !body.trim().includes('\n')),
  ),
  bodyMistake(
    'escapes-unread',
    'The parser leaves escapes as they are.',
    rewritten((body) => body.replaceAll(/\\u(?=[0-9a-f]{4})/gi, '\\\\u')),
  ),
  bodyMistake(
    'escaped-quotes-lost',
    'The parser drops escaped quotes.',
    rewritten((body) => body.replaceAll('\\"', '')),
  ),
  bodyMistake(
    'escaped-backslashes-lost',
    'The parser drops escaped backslashes.',
    rewritten((body) => body.replaceAll('\\\\', '')),
  ),
  bodyMistake(
    'line-escapes-lost',
    'The parser drops \\n and \\t.',
    rewritten((body) => body.replaceAll(/\\[nrt]/g, '')),
  ),
  bodyMistake(
    'slashes-unescaped',
    'The parser does not know \\/.',
    absentIf((body) => body.includes('\\/')),
  ),
  bodyMistake(
    'backslash-before-a-slash-kept',
    'The parser keeps the backslash of \\/.',
    rewritten((body) => body.replaceAll('\\/', '\\\\/')),
  ),
  bodyMistake(
    'as-latin-1',
    'The bytes are decoded as ISO 8859-1.',
    rewritten((body) => Buffer.from(body).toString('latin1')),
  ),
  bodyMistake(
    'as-ascii',
    'The bytes are decoded as ASCII.',
    rewritten((body) => body.replaceAll(/[^\0-\x7f]/gu, '?')),
  ),
  bodyMistake(
    'length-in-characters',
    'Content-Length is compared with the number of characters.',
    absentIf((body) => body.length !== Buffer.byteLength(body)),
  ),
  bodyMistake(
    'quantity-before-its-id-lost',
    'A streaming parser begins an item at its id, and a quantity before it is lost.',
    rewriteItems((items) => items.map((item) => (isQuantityFirst(item) ? { ...item, quantity: 1 } : item))),
  ),
  bodyMistake(
    'quantity-before-its-id-of-the-item-before',
    'A streaming parser gives a quantity to the id that it has read last.',
    rewriteItems((items) =>
      items.map((item, at) => {
        const following = items[at + 1];
        return following !== undefined && isQuantityFirst(following) ? { ...item, quantity: following.quantity } : item;
      }),
    ),
  ),
  bodyMistake(
    'customer-must-be-first',
    'A streaming parser looks for the customer at the beginning.',
    absentIf((body) => membersOf(body).includes('customer') && membersOf(body)[0] !== 'customer'),
  ),
  bodyMistake(
    'order-must-precede-metadata',
    'A streaming parser reads the order before the metadata alone.',
    absentIf((body) => {
      const names = membersOf(body);
      return names.includes('metadata') && names.indexOf('order') > names.indexOf('metadata');
    }),
  ),
  bodyMistake(
    'shallow-alone',
    'A firewall drops bodies that are nested more than three deep.',
    absentIf((body) => {
      try {
        return depthOf(JSON.parse(body)) > 4;
      } catch {
        return false;
      }
    }),
  ),
  bodyMistake(
    'suspicious-unread',
    'A firewall drops bodies with signs of an injection.',
    absentIf((body) => /--|;|<script|\bselect\b/i.test(body)),
  ),
  bodyMistake('unread-with-a-query', 'A request with a query has no body.', (request) =>
    request.path.includes('?') ? undefined : request,
  ),
];

const queryMistake = (id: string, story: string, plug: QueryReading): Mistake<QueryReading> => ({ id, story, plug });

export const queryMistakes: readonly Mistake<QueryReading>[] = [
  ...[50, 64, 100, 128, 255, 512, 1024, 2048].flatMap((length) => [
    queryMistake(
      `above-${length}-characters-unread`,
      `A query of more than ${length} characters is dropped.`,
      (query) => (query.length > length ? '' : query),
    ),
    queryMistake(`cut-after-${length}-characters`, `A buffer keeps ${length} characters of the query.`, (query) =>
      query.slice(0, length),
    ),
  ]),
  queryMistake('unread', 'The query is not read.', () => ''),
  queryMistake('first-parameter-only', 'The first parameter is read.', (query) => query.split('&')[0] ?? ''),
  queryMistake('last-parameter-only', 'The last parameter is read.', (query) => query.split('&').at(-1) ?? ''),
  queryMistake('several-parameters-unread', 'More than one parameter is not expected.', (query) =>
    query.includes('&') ? '' : query,
  ),
  queryMistake('escapes-in-lower-case-unread', 'Hex digits are looked for in upper case alone.', (query) =>
    /%(?:[a-f]|[0-9][a-f])/.test(query) ? '' : query,
  ),
  queryMistake('escapes-in-upper-case-unread', 'Hex digits are looked for in lower case alone.', (query) =>
    /%(?:[A-F]|[0-9][A-F])/.test(query) ? '' : query,
  ),
  queryMistake('encoded-letters-unread', 'Letters that are percent-encoded are not decoded.', (query) =>
    query.replaceAll(/%(?=4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])/gi, '%25'),
  ),
  queryMistake('undecoded', 'The query is not decoded.', (query) => query.replaceAll('%', '%25')),
  queryMistake('names-undecoded', 'The names of parameters are not decoded.', (query) =>
    query.replaceAll(/([^=&]*)(=[^&]*)?/g, (_, name = '', value = '') => name.replaceAll('%', '%25') + value),
  ),
  queryMistake('decoded-before-it-is-split', 'The query is decoded before it is split.', (query) => {
    try {
      return decodeURIComponent(query).replaceAll('%', '%25');
    } catch {
      return '';
    }
  }),
  queryMistake('split-at-every-equals-sign', 'What follows a second = is dropped.', (query) =>
    query.replaceAll(/(=[^=&]*)=[^&]*/g, '$1'),
  ),
  queryMistake('as-latin-1', 'Escapes are decoded as ISO 8859-1.', (query) =>
    query.replaceAll(/%(c[2-9a-f]|[d-f][0-9a-f]|[89ab][0-9a-f])/gi, (_, digits: string) =>
      encodeURIComponent(String.fromCharCode(Number.parseInt(digits, 16))),
    ),
  ),
  queryMistake('escapes-beyond-ascii-dropped', 'A firewall drops escapes beyond ASCII.', (query) =>
    query.replaceAll(/%[89a-f][0-9a-f]/gi, ''),
  ),
  queryMistake('cut-at-an-encoded-nul', 'A NUL ends a text in C.', (query) => query.split('%00')[0] ?? ''),
  queryMistake('lower-case', 'The query is made lower case by a cache.', (query) => query.toLowerCase()),
  queryMistake('upper-case-lost', 'A parameter with capital letters is dropped.', (query) =>
    /[A-Z]/.test(query.replaceAll(/%[0-9A-F]{2}/g, '')) ? '' : query,
  ),
  queryMistake('suspicious-unread', 'A firewall drops queries with signs of an injection.', (query) =>
    /%27|%22|--|%3b|%3c/i.test(query) ? '' : query,
  ),
];
