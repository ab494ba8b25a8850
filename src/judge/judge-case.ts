import type { Assertion } from '../assertions/assertion.js';
import { describeAssertion } from '../assertions/describe-assertion.js';
import { judgeAssertion, judgeAssertions } from '../assertions/registry.js';
import type { JudgeMode, RowEvidence } from '../assertions/row-evidence.js';
import {
  type QuestionCase,
  type RequirementCase,
  type RequirementRow,
  type Row,
  type TestCase,
  undetermined,
} from '../cases/test-case.js';
import { createOracle } from '../contract/oracle.js';
import type { Exchange } from '../http/exchange.js';
import {
  explainInapplicable,
  explainTransientFailure,
  explainUnsupported,
  isSuccessful,
} from '../http/response-status.js';
import type { Recognizer } from '../recognition/recognizer.js';
import { hasMentions, type TierMentions } from '../recognition/tier-mentions.js';
import { determineReading } from '../recognition/tier-reading.js';
import type { Location } from '../support/problem.js';
import { renderShortList } from '../support/render-short-list.js';
import type { NamedWorld } from '../world/named-world.js';
import { explainAmbiguity } from './explain-ambiguity.js';
import { extractValue } from './extract-value.js';
import { findOtherReadings, type OtherReading } from './other-readings.js';
import { isOwnDataSeen } from './own-data.js';
import { explainOwnPromotions } from './own-promotions.js';
import { findWorstVerdict, type Verdict } from './verdict.js';

/** A verdict and its reason. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Empty for `pass` only. */
  readonly reason: string;
  /** The line of the case file that decided the verdict. */
  readonly at: Location;
  /** For `fail`: a description of the expectation. */
  readonly expected?: string;
  /** The name of the exchange that shows the reason. */
  readonly exchange?: string;
  /** Whether it failed only in some of several attempts. */
  readonly isUnstable?: true;
}

export interface RowJudgement extends Judgement {
  readonly title: string;
  readonly condition?: FailureCondition;
}

/** Under which condition alone a row fails, and which part of another request the response was for, if known. */
export interface FailureCondition {
  readonly kind: 'overlapping' | 'after' | 'reused-connection';
  readonly part?: string;
}

export interface CaseJudgement extends Judgement {
  readonly rows: readonly RowJudgement[];
  /** The answer to a question, if there is one. */
  readonly outcome?: string;
}

/** What is known about the target apart from the exchanges of the case. */
export interface TargetContext {
  readonly world: NamedWorld;
  readonly recognizer: Recognizer;
  /** The tiers that the calibration responses mention. They help to find the path of promotions. */
  readonly calibration: readonly TierMentions[];
  readonly calibrationExchanges?: readonly Exchange[];
  /** The path patterns of returned tiers, if the target file states them. */
  readonly configuredPatterns?: readonly string[];
  /** Whether the world is certainly loaded: a response mentioned it, or the user says so. */
  readonly isWorldSeen: boolean;
  /** Whether the user says that the target has all test data. */
  readonly isWorldLoaded?: boolean;
}

/** Everything that one row is judged by. */
export interface CaseEvidence extends RowEvidence {
  /** Lists the readings by which all responses of the case agree with the documentation. */
  listOtherReadings(): readonly OtherReading[];
  /** The readings that remain if the calibration refutes that everything named was returned. Else empty. */
  listRemainingReadings(): readonly OtherReading[];
}

/** The exchanges of a case: one map per row, by the name of the request. Empty for a row that was not sent. */
export type RowExchanges = readonly ReadonlyMap<string, Exchange>[];

/**
 * Judges a case by the exchanges of its rows. Pure.
 *
 * @param repetitions the exchanges of further attempts. A failing case is repeated; it fails only if it fails each time.
 */
