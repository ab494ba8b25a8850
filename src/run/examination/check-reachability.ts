import { tellDataFile } from '../../contract/world.js';
import type { ExaminationCheckResult, ExaminationContext, FindingsByArea } from './examination.js';
import { createFineFinding, createProblemFinding, createTlsFinding, createUnknownFinding } from './examination.js';
import { findRequestIndependentFailure } from './find-request-independent-failure.js';

/** Checks whether there is a request to send at all. */
export function checkHasRequestToSend({ request }: ExaminationContext): ExaminationCheckResult | undefined {
  return request === undefined ? { findings: { Ids: createProblemFinding('few-ids') }, isLast: true } : undefined;
}

/** Checks whether the deployment answers, and accepts the credentials. */
export function checkReachability({
  exchanges,
  successes,
  isSeen,
  hasTiers,
  isEncrypted,
  target,
}: ExaminationContext): ExaminationCheckResult {
  const [first] = exchanges;
  const answered: FindingsByArea = {
    URL: createFineFinding(successes.length > 0 ? 'answers' : 'responds'),
    ...(first !== undefined && 'response' in first && { TLS: createTlsFinding({ isEncrypted }) }),
  };
  const failures = exchanges.map((exchange) => findRequestIndependentFailure(exchange, isEncrypted));
  const [failure] = failures;
  if (failure !== undefined && failures.every((explained) => explained !== undefined)) {
    const { area, reason } = failure;
    const { URL, TLS } = answered;
    const isReached = area === 'Credentials' || area === 'Responses';
    const reached = isReached ? { URL, TLS } : { TLS };
    return { findings: { ...reached, [area]: ['problem', reason] }, unreachable: reason, isLast: true };
  }
  // What is refused for another reason shows nothing of its credentials.
  if (successes.length === 0) return { findings: answered };
  const Credentials =
    isSeen || !hasTiers
      ? createFineFinding('credentials-accepted')
      : createUnknownFinding('credentials-unread', tellDataFile(target.world));
  return { findings: { ...answered, Credentials } };
}
