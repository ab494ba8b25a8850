/**
 * The judge decides what exchanges prove. A case goes in, with its exchanges and what is known about the target; a verdict
 * comes out, with its reason and the exchange that shows it, or the outcome of a question. It is pure, and runs in the worker
 * that has sent the case, or in the process of a replay or of a program.
 */

import type { Assertion } from '../assertions/assertion.js';
import { judgeAssertion, judgeWhetherAllHold } from '../assertions/registry.js';
import { type KnownMistakeCorrections, listSuccesses, type RowEvidence } from '../assertions/row-evidence.js';
import {
  type CaseRow,
  type OutcomeRule,
  type QuestionCase,
  type RequirementCase,
  type RequirementRow,
  type TestCase,
  undeterminedOutcome,
} from '../cases/test-case.js';
import { createOracle } from '../contract/oracle.js';
import { tellDataFile } from '../contract/world.js';
import type { Exchange } from '../http/exchange.js';
import { findResponseBreakage } from '../http/response-breakage.js';
import {
  explainTransientFailure,
  explainUnsupportedRequest,
  explainUnusableExchange,
  isDataIndependentRefusal,
} from '../http/response-status.js';
import { determineTierReading, type ReturnedTierPaths } from '../recognition/returned-tier-paths.js';
import { hasMentions } from '../recognition/tier-mentions.js';
import { cacheByObject, computeOnce } from '../support/caches.js';
import type { Location } from '../support/problem.js';
import { createReason, type Reason } from '../support/reason.js';
import { explainDisagreeingPaths } from './explain-disagreeing-paths.js';
import { extractOpenValue } from './extract-open-value.js';
import { findOtherReadings, type OtherReading } from './other-readings.js';
import { findOwnPromotionsReason } from './own-promotions.js';
import { proveReturnedTierPaths } from './prove-returned-tier-paths.js';
import { agreesWithOtherWorlds, type SuspectedWrongDataLoad } from './suspected-wrong-data-load.js';
import { findWorstVerdict, lackingCode, type Verdict } from './verdict.js';

export interface Judgement {
  readonly verdict: Verdict;
  /** Undefined for `pass` only. */
  readonly reason?: Reason;
  /** The line of the case file that decided the verdict. */
  readonly at: Location;
  /** For `fail`: what is violated. */
  readonly expected?: Assertion;
  /** The name of the exchange that shows the reason. */
  readonly exchange?: string;
  /** For `fail`: the names of all exchanges that show it. */
  readonly shownBy?: readonly string[];
  /** Whether it failed only in some of several attempts. */
  readonly isUnstable?: true;
  /** Whether it would pass, were it not for what is known to be wrong with the target. */
  readonly isKnown?: true;
}

export interface RowJudgement extends Judgement {
  readonly title: string;
}

export interface CaseJudgement extends Judgement {
  readonly rows: readonly RowJudgement[];
  /** The answer to a question, if there is one. */
  readonly outcome?: string;
}

/** A row that fails. Its title is empty if it is the only row of its case, or if the case fails as a whole. */
export interface FailingRow {
  readonly requirement: string;
  readonly case: string;
  readonly title: string;
}

/** Answers whether it is known that a row fails, whatever the cause is. */
export type KnownFailureTest = (row: FailingRow) => boolean;

/** What is known about the target apart from the exchanges of the case. */
export interface TargetContext extends Pick<RowEvidence, 'world' | 'recognizer' | 'calibration'> {
  /** Of returned tiers, as the target file states them. */
  readonly configuredPatterns?: readonly string[];
  /** Whether the world is certainly loaded: a response mentioned it, or the user says so. */
  readonly isWorldSeen: boolean;
  readonly known?: KnownMistakeCorrections;
  /** Default: of no row. */
  readonly isFailureKnown?: KnownFailureTest;
  /** What the deployment seems to have in place of the test data. */
  readonly load?: SuspectedWrongDataLoad;
}

export interface RowEvidenceWithReadings extends RowEvidence, Omit<TargetContext, keyof RowEvidence> {
  /** Lists the readings by which all responses of the case agree with the documentation. */
  listOtherReadings(): readonly OtherReading[];
  /** Lists the readings that remain if the calibration refutes that everything named was returned. Else empty. */
  listRemainingReadings(): readonly OtherReading[];
}

/** The exchanges of a case: one map per row, by the name of the request. Empty for a row that was not sent. */
export type ExchangesByRow = readonly ReadonlyMap<string, Exchange>[];

/** All rows share one reading: each response helps to find the path. Call it once: other readings take long to find. */
export function collectRowEvidence(rows: ExchangesByRow, target: TargetContext): RowEvidenceWithReadings[] {
  const ofCase = rows.flatMap((row) => [...row.values()]);
  const all = [...target.calibration, ...ofCase];
  const reading = locateReturnedTiers(all, target);
  const shared = {
    ...target,
    ofCase,
    reading,
    listOtherReadings: computeOnce(() => findOtherReadings(all, reading, target)),
    listRemainingReadings: () => findRemainingReadings(target),
  };
  return rows.map((exchanges) => ({ ...shared, exchanges }));
}

