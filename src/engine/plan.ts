import { type Case, intrusive } from '../cases/case.js';
import type { Suite } from '../cases/suite.js';
import { moved } from '../contract/operation.js';
import type { HttpRequest } from '../http/exchange.js';
import { someOf } from '../support/some-of.js';
import { type Settings, whyLeftOut } from '../targets/settings.js';
import { requestsOf, rowsOf } from './run.js';

/** What a run would send, for people: calibration first, then every case with its requests, then the sums. */
export function planText(suite: Suite, settings: Settings): string {
  const { operation = {} } = settings.target;
  const requestLine = (request: HttpRequest): string => {
    const { method, path, body } = moved(request, operation);
    return `  ${method} ${path}${body === undefined ? '' : `  ${body.length} characters`}`;
  };
  const random = settings.exploration?.requests ?? 0;
  const plans = suite.cases.map((testCase) => {
    const reason = whyLeftOut(testCase, settings) ?? whyNotAsked(testCase);
    return { testCase, reason, requests: reason === undefined ? requestsOf(testCase) : [] };
  });
  const isIntrusive = ({ testCase }: { testCase: Case }) => testCase.tags.includes(intrusive);
  const asked = plans.filter(({ reason }) => reason === undefined);
  const total = asked.reduce((sum, { requests }) => sum + requests.length, suite.calibration.length + random);
  const sent = asked.filter(isIntrusive).reduce((sum, { requests }) => sum + requests.length, 0);
  return [
    `calibration  (${suite.calibration.length})`,
    ...suite.calibration.map(requestLine),
    ...plans.flatMap(({ testCase, reason, requests }) => [
      `${testCase.id}  ${reason ?? `(${requests.length})${isIntrusive({ testCase }) ? `  ${intrusive}` : ''}`}`,
      ...requests.map(requestLine),
    ]),
    ...(random === 0 ? [] : [`random requests  (${random}, and as many to shrink a failure)`]),
    '',
    `${asked.length} of ${plans.length} cases, ${total} requests, ${sent} of them ${intrusive}. Nothing was sent.`,
    '',
  ].join('\n');
}

function whyNotAsked(testCase: Case): string | undefined {
  const rows = rowsOf(testCase);
  const missing = [...new Set(rows.flatMap((row) => row.missing))];
  if (rows.some((row) => row.missing.length === 0)) return undefined;
  return `not applicable: the target does not hold ${someOf(missing)}`;
}
