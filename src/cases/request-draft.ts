import { documentedOperation, renderFilterParameter } from '../contract/operation.js';
import { encodeQueryText, isPercentDecodable } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { groupBy } from '../support/collections.js';
import { isJsonObject, parseJson } from '../support/json.js';
import { applyEquivalentForms, type EquivalentRequestForm, equivalentFormNeeds } from './equivalent-request-forms.js';

/** Changes to a request, as a case file writes them. See `schemas/cases.schema.json`. */
export interface RequestPatch {
  /** The name of a complete request that is changed. */
  from?: string;
  method?: string;
  path?: string;
  query?: string | Record<string, string | string[]>;
  filter?: Record<string, string>;
  headers?: Record<string, string | string[]>;
  without?: readonly MemberPath[];
  body?: unknown;
  raw?: string;
  sent?: EquivalentRequestForm | readonly EquivalentRequestForm[];
  again?: number;
}

/** Where a member of a request is: `body.order.metadata`, or a list of steps if one of them has a dot. */
export type MemberPath = string | readonly string[];

/** A request in parts, with names of the world in place of ids. */
export type RequestDraft = Pick<
  RequestPatch,
  'method' | 'path' | 'query' | 'headers' | 'body' | 'raw' | 'sent' | 'again'
>;

export const documentedRequestDraft: RequestDraft = documentedOperation;

/** Applies changes to a request. */
export function applyPatch(request: RequestDraft, patch: RequestPatch): RequestDraft {
  const merged = mergePatch(request, patch);
  return listRemovedSteps(merged, patch).reduce(removeMember, merged);
}

/** Lists what a patch removes although the request does not have it. */
export function listUnmatchedRemovals(request: RequestDraft, patch: RequestPatch): MemberPath[] {
  const merged = mergePatch(request, patch);
  const steps = listRemovedSteps(merged, patch);
  return (patch.without ?? []).filter((_, n) => !hasMember(merged, steps[n] ?? []));
}

function mergePatch(request: RequestDraft, patch: RequestPatch): RequestDraft {
  const { from: _, filter, without: __, query, headers = {}, body, raw, ...changes } = patch;
  const merged: RequestDraft = { ...request, ...changes, headers: mergeHeaders(request.headers, headers) };
  if (query !== undefined || filter !== undefined) merged.query = mergeQuery(request.query, patch);
  if (body !== undefined || raw !== undefined) Object.assign(merged, { raw, body: mergeJson(request.body, body) });
  return merged;
}

/** A header replaces the one of the same name, in whichever letter case: names ignore it (RFC 9110, section 5.1). */
function mergeHeaders(before: RequestDraft['headers'] = {}, changes: NonNullable<RequestDraft['headers']>) {
  const byName = (headers: typeof changes) => groupBy(Object.entries(headers), ([name]) => name.toLowerCase());
  // A new header takes the place of the one that it replaces.
  const merged = new Map([...byName(before), ...byName(changes)]);
  return Object.fromEntries([...merged.values()].flat());
}

/** Lists the steps to each member that a patch removes. The names of headers are those that the request has. */
function listRemovedSteps({ headers = {} }: RequestDraft, { without = [] }: RequestPatch): (readonly string[])[] {
  return without.map((path) => {
    const steps = typeof path === 'string' ? path.split('.') : path;
    const [part, name = ''] = steps;
    if (part !== 'headers' || steps.length === 1) return steps;
    const known = Object.keys(headers).find((header) => header.toLowerCase() === name.toLowerCase());
    return [part, known ?? name];
  });
}

function hasMember(value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return value !== undefined;
  return isJsonObject(value) && Object.hasOwn(value, step) && hasMember(value[step], rest);
}

/**
 * Parameters cannot be added to a literal query string: they replace it. They come in the order in which the patch has
 * `query` and `filter`.
 */
function mergeQuery(before: RequestPatch['query'], patch: RequestPatch) {
  const { query, filter = {} } = patch;
  if (typeof query === 'string') return query;
  const filters = Object.entries(filter).map(([subject, value]) =>
    subject === 'campaign'
      ? [renderFilterParameter({ on: 'campaign' }), `<campaign ${value}>`]
      : [renderFilterParameter({ on: 'metadata', key: subject.replace(/^metadata\./, '') }), value],
  );
  const parts = { query: query ?? {}, filter: Object.fromEntries(filters) };
  const added = Object.keys(patch).flatMap((key) => (key === 'query' || key === 'filter' ? [parts[key]] : []));
  return Object.assign({}, typeof before === 'string' ? {} : before, ...added);
}

/** Merges objects at every depth; any other value, null too, replaces. */
function mergeJson(base: unknown, change: unknown): unknown {
  if (!isJsonObject(base) || !isJsonObject(change)) return change;
  const merged = Object.entries(change).map(([key, value]) => [key, mergeJson(base[key], value)] as const);
  return { ...base, ...Object.fromEntries(merged) };
}

export function removeMember<T>(value: T, [step, ...rest]: readonly string[]): T {
  if (step === undefined || !isJsonObject(value)) return value;
  const members = Object.entries(value);
  const kept =
    rest.length === 0
      ? members.filter(([key]) => key !== step)
      : members.map(([key, part]) => [key, key === step ? removeMember(part, rest) : part]);
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
      ? resolveReferences(query, (kind, name) => encodeQueryText(resolveId(kind, name)))
      : pairs(query)
          .map(([name, value]) => `${encodeQueryText(fill(name))}=${encodeQueryText(value)}`)
          .join('&');
  const fillPart = (_: string, value: unknown): unknown => {
    if (typeof value === 'string') return fill(value);
    if (Array.isArray(value)) return value.flatMap((entry) => (isRepetition(entry) ? repeatItem(entry) : [entry]));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [fill(key), part]));
  };
  const request: HttpRequest = {
    method,
    path: queryString === '' ? path : `${path}?${queryString}`,
    headers: pairs(headers),
    again,
    body: raw === undefined ? JSON.stringify(body, fillPart) : fill(raw),
  };
  return applyEquivalentForms(request, [sent].flat());
}

/** Finds a form that the request cannot have, and says what the form needs. */
export function findUnusableRequestForm({
  raw,
  query,
  sent = [],
}: RequestDraft): { form: EquivalentRequestForm; needs: string } | undefined {
  const unusable = [sent].flat().find((form) => {
    const need = equivalentFormNeeds[form];
    if (need === 'a JSON body') return raw !== undefined && parseJson(raw) === undefined;
    return need === 'a percent-encoded query' && typeof query === 'string' && !isPercentDecodable(query);
  });
  return unusable && { form: unusable, needs: equivalentFormNeeds[unusable] ?? '' };
}

interface Repetition {
  readonly repeat: number;
  readonly item: unknown;
}

const repeatItem = ({ repeat, item }: Repetition): unknown[] => Array(repeat).fill(item);

/** In a list, `{ repeat, item }` stands for equal items that are too many to write. */
function isRepetition(value: unknown): value is Repetition {
  return isJsonObject(value) && Object.keys(value).sort().join() === 'item,repeat' && Number.isInteger(value.repeat);
}
