/**
 * One case. In: a case and the sender of its requests. A failure is confirmed before it counts. Out: the result, which names
 * its exchanges by their ids; the exchanges themselves are kept for the report. It runs where the requests are sent.
 */

import { describeAssertion } from '../assertions/registry.js';
import { listSuccesses } from '../assertions/row-evidence.js';
import { findVolatilePaths } from '../assertions/volatile-values.js';
import { getRequirementOrQuestionId, type TestCase } from '../cases/test-case.js';
import { documentedOperation } from '../contract/operation.js';
import { wasSent } from '../http/response-status.js';
import { collectRowEvidence, type TargetContext } from '../judge/collect-row-evidence.js';
import { judgeCase } from '../judge/judge-case.js';
import type { CaseJudgement } from '../judge/judgement.js';
import { inferShape } from '../record/body-shape.js';
import { extractBodyTemplates } from '../record/body-templates.js';
import { type Baseline, emptyBaseline, findDrift } from '../record/drift.js';
import { isOwnCase } from '../suite/suite.js';
import { mapReasonTexts, type Reason } from '../support/reason.js';
import { escapeControlCharacters } from '../support/untrusted-text.js';
import { type CaseExchanges, type CaseResult, findVerdictApart } from './case-result.js';
import type { CaseSender } from './case-sender.js';
import { confirmFailure } from './confirmation/confirm-failure.js';
import type { Confirmation, FailedCase } from './confirmation/failed-case.js';
import type { EvidenceKeeper } from './evidence-keeper.js';
import { sanitizeText } from './sanitize-result.js';

export interface CaseRunContext {
  readonly target: TargetContext;
  readonly expected: Baseline;
  /** Whether to infer the shape of successful bodies, which costs more than judging them. */
  readonly infersShape: boolean;
  /** Undefined if the exchanges come from evidence. */
  readonly keeper: EvidenceKeeper | undefined;
  /** Finds the id under which an exchange was kept. */
  readonly findId: EvidenceKeeper['findId'];
}

/** Which failures of a case count only if they are seen again, and how much may be sent for that. */
interface ConfirmationTerms extends Pick<FailedCase, 'isRunFailing' | 'isRaceConfirmed'> {
  readonly needsConfirmation: (failure: CaseJudgement) => boolean;
}

/** Sends and judges a case, and keeps its exchanges. @param purpose why it is sent again; undefined for its own verdict */
export async function runCase(
  testCase: TestCase,
  sender: CaseSender,
  context: CaseRunContext,
  terms: ConfirmationTerms,
  purpose?: string,
): Promise<CaseResult> {
  const attempts = await sendAndJudgeCase(testCase, sender, context.target, terms);
  context.keeper?.keepCase(testCase, [attempts.first, ...attempts.repetitions], purpose);
  return createResult(testCase, attempts, context);
}

function createResult(testCase: TestCase, attempts: JudgedCaseAttempts, context: CaseRunContext): CaseResult {
  const { judgement } = attempts;
  const { verdict, at, expected: violated } = judgement;
  const subject = getRequirementOrQuestionId(testCase);
  const rows = createRows(judgement);
  const { shown, repeated } = findDeciding(attempts);
  const isUnsent = verdict === 'inconclusive' && shown !== undefined && !wasSent(shown);
  // That of an open value is text of the deployment.
  const outcome = judgement.outcome && sanitizeText(judgement.outcome);
  const { successes, shape, bodies } = readBodies(testCase, attempts, context);
  return {
    id: testCase.id,
    subject,
    verdict: isUnsent ? 'not-run' : verdict,
    ...sanitizeReason(judgement.reason),
    at,
    rows,
    drift: findDriftOf(testCase, outcome, successes, context),
    expected: verdict === 'fail' && violated ? describeAssertion(violated, context.target.world) : undefined,
    apart_from_known: findVerdictApart(rows),
    outcome,
    exchangeId: shown && context.findId(shown),
    request: shown && judgement.exchange,
    repeatedExchangeId: repeated && context.findId(repeated),
    bodies,
    shape,
    volatile: listVolatilePaths(testCase, attempts.first),
  };
}

