import { type TestCase, tag } from '../cases/case.js';
import type { Suite } from '../cases/suite.js';
import { moved } from '../contract/operation.js';
import type { HttpRequest } from '../http/exchange.js';
import { someOf } from '../support/some-of.js';
import type { Exploration } from './explore.js';
import { type Scope, whyLeftOut } from './left-out.js';
import { sampledCases } from './sample.js';
import { requestsOf } from './send-case.js';

/** What a run would send: calibration first, then every case with its requests. */
export interface Plan {
  readonly calibration: readonly HttpRequest[];
  readonly cases: readonly PlannedCase[];
  /** The cases that are sent once more at the end, and how many requests that takes. */
  readonly again: { readonly ids: readonly string[]; readonly requests: number };
  readonly randomRequests: number;
}

export interface PlannedCase {
  readonly id: string;
  /** Why nothing of it is sent, if so. */
  readonly reason?: string;
  readonly isIntrusive: boolean;
  readonly requests: readonly HttpRequest[];
}

export function planOf(suite: Suite, settings: Scope & { readonly exploration?: Exploration }): Plan {
  const { operation = {} } = settings.target;
  const sentFor = (testCase: TestCase) => requestsOf(testCase).map((request) => moved(request, operation));
  const cases = suite.cases.map((testCase): PlannedCase => {
    const reason = whyLeftOut(testCase, settings) ?? whyNotApplicable(testCase);
    const isIntrusive = testCase.tags.includes(tag.intrusive);
    const { id } = testCase;
    return reason === undefined
      ? { id, isIntrusive, requests: sentFor(testCase) }
      : { id, reason, isIntrusive, requests: [] };
  });
  const ids = sampledCases(suite).map(({ id }) => id);
  return {
    calibration: suite.calibration.map((request) => moved(request, operation)),
    cases,
    again: { ids, requests: requestsIn(cases.filter(({ id }) => ids.includes(id))) },
    randomRequests: settings.exploration?.requests ?? 0,
  };
}

function requestsIn(cases: readonly PlannedCase[]): number {
  return cases.reduce((total, { requests }) => total + requests.length, 0);
}

/** A plan for people: a line for each request, and the sums. */
export function planText({ calibration, cases, again, randomRequests }: Plan): string {
  const requestLine = ({ method, path, body }: HttpRequest): string =>
    `  ${method} ${path}${body === undefined ? '' : `  ${body.length} characters`}`;
  const sent = cases.filter(({ reason }) => reason === undefined);
  const total = calibration.length + requestsIn(cases) + again.requests + randomRequests;
  const intrusive = requestsIn(cases.filter(({ isIntrusive }) => isIntrusive));
  return [
    `calibration  (${calibration.length})`,
    ...calibration.map(requestLine),
    ...cases.flatMap(({ id, reason, isIntrusive, requests }) => [
      `${id}  ${reason ?? `(${requests.length})${isIntrusive ? `  ${tag.intrusive}` : ''}`}`,
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
  return `not applicable: the target does not have ${someOf(unavailable)}`;
}
