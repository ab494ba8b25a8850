import { findExclusionReason, type RunScope } from '../cases/case-selection.js';
import type { Suite } from '../cases/suite.js';
import { type TestCase, tag } from '../cases/test-case.js';
import { describeRequest } from '../contract/describe-request.js';
import type { NamedWorld } from '../contract/world.js';
import { type HttpRequest, serializeRequest } from '../http/exchange.js';
import { renderShortList } from '../support/collections.js';
import { joinLines, shorten } from '../support/untrusted-text.js';
import { isSerial, listRequests } from './case-sender.js';
import { findFilterRequest } from './filter-spelling.js';

/** How many of the first requests drawn from a data file are sent again. After a failure, all of them are. */
export const watchedRequests = 8;

export function listSampleCases({ cases }: Pick<Suite, 'cases'>): readonly TestCase[] {
  return cases.filter(({ tags }) => tags.includes(tag.sample));
}

type Plan = ReturnType<typeof createPlan>;

export function createPlan(suite: Suite, settings: RunScope) {
  const alone = [findFilterRequest(suite) ?? []].flat();
  // Cases share requests that are sent before them if there are many: those that are drawn from a data file.
  const known = new Set((suite.data === undefined ? alone : [...suite.calibration, ...alone]).map(serializeRequest));
  const listNewRequests = (testCase: TestCase): HttpRequest[] => {
    const all = listRequests(testCase);
    if (isSerial(testCase)) return all;
    const added = [...new Map(all.map((request) => [serializeRequest(request), request]))].filter(
      ([text]) => !known.has(text),
    );
    for (const [text] of added) known.add(text);
    return added.map(([, request]) => request);
  };
  const samples = listSampleCases(suite);
  return {
    calibration: [...alone, ...suite.calibration],
    cases: suite.cases.map((testCase) => {
      const { id, tags } = testCase;
      const reason = findExclusionReason(testCase, settings) ?? explainNotApplicable(testCase);
      const requests = reason === undefined ? listNewRequests(testCase) : [];
      return { id, reason, isIntrusive: tags.includes(tag.intrusive), requests };
    }),
    samples:
      suite.data === undefined
        ? { ids: samples.map(({ id }) => id), requests: samples.flatMap(listRequests).length }
        : { ids: ['before the cases'], requests: Math.min(watchedRequests, suite.calibration.length) },
  };
}

export function countPlannedRequests({ calibration, cases, samples }: Plan): number {
  return calibration.length + cases.flatMap(({ requests }) => requests).length + samples.requests;
}

export function renderPlan(plan: Plan, world: NamedWorld): string {
  const { calibration, cases, samples } = plan;
  const requestLine = (request: HttpRequest) => `  ${shorten(describeRequest(request, world), 160)}`;
  const sent = cases.filter(({ reason }) => reason === undefined);
  return joinLines([
    `before the cases  (${calibration.length})`,
    ...calibration.map(requestLine),
    ...cases.flatMap(({ id, reason, isIntrusive, requests }) => [
      `${id}  ${reason ?? `(${requests.length})${isIntrusive ? `  ${tag.intrusive}` : ''}`}`,
      ...requests.map(requestLine),
    ]),
    ...(samples.requests === 0 ? [] : [`${samples.ids.join(', ')}, again at the end  (${samples.requests})`]),
    '',
    `${sent.length} of ${cases.length} cases, ${countPlannedRequests(plan)} requests. What fails is sent again. Nothing was sent. For the requests of a case in full: npx conformance explain CASE`,
  ]);
}

function explainNotApplicable({ rows }: TestCase): string | undefined {
  if (rows.some(({ unavailable }) => unavailable.length === 0)) return undefined;
  const unavailable = [...new Set(rows.flatMap((row) => row.unavailable))];
  return `not applicable: the target does not have ${renderShortList(unavailable)}`;
}
