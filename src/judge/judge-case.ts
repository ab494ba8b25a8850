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
import type { Exchange } from '../http/exchange.js';
import { explainLengthRequired, explainTransientFailure, isSuccessful } from '../http/response-status.js';
import type { Recognizer } from '../recognition/recognizer.js';
import { hasMentions, type TierMentions } from '../recognition/tier-mentions.js';
import { determineReading } from '../recognition/tier-reading.js';
import type { Location } from '../support/problem.js';
import { renderShortList } from '../support/render-short-list.js';
import type { NamedWorld } from '../world/named-world.js';
import { extractValue } from './extract-value.js';
import { findWorstVerdict, type Verdict } from './verdict.js';

/** What was concluded about something, and why. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Empty only for `pass`. */
  readonly reason: string;
  /** Where the case file says what the verdict rests on. */
  readonly at: Location;
  /** For `fail`: what was expected, in words. */
  readonly expected?: string;
  /** The name of the exchange that shows it. */
  readonly exchange?: string;
  /** Whether it was refuted once of the two times that it was sent. */
  readonly isUnstable?: true;
}

export interface RowJudgement extends Judgement {
  readonly title: string;
}

export interface CaseJudgement extends Judgement {
  readonly rows: readonly RowJudgement[];
  /** For a question that was answered. */
  readonly outcome?: string;
}

/** What is known of the target beside the exchanges of a case. */
export interface TargetContext {
  readonly world: NamedWorld;
  readonly recognizer: Recognizer;
  /** What the calibration exchanges named, so that a response is not read without knowing the others. */
  readonly calibration: readonly TierMentions[];
  /** The patterns under which the target file says returned tiers are named. */
  readonly configuredPatterns?: readonly string[];
  /** Whether the target certainly has the world: it was named in a response, or the user says so. */
  readonly isWorldSeen: boolean;
}

/** What came back for a case: by row, then by name. A row that was not sent, as something is unavailable, has none. */
export type RowExchanges = readonly ReadonlyMap<string, Exchange>[];

/**
 * Judges a case by the exchanges that its rows brought. Pure.
 *
 * @param again what came back each time that it was sent again, as a case that fails is: what is not refuted every time
 *   is unstable, and proves nothing
 */
export function judgeCase(
  testCase: TestCase,
  exchanges: RowExchanges,
  background: TargetContext,
  ...again: readonly RowExchanges[]
): CaseJudgement {
  const evidence = createRowEvidence(exchanges, background);
  if (testCase.kind === 'question') return { ...judgeQuestion(testCase, evidence[0] as RowEvidence), rows: [] };
  const later = again.map((each) => createRowEvidence(each, background));
  const isWorldSeen = background.isWorldSeen || [evidence, ...later].flat().some(showsWorld);
  const rows = testCase.rows.map((row, n) => {
    const once = judgeRow(row, testCase, evidence[n] as RowEvidence);
    const all = later.map((each) =>
      judgeTwice(row, testCase, once, evidence[n] as RowEvidence, each[n] as RowEvidence),
    );
    const twice = all.find(({ isUnstable }) => isUnstable) ?? all.at(-1) ?? once;
    return { title: row.title, ...(isWorldSeen ? twice : withoutWorld(twice, evidence[n] as RowEvidence)) };
  });
  return { ...sumOfRows(rows, testCase), rows };
}

/** One evidence per row. All rows are read alike, so that what one response shows about the shape holds for all. */
export function createRowEvidence(
  rows: RowExchanges,
  { world, recognizer, calibration, configuredPatterns: statedPatterns }: TargetContext,
): RowEvidence[] {
  const successes = rows.flatMap((row) =>
    [...row.values()].flatMap((exchange) =>
      'response' in exchange && isSuccessful(exchange.response) ? [exchange.response] : [],
    ),
  );
  const namings = successes.map(({ body }) => recognizer.findMentions(body));
  const reading = determineReading([...calibration, ...namings], statedPatterns);
  return rows.map((exchanges) => ({ exchanges, reading, recognizer, world }));
}

function judgeRow(row: RequirementRow, { at }: RequirementCase, evidence: RowEvidence): Judgement {
  for (const [name, exchange] of evidence.exchanges) {
    const reason = explainLengthRequired(exchange);
    if (reason !== undefined) return { verdict: 'not-applicable', reason, at, exchange: name };
  }
  const unmet = whyInconclusive(row, at, evidence);
  if (unmet !== undefined) return unmet;
  if (row.expect.length === 0) return { verdict: 'error', reason: 'The case asserts nothing.', at };
  const finding = firstFinding(row.expect, evidence, 'requirement');
  if (finding === undefined) return { verdict: 'pass', reason: '', at };
  const { is, judgement } = finding;
  return { verdict: is === 'violated' ? 'fail' : 'inconclusive', ...judgement };
}

