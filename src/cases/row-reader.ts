import { createOracle, type Oracle } from '../contract/oracle.js';
import type { HttpRequest } from '../http/exchange.js';
import { suggest } from '../support/suggest.js';
import type { YamlPath } from '../support/yaml-file.js';
import type { CaseFileContext } from './case-file-context.js';
import { combinePairwise } from './pairwise.js';
import {
  applyPatch,
  assembleRequest,
  expandTemplates,
  type RequestDraft,
  type RequestPatch,
  type Templates,
} from './request-draft.js';

/** The variants of an axis by title; each changes the requests that it names, or `every` request. */
export type MatrixAxis = Readonly<Record<string, Readonly<Record<string, RequestPatch>>>>;

/** The keys of a case that say what is sent. */
export interface RequestsEntry {
  readonly request?: RequestPatch;
  readonly requests?: Readonly<Record<string, RequestPatch>>;
  /** Axes by name; a text is the name of an axis of the file. */
  readonly matrix?: Readonly<Record<string, MatrixAxis | string>>;
}

/** A request of a row, with what the documentation says about it. */
export interface PreparedRequest {
  readonly http: HttpRequest;
  readonly oracle: Oracle;
}

/** A row with its requests by name, in the order of sending. */
export interface PreparedRow {
  readonly title: string;
  readonly requests: ReadonlyMap<string, PreparedRequest>;
}

/** What all cases of a file have in common for their rows. */
export interface RowDefaults {
  readonly base: RequestDraft;
  readonly templates: Templates;
  readonly requests: Readonly<Record<string, RequestPatch>>;
  readonly axes: Readonly<Record<string, MatrixAxis>>;
}

/** Creates the function that reads the rows of a case. It prepares equal requests once. */
export function createRowReader(
  context: CaseFileContext,
  { base, templates, requests: sharedRequests, axes }: RowDefaults,
): (entry: RequestsEntry, at: YamlPath) => PreparedRow[] {
  const prepared = new Map<string, PreparedRequest>();
  const prepare = (draft: RequestDraft): PreparedRequest => {
    const http = assembleRequest(draft, context.resolveId);
    const key = JSON.stringify(http);
    const known = prepared.get(key) ?? { http, oracle: createOracle(http, context.world) };
    prepared.set(key, known);
    return known;
  };

  return (entry, at) => {
    const requests = [
      ...listRequests(sharedRequests, ['shared', 'requests']),
      ...(entry.request === undefined ? [] : [{ name: 'request', patch: entry.request, at: [...at, 'request'] }]),
      ...listRequests(entry.requests ?? {}, [...at, 'requests']),
    ];
    if (requests.length === 0) {
      context.reportProblem(
        at,
        'the case sends nothing',
        "Add 'request: {}' to send the base request, or 'requests:'.",
      );
      return [];
    }
    const names = requests.map(({ name }) => name);
    for (const [n, { patch, at: path }] of requests.entries()) {
      checkTemplates(patch, path, templates, context);
      const earlier = names.slice(0, n);
      if (patch.like !== undefined && !earlier.includes(patch.like))
        context.reportProblem([...path, 'like'], `no earlier request '${patch.like}'`, suggest(patch.like, earlier));
    }
    const matrix = readMatrix(entry, at, names, { axes, templates }, context);
    return combinePairwise(matrix.map(({ length }) => length)).map((places) => {
      const variants = places.map((place, n) => matrix[n]?.[place] as Variant);
      const drafts = new Map<string, RequestDraft>();
      for (const { name, patch } of requests) {
        const start = patch.like === undefined ? base : (drafts.get(patch.like) ?? base);
        const patches = [patch, ...variants.flatMap((each) => [each.patches.every ?? {}, each.patches[name] ?? {}])];
        drafts.set(name, patches.flatMap((each) => expandTemplates(each, templates)).reduce(applyPatch, start));
      }
      return {
        title: variants.map(({ title }) => title).join(', '),
        requests: new Map([...drafts].map(([name, draft]) => [name, prepare(draft)])),
      };
    });
  };
}

/** Reports unknown templates. */
export function checkTemplates(
  { use = [] }: RequestPatch,
  at: YamlPath,
  templates: Templates,
  context: CaseFileContext,
): void {
  for (const name of [use].flat())
    if (templates[name] === undefined)
      context.reportProblem([...at, 'use'], `unknown template '${name}'`, suggest(name, Object.keys(templates)));
}

interface Variant {
  readonly title: string;
  readonly patches: Readonly<Record<string, RequestPatch>>;
}

/** Reads the axes of a case, each as its variants. */
function readMatrix(
  { matrix = {} }: RequestsEntry,
  at: YamlPath,
  requests: readonly string[],
  { axes, templates }: Pick<RowDefaults, 'axes' | 'templates'>,
  context: CaseFileContext,
): Variant[][] {
  return Object.entries(matrix).map(([name, stated]) => {
    const path: YamlPath = typeof stated === 'string' ? ['axes', stated] : [...at, 'matrix', name];
    const axis = typeof stated === 'string' ? axes[stated] : stated;
    if (axis === undefined) {
      const hint = suggest(String(stated), Object.keys(axes));
      context.reportProblem([...at, 'matrix', name], `unknown axis '${String(stated)}'`, hint);
      return [{ title: '', patches: {} }];
    }
    return Object.entries(axis).map(([title, patches]) => {
      for (const [request, patch] of Object.entries(patches)) {
        checkTemplates(patch, [...path, title, request], templates, context);
        if (request === 'every' || requests.includes(request)) continue;
        const hint = suggest(request, ['every', ...requests]);
        context.reportKeyProblem([...path, title, request], `unknown request '${request}'`, hint);
      }
      return { title, patches };
    });
  });
}

function listRequests(
  requests: Readonly<Record<string, RequestPatch>>,
  at: YamlPath,
): { name: string; patch: RequestPatch; at: YamlPath }[] {
  return Object.entries(requests).map(([name, patch]) => ({ name, patch, at: [...at, name] }));
}
