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
export type RequestDraft = Pick<
  RequestPatch,
  'method' | 'path' | 'query' | 'headers' | 'body' | 'raw' | 'sent' | 'again'
>;

export const documentedRequestDraft: RequestDraft = documentedOperation;

/** Applies changes to a request, without the templates that they use. */
export function applyPatch(request: RequestDraft, patch: RequestPatch): RequestDraft {
  const { like: _, use: __, filter, without = [], query, body, raw, ...changes } = patch;
  const merged: RequestDraft = { ...request, ...changes, headers: { ...request.headers, ...patch.headers } };
  if (query !== undefined || filter !== undefined) merged.query = mergeQuery(request.query, patch);
  if (body !== undefined || raw !== undefined) Object.assign(merged, { raw, body: mergeJson(request.body, body) });
  // Each path, such as `body.order.metadata` or `headers.Content-Type`, leads through the draft.
  return without.reduce((draft, path) => prune(draft, path.split('.')), merged);
}

/** Parameters cannot be added to a literal query string: they replace it. */
function mergeQuery(before: RequestPatch['query'], { query, filter = {} }: Pick<RequestPatch, 'query' | 'filter'>) {
  if (typeof query === 'string') return query;
  const filters = Object.entries(filter).map(([subject, value]) =>
    subject === 'campaign'
      ? [renderFilterParameter({ on: 'campaign' }), `<campaign ${value}>`]
      : [renderFilterParameter({ on: 'metadata', key: subject.replace(/^metadata\./, '') }), value],
  );
  return { ...(typeof before === 'string' ? {} : before), ...query, ...Object.fromEntries(filters) };
}

/** Merges objects at every depth; any other value, null too, replaces. */
function mergeJson(base: unknown, change: unknown): unknown {
  if (!isJsonObject(base) || !isJsonObject(change)) return change;
  const merged = Object.entries(change).map(([key, value]) => [key, mergeJson(base[key], value)] as const);
  return { ...base, ...Object.fromEntries(merged) };
}

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
  const { method = '', path = '', query = {}, headers = {}, body, raw, sent = [], again } = draft;
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
  const request: HttpRequest = {
    method,
    path: queryString === '' ? path : `${path}?${queryString}`,
    headers: pairs(headers),
    ...omitUndefined({ again, body: raw === undefined ? JSON.stringify(body, fillPart) : fill(raw) }),
  };
  return applyForms(request, [sent].flat());
}

/** `{ repeat, item }` is a list of equal items that is too long to write. */
function isRepetition(value: unknown): value is { repeat: number; item: unknown } {
  return isJsonObject(value) && Object.keys(value).sort().join() === 'item,repeat' && Number.isInteger(value.repeat);
}
