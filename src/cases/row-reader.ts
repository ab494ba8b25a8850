import { createOracle, type Oracle } from '../contract/oracle.js';
import type { HttpRequest } from '../http/exchange.js';
import { suggest } from '../support/suggest.js';
import type { YamlPath } from '../support/yaml-file.js';
import type { CaseFileContext } from './case-file-context.js';
import { combinePairwise } from './pairwise.js';
import { applyPatch, assembleRequest, type RequestDraft, type RequestPatch } from './request-draft.js';
import { findConflictingForms } from './request-forms.js';

/** The variants of an axis, by title; each changes the requests that it names, or `every` request. */
export type MatrixAxis = Readonly<Record<string, Readonly<Record<string, RequestPatch>>>>;

/** What of a case says what is sent. */
export interface RequestsEntry {
  readonly request?: RequestPatch;
  readonly requests?: Readonly<Record<string, RequestPatch>>;
  /** By name; a text is the name of an axis that the file shares. */
  readonly matrix?: Readonly<Record<string, MatrixAxis | string>>;
}

/** A request of a row with what the documentation says of it. */
export interface PreparedRequest {
  readonly http: HttpRequest;
  readonly oracle: Oracle;
}

/** What a row sends, by name in the order of sending. */
export interface PreparedRow {
  readonly title: string;
  readonly requests: ReadonlyMap<string, PreparedRequest>;
}

/** What every case of a file shares for its rows. */
export interface RowDefaults {
  readonly base: RequestDraft;
  readonly sharedRequests: Readonly<Record<string, RequestPatch>>;
  readonly axes: Readonly<Record<string, MatrixAxis>>;
}

/** Makes the function that reads the rows of a file's cases: equal requests are prepared once. */
export function createRowReader(
  reader: CaseFileContext,
  { base, sharedRequests, axes }: RowDefaults,
): (entry: RequestsEntry, at: YamlPath) => PreparedRow[] {
  const prepared = new Map<string, PreparedRequest>();
  const prepare = (draft: RequestDraft): PreparedRequest => {
    const http = assembleRequest(draft, reader.resolveId);
    const key = JSON.stringify(http);
    const known = prepared.get(key) ?? { http, oracle: createOracle(http, reader.world) };
    prepared.set(key, known);
    return known;
  };

  return (entry, at) => {
    const requests = [
      ...listed(sharedRequests, ['shared', 'requests']),
      ...(entry.request === undefined ? [] : [{ name: 'request', patch: entry.request, at: [...at, 'request'] }]),
      ...listed(entry.requests ?? {}, [...at, 'requests']),
    ];
    if (requests.length === 0) {
      reader.reportProblem(at, 'the case sends nothing', "Add 'request: {}' to send the base request, or 'requests:'.");
      return [];
    }
    const names = requests.map(({ name }) => name);
    for (const { name, patch, at } of requests) {
      checkPatch(patch, at, reader);
      checkStart(patch.like, names.slice(0, names.indexOf(name)), [...at, 'like'], reader);
    }
    const matrix = readAxes(entry, at, names, axes, reader);
    return combinePairwise(matrix.map(({ length }) => length)).map((row) => {
      const variants = row.map((place, n) => matrix[n]?.[place] as Variant);
      const drafts = new Map<string, RequestDraft>();
      for (const { name, patch } of requests) {
        const start = patch.like === undefined ? base : (drafts.get(patch.like) ?? base);
        const whole = variants.reduce(
          (request, { patches }) => applyPatch(applyPatch(request, patches.every ?? {}), patches[name] ?? {}),
          applyPatch(start, patch),
        );
        drafts.set(name, whole);
      }
      return {
        title: variants.map(({ title }) => title).join(', '),
        requests: new Map([...drafts].map(([name, each]) => [name, prepare(each)])),
      };
    });
  };
}

/** Notes what is wrong with changes to a request, wherever they stand. */
export function checkPatch(
  { raw, query, filter, sent = [], ...patch }: RequestPatch,
  at: YamlPath,
  reader: CaseFileContext,
): void {
  if (raw !== undefined && 'body' in patch)
    reader.reportProblem([...at, 'raw'], 'a request has either body or raw', 'Leave out one of them.');
  if (typeof query === 'string' && filter !== undefined)
    reader.reportProblem(
      [...at, 'filter'],
      'a query that is written out has its filters in it',
      'Leave out one of them.',
    );
  const together = findConflictingForms([sent].flat());
  if (together !== undefined)
    reader.reportProblem([...at, 'sent'], `a request is not sent ${together.join(' and ')}`, 'Leave out one of them.');
  const campaigns = [...reader.world.ids.campaign.keys()];
  if (filter?.campaign === undefined || campaigns.includes(filter.campaign)) return;
  const message = `there is no campaign '${filter.campaign}' in the world`;
  reader.reportProblem([...at, 'filter', 'campaign'], message, suggest(filter.campaign, campaigns));
}

/** @param earlier the requests that stand before the one that starts from another */
function checkStart(like: string | undefined, earlier: readonly string[], at: YamlPath, reader: CaseFileContext): void {
  if (like === undefined || earlier.includes(like)) return;
  reader.reportProblem(at, `there is no earlier request '${like}'`, suggest(like, earlier));
}

interface Variant {
  readonly title: string;
  readonly patches: Readonly<Record<string, RequestPatch>>;
}

/** The axes of a case, each as its variants. */
function readAxes(
  { matrix = {} }: RequestsEntry,
  at: YamlPath,
  requests: readonly string[],
  shared: Readonly<Record<string, MatrixAxis>>,
  reader: CaseFileContext,
): Variant[][] {
  return Object.entries(matrix).map(([name, stated]) => {
    const where: YamlPath = typeof stated === 'string' ? ['axes', stated] : [...at, 'matrix', name];
    const axis = typeof stated === 'string' ? shared[stated] : stated;
    if (axis === undefined) {
      const message = `the file has no axis '${String(stated)}' under 'axes'`;
      reader.reportProblem([...at, 'matrix', name], message, suggest(String(stated), Object.keys(shared)));
      return [{ title: '', patches: {} }];
    }
    return Object.entries(axis).map(([title, patches]) => {
      for (const [request, patch] of Object.entries(patches)) {
        checkPatch(patch, [...where, title, request], reader);
        if (request === 'every' || requests.includes(request)) continue;
        const hint = suggest(request, ['every', ...requests]);
        reader.reportKeyProblem([...where, title, request], `there is no request '${request}'`, hint);
      }
      return { title, patches };
    });
  });
}

function listed(
  requests: Readonly<Record<string, RequestPatch>>,
  at: YamlPath,
): { name: string; patch: RequestPatch; at: YamlPath }[] {
  return Object.entries(requests).map(([name, patch]) => ({ name, patch, at: [...at, name] }));
}
