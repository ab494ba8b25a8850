import type { HttpRequest } from '../http/exchange.js';
import { groupBy } from '../support/collections.js';
import { hasWellFormedTexts } from '../support/json.js';
import type { YamlPath } from '../support/yaml-file.js';
import type {
  CaseFileContext,
  CaseFileEntry,
  CaseFileRequest,
  CaseFileRequests,
  FileContext,
} from './case-file-context.js';
import {
  applyPatch,
  assembleRequest,
  documentedRequestDraft,
  findUnusableRequestForm,
  listUnmatchedRemovals,
  type RequestDraft,
  type RequestPatch,
} from './request-draft.js';
import { type CaseRow, caseTags } from './test-case.js';

export type SentRow = Pick<CaseRow, 'title' | 'requests'>;

/** A request of a case, and where the file states it. */
interface StatedRequest {
  readonly name: string;
  readonly stated: CaseFileRequest;
  readonly at: YamlPath;
}

/** Reads the requests of a case: those that each row has, and then those of the row. A case without rows has one row. */
export function readRows(entry: CaseFileEntry, at: YamlPath, context: CaseFileContext): SentRow[] {
  const inEachRow = [
    ...listRequests(entry.request === undefined ? {} : { request: entry.request }, at),
    ...listRequests(entry.requests, [...at, 'requests']),
  ];
  const rows = Object.entries(entry.rows ?? { '': {} }).map(([title, requests]) => {
    const path = [...at, 'rows', title];
    return { title, path, stated: [...inEachRow, ...listRequests(requests, path)] };
  });
  const names = [...new Set(rows.flatMap(({ stated }) => stated.map(({ name }) => name)))];
  if (names.length === 0) {
    const hint = "Add 'request:' with the name of a request, 'requests:' or 'rows:'.";
    context.reportProblem(at, 'the case sends nothing', hint);
    return [];
  }
  for (const { stated, path } of rows) reportDifferentNames(stated, names, path, context);
  const sent = rows.map(({ title, stated }): SentRow => {
    const requests = stated.map((request) => [request.name, readRequest(request, context)] as const);
    return { title, requests: new Map(requests) };
  });
  reportEqualRequests(sent, entry.tags ?? [], at, context);
  return sent;
}

function listRequests(requests: CaseFileRequests = {}, at: YamlPath): StatedRequest[] {
  return Object.entries(requests).map(([name, stated]) => ({ name, stated, at: [...at, name] }));
}

/** All rows of a case have the same checks, so they need requests with the same names. */
function reportDifferentNames(
  stated: readonly StatedRequest[],
  names: readonly string[],
  at: YamlPath,
  { reportProblem }: CaseFileContext,
): void {
  const byName = groupBy(stated, ({ name }) => name);
  for (const name of names) {
    const [, again] = byName.get(name) ?? [];
    if (!byName.has(name))
      reportProblem(at, `the row has no request '${name}', which another row has`, `Add '${name}:' to this row.`);
    if (again !== undefined)
      reportProblem(again.at, `each row has the request '${name}' already`, 'Remove it here, or outside of the rows.');
  }
}

function readRequest({ stated, at }: StatedRequest, context: CaseFileContext): HttpRequest {
  const patch = typeof stated === 'string' ? { from: stated } : stated;
  const start = findStart(patch, typeof stated === 'string' ? at : [...at, 'from'], context);
  for (const path of listUnmatchedRemovals(start, patch)) {
    const shown = [path].flat().join('.');
    const hint = 'Correct the path, or remove it. If a name has a dot, write the path as a list of names.';
    context.reportProblem([...at, 'without'], `the request has no member '${shown}' to remove`, hint);
  }
  const draft = applyPatch(start, patch);
  reportUnsendable(draft, at, context);
  return shareRequest(draft, context);
}

/**
 * Finds the request that a patch changes: one with a name, or the documented operation if the patch has a body of its own.
 * After a problem it is some complete request, so that what the case expects is checked, too.
 */
function findStart(
  { from, body, raw }: RequestPatch,
  at: YamlPath,
  { namedRequests, checkName, reportProblem }: CaseFileContext,
): RequestDraft {
  const [complete = documentedRequestDraft] = namedRequests.values();
  if (from !== undefined) {
    checkName('named request', from, [...namedRequests.keys()], at);
    return namedRequests.get(from) ?? complete;
  }
  if (body !== undefined || raw !== undefined) return documentedRequestDraft;
  const [example] = namedRequests.keys();
  const hint = `Add 'from:' with the name of a complete request, such as 'from: ${example}', or a whole 'body:'.`;
  reportProblem(at, 'the request starts from no other request', hint);
  return complete;
}

/** Reports what keeps a request from being written: a form that needs JSON, or a text that no URL can have. */
function reportUnsendable(draft: RequestDraft, at: YamlPath, { reportProblem }: FileContext): void {
  const unusable = findUnusableRequestForm(draft);
  if (unusable !== undefined)
    reportProblem(at, `'sent: ${unusable.form}' does not fit the request`, `It needs ${unusable.needs}.`);
  if (!hasWellFormedTexts(draft.query ?? ''))
    reportProblem(at, 'a query parameter has half of a surrogate pair', 'Write whole characters: a URL is UTF-8.');
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
  const names = tags.includes(caseTags.serial) ? [] : [...(rows[0]?.requests.keys() ?? [])];
  const byContent = groupBy(names, (name) => JSON.stringify(rows.map(({ requests }) => requests.get(name))));
  const [name, twin] = [...byContent.values()].find(({ length }) => length > 1) ?? [];
  if (twin === undefined) return;
  const hint = `Remove one of them, or add 'again: 1' to '${twin}' to send both.`;
  context.reportProblem(at, `the requests '${name}' and '${twin}' are equal, so only one is sent`, hint);
}