export function judgeCase(
  testCase: TestCase,
  exchanges: RowExchanges,
  target: TargetContext,
  ...repetitions: readonly RowExchanges[]
): CaseJudgement {
  const evidence = createRowEvidence(exchanges, target);
  if (testCase.kind === 'question') return { ...judgeQuestion(testCase, evidence[0] as CaseEvidence), rows: [] };
  const later = repetitions.map((each) => createRowEvidence(each, target));
  const all = [evidence, ...later].flat();
  const isWorldSeen = target.isWorldSeen || all.some(mentionsWorld);
  const isOwnSeen =
    target.isWorldLoaded ||
    isOwnDataSeen(
      testCase,
      all.flatMap((each) => [...each.exchanges.values()]),
      target.world,
    );
  const rows = testCase.rows.map((row, n) => {
    const first = judgeRow(row, testCase, evidence[n] as CaseEvidence);
    const repeated = later.map((each) =>
      judgeRepetition(row, testCase, first, evidence[n] as CaseEvidence, each[n] as CaseEvidence),
    );
    const final = repeated.find(({ isUnstable }) => isUnstable) ?? repeated.at(-1) ?? first;
    return {
      title: row.title,
      ...(isWorldSeen && isOwnSeen
        ? final
        : doubtWithoutWorld(final, evidence[n] as CaseEvidence, target, isWorldSeen ? ownDataUnseen : worldUnseen)),
    };
  });
  return { ...summarizeRows(rows, testCase), rows };
}

/**
 * Judges one row that was sent again by itself.
 *
 * @returns `fail` only if the same expectation is violated both times
 */
export function judgeRowAgain(
  testCase: RequirementCase,
  row: number,
  first: RowExchanges,
  again: RowExchanges,
  target: TargetContext,
): RowJudgement {
  const own = testCase.rows[row] as RequirementRow;
  const evidence = createRowEvidence(first, target)[row] as CaseEvidence;
  const repeatedEvidence = createRowEvidence(again, target)[row] as CaseEvidence;
  const judgement = judgeRow(own, testCase, evidence);
  return { title: own.title, ...judgeRepetition(own, testCase, judgement, evidence, repeatedEvidence) };
}

/** Replaces the judgement of one row. */
export function replaceRow(
  { rows }: CaseJudgement,
  testCase: RequirementCase,
  row: number,
  judgement: RowJudgement,
): CaseJudgement {
  const replaced = rows.with(row, judgement);
  return { ...summarizeRows(replaced, testCase), rows: replaced };
}

const noExchanges: readonly Exchange[] = [];

/** Creates the evidence of each row. All rows share one reading: each response helps to find the path of promotions. */
export function createRowEvidence(
  rows: RowExchanges,
  { world, recognizer, calibration, calibrationExchanges = noExchanges, configuredPatterns }: TargetContext,
): CaseEvidence[] {
  const successes = rows.flatMap((row) =>
    [...row.values()].flatMap((exchange) =>
      'response' in exchange && isSuccessful(exchange.response) ? [exchange.response] : [],
    ),
  );
  const mentions = successes.map(({ body }) => recognizer.findMentions(body));
  const determined = determineReading([...calibration, ...mentions], configuredPatterns);
  const listExchanges = () => [...calibrationExchanges, ...rows.flatMap((row) => [...row.values()])];
  const reading =
    determined.kind === 'ambiguous'
      ? { ...determined, explain: explainOnce(determined.patterns, listExchanges, { world, recognizer }) }
      : determined;
  let others: readonly OtherReading[] | undefined;
  const listOtherReadings = () => {
    others ??= findOtherReadings(listExchanges(), reading, { world, recognizer });
    return others;
  };
  const listRemainingReadings = () => {
    const known = remainingReadings.get(calibrationExchanges);
    if (known !== undefined) return known;
    const remaining = findOtherReadings(calibrationExchanges, determineReading(calibration, configuredPatterns), {
      world,
      recognizer,
    });
    remainingReadings.set(calibrationExchanges, remaining);
    return remaining;
  };
  const shared = {
    reading,
    recognizer,
    world,
    calibration: calibrationExchanges,
    listOtherReadings,
    listRemainingReadings,
  };
  return rows.map((exchanges) => ({ exchanges, ...shared }));
}

