import { type TestCase, tag } from '../cases/case.js';
import type { Suite } from '../cases/suite.js';
import { moved } from '../contract/operation.js';
import type { HttpRequest } from '../http/exchange.js';
import { someOf } from '../support/some-of.js';
import type { Exploration } from './explore.js';
import { type Scope, whyLeftOut } from './left-out.js';
import { sampledCases } from './sample.js';
import { requestsOf } from './send-case.js';

/** What a run would send, for people: calibration first, then every case with its requests, then the sums. */
export function planText(suite: Suite, settings: Scope & { readonly exploration?: Exploration }): string {
  const { operation = {} } = settings.target;
  const randomRequests = settings.exploration?.requests ?? 0;
  const requestLine = (request: HttpRequest): string => {
    const { method, path, body } = moved(request, operation);
    return `  ${method} ${path}${body === undefined ? '' : `  ${body.length} characters`}`;
  };
  const plans = suite.cases.map((testCase) => {
    const reason = whyLeftOut(testCase, settings) ?? whyNotApplicable(testCase);
    const isIntrusive = testCase.tags.includes(tag.intrusive);
    return { id: testCase.id, reason, isIntrusive, requests: reason === undefined ? requestsOf(testCase) : [] };
  });
  const sent = plans.filter(({ reason }) => reason === undefined);
  const sum = (some: typeof plans) => some.reduce((total, { requests }) => total + requests.length, 0);
  const samples = new Set(sampledCases(suite).map(({ id }) => id));
  const again = sum(sent.filter(({ id }) => samples.has(id)));
  const total = suite.calibration.length + sum(sent) + again + randomRequests;
  const intrusive = sum(sent.filter(({ isIntrusive }) => isIntrusive));
  return [
    `calibration  (${suite.calibration.length})`,
    ...suite.calibration.map(requestLine),
    ...plans.flatMap(({ id, reason, isIntrusive, requests }) => [
      `${id}  ${reason ?? `(${requests.length})${isIntrusive ? `  ${tag.intrusive}` : ''}`}`,
      ...requests.map(requestLine),
    ]),
    ...(again === 0 ? [] : [`${[...samples].join(', ')}, once more at the end  (${again})`]),
    ...(randomRequests === 0 ? [] : [`random requests  (${randomRequests}, and as many to shrink a failure)`]),
    '',
    `${sent.length} of ${plans.length} cases, ${total} requests, ${intrusive} of them ${tag.intrusive}; a case that fails is sent two or three times. Nothing was sent.`,
    '',
  ].join('\n');
}

function whyNotApplicable({ rows }: TestCase): string | undefined {
  if (rows.some(({ unavailable }) => unavailable.length === 0)) return undefined;
  const unavailable = [...new Set(rows.flatMap((row) => row.unavailable))];
  return `not applicable: the target does not have ${someOf(unavailable)}`;
}
