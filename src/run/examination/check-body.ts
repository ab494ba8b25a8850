import type { AnsweredExchange } from '../../assertions/row-evidence.js';
import { isSuccessful } from '../../http/response-status.js';
import type { DifferenceCheck } from './compare-answers.js';
import {
  type CheckResult,
  type ExaminationBasis,
  type Finding,
  fine,
  isAnswered,
  problem,
  unknown,
} from './examination.js';

/** Checks whether the body is read. */
export async function checkBody(basis: ExaminationBasis): Promise<CheckResult> {
  const { exchanges, successes, differ, hasTiers, isSeen, sendWithoutBody } = basis;
  const isComparable = exchanges[0] !== undefined && isAnswered(exchanges[0]) && !differ(successes);
  const withoutBody = isComparable ? await sendWithoutBody() : [];
  const answered = [...exchanges, ...withoutBody].filter(isAnswered);
  return { findings: { 'Body on GET': compareBodies(answered, differ, hasTiers && isSeen) } };
}

/** Another body, or none, must change the result. @param isProof whether a response names what depends on the body */
function compareBodies(
  answered: readonly AnsweredExchange[],
  differ: DifferenceCheck,
  isProof: boolean,
): Finding | undefined {
  const [first] = answered;
  if (first === undefined || answered.length < 2) return undefined;
  const { response } = first;
  if (differ(answered)) return isSuccessful(response) ? fine('body-read') : undefined;
  const { status } = response;
  return isProof ? problem('body-lost', { status }) : unknown('body-perhaps-lost', { status });
}
