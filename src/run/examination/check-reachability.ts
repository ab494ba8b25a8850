import type { CheckResult, ExaminationBasis, Findings } from './examination.js';
import { fine, problem, unknown } from './examination.js';
import { explainUnreachable } from './explain-unreachable.js';

/** Checks whether there is a request to send at all. */
export function checkRequests({ request }: ExaminationBasis): CheckResult | undefined {
  return request === undefined ? { findings: { Ids: problem('few-ids') }, isLast: true } : undefined;
}

/** Checks whether the deployment answers, and accepts the credentials. */
export function checkReachability({ exchanges, isSeen, hasTiers }: ExaminationBasis): CheckResult {
  const [first] = exchanges;
  const answered: Findings = {
    URL: fine('answers'),
    ...(first !== undefined && 'response' in first && { TLS: fine('trusted') }),
  };
  const failures = exchanges.map(explainUnreachable);
  const [failure] = failures;
  if (failure !== undefined && failures.every((explained) => explained !== undefined)) {
    const { area, reason } = failure;
    const { URL, TLS } = answered;
    const reached = area === 'Credentials' ? { URL, TLS } : { TLS };
    return { findings: { ...reached, [area]: ['problem', reason] }, unreachable: reason, isLast: true };
  }
  const Credentials = isSeen || !hasTiers ? fine('credentials-accepted') : unknown('credentials-unread');
  return { findings: { ...answered, Credentials } };
}