function explainOnce(
  patterns: readonly string[],
  listExchanges: () => readonly Exchange[],
  target: Pick<TargetContext, 'world' | 'recognizer'>,
): () => string | undefined {
  let explained: { readonly text: string | undefined } | undefined;
  return () => {
    explained ??= { text: explainAmbiguity(patterns, listExchanges(), target) };
    return explained.text;
  };
}

/** By the calibration, which all cases of a run share. */
const remainingReadings = new WeakMap<readonly Exchange[], readonly OtherReading[]>();

function judgeRow(row: RequirementRow, { at }: RequirementCase, evidence: CaseEvidence): Judgement {
  const unmet = judgeApplicability(evidence, at, explainInapplicable) ?? judgePreconditions(row, at, evidence);
  if (unmet !== undefined) {
    const isMet = ({ reading }: OtherReading) =>
      findFirst(row.given, { ...evidence, reading }, 'requirement') === undefined;
    if (unmet.verdict !== 'inconclusive') return unmet;
    const other = evidence.listOtherReadings().find(isMet);
    return other === undefined ? doubtWindow(unmet, evidence) : doubtReading(unmet, other);
  }
  if (row.expect.length === 0) return { verdict: 'error', reason: 'The case asserts nothing.', at };
  const finding = findFirst(row.expect, evidence, 'requirement');
  const findBy = ({ reading }: OtherReading) => findFirst(row.expect, { ...evidence, reading }, 'requirement');
  if (finding?.is !== 'violated') {
    const remaining = evidence.listRemainingReadings().map(findBy);
    const [refuted] = remaining;
    if (refuted !== undefined && remaining.every((each) => each?.is === 'violated'))
      return { verdict: 'fail', ...refuted.judgement };
  }
  if (finding === undefined) return { verdict: 'pass', reason: '', at };
  const { is, judgement } = finding;
  if (is === 'unclear') return { verdict: 'inconclusive', ...judgement };
  const other = evidence.listOtherReadings().find((each) => findBy(each)?.is !== 'violated');
  return other === undefined
    ? doubtWindow({ verdict: 'fail', ...judgement }, evidence)
    : doubtReading(judgement, other);
}

/** Turns a failure into a doubt: promotions of the deployment may take places of the newest 150. */
function doubtWindow(judgement: Judgement, evidence: CaseEvidence): Judgement {
  const { at, exchange } = judgement;
  const shown = exchange === undefined ? undefined : evidence.exchanges.get(exchange);
  if (shown !== undefined && (!('response' in shown) || !isSuccessful(shown.response))) return judgement;
  const reason = explainOwnPromotions([...evidence.exchanges.values()], evidence.calibration ?? [], evidence);
  return reason === undefined
    ? judgement
    : { verdict: 'inconclusive', reason, at, ...(exchange === undefined ? {} : { exchange }) };
}

/** Turns a failure into a doubt: read in another way, the responses agree with the documentation. */
function doubtReading({ at, exchange }: Partial<Judgement> & Pick<Judgement, 'at'>, other: OtherReading): Judgement {
  const reason = `A response may name promotions that it does not return. If it returns all that it names, it violates the documentation. If it returns only those ${other.words}, it conforms. Write one of these lines in the target file: ${other.stated}, or response: { where: {} } if all are returned.`;
  return { verdict: 'inconclusive', reason, at, ...(exchange === undefined ? {} : { exchange }) };
}

/** @param explain why an exchange shows nothing about its request */
function judgeApplicability(
  { exchanges }: RowEvidence,
  at: Location,
  explain: (exchange: Exchange) => string | undefined,
): Judgement | undefined {
  for (const [exchange, received] of exchanges) {
    const reason = explain(received);
    if (reason !== undefined) return { verdict: 'not-applicable', reason, at, exchange };
  }
  return undefined;
}

