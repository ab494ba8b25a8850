import { type AnsweredExchange, listSuccesses } from '../../assertions/row-evidence.js';
import { describeAnswer, isSuccessful } from '../../http/response-status.js';
import { omitUndefined } from '../../support/collections.js';
import { createReason } from '../../support/reason.js';
import type { Comparison } from './compare-answers.js';
import {
  type CheckResult,
  type ExaminationBasis,
  type Finding,
  fine,
  isAnswered,
  problem,
  unknown,
} from './examination.js';
import { explainFailure } from './explain-failure.js';

/** Checks whether a request is refused only because it has a body. */
export async function checkRefusedBody(basis: ExaminationBasis): Promise<CheckResult | undefined> {
  const { exchanges, successes, hasTiers, isSeen, differ, sendWithoutBody } = basis;
  const [first] = exchanges;
  if (first === undefined || !isAnswered(first) || differ(successes)) return undefined;
  const [accepted] = listSuccesses(await sendWithoutBody());
  if (accepted === undefined || first.response.status < 400) return undefined;
  const answers = { answer: describeAnswer(first.response), bare: describeAnswer(accepted.response) };
  const refusal = createReason('body-refused', answers);
  // Without a body the credentials are accepted: it is the body that makes the answer 401 or 403.
  const areAccepted = isSeen || !hasTiers || successes.length === 0;
  const findings = {
    URL: fine('answers'),
    TLS: fine('trusted'),
    Credentials: areAccepted ? fine('credentials-accepted') : unknown('credentials-unread'),
    'Body on GET': ['problem', refusal] as const,
  };
  const unreachable = explainFailure(first) && refusal;
  return { findings, isLast: true, ...omitUndefined({ unreachable }) };
}

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
  differ: Comparison,
  isProof: boolean,
): Finding | undefined {
  const [first] = answered;
  if (first === undefined || answered.length < 2) return undefined;
  const { response } = first;
  if (differ(answered)) return isSuccessful(response) ? fine('body-read') : undefined;
  const { status } = response;
  return isProof ? problem('body-lost', { status }) : unknown('body-perhaps-lost', { status });
}
