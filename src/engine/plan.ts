import type { Suite } from '../cases/suite.js';
import { type TestCase, tag } from '../cases/test-case.js';
import { relocateRequest } from '../contract/relocation.js';
import { type HttpRequest, serializeRequest } from '../http/exchange.js';
import { renderShortList } from '../support/render-short-list.js';
import { findExclusionReason, type RunScope } from './case-exclusion.js';
import { isSerial, listRequests } from './case-sender.js';
import type { Exploration } from './request-values.js';
import { listSampleCases } from './sample.js';
import { countExplorationRequests } from './thorough-requests.js';

export interface Plan {
  readonly calibration: readonly HttpRequest[];
  readonly cases: readonly PlannedCase[];
  /** The cases that are sent again at the end, and the number of their requests. */
  readonly samples: { readonly ids: readonly string[]; readonly requests: number };
  readonly randomRequests: number;
}

export interface PlannedCase {
  readonly id: string;
  /** Why nothing is sent, if so. */
  readonly reason?: string;
  readonly isIntrusive: boolean;
  readonly requests: readonly HttpRequest[];
  /** Why some of its requests are not sent: the adapter cannot express them. */
  readonly unsupported?: readonly string[];
  /** The number of further requests that earlier cases have sent already. */
  readonly sharedRequests: number;
}

/** Lists the requests that a run would send. */
export function createPlan(suite: Suite, settings: RunScope & { readonly exploration?: Exploration }): Plan {
  const { operation = {} } = settings.target;
  const relocate = (requests: readonly HttpRequest[]) => requests.map((request) => relocateRequest(request, operation));
  const tally = createRequestTally();
  const cases = suite.cases.map((testCase): PlannedCase => {
    const { id } = testCase;
    const reason = findExclusionReason(testCase, settings) ?? explainNotApplicable(testCase);
    const isIntrusive = testCase.tags.includes(tag.intrusive);
    if (reason !== undefined) return { id, reason, isIntrusive, requests: [], sharedRequests: 0 };
    const added = tally.listNewRequests(testCase);
    tally.addCase(testCase);
    const sharedRequests = listRequests(testCase).length - added.length;
    return { id, isIntrusive, requests: relocate(added), sharedRequests };
  });
  const samples = listSampleCases(suite);
  return {
    calibration: relocate(suite.calibration),
    cases,
    samples: { ids: samples.map(({ id }) => id), requests: samples.flatMap(listRequests).length },
    randomRequests: countExplorationRequests(settings.exploration, suite.world),
  };
}

/** Counts the requests of several cases: equal ones once, except those of serial cases. */
export interface RequestTally {
  /** Lists the requests of a case that no earlier case has sent. */
  listNewRequests(testCase: TestCase): HttpRequest[];
  addCase(testCase: TestCase): void;
}

export function createRequestTally(): RequestTally {
  const known = new Set<string>();
  return {
    listNewRequests(testCase) {
      const all = listRequests(testCase);
      if (isSerial(testCase)) return all;
      const byText = new Map(all.map((request) => [serializeRequest(request), request]));
      return [...byText].flatMap(([text, request]) => (known.has(text) ? [] : [request]));
    },
    addCase(testCase) {
      if (!isSerial(testCase)) for (const request of listRequests(testCase)) known.add(serializeRequest(request));
    },
  };
}

/** Replaces the requests of a plan by those that an adapter makes. Further pages are not known before there are responses. */
export async function adaptPlan(
  plan: Plan,
  adapt: (request: HttpRequest) => Promise<HttpRequest | string>,
): Promise<Plan> {
  const adaptAll = async (requests: readonly HttpRequest[]) => {
    const all = await Promise.all(requests.map(adapt));
    const unsupported = [...new Set(all.filter((each) => typeof each === 'string'))];
    return { requests: all.filter((each) => typeof each !== 'string'), unsupported };
  };
  const cases = await Promise.all(plan.cases.map(async (each) => ({ ...each, ...(await adaptAll(each.requests)) })));
  return { ...plan, calibration: (await adaptAll(plan.calibration)).requests, cases };
}

/** Counts the requests of a plan without random ones. */
export function countPlannedRequests({ calibration, cases, samples }: Plan): number {
  return calibration.length + countCaseRequests(cases) + samples.requests;
}

function countCaseRequests(cases: readonly PlannedCase[]): number {
  return cases.reduce((total, { requests }) => total + requests.length, 0);
}

/** Renders a plan for people: one line per request, and the totals. */
export function renderPlan(plan: Plan): string {
  const { calibration, cases, samples, randomRequests } = plan;
  const requestLine = ({ method, path, body }: HttpRequest): string =>
    `  ${method} ${path}${body === undefined ? '' : `  ${body.length} characters`}`;
  const caseLine = ({ id, reason, isIntrusive, requests, sharedRequests }: PlannedCase): string => {
    const shared = sharedRequests === 0 ? '' : `, shares ${sharedRequests}`;
    return `${id}  ${reason ?? `(${requests.length}${shared})${isIntrusive ? `  ${tag.intrusive}` : ''}`}`;
  };
  const sent = cases.filter(({ reason }) => reason === undefined);
  const total = countPlannedRequests(plan) + randomRequests;
  const intrusive = countCaseRequests(cases.filter(({ isIntrusive }) => isIntrusive));
  return [
    `calibration  (${calibration.length})`,
    ...calibration.map(requestLine),
    ...cases.flatMap((each) => [
      caseLine(each),
      ...each.requests.map(requestLine),
      ...(each.unsupported ?? []).map((reason) => `  not sent: ${reason}`),
    ]),
    ...(samples.requests === 0 ? [] : [`${samples.ids.join(', ')}, again at the end  (${samples.requests})`]),
    ...(randomRequests === 0 ? [] : [`random requests  (${randomRequests}, and as many to shrink a failure)`]),
    '',
    `${sent.length} of ${cases.length} cases, ${total} requests, ${intrusive} of them ${tag.intrusive}. A failing case is sent two or three times. Nothing was sent.`,
    '',
  ].join('\n');
}

function explainNotApplicable({ rows }: TestCase): string | undefined {
  if (rows.some(({ unavailable }) => unavailable.length === 0)) return undefined;
  const unavailable = [...new Set(rows.flatMap((row) => row.unavailable))];
  return `not applicable: the target does not have ${renderShortList(unavailable)}`;
}
