import type { HttpRequest } from '../http/exchange.js';
import { groupBy } from '../support/collections.js';
import type { YamlPath } from '../support/yaml-file.js';
import type { CaseEntry, CaseFileContext, RequestPatches } from './case-file-context.js';
import { applyPatch, assembleRequest, type RequestDraft, type RequestPatch } from './request-draft.js';
import { type Row, tag } from './test-case.js';

export type SentRow = Pick<Row, 'title' | 'requests'>;

export function readRows(entry: CaseEntry, at: YamlPath, context: CaseFileContext): SentRow[] {
  const { base = {}, shared = {} } = context.document;
  const requests = [
    ...listRequests(shared.requests, ['shared', 'requests']),
    ...listRequests(entry.request && { request: entry.request }, at),
    ...listRequests(entry.requests, [...at, 'requests']),
  ];
  const names = requests.map(({ name }) => name);
  if (names.length === 0) {
    context.reportProblem(at, 'the case sends nothing', "Add 'request: {}' to send the base request, or 'requests:'.");
    return [];
  }
  const baseRequest = patchRequest(context.defaultRequest, base, ['base'], context);
  const rows = Object.entries(entry.rows ?? { '': {} }).map(([title, changes]): SentRow => {
    const path = [...at, 'rows', title];
    for (const name of Object.keys(changes))
      context.checkName('request', name, ['every', ...names], [...path, name], context.file.locateKey);
    const drafts = new Map<string, RequestDraft>();
    for (const { name, patch, at: place } of requests) {
      const { like } = patch;
      if (like !== undefined) context.checkName('earlier request', like, [...drafts.keys()], [...place, 'like']);
      let draft = patchRequest(drafts.get(like ?? '') ?? baseRequest, patch, place, context);
      for (const part of ['every', name]) draft = patchRequest(draft, changes[part] ?? {}, [...path, part], context);
      drafts.set(name, draft);
    }
    return { title, requests: new Map([...drafts].map(([name, draft]) => [name, shareRequest(draft, context)])) };
  });
  reportEqualRequests(rows, entry.tags ?? [], at, context);
  return rows;
}

function listRequests(requests: RequestPatches = {}, at: YamlPath) {
  return Object.entries(requests).map(([name, patch]) => ({ name, patch, at: [...at, name] }));
}

/** Applies changes to a request, those of the templates first. */
function patchRequest(request: RequestDraft, patch: RequestPatch, at: YamlPath, context: CaseFileContext) {
  const { templates = {} } = context.document;
  const used = [patch.use ?? []].flat();
  for (const name of used) context.checkName('template', name, Object.keys(templates), [...at, 'use']);
  return [...used.map((name) => templates[name] ?? {}), patch].reduce(applyPatch, request);
}

/** Makes equal requests one object: what the documentation says about it is determined once. */
function shareRequest(draft: RequestDraft, { resolveId, requestsByContent }: CaseFileContext): HttpRequest {
  const request = assembleRequest(draft, resolveId);
  const key = JSON.stringify(request);
  const shared = requestsByContent.get(key) ?? request;
  requestsByContent.set(key, shared);
  return shared;
}

/** Finds two requests of a case that are equal in every row: only one of them would be sent. */
function reportEqualRequests(
  rows: readonly SentRow[],
  tags: readonly string[],
  at: YamlPath,
  context: CaseFileContext,
) {
  const names = tags.includes(tag.serial) ? [] : [...(rows[0]?.requests.keys() ?? [])];
  const byContent = groupBy(names, (name) => JSON.stringify(rows.map(({ requests }) => requests.get(name))));
  const [name, twin] = [...byContent.values()].find(({ length }) => length > 1) ?? [];
  if (twin === undefined) return;
  const hint = `Remove one of them, or add 'again: 1' to '${twin}' to send both.`;
  context.reportProblem(at, `the requests '${name}' and '${twin}' are equal, so only one is sent`, hint);
}
