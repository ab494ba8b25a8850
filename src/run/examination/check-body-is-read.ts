import type { AnsweredExchange } from '../../assertions/row-evidence.js';
import { isDataIndependentRefusal, isSuccessful } from '../../http/response-status.js';
import {
  type AreaFinding,
  createFineFinding,
  createProblemFinding,
  createUnknownFinding,
  type ExaminationCheckResult,
  type ExaminationContext,
  hasUsableResponse,
  tellTransport,
} from './examination.js';

/** Checks whether the body is read. */
export async function checkBodyIsRead(context: ExaminationContext): Promise<ExaminationCheckResult> {
  const { exchanges, successes, hasTiers, isSeen, differ, sendWithoutBody } = context;
  const isComparable = exchanges[0] !== undefined && hasUsableResponse(exchanges[0]) && !differ(successes);
  const withoutBody = isComparable ? await sendWithoutBody() : [];
  const answered = [...exchanges, ...withoutBody].filter(hasUsableResponse);
  return { findings: { 'Body on GET': compareBodies(answered, context, hasTiers && isSeen) } };
}

/** Another body, or none, must change the result. @param isProof whether a response names what depends on the body */
function compareBodies(
  answered: readonly AnsweredExchange[],
  context: ExaminationContext,
  isProof: boolean,
): AreaFinding | undefined {
  const [first] = answered;
  if (first === undefined || answered.length < 2) return undefined;
  const { response } = first;
  if (context.differ(answered)) return isSuccessful(response) ? createFineFinding('body-read') : undefined;
  const { status } = response;
  // Method and path are refused before a body is looked at.
  if (isDataIndependentRefusal(status) && status !== 415) return undefined;
  const data = { status, ...tellTransport(context) };
  return isProof ? createProblemFinding('body-lost', data) : createUnknownFinding('body-perhaps-lost', data);
}