/** Judges a repeated row. It fails if the same expectation is violated both times. */
function judgeRepetition(
  row: RequirementRow,
  testCase: RequirementCase,
  first: Judgement,
  evidence: CaseEvidence,
  repeatedEvidence: CaseEvidence,
): Judgement {
  const second = judgeRow(row, testCase, repeatedEvidence);
  if (first.verdict !== 'fail' && second.verdict !== 'fail') return first;
  if (first.verdict === 'fail' && second.verdict === 'fail') {
    const readBoth = [evidence, repeatedEvidence].map((each) => readAsViolated(row, each));
    const violated = row.expect.filter((assertion) =>
      readBoth.every((each) => judgeAssertion(assertion, each, 'requirement').is === 'violated'),
    );
    const finding = findFirst(violated, readBoth[0] as RowEvidence, 'requirement');
    if (finding !== undefined) return { verdict: 'fail', ...finding.judgement };
  }
  const reasonOf = ({ verdict, reason }: Judgement) => (verdict === 'pass' ? 'it passed.' : reason);
  return {
    ...(first.verdict === 'fail' ? first : second),
    verdict: 'inconclusive',
    reason: `Unstable: sent twice, with different results. First: ${reasonOf(first)} Then: ${reasonOf(second)}`,
    isUnstable: true,
  };
}

/** Reads the responses of a failing row as they were read when it failed. */
function readAsViolated({ expect }: RequirementRow, evidence: CaseEvidence): RowEvidence {
  if (findFirst(expect, evidence, 'requirement')?.is === 'violated') return evidence;
  return { ...evidence, reading: evidence.listRemainingReadings()[0]?.reading ?? evidence.reading };
}

function mentionsWorld({ exchanges, recognizer }: RowEvidence): boolean {
  return [...exchanges.values()].some(
    (exchange) => 'response' in exchange && hasMentions(recognizer.findMentions(exchange.response.body)),
  );
}

/**
 * Turns `fail` into `inconclusive`, because the world may not be loaded. Then the requests name unknown customers and
 * products, for which every response may be right except a server error and a refusal that no data explains.
 */
function doubtWithoutWorld(
  judgement: Judgement,
  { exchanges, world }: RowEvidence,
  { calibrationExchanges = [] }: TargetContext,
  unseen: string,
): Judgement {
  const { verdict, reason, exchange: name = '' } = judgement;
  if (verdict !== 'fail') return judgement;
  const exchange = exchanges.get(name);
  const status = exchange !== undefined && 'response' in exchange ? exchange.response.status : 0;
  if (status >= 500) return judgement;
  const documented = [...exchanges.values()].filter(({ request }) => createOracle(request, world).accepted);
  // Another status for another request may mean that this one names something that is gone.
  const isRefused =
    calibrationExchanges.length > 0 &&
    [...calibrationExchanges, ...documented].every(
      (each) => 'response' in each && dataIndependentRefusals.has(each.response.status),
    );
  if (isRefused && dataIndependentRefusals.has(status))
    return status === 410 ? { ...judgement, reason: `${reason} ${operationRetired}` } : judgement;
  return { ...judgement, verdict: 'inconclusive', reason: `${reason} ${unseen}` };
}

/** Statuses that speak of the method, the media type or the operation, whatever data a deployment has (RFC 9110). */
const dataIndependentRefusals: ReadonlySet<number> = new Set([405, 406, 410, 415]);

const operationRetired = 'The deployment says that it has retired the operation (410 Gone).';

const ownDataUnseen =
  'But no response names a promotion of your own test data: either it is not loaded (npx conformance world --cases FOLDER), or none of it is ever returned. If it is loaded, say so: --world-loaded, or world: loaded in the target file.';

const worldUnseen =
  'But no response names anything of the world: either it is not loaded under these ids (npx conformance world), or nothing is ever returned. If it is loaded, say so: --world-loaded, or world: loaded in the target file.';