/** Reads where responses name the returned tiers. @param exchanges with those of the calibration */
export function locateReturnedTiers(
  exchanges: readonly Exchange[],
  target: Pick<TargetContext, 'world' | 'recognizer' | 'configuredPatterns' | 'calibration'>,
): ReturnedTierPaths {
  const readMentions = (read: readonly Exchange[]) =>
    listSuccesses(read).map(({ request, response }) => ({
      request,
      mentions: target.recognizer.findMentions(response.body),
    }));
  const mentions = readMentions(exchanges).map((response) => response.mentions);
  const found = determineTierReading(mentions, target.configuredPatterns);
  if (found.kind !== 'ambiguous') return found;
  const proven = proveReturnedTierPaths(found, readMentions(target.calibration), mentions, target.world);
  if (proven !== undefined) return proven;
  return { ...found, explain: computeOnce(() => explainDisagreeingPaths(found.patterns, exchanges, target)) };
}

const findRemainingReadings = cacheByObject((target: TargetContext) =>
  findOtherReadings(target.calibration, locateReturnedTiers(target.calibration, target), target),
);

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

/** Doubts a failure that another reading explains, or promotions of the deployment that take places of the newest 150. */
function explainDoubt(
  expect: readonly Assertion[],
  { explanation: { at, exchange } }: RowFinding,
  evidence: RowEvidenceWithReadings,
): Judgement | undefined {
  const agrees = ({ reading }: OtherReading) => findFirst(expect, { ...evidence, reading })?.is !== 'violated';
  const agreeing = evidence.listOtherReadings().find(agrees);
  const reason =
    agreeing === undefined
      ? explainByOwnPromotions(exchange, evidence)
      : createReason('named-or-returned', { words: agreeing.words, stated: agreeing.stated });
  return reason && { verdict: 'inconclusive', reason, at, exchange };
}

/** A refusal or a broken response is no matter of the promotions that a deployment has. @param shownBy the name of the request */
function explainByOwnPromotions(shownBy: string | undefined, evidence: RowEvidenceWithReadings): Reason | undefined {
  const shown = evidence.exchanges.get(shownBy ?? '');
  const isWholeResult =
    shown === undefined || (listSuccesses([shown]).length > 0 && findResponseBreakage(shown) === undefined);
  return isWholeResult ? findOwnPromotionsReason([...evidence.exchanges.values()], evidence) : undefined;
}

/** Says what no response names, so that the test data may not be loaded; undefined if it is seen, or the user says that it is. */
function findUnseenWorld(evidence: readonly RowEvidenceWithReadings[]): string | undefined {
  const { world, recognizer, isWorldSeen, configuredPatterns } = evidence[0] as RowEvidenceWithReadings;
  const bodies = evidence
    .flatMap((row) => [...row.exchanges.values()])
    .flatMap((exchange) => ('response' in exchange ? exchange.response.body : []));
  const isSeen = isWorldSeen || bodies.some((body) => hasMentions(recognizer.findMentions(body), configuredPatterns));
  if (isSeen) return undefined;
  return world.isDataFile ? 'a promotion of the data file' : 'anything of the test data';
}

/** If the world is not loaded, every response may be right except a server error and a refusal that no data explains. */
function doubtWithoutWorld(
  judgement: Judgement,
  { exchanges, world, calibration }: RowEvidence,
  unseen: string,
): Judgement {
  const { isKnown: _, ...doubted } = judgement;
  const statusOf = (exchange: Exchange | undefined) =>
    exchange !== undefined && 'response' in exchange ? exchange.response.status : 0;
  const status = statusOf(exchanges.get(judgement.exchange ?? ''));
  if (judgement.verdict !== 'fail' || status >= 500) return judgement;
  const documented = [...exchanges.values()].filter(({ request }) => createOracle(request, world).accepted);
  // Another status for another request may mean that this one names something that is gone.
  const statuses = [...[...calibration, ...documented].map(statusOf), status];
  if (calibration.length > 0 && statuses.every(isDataIndependentRefusal)) return judgement;
  const { reason = createReason('passed') } = judgement;
  return {
    ...doubted,
    verdict: 'inconclusive',
    reason: createReason('world-unseen', { reason, unseen, ...tellDataFile(world) }),
  };
}

/** Says of a failure that the load of the test data explains it. If it is certainly the load, the failure proves nothing. */
function explainByLoad(judgement: Judgement, sent: readonly RowEvidenceWithReadings[]): Judgement {
  const { isKnown: _, reason = createReason('passed'), ...doubted } = judgement;
  const load = sent[0]?.load;
  if (judgement.verdict !== 'fail' || load === undefined) return judgement;
  const isExplained = sent.every((row) => agreesWithOtherWorlds([...row.exchanges.values()], load.worlds, row));
  if (!isExplained) return judgement;
  if (!load.isProven) return { ...judgement, reason: createReason('load-explains', { reason }) };
  return { ...doubted, verdict: 'inconclusive', reason: createReason('load-decides', { reason }) };
}

