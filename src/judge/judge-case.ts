/**
 * The judge decides what exchanges prove. A case goes in, with its exchanges and what is known about the target; a verdict
 * comes out, with its reason and the exchange that shows it, or the outcome of a question. It is pure, and runs in the worker
 * that has sent the case, or in the process of a replay or of a program.
 */

import type { Assertion } from '../assertions/assertion.js';
import { judgeAssertion } from '../assertions/registry.js';
import type { RowEvidence } from '../assertions/row-evidence.js';
import type { RequirementCase, RequirementRow, TestCase } from '../cases/test-case.js';
import { explainUnusableExchange } from '../http/response-status.js';
import { createReason } from '../support/reason.js';
import type { RowEvidenceWithReadings, TargetContext } from './collect-row-evidence.js';
import { doubtWithoutWorld, explainByLoad, explainDoubt, findUnseenWorld } from './doubt-failure.js';
import { judgeQuestion } from './judge-question.js';
import { findFirst, judgePreconditions } from './judge-row-parts.js';
import type { CaseJudgement, Judgement, RowJudgement } from './judgement.js';
import { findWorstVerdict } from './verdict.js';

/**
 * Judges a case; pure. A row that was sent again fails only if it fails each time.
 * @param firstJudgement without the repetitions; a row that was not sent again keeps its judgement
 */
export function judgeCase(
  testCase: TestCase,
  evidence: readonly RowEvidenceWithReadings[],
  repetitions: readonly (readonly RowEvidenceWithReadings[])[] = [],
  firstJudgement?: CaseJudgement,
): CaseJudgement {
  if (testCase.kind === 'question')
    return { ...judgeQuestion(testCase, evidence[0] as RowEvidenceWithReadings), rows: [] };
  const unseen = findUnseenWorld([evidence, ...repetitions].flat());
  const rows = testCase.rows.map((row, n): RowJudgement => {
    const again = repetitions.flatMap((sent) => sent.slice(n, n + 1)).filter(({ exchanges }) => exchanges.size > 0);
    const kept = again.length === 0 ? firstJudgement?.rows[n] : undefined;
    if (kept !== undefined) return kept;
    const first = evidence[n] as RowEvidenceWithReadings;
    const judgement = judgeRow(row, testCase, [first, ...again]);
    const doubted = unseen === undefined ? judgement : doubtWithoutWorld(judgement, first, unseen);
    return markAsKnown({ title: row.title, ...explainByLoad(doubted, [first, ...again]) }, testCase, first);
  });
  return judgeCaseByRows(rows, testCase);
}

/** Marks a row whose failure is known by its name. */
function markAsKnown(
  judged: RowJudgement,
  { id, verifies: requirement }: RequirementCase,
  { isFailureKnown }: Pick<TargetContext, 'isFailureKnown'>,
): RowJudgement {
  const isKnown = judged.verdict === 'fail' && isFailureKnown?.({ requirement, case: id, title: judged.title });
  return isKnown ? { ...judged, isKnown } : judged;
}

/** What one sending of a row shows. */
interface Attempt {
  readonly evidence: RowEvidence;
  readonly judgement: Judgement;
}

/** Judges a row that may have been sent again. It fails if the same expectation is violated each time. */
function judgeRow(row: RequirementRow, testCase: RequirementCase, sent: readonly RowEvidenceWithReadings[]): Judgement {
  const attempts = sent.map((evidence) => judgeSending(row, testCase, evidence));
  const [first, ...later] = attempts as [Attempt, ...Attempt[]];
  const failing = attempts.filter(({ judgement }) => judgement.verdict === 'fail');
  if (failing[0] === undefined || later[0] === undefined) return first.judgement;
  const { verdict, isKnown, reason = createReason('passed') } = first.judgement;
  const isAlike = failing.length === attempts.length && failing.every(({ judgement }) => judgement.isKnown === isKnown);
  const violated = row.expect.filter((assertion) =>
    attempts.every(({ evidence }) => judgeAssertion(assertion, evidence, 'requirement').is === 'violated'),
  );
  const finding = isAlike ? findFirst(violated, first.evidence) : undefined;
  if (finding !== undefined) return { verdict, ...finding.explanation, isKnown };
  const different = later.find(({ judgement }) => judgement.verdict !== verdict) ?? later[0];
  const { reason: next = createReason('passed') } = different.judgement;
  return {
    ...failing[0].judgement,
    verdict: 'inconclusive',
    reason: createReason('unstable', { first: reason, next }),
    isUnstable: true,
  };
}

