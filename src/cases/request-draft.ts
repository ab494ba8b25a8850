import { documentedOperation, renderFilterParameter } from '../contract/operation.js';
import type { HttpRequest } from '../http/exchange.js';
import { isJsonObject } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
import type { ThingKind } from '../world/named-world.js';
import { applyForms, type RequestForm } from './request-forms.js';

/** Changes to a request, as a case file writes them. See `schemas/cases.schema.json`. */
export interface RequestPatch {
  like?: string;
  method?: string;
  path?: string;
  query?: string | Record<string, string | string[]>;
  filter?: Record<string, string>;
  headers?: Record<string, string | string[]>;
  without?: string[];
  body?: unknown;
  raw?: string;
  sent?: RequestForm | readonly RequestForm[];
  again?: number;
}

/** A request taken apart, still with the world's names in place of ids. */
export interface RequestDraft {
  readonly method: string;
  readonly path: string;
  readonly query: string | Readonly<Record<string, string | string[]>>;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: { readonly json: unknown } | { readonly raw: string } | undefined;
  readonly sent?: RequestForm | readonly RequestForm[];
  readonly again?: number;
}

/** The request that every base varies. */
export const documentedRequestDraft: RequestDraft = { ...documentedOperation, query: {}, body: undefined };

/** Applies changes to a request. */
export function applyPatch(request: RequestDraft, patch: RequestPatch): RequestDraft {
  const { headers = {}, without = [] } = patch;
  const merged = {
    method: patch.method ?? request.method,
    path: patch.path ?? request.path,
    query: queryOf(request.query, patch),
    headers: { ...request.headers, ...headers },
    body: bodyOf(request.body, patch),
    ...omitUndefined({ sent: patch.sent ?? request.sent, again: patch.again ?? request.again }),
  };
  return without.reduce(removed, merged);
}

function queryOf(before: RequestDraft['query'], { query, filter = {} }: RequestPatch): RequestDraft['query'] {
  // A literal query string stays unless the patch speaks of the query, and then goes as a whole.
  if (typeof query === 'string') return query;
  const filters = Object.entries(filter).map(([subject, value]) =>
    subject === 'campaign'
      ? [renderFilterParameter({ on: 'campaign' }), `<campaign ${value}>`]
      : [renderFilterParameter({ on: 'metadata', key: subject.replace(/^metadata\./, '') }), value],
  );
  if (query === undefined && filters.length === 0) return before;
  return { ...(typeof before === 'string' ? {} : before), ...query, ...Object.fromEntries(filters) };
}

function bodyOf(body: RequestDraft['body'], patch: RequestPatch): RequestDraft['body'] {
  if (patch.raw !== undefined) return { raw: patch.raw };
  if (!('body' in patch)) return body;
  return { json: merge(body !== undefined && 'json' in body ? body.json : undefined, patch.body) };
}

/** Objects are merged at every depth; anything else, null too, replaces. */
function merge(base: unknown, change: unknown): unknown {
  if (!isJsonObject(base) || !isJsonObject(change)) return change;
  const merged = Object.entries(change).map(([key, value]) => [key, merge(base[key], value)] as const);
  return { ...base, ...Object.fromEntries(merged) };
}

/** A request without the member at a path such as `body.order.metadata` or `headers.Content-Type`. */
function removed(request: RequestDraft, dotted: string): RequestDraft {
  const [part, ...steps] = dotted.split('.');
  if (part === 'headers')
    return { ...request, headers: pruned(request.headers, [steps.join('.')]) as RequestDraft['headers'] };
  if (part === 'query') {
    const query =
      typeof request.query === 'string' || steps.length === 0 ? {} : pruned(request.query, [steps.join('.')]);
    return { ...request, query: query as RequestDraft['query'] };
  }
  if (steps.length === 0 || request.body === undefined || 'raw' in request.body) return { ...request, body: undefined };
  return { ...request, body: { json: pruned(request.body.json, steps) } };
}

function pruned(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined || !isJsonObject(value)) return value;
  if (rest.length === 0) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== step));
  return { ...value, [step]: pruned(value[step], rest) };
}

/** Stands for the id of a name: `<customer ann>`. */
const reference = /<([a-z]+) ([^<>]*)>/g;

/** Resolves a reference to an id. */
export type ResolveId = (kind: ThingKind | (string & {}), name: string) => string;

/** Replaces every reference in a text. */
export function resolveReferences(text: string, resolve: ResolveId): string {
  return text.replace(reference, (_, kind: string, name: string) => resolve(kind, name));
}

/** Puts a request together for the wire, with ids in place of references. */
export function assembleRequest(draft: RequestDraft, resolve: ResolveId): HttpRequest {
  const { method, path, query, headers, body, sent = [], again } = draft;
  const rewritten = (request: HttpRequest) => applyForms(request, [sent].flat());
  const fill = (text: string) => resolveReferences(text, resolve);
  const queryString =
    typeof query === 'string'
      ? resolveReferences(query, (kind, name) => encodeURIComponent(resolve(kind, name)))
      : Object.entries(query)
          .flatMap(([name, values]) =>
            [values].flat().map((value) => `${fill(name)}=${encodeURIComponent(fill(value))}`),
          )
          .join('&');
  const request: HttpRequest = {
    method,
    path: queryString === '' ? path : `${path}?${queryString}`,
    headers: Object.entries(headers).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, fill(value)] as const),
    ),
    ...omitUndefined({ again }),
  };
  if (body === undefined) return rewritten(request);
  return rewritten({ ...request, body: 'raw' in body ? fill(body.raw) : JSON.stringify(filled(body.json, fill)) });
}

function filled(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((part) => filled(part, fill));
  if (isRepetition(value)) return Array(value.repeat).fill(filled(value.item, fill));
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [fill(key), filled(part, fill)]));
  return value;
}

/** Stands for a list of equal items that is too long to write. */
function isRepetition(value: unknown): value is { repeat: number; item: unknown } {
  return isJsonObject(value) && Object.keys(value).sort().join() === 'item,repeat' && Number.isInteger(value.repeat);
}