/** @param explain why an exchange shows nothing */
function findUnusable({ exchanges }: RowEvidence, explain: (exchange: Exchange) => Reason | undefined) {
  for (const [exchange, received] of exchanges) {
    const reason = explain(received);
    if (reason !== undefined) return { reason, exchange };
  }
  return undefined;
}

/** Returns undefined if the row can be judged. @param explain why a request is not applicable */
function judgePreconditions(
  { unavailable, given }: CaseRow,
  at: Location,
  evidence: RowEvidence,
  explain: (exchange: Exchange) => Reason | undefined,
): Judgement | undefined {
  const inapplicable = findUnusable(evidence, explain);
  if (inapplicable !== undefined) return { verdict: 'not-applicable', at, ...inapplicable };
  if (unavailable.length > 0)
    return { verdict: 'not-applicable', reason: createReason(lackingCode, { things: unavailable }), at };
  const unmet = findFirst(given, evidence)?.explanation;
  if (unmet === undefined) return undefined;
  return { verdict: 'inconclusive', ...unmet, reason: createReason('precondition', { reason: unmet.reason }) };
}

interface RowFinding {
  readonly is: 'violated' | 'unclear';
  readonly explanation: Omit<Judgement, 'verdict'> & { readonly reason: Reason };
}

/** Finds the first violation, or else the first doubt. Its reason has the other violations by the response, too. */
function findFirst(assertions: readonly Assertion[], evidence: RowEvidence): RowFinding | undefined {
  const findings = assertions.flatMap((assertion) => {
    const result = judgeAssertion(assertion, evidence, 'requirement');
    return result.is === 'holds' ? [] : [{ ...result, assertion }];
  });
  const first = findings.find(({ is }) => is === 'violated') ?? findings[0];
  if (first === undefined) return undefined;
  const { is, assertion, reason, shownBy: exchange } = first;
  const finding = { reason, at: assertion.at, exchange };
  if (is === 'unclear') return { is, explanation: finding };
  const violations = findings.filter((found) => found.is === is);
  const together = violations.filter(({ shownBy }) => shownBy === exchange);
  const reasons = [...new Map(together.map((found) => [JSON.stringify(found.reason), found.reason])).values()];
  const all = reasons.reduce((before, next) => createReason('and', { reason: before, next }));
  const shownBy = [...new Set(violations.flatMap((found) => found.shownBy ?? []))];
  return { is, explanation: { ...finding, reason: all, expected: assertion, shownBy } };
}

/** Whether a failure is not explained by a known deviation. */
export function isNewFailure({ verdict, isKnown }: Judgement): boolean {
  return verdict === 'fail' && isKnown !== true;
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

function judgeQuestion({ rows: [row], answer, at }: QuestionCase, evidence: RowEvidence): AnswerJudgement {
  const unmet = judgePreconditions(row, at, evidence, explainUnsupportedRequest);
  if (unmet !== undefined) return unmet;
  // Without a response there is no answer. If there are responses and a rule stays unclear, the outcome is undetermined.
  const unanswered = findUnusable(evidence, explainTransientFailure);
  if (unanswered !== undefined) return { verdict: 'inconclusive', at, ...unanswered };
  return answer.kind === 'value' ? extractOutcome(answer, evidence) : findOutcome(answer, at, evidence);
}

type AnswerJudgement = Omit<CaseJudgement, 'rows'>;

function extractOutcome(answer: Extract<OutcomeRule, { kind: 'value' }>, evidence: RowEvidence): AnswerJudgement {
  const source = { at: answer.at, exchange: answer.of };
  const extracted = extractOpenValue(answer, evidence);
  if ('reason' in extracted) return { verdict: 'inconclusive', reason: extracted.reason, ...source };
  return { verdict: 'pass', ...source, outcome: extracted.value };
}

/** Finds the first outcome that holds. If an earlier one may hold, the outcome is undetermined. */
function findOutcome(
  answer: Extract<OutcomeRule, { kind: 'first-of' }>,
  at: Location,
  evidence: RowEvidence,
): AnswerJudgement {
  const answered = { verdict: 'pass', exchange: answer.evidence } as const;
  for (const { outcome, when } of answer.rules) {
    const result = judgeWhetherAllHold(when, evidence, 'question');
    const location = when[0]?.at ?? at;
    if (result.is === 'holds') return { ...answered, at: location, outcome };
    if (result.is === 'unclear') {
      const reason = createReason('outcome-unclear', { outcome, reason: result.reason });
      return {
        ...answered,
        reason,
        at: location,
        exchange: result.shownBy ?? answer.evidence,
        outcome: undeterminedOutcome,
      };
    }
  }
  return { ...answered, reason: createReason('no-outcome'), at, outcome: undeterminedOutcome };
}
