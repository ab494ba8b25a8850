import { type Case, intrusive } from './contract/case.js';
import { someOf } from './contract/some-of.js';
import type { Suite } from './contract/suite.js';
import type { HttpRequest } from './exchange/exchange.js';
import { requestsOf, rowsOf } from './run.js';
import { moved } from './target/operation.js';
import { type Settings, whyLeftOut } from './target/settings.js';

/** What a run would send, for people: calibration first, then every case with its requests, then the sums. */
export function planText(suite: Suite, settings: Settings): string {
  const { operation = {} } = settings.target;
  const requestLine = (request: HttpRequest): string => {
    const { method, path, body } = moved(request, operation);
    return `  ${method} ${path}${body === undefined ? '' : `  ${body.length} characters`}`;
  };
  const random = settings.exploration?.requests ?? 0;
  const plans = suite.cases.map((case_) => {
    const reason = whyLeftOut(case_, settings) ?? whyNotAsked(case_);
    return { case_, reason, requests: reason === undefined ? requestsOf(case_) : [] };
  });
  const isIntrusive = ({ case_ }: { case_: Case }) => case_.tags.includes(intrusive);
  const asked = plans.filter(({ reason }) => reason === undefined);
  const total = asked.reduce((sum, { requests }) => sum + requests.length, suite.calibration.length + random);
  const sent = asked.filter(isIntrusive).reduce((sum, { requests }) => sum + requests.length, 0);
  return [
    `calibration  (${suite.calibration.length})`,
    ...suite.calibration.map(requestLine),
    ...plans.flatMap(({ case_, reason, requests }) => [
      `${case_.id}  ${reason ?? `(${requests.length})${isIntrusive({ case_ }) ? `  ${intrusive}` : ''}`}`,
      ...requests.map(requestLine),
    ]),
    ...(random === 0 ? [] : [`random requests  (${random}, and as many to shrink a failure)`]),
    '',
    `${asked.length} of ${plans.length} cases, ${total} requests, ${sent} of them ${intrusive}. Nothing was sent.`,
    '',
  ].join('\n');
}

function whyNotAsked(case_: Case): string | undefined {
  const rows = rowsOf(case_);
  const missing = [...new Set(rows.flatMap((row) => row.missing))];
  if (rows.some((row) => row.missing.length === 0)) return undefined;
  return `not applicable: the target does not hold ${someOf(missing)}`;
}