/** Judges one sending of a row. A failure is known if the row passes once what is known is corrected. Otherwise it is new. */
function judgeSending(row: RequirementRow, testCase: RequirementCase, evidence: RowEvidenceWithReadings): Attempt {
  const documented = judgeExpectations(row, testCase, evidence);
  const { known: corrections, exchanges } = evidence;
  const { judgement } = documented;
  if (corrections === undefined || judgement.verdict === 'pass') return documented;
  const asKnown: Attempt = { ...documented, judgement: { ...judgement, isKnown: true } };
  const apart = judgeExpectations(row, testCase, { ...evidence, corrections });
  if (apart.judgement.verdict === 'fail') return apart;
  if ([...exchanges.values()].some(corrections.isRefused)) return asKnown;
  if (judgement.verdict !== 'fail') return apart;
  return apart.judgement.verdict === 'pass' ? asKnown : documented;
}

/** Judges one sending of a row by its preconditions and expectations. */
function judgeExpectations(
  { expect, ...row }: RequirementRow,
  { at }: RequirementCase,
  evidence: RowEvidenceWithReadings,
): Attempt {
  const unmet = judgePreconditions(row, at, evidence, explainUnusableExchange);
  if (unmet !== undefined) return { evidence, judgement: unmet };
  if (expect.length === 0)
    return { evidence, judgement: { verdict: 'error', reason: createReason('asserts-nothing'), at } };
  const finding = findFirst(expect, evidence);
  if (finding?.is === 'violated') {
    const doubt = explainDoubt(expect, finding, evidence);
    return { evidence, judgement: doubt ?? { verdict: 'fail', ...finding.explanation } };
  }
  const refutation = refuteRemaining(expect, evidence);
  if (refutation !== undefined) return refutation;
  if (finding === undefined) return { evidence, judgement: { verdict: 'pass', at } };
  return { evidence, judgement: { verdict: 'inconclusive', ...finding.explanation } };
}

/**
 * Fails a row whose expectations are violated in each reading that remains, though not in the usual one: the calibration shows
 * that not everything that is named was returned. Returns undefined if no reading remains, or one of them may agree.
 */
function refuteRemaining(expect: readonly Assertion[], evidence: RowEvidenceWithReadings): Attempt | undefined {
  const remaining = evidence.listRemainingReadings().map(({ reading }) => ({ ...evidence, reading }));
  const refutations = remaining.map((read) => findFirst(expect, read));
  const [read, refuted] = [remaining[0], refutations[0]];
  const areAllRefuted = refutations.every((found) => found?.is === 'violated');
  if (read === undefined || refuted === undefined || !areAllRefuted) return undefined;
  return { evidence: read, judgement: { verdict: 'fail', ...refuted.explanation } };
}

/** Judges a case by its rows: the worst decides, and a new failure comes before a known one. */
export function judgeCaseByRows(rows: readonly RowJudgement[], { at }: RequirementCase): CaseJudgement {
  const verdict = findWorstVerdict(rows.map((row) => row.verdict));
  const worst = rows.filter((row) => row.verdict === verdict);
  const unknown = worst.filter(({ isKnown }) => isKnown !== true);
  const decisive = unknown.length > 0 ? unknown : worst;
  const first = decisive[0];
  if (verdict === 'pass' || first?.reason === undefined) return { verdict, at, rows };
  if (rows.length === 1) return { ...first, rows };
  const { title, reason } = first;
  return {
    ...first,
    reason: createReason('rows', { title, reason, count: decisive.length, total: rows.length }),
    rows,
  };
}
