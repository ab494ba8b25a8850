import type { Assertion } from '../assertions/assertion.js';
import { describeAssertion, judgeAssertion, judgeAssertions } from '../assertions/registry.js';
import { listSuccesses, type RowEvidence } from '../assertions/row-evidence.js';
import {
  type QuestionCase,
  type RequirementCase,
  type RequirementRow,
  type Row,
  type TestCase,
  undetermined,
} from '../cases/test-case.js';
import { type NamedWorld, ownPrefix, thingKinds } from '../contract/named-world.js';
import { createOracle } from '../contract/oracle.js';
import type { Exchange } from '../http/exchange.js';
import { explainInapplicable, explainTransientFailure, explainUnsupported } from '../http/response-status.js';
import type { Recognizer } from '../recognition/recognizer.js';
import { hasMentions } from '../recognition/tier-mentions.js';
import { determineReading, type TierReading } from '../recognition/tier-reading.js';
import { omitUndefined } from '../support/omit-undefined.js';
import type { Location } from '../support/problem.js';
import { renderShortList } from '../support/render-short-list.js';
import { explainAmbiguity } from './explain-ambiguity.js';
import { extractValue } from './extract-value.js';
import { findOtherReadings, type OtherReading } from './other-readings.js';
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

type Reason = Omit<Judgement, 'verdict'>;

export interface RowJudgement extends Judgement {
  readonly title: string;
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
  /** The first exchanges of the run. They help to find the path of promotions. */
  readonly calibration: readonly Exchange[];
  /** The path patterns of returned tiers, if the target file states them. */
  readonly configuredPatterns?: readonly string[];
  /** Whether the world is certainly loaded: a response mentioned it, or the user says so. */
  readonly isWorldSeen: boolean;
  /** Whether the user says that the target has all test data. */
  readonly isWorldLoaded?: boolean;
}

