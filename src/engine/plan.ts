import type { Suite } from '../cases/suite.js';
import { type TestCase, tag } from '../cases/test-case.js';
import { moved } from '../contract/relocation.js';
import { type HttpRequest, serializeRequest } from '../http/exchange.js';
import { renderShortList } from '../support/render-short-list.js';
import { findExclusionReason, type RunScope } from './case-exclusion.js';
import { isSerial, listRequests } from './case-sender.js';
import type { Exploration } from './explore.js';
import { listSampleCases } from './sample.js';

/** What a run would send: calibration first, then every case with its requests. */
export interface Plan {
  readonly calibration: readonly HttpRequest[];
  readonly cases: readonly PlannedCase[];
  /** The cases that are sent once more at the end, and how many requests that takes. */
  readonly samples: { readonly ids: readonly string[]; readonly requests: number };
  readonly randomRequests: number;
}

export interface PlannedCase {
  readonly id: string;
  /** Why nothing of it is sent, if so. */
  readonly reason?: string;
  readonly isIntrusive: boolean;
  readonly requests: readonly HttpRequest[];
  /** How many more it has, which are equal to those of an earlier case. */
  readonly sharedRequests: number;
}

export function createPlan(suite: Suite, settings: RunScope & { readonly exploration?: Exploration }): Plan {
  const { operation = {} } = settings.target;
  const sentFor = (testCase: TestCase) => listRequests(testCase).map((request) => moved(request, operation));
  const tally = createRequestTally();
  const cases = suite.cases.map((testCase): PlannedCase => {
    const reason = findExclusionReason(testCase, settings) ?? whyNotApplicable(testCase);
    const isIntrusive = testCase.tags.includes(tag.intrusive);
    const { id } = testCase;
    if (reason !== undefined) return { id, reason, isIntrusive, requests: [], sharedRequests: 0 };
    const added = tally.listNewRequests(testCase);
    tally.addCase(testCase);
    const shared = listRequests(testCase).length - added.length;
    return { id, isIntrusive, requests: added.map((request) => moved(request, operation)), sharedRequests: shared };
  });
  const ids = listSampleCases(suite).map(({ id }) => id);
  return {
    calibration: suite.calibration.map((request) => moved(request, operation)),
    cases,
    samples: { ids, requests: listSampleCases(suite).flatMap(sentFor).length },
    randomRequests: settings.exploration?.requests ?? 0,
  };
}

/** Counts what goes out for several cases: of equal requests one, save for cases that are to be alone. */
export interface RequestTally {
  /** The requests that a case adds to those that were noted. */
  listNewRequests(testCase: TestCase): HttpRequest[];
  addCase(testCase: TestCase): void;
}

export function createRequestTally(): RequestTally {
  const noted = new Set<string>();
  return {
    listNewRequests(testCase) {
      const all = listRequests(testCase);
      if (isSerial(testCase)) return all;
      const byText = new Map(all.map((request) => [serializeRequest(request), request]));
      return [...byText].flatMap(([text, request]) => (noted.has(text) ? [] : [request]));
    },
    addCase(testCase) {
      if (!isSerial(testCase)) for (const request of listRequests(testCase)) noted.add(serializeRequest(request));
    },
  };
}

/** How many requests a plan has, random ones aside. */
export function countPlannedRequests({ calibration, cases, samples: again }: Plan): number {
  return calibration.length + requestsIn(cases) + again.requests;
}

function requestsIn(cases: readonly PlannedCase[]): number {
  return cases.reduce((total, { requests }) => total + requests.length, 0);
}

/** A plan for people: a line for each request, and the sums. */
export function renderPlan(plan: Plan): string {
  const { calibration, cases, samples: again, randomRequests } = plan;
  const requestLine = ({ method, path, body }: HttpRequest): string =>
    `  ${method} ${path}${body === undefined ? '' : `  ${body.length} characters`}`;
  const sent = cases.filter(({ reason }) => reason === undefined);
  const total = countPlannedRequests(plan) + randomRequests;
  const intrusive = requestsIn(cases.filter(({ isIntrusive }) => isIntrusive));
  return [
    `calibration  (${calibration.length})`,
    ...calibration.map(requestLine),
    ...cases.flatMap(({ id, reason, isIntrusive, requests, sharedRequests: shared }) => [
      `${id}  ${reason ?? `(${requests.length}${shared === 0 ? '' : `, shares ${shared}`})${isIntrusive ? `  ${tag.intrusive}` : ''}`}`,
      ...requests.map(requestLine),
    ]),
    ...(again.requests === 0 ? [] : [`${again.ids.join(', ')}, once more at the end  (${again.requests})`]),
    ...(randomRequests === 0 ? [] : [`random requests  (${randomRequests}, and as many to shrink a failure)`]),
    '',
    `${sent.length} of ${cases.length} cases, ${total} requests, ${intrusive} of them ${tag.intrusive}; a case that fails is sent two or three times. Nothing was sent.`,
    '',
  ].join('\n');
}

function whyNotApplicable({ rows }: TestCase): string | undefined {
  if (rows.some(({ unavailable }) => unavailable.length === 0)) return undefined;
  const unavailable = [...new Set(rows.flatMap((row) => row.unavailable))];
  return `not applicable: the target does not have ${renderShortList(unavailable)}`;
}
