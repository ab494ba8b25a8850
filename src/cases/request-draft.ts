import { documentedOperation, renderFilterParameter } from '../contract/operation.js';
import type { HttpRequest } from '../http/exchange.js';
import { encodeQueryText } from '../http/request-content.js';
import { omitUndefined } from '../support/collections.js';
import { isJsonObject } from '../support/json.js';
import { applyForms, type RequestForm } from './request-forms.js';

/** Changes to a request, as a case file writes them. See `schemas/cases.schema.json`. */
export interface RequestPatch {
  like?: string;
  use?: string | readonly string[];
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

/** A request in parts, with names of the world in place of ids. */
export interface RequestDraft {
  readonly method: string;
  readonly path: string;
  readonly query: string | Readonly<Record<string, string | string[]>>;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: { readonly json: unknown } | { readonly raw: string } | undefined;
  readonly sent?: RequestForm | readonly RequestForm[];
  readonly again?: number;
}

export const documentedRequestDraft: RequestDraft = { ...documentedOperation, query: {}, body: undefined };

/** Applies changes to a request, without the templates that they use. */
export function applyPatch(request: RequestDraft, patch: RequestPatch): RequestDraft {
  const merged = {
    method: patch.method ?? request.method,
    path: patch.path ?? request.path,
    query: patchQuery(request.query, patch),
    headers: { ...request.headers, ...patch.headers },
    body: patchBody(request.body, patch),
    ...omitUndefined({ sent: patch.sent ?? request.sent, again: patch.again ?? request.again }),
  };
  return (patch.without ?? []).reduce(removeMember, merged);
}

function patchQuery(before: RequestDraft['query'], { query, filter = {} }: RequestPatch): RequestDraft['query'] {
  if (typeof query === 'string') return query;
  const filters = Object.entries(filter).map(([subject, value]) =>
    subject === 'campaign'
      ? [renderFilterParameter({ on: 'campaign' }), `<campaign ${value}>`]
      : [renderFilterParameter({ on: 'metadata', key: subject.replace(/^metadata\./, '') }), value],
  );
  if (query === undefined && filters.length === 0) return before;
  // Parameters cannot be added to a literal query string: they replace it.
  return { ...(typeof before === 'string' ? {} : before), ...query, ...Object.fromEntries(filters) };
}

function patchBody(body: RequestDraft['body'], patch: RequestPatch): RequestDraft['body'] {
  if (patch.raw !== undefined) return { raw: patch.raw };
  if (!('body' in patch)) return body;
  return { json: mergeJson(body !== undefined && 'json' in body ? body.json : undefined, patch.body) };
}

/** Merges objects at every depth; any other value, null too, replaces. */
function mergeJson(base: unknown, change: unknown): unknown {
  if (!isJsonObject(base) || !isJsonObject(change)) return change;
  const merged = Object.entries(change).map(([key, value]) => [key, mergeJson(base[key], value)] as const);
  return { ...base, ...Object.fromEntries(merged) };
}

/** Removes the member at a path such as `body.order.metadata` or `headers.Content-Type`. */
function removeMember(request: RequestDraft, dotted: string): RequestDraft {
  const [part, ...steps] = dotted.split('.');
  const name = steps.join('.');
  if (part === 'headers') return { ...request, headers: prune(request.headers, [name]) };
  if (part === 'query')
    return { ...request, query: typeof request.query === 'string' || name === '' ? {} : prune(request.query, [name]) };
  if (steps.length === 0 || request.body === undefined || 'raw' in request.body) return { ...request, body: undefined };
  return { ...request, body: { json: prune(request.body.json, steps) } };
}

/** Removes the member at a path from an object. */
export function prune<T>(value: T, [step, ...rest]: readonly string[]): T {
  if (step === undefined || !isJsonObject(value)) return value;
  const members = Object.entries(value);
  const kept =
    rest.length === 0
      ? members.filter(([key]) => key !== step)
      : members.map(([key, part]) => [key, key === step ? prune(part, rest) : part]);
  return Object.fromEntries(kept) as T;
}

/** A reference to an id by name: `<customer ann>`. */
const reference = /<([a-z]+) ([^<>]*)>/g;

type ResolveId = (kind: string, name: string) => string;

export function resolveReferences(text: string, resolveId: ResolveId): string {
  return text.replace(reference, (_, kind: string, name: string) => resolveId(kind, name));
}

export function assembleRequest(draft: RequestDraft, resolveId: ResolveId): HttpRequest {
  const { method, path, query, headers, body, sent = [], again } = draft;
  const fill = (text: string) => resolveReferences(text, resolveId);
  const pairs = (values: Readonly<Record<string, string | string[]>>) =>
    Object.entries(values).flatMap(([name, stated]) => [stated].flat().map((value) => [name, fill(value)] as const));
  const queryString =
    typeof query === 'string'
      ? resolveReferences(query, (kind, name) => encodeURIComponent(resolveId(kind, name)))
      : pairs(query)
          .map(([name, value]) => `${encodeQueryText(fill(name))}=${encodeQueryText(value)}`)
          .join('&');
  const fillPart = (_: string, value: unknown): unknown => {
    if (typeof value === 'string') return fill(value);
    if (isRepetition(value)) return Array(value.repeat).fill(value.item);
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [fill(key), part]));
  };
  const bodyText =
    body === undefined ? undefined : 'raw' in body ? fill(body.raw) : JSON.stringify(body.json, fillPart);
  const request: HttpRequest = {
    method,
    path: queryString === '' ? path : `${path}?${queryString}`,
    headers: pairs(headers),
    ...omitUndefined({ again, body: bodyText }),
  };
  return applyForms(request, [sent].flat());
}

/** `{ repeat, item }` is a list of equal items that is too long to write. */
function isRepetition(value: unknown): value is { repeat: number; item: unknown } {
  return isJsonObject(value) && Object.keys(value).sort().join() === 'item,repeat' && Number.isInteger(value.repeat);
}