/** Everything that one row is judged by. */
interface CaseEvidence extends RowEvidence {
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
 * @param repetitions the exchanges of rows that were sent again. A row fails only if it fails each time.
 */
export function judgeCase(
  testCase: TestCase,
  exchanges: RowExchanges,
  target: TargetContext,
  ...repetitions: readonly RowExchanges[]
): CaseJudgement {
  const [evidence = [], ...later] = [exchanges, ...repetitions].map((sent) => findRowEvidence(sent, target));
  if (testCase.kind === 'question') return { ...judgeQuestion(testCase, evidence[0] as CaseEvidence), rows: [] };
  const unseen = explainUnseenWorld(testCase, [evidence, ...later].flat(), target);
  const rows = testCase.rows.map((row, n) => {
    const own = evidence[n] as CaseEvidence;
    const again = later.flatMap((ofRows) => ofRows.slice(n, n + 1)).filter(({ exchanges }) => exchanges.size > 0);
    const judgement = judgeRepeatedly(row, testCase, own, ...again);
    return { title: row.title, ...(unseen === undefined ? judgement : doubtWithoutWorld(judgement, own, unseen)) };
  });
  return { ...summarizeRows(rows, testCase), rows };
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

/** Creates the evidence of each row. All rows share one reading: each response helps to find the path of promotions. */
export function createRowEvidence(rows: RowExchanges, target: TargetContext): CaseEvidence[] {
  const { world, recognizer, calibration } = target;
  const all = [...calibration, ...rows.flatMap((row) => [...row.values()])];
  const determined = readExchanges(all, target);
  const reading: TierReading =
    determined.kind === 'ambiguous'
      ? { ...determined, explain: computeOnce(() => explainAmbiguity(determined.patterns, all, target)) }
      : determined;
  const shared = {
    reading,
    recognizer,
    world,
    calibration,
    listOtherReadings: computeOnce(() => findOtherReadings(all, reading, target)),
    listRemainingReadings: () => {
      const known = remainingReadings.get(calibration);
      const remaining = known ?? findOtherReadings(calibration, readExchanges(calibration, target), target);
      remainingReadings.set(calibration, remaining);
      return remaining;
    },
  };
  return rows.map((exchanges) => ({ exchanges, ...shared }));
}

/** By the exchanges: those of a failing case are judged several times, and other readings take long to find. */
const knownEvidence = new WeakMap<
  RowExchanges,
  { readonly target: TargetContext; readonly evidence: CaseEvidence[] }
>();

function findRowEvidence(rows: RowExchanges, target: TargetContext): CaseEvidence[] {
  const known = knownEvidence.get(rows);
  if (known?.target === target) return known.evidence;
  const evidence = createRowEvidence(rows, target);
  knownEvidence.set(rows, { target, evidence });
  return evidence;
}

/** By the calibration, which all cases of a run share. */
const remainingReadings = new WeakMap<readonly Exchange[], readonly OtherReading[]>();

function readExchanges(exchanges: readonly Exchange[], { recognizer, configuredPatterns }: TargetContext): TierReading {
  const mentions = listSuccesses(exchanges).map(({ response }) => recognizer.findMentions(response.body));
  return determineReading(mentions, configuredPatterns);
}

function computeOnce<Value>(compute: () => Value): () => Value {
  let computed: { readonly value: Value } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}

function judgeRow(row: RequirementRow, { at }: RequirementCase, evidence: CaseEvidence): Judgement {
  const findBy = (assertions: readonly Assertion[], { reading }: OtherReading) =>
    findFirst(assertions, { ...evidence, reading });
  const unmet = judgePreconditions(row, at, evidence, explainInapplicable);
  if (unmet !== undefined) {
    if (unmet.verdict !== 'inconclusive') return unmet;
    return doubt(unmet, evidence, (other) => findBy(row.given, other) === undefined);
  }
  if (row.expect.length === 0) return { verdict: 'error', reason: 'The case asserts nothing.', at };
  const finding = findFirst(row.expect, evidence);
  if (finding?.is !== 'violated') {
    const remaining = evidence.listRemainingReadings().map((each) => findBy(row.expect, each));
    const [refuted] = remaining;
    if (refuted !== undefined && remaining.every((each) => each?.is === 'violated'))
      return { verdict: 'fail', ...refuted.judgement };
  }
  if (finding === undefined) return { verdict: 'pass', reason: '', at };
  const { is, judgement } = finding;
  if (is === 'unclear') return { verdict: 'inconclusive', ...judgement };
  return doubt({ verdict: 'fail', ...judgement }, evidence, (other) => findBy(row.expect, other)?.is !== 'violated');
}

/**
 * Turns a failure into a doubt if the responses agree with the documentation once they are read in another way, or if
 * promotions of the deployment may take places of the newest 150.
 */
function doubt(judgement: Judgement, evidence: CaseEvidence, agrees: (reading: OtherReading) => boolean): Judgement {
  const { at, exchange } = judgement;
  const other = evidence.listOtherReadings().find(agrees);
  const shown = evidence.exchanges.get(exchange ?? '');
  let reason: string | undefined;
  if (other !== undefined)
    reason = `A response may name promotions that it does not return. If it returns all that it names, it violates the documentation. If it returns only those ${other.words}, it conforms. Write one of these lines in the target file: ${other.stated}, or response: { where: {} } if all are returned.`;
  else if (shown === undefined || listSuccesses([shown]).length > 0)
    reason = explainOwnPromotions([...evidence.exchanges.values()], evidence);
  return reason === undefined ? judgement : { verdict: 'inconclusive', reason, at, ...omitUndefined({ exchange }) };
}

/** Finds the first exchange that shows nothing. @param explain why an exchange shows nothing */
function findUnusable(
  { exchanges }: RowEvidence,
  explain: (exchange: Exchange) => string | undefined,
): { readonly reason: string; readonly exchange: string } | undefined {
  for (const [exchange, received] of exchanges) {
    const reason = explain(received);
    if (reason !== undefined) return { reason, exchange };
  }
  return undefined;
}

/**
 * Judges a row that may have been sent again. It fails if the same expectation is violated each time. The first result that
 * differs decides.
 */
function judgeRepeatedly(
  row: RequirementRow,
  testCase: RequirementCase,
  evidence: CaseEvidence,
  ...later: readonly CaseEvidence[]
): Judgement {
  const first = judgeRow(row, testCase, evidence);
  const repeated = later.map((again): Judgement => {
    const second = judgeRow(row, testCase, again);
    if (first.verdict !== 'fail' && second.verdict !== 'fail') return first;
    if (first.verdict === 'fail' && second.verdict === 'fail') {
      const readBoth = [evidence, again].map((each) => readAsViolated(row, each));
      const violated = row.expect.filter((assertion) =>
        readBoth.every((each) => judgeAssertion(assertion, each, 'requirement').is === 'violated'),
      );
      const finding = findFirst(violated, readBoth[0] as RowEvidence);
      if (finding !== undefined) return { verdict: 'fail', ...finding.judgement };
    }
    const reasonOf = ({ verdict, reason }: Judgement) => (verdict === 'pass' ? 'it passed.' : reason);
    return {
      ...(first.verdict === 'fail' ? first : second),
      verdict: 'inconclusive',
      reason: `Unstable: sent twice, with different results. First: ${reasonOf(first)} Then: ${reasonOf(second)}`,
      isUnstable: true,
    };
  });
  return repeated.find(({ isUnstable }) => isUnstable) ?? repeated.at(-1) ?? first;
}

/** Reads the responses of a failing row as they were read when it failed. */
function readAsViolated({ expect }: RequirementRow, evidence: CaseEvidence): RowEvidence {
  if (findFirst(expect, evidence)?.is === 'violated') return evidence;
  return { ...evidence, reading: evidence.listRemainingReadings()[0]?.reading ?? evidence.reading };
}

/** Explains why the test data may not be loaded; undefined if a response names some of it, or the user says that it is. */
function explainUnseenWorld(
  testCase: RequirementCase,
  evidence: readonly RowEvidence[],
  { world, recognizer, isWorldSeen, isWorldLoaded }: TargetContext,
): string | undefined {
  const exchanges = evidence.flatMap((each) => [...each.exchanges.values()]);
  const namesWorld = (exchange: Exchange) =>
    'response' in exchange && hasMentions(recognizer.findMentions(exchange.response.body));
  if (!isWorldSeen && !exchanges.some(namesWorld)) return worldUnseen;
  return isWorldLoaded || isOwnDataSeen(testCase, exchanges, world) ? undefined : ownDataUnseen;
}

/**
 * Whether the responses to a case show the test data that the user added to the world: yes if they name a tier of it, or
 * if the case sends nothing of it.
 */
function isOwnDataSeen({ rows }: TestCase, exchanges: readonly Exchange[], { ids }: NamedWorld): boolean {
  const listOwnIds = (kind: (typeof thingKinds)[number]) =>
    [...ids[kind]].flatMap(([name, id]) => (name.startsWith(ownPrefix) ? [id] : []));
  const tiers = listOwnIds('tier');
  if (tiers.length === 0) return true;
  const own = thingKinds.flatMap(listOwnIds);
  const sent = rows.flatMap(({ requests }) => [...requests.values()]).map(({ path, body = '' }) => path + body);
  if (!sent.some((text) => own.some((id) => text.includes(id)))) return true;
  return exchanges.some(
    (exchange) => 'response' in exchange && tiers.some((id) => exchange.response.body.includes(id)),
  );
}

/**
 * Turns `fail` into `inconclusive`, because the world may not be loaded. Then the requests name unknown customers and
 * products, for which every response may be right except a server error and a refusal that no data explains.
 */
function doubtWithoutWorld(
  judgement: Judgement,
  { exchanges, world, calibration }: RowEvidence,
  unseen: string,
): Judgement {
  const { verdict, reason, exchange: name = '' } = judgement;
  if (verdict !== 'fail') return judgement;
  const statusOf = (exchange: Exchange | undefined) =>
    exchange !== undefined && 'response' in exchange ? exchange.response.status : 0;
  const status = statusOf(exchanges.get(name));
  if (status >= 500) return judgement;
  const documented = [...exchanges.values()].filter(({ request }) => createOracle(request, world).accepted);
  // Another status for another request may mean that this one names something that is gone.
  const isRefused =
    calibration.length > 0 &&
    [...[...calibration, ...documented].map(statusOf), status].every((each) => dataIndependentRefusals.has(each));
  if (!isRefused) return { ...judgement, verdict: 'inconclusive', reason: `${reason} ${unseen}` };
  return status === 410 ? { ...judgement, reason: `${reason} ${operationRetired}` } : judgement;
}

/** Statuses that speak of the method, the media type or the operation, whatever data a deployment has (RFC 9110). */
const dataIndependentRefusals: ReadonlySet<number> = new Set([405, 406, 410, 415]);

const operationRetired = 'The deployment says that it has retired the operation (410 Gone).';

const ownDataUnseen =
  'But no response names a promotion of your own test data: either it is not loaded (npx conformance world --cases FOLDER), or none of it is ever returned. If it is loaded, say so: --world-loaded, or world: loaded in the target file.';

const worldUnseen =
  'But no response names anything of the world: either it is not loaded under these ids (npx conformance world), or nothing is ever returned. If it is loaded, say so: --world-loaded, or world: loaded in the target file.';

/** Before the reason why a row cannot be judged. */
const unmetPrefix = 'Not judged, since something else is not as expected: ';

/** Judges whether the row can be judged. Returns undefined if it can. @param explain why a request is not applicable */
function judgePreconditions(
  { unavailable, given }: Row,
  at: Location,
  evidence: RowEvidence,
  explain: (exchange: Exchange) => string | undefined,
): Judgement | undefined {
  const inapplicable = findUnusable(evidence, explain);
  if (inapplicable !== undefined) return { verdict: 'not-applicable', at, ...inapplicable };
  if (unavailable.length > 0)
    return { verdict: 'not-applicable', reason: `The target does not have ${renderShortList(unavailable)}.`, at };
  const unmet = findFirst(given, evidence)?.judgement;
  if (unmet === undefined) return undefined;
  return { verdict: 'inconclusive', ...unmet, reason: `${unmetPrefix}${unmet.reason}` };
}

/** An assertion that does not hold. */
interface Finding {
  readonly is: 'violated' | 'unclear';
  readonly judgement: Reason;
}

/**
 * Finds the first violated assertion, or else the first unclear one. Its reason includes the other violations by the same
 * response.
 */
function findFirst(assertions: readonly Assertion[], evidence: RowEvidence): Finding | undefined {
  const findings = assertions.flatMap((assertion): Finding[] => {
    const result = judgeAssertion(assertion, evidence, 'requirement');
    if (result.is === 'holds') return [];
    const { is, explain, shownBy } = result;
    const expected = is === 'violated' ? describeAssertion(assertion, evidence.world) : undefined;
    return [
      { is, judgement: { reason: explain(), at: assertion.at, ...omitUndefined({ expected, exchange: shownBy }) } },
    ];
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
  return { ...first, reason: `${first.title}: ${first.reason} (${decisive.length} of ${rows.length} rows)` };
}

type Answer = Judgement & { readonly outcome?: string };

function judgeQuestion({ rows: [row], answer, at }: QuestionCase, evidence: RowEvidence): Answer {
  const unmet = judgePreconditions(row, at, evidence, explainUnsupported);
  if (unmet !== undefined) return unmet;
  // Without a response there is no answer. If there are responses and a rule stays unclear, the outcome is undetermined.
  const unanswered = findUnusable(evidence, explainTransientFailure);
  if (unanswered !== undefined) return { verdict: 'inconclusive', at, ...unanswered };
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