function createRows({ rows }: CaseJudgement): CaseResult['rows'] {
  return rows.map(({ title, verdict, reason, isKnown }) => ({
    title,
    verdict,
    ...sanitizeReason(reason),
    ...(isKnown && { known: isKnown }),
  }));
}

/** Finds the exchange that decided the verdict, and the same request when an unstable case was repeated. */
function findDeciding({ first, repetitions, judgement }: JudgedCaseAttempts) {
  const { verdict, at, exchange: name = '', isUnstable } = judgement;
  const row = judgement.rows.findIndex(
    (judged) => judged.verdict === verdict && judged.at === at && judged.exchange === judgement.exchange,
  );
  const find = ({ exchanges }: CaseExchanges) => exchanges[Math.max(row, 0)]?.get(name);
  return { shown: find(first), repeated: isUnstable ? repetitions.map(find).findLast((found) => found) : undefined };
}

/** Reads what a record has of the successful bodies, and what is compared with a record. */
function readBodies(testCase: TestCase, { first, evidence }: JudgedCaseAttempts, context: CaseRunContext) {
  const { infersShape, expected, target } = context;
  const isWanted = infersShape || expected.schema !== undefined;
  const successes = isWanted ? [...new Set(listResultBodies(testCase, first))] : [];
  if (!infersShape) return { successes };
  return {
    successes,
    shape: inferShape(successes, target.recognizer.ids),
    bodies: extractBodyTemplates(testCase, evidence),
  };
}

function findDriftOf(
  testCase: TestCase,
  outcome: string | undefined,
  successes: readonly string[],
  { expected }: CaseRunContext,
): CaseResult['drift'] {
  // Pins and records are about the cases of the suite: a case of the user may answer the question in another situation.
  const baseline = isOwnCase(testCase) ? emptyBaseline : expected;
  const drift = findDrift({ subject: getRequirementOrQuestionId(testCase), outcome }, successes, baseline);
  return drift.map((found) => (found.kind === 'outcome' ? found : { ...found, message: sanitizeText(found.message) }));
}

/** Lists the places whose values differ between responses to the same request of a question. */
function listVolatilePaths({ kind }: TestCase, { exchanges }: CaseExchanges): readonly string[] | undefined {
  if (kind !== 'question') return undefined;
  const paths = exchanges.flatMap((row) => [...findVolatilePaths(row)].map(escapeControlCharacters)).sort();
  return paths.length === 0 ? undefined : paths;
}

const sanitizeReason = (reason: Reason | undefined) => reason && { reason: mapReasonTexts(reason, sanitizeText) };

/** Lists the successful bodies of the operation; responses to other methods and paths may have another shape. */
function listResultBodies({ rows }: TestCase, { exchanges }: CaseExchanges): string[] {
  const { method, path } = documentedOperation;
  const results = rows.flatMap(({ requests }, n) =>
    [...requests].flatMap(([name, request]) => {
      const isOfOperation = request.method === method && request.path.split('?')[0] === path;
      return (isOfOperation && exchanges[n]?.get(name)) || [];
    }),
  );
  return listSuccesses(results).map(({ response }) => response.body);
}

export type JudgedCaseAttempts = Awaited<ReturnType<typeof sendAndJudgeCase>>;

/** Sends a case and judges it. */
export async function sendAndJudgeCase(
  testCase: TestCase,
  sender: CaseSender,
  target: TargetContext,
  { needsConfirmation, ...terms }: ConfirmationTerms = {
    needsConfirmation: () => true,
    isRunFailing: false,
    isRaceConfirmed: false,
  },
) {
  const first = await sender.send(testCase);
  const evidence = collectRowEvidence(first.exchanges, target);
  const firstJudgement = judgeCase(testCase, evidence);
  const isFinal =
    firstJudgement.verdict !== 'fail' || testCase.kind === 'question' || !needsConfirmation(firstJudgement);
  const confirmation: Confirmation = isFinal
    ? { judgement: firstJudgement, repetitions: [] }
    : await confirmFailure({ testCase, sender, target, first, evidence, firstJudgement, ...terms });
  return { first, evidence, ...confirmation };
}