/** Judges whether the row can be judged. Returns undefined if it can. */
function judgePreconditions({ unavailable, given }: Row, at: Location, evidence: RowEvidence): Judgement | undefined {
  if (unavailable.length > 0)
    return { verdict: 'not-applicable', reason: `The target does not have ${renderShortList(unavailable)}.`, at };
  const unmet = findFirst(given, evidence, 'requirement')?.judgement;
  if (unmet === undefined) return undefined;
  return { verdict: 'inconclusive', ...unmet, reason: `A precondition is not met. ${unmet.reason}` };
}

/** An assertion that does not hold. */
interface Finding {
  readonly is: 'violated' | 'unclear';
  readonly judgement: Omit<Judgement, 'verdict'>;
}

/**
 * Finds the first violated assertion, or else the first unclear one. Its reason includes the other violations by the same
 * response.
 */
function findFirst(assertions: readonly Assertion[], evidence: RowEvidence, mode: JudgeMode): Finding | undefined {
  const findings = assertions.flatMap((assertion): Finding[] => {
    const result = judgeAssertion(assertion, evidence, mode);
    if (result.is === 'holds') return [];
    const { is, explain, shownBy } = result;
    const expected = is === 'violated' ? { expected: describeAssertion(assertion, evidence.world) } : {};
    const shown = shownBy === undefined ? {} : { exchange: shownBy };
    return [{ is, judgement: { reason: explain(), at: assertion.at, ...expected, ...shown } }];
  });
  const violated = findings.filter(({ is }) => is === 'violated');
  const [first] = violated;
  if (first === undefined) return findings[0];
  const { judgement } = first;
  const reasons = violated
    .filter((each) => each.judgement.exchange === judgement.exchange)
    .map((each) => each.judgement.reason);
  return { ...first, judgement: { ...judgement, reason: [...new Set(reasons)].join(' ') } };
}

function summarizeRows(rows: readonly RowJudgement[], { at }: RequirementCase): Judgement {
  const verdict = findWorstVerdict(rows.map((row) => row.verdict));
  const decisive = rows.filter((row) => row.verdict === verdict);
  const first = decisive[0];
  if (verdict === 'pass' || first === undefined) return { verdict, reason: '', at };
  if (rows.length === 1) return first;
  const others =
    decisive.length > 1 ? ` (and ${decisive.length - 1} more of ${rows.length} rows)` : ` (1 of ${rows.length} rows)`;
  return { ...first, reason: `${first.title}: ${first.reason}${others}` };
}

type Answer = Judgement & { readonly outcome?: string };

function judgeQuestion({ rows: [row], answer, at }: QuestionCase, evidence: RowEvidence): Answer {
  const unmet = judgeApplicability(evidence, at, explainUnsupported) ?? judgePreconditions(row, at, evidence);
  if (unmet !== undefined) return unmet;
  // Without a response there is no answer. If there are responses and a rule stays unclear, the outcome is undetermined.
  for (const [exchange, received] of evidence.exchanges) {
    const reason = explainTransientFailure(received);
    if (reason !== undefined) return { verdict: 'inconclusive', reason, at, exchange };
  }
  if (answer.kind === 'value') {
    const source = { at: answer.at, exchange: answer.of };
    const extracted = extractValue(answer, evidence);
    if ('reason' in extracted) return { verdict: 'inconclusive', reason: extracted.reason, ...source };
    return { verdict: 'pass', reason: '', ...source, outcome: extracted.value };
  }
  const answered = { verdict: 'pass', reason: '', exchange: answer.evidence } as const;
  for (const { outcome, when } of answer.rules) {
    const result = judgeAssertions(when, evidence, 'question');
    const location = when[0]?.at ?? at;
    if (result.is === 'holds') return { ...answered, at: location, outcome };
    if (result.is === 'unclear') {
      const reason = `Whether it is ${outcome} cannot be determined. ${result.explain()}`;
      return { ...answered, reason, at: location, exchange: result.shownBy ?? answer.evidence, outcome: undetermined };
    }
  }
  const reason = 'None of the known outcomes fits the responses.';
  return { ...answered, reason, at, outcome: undetermined };
}
