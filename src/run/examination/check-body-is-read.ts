import type { AnsweredExchange } from '../../assertions/row-evidence.js';
import { isSuccessful } from '../../http/response-status.js';
import type { ResponseComparer } from './compare-answers.js';
import {
  type AreaFinding,
  createFineFinding,
  createProblemFinding,
  createUnknownFinding,
  type ExaminationCheckResult,
  type ExaminationContext,
  hasUsableResponse,
} from './examination.js';

/** Checks whether the body is read. */
export async function checkBodyIsRead(context: ExaminationContext): Promise<ExaminationCheckResult> {
  const { exchanges, successes, differ, hasTiers, isSeen, sendWithoutBody } = context;
  const isComparable = exchanges[0] !== undefined && hasUsableResponse(exchanges[0]) && !differ(successes);
  const withoutBody = isComparable ? await sendWithoutBody() : [];
  const answered = [...exchanges, ...withoutBody].filter(hasUsableResponse);
  return { findings: { 'Body on GET': compareBodies(answered, differ, hasTiers && isSeen) } };
}

/** Another body, or none, must change the result. @param isProof whether a response names what depends on the body */
function compareBodies(
  answered: readonly AnsweredExchange[],
  differ: ResponseComparer,
  isProof: boolean,
): AreaFinding | undefined {
  const [first] = answered;
  if (first === undefined || answered.length < 2) return undefined;
  const { response } = first;
  if (differ(answered)) return isSuccessful(response) ? createFineFinding('body-read') : undefined;
  const { status } = response;
  return isProof
    ? createProblemFinding('body-lost', { status })
    : createUnknownFinding('body-perhaps-lost', { status });
}
