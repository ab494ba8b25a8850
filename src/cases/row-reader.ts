import type { HttpRequest } from '../http/exchange.js';
import type { YamlPath } from '../support/yaml-file.js';
import type { CaseEntry, CaseFileContext } from './case-file-context.js';
import { combinePairwise } from './pairwise.js';
import { applyPatch, assembleRequest, type RequestDraft, type RequestPatch } from './request-draft.js';
import type { Row } from './test-case.js';

export type SentRow = Pick<Row, 'title' | 'requests'>;

export function readRows(entry: CaseEntry, at: YamlPath, context: CaseFileContext): SentRow[] {
  const { base = {}, templates = {}, shared = {} } = context.document;
  const requests = [
    ...listRequests(shared.requests, ['shared', 'requests']),
    ...listRequests(entry.request && { request: entry.request }, at),
    ...listRequests(entry.requests, [...at, 'requests']),
  ];
  if (requests.length === 0) {
    const hint = "Add 'request: {}' to send the base request, or 'requests:'.";
    context.reportProblem(at, 'the case sends nothing', hint);
    return [];
  }
  const names = requests.map(({ name }) => name);
  for (const [n, { patch, at: path }] of requests.entries()) {
    checkTemplates(patch, path, context);
    if (patch.like !== undefined)
      context.checkName('earlier request', patch.like, names.slice(0, n), [...path, 'like']);
  }
  const patchRequest = (request: RequestDraft, patch: RequestPatch) =>
    [...[patch.use ?? []].flat().map((name) => templates[name] ?? {}), patch].reduce(applyPatch, request);
  const baseRequest = patchRequest(context.defaultRequest, base);
  const axes = Object.entries(entry.matrix ?? {}).map(([name, axis]) =>
    readVariants(axis, [...at, 'matrix', name], names, context),
  );
  return combinePairwise(axes.map(({ length }) => length)).map((places) => {
    const variants = places.map((place, n) => axes[n]?.[place] as Variant);
    const drafts = new Map<string, RequestDraft>();
    for (const { name, patch } of requests) {
      const start = drafts.get(patch.like ?? '') ?? baseRequest;
      const changes = variants.flatMap(({ patches }) => [patches.every ?? {}, patches[name] ?? {}]);
      drafts.set(name, [patch, ...changes].reduce(patchRequest, start));
    }
    return {
      title: variants.map(({ title }) => title).join(', '),
      requests: new Map([...drafts].map(([name, draft]) => [name, shareRequest(draft, context)])),
    };
  });
}

/** Makes equal requests one object: what the documentation says about it is determined once. */
function shareRequest(draft: RequestDraft, { resolveId, requestsByContent }: CaseFileContext): HttpRequest {
  const request = assembleRequest(draft, resolveId);
  const key = JSON.stringify(request);
  const shared = requestsByContent.get(key) ?? request;
  requestsByContent.set(key, shared);
  return shared;
}

export function checkTemplates({ use = [] }: RequestPatch, at: YamlPath, context: CaseFileContext): void {
  const known = Object.keys(context.document.templates ?? {});
  for (const name of [use].flat()) context.checkName('template', name, known, [...at, 'use']);
}

interface Variant {
  readonly title: string;
  readonly patches: Readonly<Record<string, RequestPatch>>;
}

/** @param stated the axis, or the name of an axis of the file */
function readVariants(
  stated: NonNullable<CaseEntry['matrix']>[string],
  at: YamlPath,
  requests: readonly string[],
  context: CaseFileContext,
): Variant[] {
  const { axes = {} } = context.document;
  const isName = typeof stated === 'string';
  if (isName && !context.checkName('axis', stated, Object.keys(axes), at)) return [{ title: '', patches: {} }];
  const path: YamlPath = isName ? ['axes', stated] : at;
  return Object.entries((isName ? axes[stated] : stated) ?? {}).map(([title, patches]) => {
    for (const [request, patch] of Object.entries(patches)) {
      checkTemplates(patch, [...path, title, request], context);
      context.checkName('request', request, ['every', ...requests], [...path, title, request], context.file.locateKey);
    }
    return { title, patches };
  });
}

function listRequests(requests: Readonly<Record<string, RequestPatch>> = {}, at: YamlPath) {
  return Object.entries(requests).map(([name, patch]) => ({ name, patch, at: [...at, name] }));
}