/** What a row comes to that was sent twice: it fails where the same expectation is violated both times. */
function judgeTwice(
  row: RequirementRow,
  testCase: RequirementCase,
  once: Judgement,
  evidence: RowEvidence,
  later: RowEvidence,
): Judgement {
  const again = judgeRow(row, testCase, later);
  if (once.verdict !== 'fail' && again.verdict !== 'fail') return once;
  const isRefuted = (assertion: Assertion, which: RowEvidence) =>
    judgeAssertion(assertion, which, 'requirement').is === 'violated';
  if (once.verdict === 'fail' && again.verdict === 'fail') {
    const refuted = row.expect.filter((assertion) => isRefuted(assertion, evidence) && isRefuted(assertion, later));
    const finding = firstFinding(refuted, evidence, 'requirement');
    if (finding !== undefined) return { verdict: 'fail', ...finding.judgement };
  }
  const outcomeOf = (judgement: Judgement) => (judgement.verdict === 'pass' ? 'it was not refuted.' : judgement.reason);
  return {
    ...(once.verdict === 'fail' ? once : again),
    verdict: 'inconclusive',
    reason: `Unstable: sent twice, and not refuted alike. First: ${outcomeOf(once)} Then: ${outcomeOf(again)}`,
    isUnstable: true,
  };
}

function showsWorld({ exchanges, recognizer }: RowEvidence): boolean {
  return [...exchanges.values()].some(
    (exchange) => 'response' in exchange && hasMentions(recognizer.findMentions(exchange.response.body)),
  );
}

/**
 * While no response names anything of the world, it may not be loaded: then a request speaks of customers and products
 * that do not exist, and all but an error of the server itself may be right.
 */
function withoutWorld(judgement: Judgement, { exchanges }: RowEvidence): Judgement {
  const { verdict, reason, exchange: name = '' } = judgement;
  if (verdict !== 'fail') return judgement;
  const exchange = exchanges.get(name);
  if (exchange !== undefined && 'response' in exchange && exchange.response.status >= 500) return judgement;
  return { ...judgement, verdict: 'inconclusive', reason: `${reason} ${worldUnseen}` };
}

const worldUnseen =
  'But no response names anything of the world: either it is not loaded under these ids (npx conformance world), or nothing is ever returned. Where it is loaded, say so: --world-loaded, or world: loaded in the target file.';

/** The judgement of what cannot be judged: something is unavailable, or a precondition is not met. */
function whyInconclusive({ unavailable, given }: Row, at: Location, evidence: RowEvidence): Judgement | undefined {
  if (unavailable.length > 0)
    return { verdict: 'not-applicable', reason: `The target does not have ${renderShortList(unavailable)}.`, at };
  const unmet = firstFinding(given, evidence, 'requirement')?.judgement;
  if (unmet === undefined) return undefined;
  return { verdict: 'inconclusive', ...unmet, reason: `A precondition is not met. ${unmet.reason}` };
}

/** An assertion that does not hold. */
interface Finding {
  readonly is: 'violated' | 'unclear';
  readonly judgement: Omit<Judgement, 'verdict'>;
}

/**
 * The first assertion that is violated, with what else the same response violates, or, when none is, the first that is
 * unclear.
 */
function firstFinding(assertions: readonly Assertion[], evidence: RowEvidence, mode: JudgeMode): Finding | undefined {
  const findings = assertions.flatMap((assertion): Finding[] => {
    const truth = judgeAssertion(assertion, evidence, mode);
    if (truth.is === 'holds') return [];
    const { is, because: reason, shownBy } = truth;
    const expected = is === 'violated' ? { expected: describeAssertion(assertion, evidence.world) } : {};
    const shown = shownBy === undefined ? {} : { exchange: shownBy };
    return [{ is, judgement: { reason, at: assertion.at, ...expected, ...shown } }];
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

function sumOfRows(rows: readonly RowJudgement[], { at }: RequirementCase): Judgement {
  const verdict = findWorstVerdict(rows.map((row) => row.verdict));
  const telling = rows.filter((row) => row.verdict === verdict);
  const first = telling[0];
  if (verdict === 'pass' || first === undefined) return { verdict, reason: '', at };
  if (rows.length === 1) return first;
  const others =
    telling.length > 1 ? ` (and ${telling.length - 1} more of ${rows.length} rows)` : ` (1 of ${rows.length} rows)`;
  return { ...first, reason: `${first.title}: ${first.reason}${others}` };
}

type Answer = Judgement & { readonly outcome?: string };

function judgeQuestion({ rows: [row], answer, at }: QuestionCase, evidence: RowEvidence): Answer {
  const unmet = whyInconclusive(row, at, evidence);
  if (unmet !== undefined) return unmet;
  // Without a response there is no answer. A rule that stays open although everything was answered means that this
  // target's answers do not tell the outcomes apart.
  for (const [exchange, came] of evidence.exchanges) {
    const reason = explainTransientFailure(came);
    if (reason !== undefined) return { verdict: 'inconclusive', reason, at, exchange };
  }
  if (answer.kind === 'value') {
    const place = { at: answer.at, exchange: answer.of };
    const taken = extractValue(answer, evidence);
    if ('because' in taken) return { verdict: 'inconclusive', reason: taken.because, ...place };
    return { verdict: 'pass', reason: '', ...place, outcome: taken.value };
  }
  const answered = { verdict: 'pass', reason: '', exchange: answer.evidence } as const;
  for (const { outcome, when } of answer.rules) {
    const truth = judgeAssertions(when, evidence, 'question');
    const place = when[0]?.at ?? at;
    if (truth.is === 'holds') return { ...answered, at: place, outcome };
    if (truth.is === 'unclear') {
      const reason = `Whether it is ${outcome} cannot be determined. ${truth.because}`;
      return { ...answered, reason, at: place, exchange: truth.shownBy ?? answer.evidence, outcome: undetermined };
    }
  }
  const reason = 'None of the known outcomes fits what was answered.';
  return { ...answered, reason, at, outcome: undetermined };
}
