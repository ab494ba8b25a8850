import {
  type Case,
  type Check,
  type QuestionCase,
  type RequirementCase,
  type Row,
  undetermined,
} from '../cases/case.js';
import type { Exchange, HttpResponse } from '../http/exchange.js';
import { type Naming, namingOf, readingOf } from '../recognition/recognise.js';
import type { Location } from '../support/problem.js';
import { someOf } from '../support/some-of.js';
import type { World } from '../world/world.js';
import { allOf, type Evidence, evaluate, knownIds, succeeded, type Truth, troubleOf } from './check.js';
import { takenValue } from './value.js';

/** The test-verdict terms of ISO/IEC 9646 and TTCN-3, worst first. */
export const verdicts = ['fail', 'error', 'inconclusive', 'pass', 'not-applicable'] as const;
export type Verdict = (typeof verdicts)[number];

/** What was concluded about something, and why. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Empty only for `pass`. */
  readonly reason: string;
  /** Where the case file says what the verdict rests on. */
  readonly at: Location;
  /** The name of the exchange that shows it. */
  readonly exchange?: string;
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
export interface Background {
  readonly world: World;
  /** What the calibration exchanges named, so that a response is not read without knowing the others. */
  readonly calibration: readonly Naming[];
  /** The patterns under which the target file says returned tiers are named. */
  readonly statedPatterns?: readonly string[];
}

/**
 * Judges a case by the exchanges that its rows brought. Pure.
 *
 * @param exchanges by row, then by name; a row that was not sent, because names of the world are missing, has none
 */
export function judgeCase(
  testCase: Case,
  exchanges: readonly ReadonlyMap<string, Exchange>[],
  background: Background,
): CaseJudgement {
  const evidence = evidenceOf(exchanges, background);
  if (testCase.kind === 'question') return judgeQuestion(testCase, evidence[0] as Evidence);
  const rows = testCase.rows.map((row, n) => ({
    title: row.title,
    ...judgeRow(row, testCase, evidence[n] as Evidence),
  }));
  return { ...sumOfRows(rows, testCase), rows };
}

/** The worst of some verdicts; `not-applicable` when there is none other. */
export function worst(all: readonly Verdict[]): Verdict {
  return verdicts.find((verdict) => all.includes(verdict)) ?? 'not-applicable';
}

/** One evidence per row. All rows are read alike, so that what one response shows about the shape holds for all. */
export function evidenceOf(
  rows: readonly ReadonlyMap<string, Exchange>[],
  { world, calibration, statedPatterns }: Background,
): Evidence[] {
  const ids = knownIds(world);
  const namings = new Map<HttpResponse, Naming>();
  const naming = (response: HttpResponse): Naming => {
    const known = namings.get(response) ?? namingOf(response.body, ids);
    namings.set(response, known);
    return known;
  };
  const successes = rows.flatMap((row) =>
    [...row.values()].flatMap((exchange) =>
      'response' in exchange && succeeded(exchange.response) ? [exchange.response] : [],
    ),
  );
  const reading = readingOf([...calibration, ...successes.map(naming)], statedPatterns);
  return rows.map((exchanges) => ({ exchanges, reading, world, naming }));
}

function judgeRow({ given, expect, missing }: Row, { at }: RequirementCase, evidence: Evidence): Judgement {
  if (missing.length > 0) return notApplicable(missing, at);
  const unmet = firstDoubt(given, evidence, 'requirement');
  if (unmet !== undefined)
    return { verdict: 'inconclusive', reason: `A precondition is not met. ${unmet.reason}`, ...placeOf(unmet) };
  if (expect.length === 0) return { verdict: 'error', reason: 'The case asserts nothing.', at };
  const doubt = firstDoubt(expect, evidence, 'requirement');
  if (doubt === undefined) return { verdict: 'pass', reason: '', at };
  return { verdict: doubt.is === 'violated' ? 'fail' : 'inconclusive', reason: doubt.reason, ...placeOf(doubt) };
}

interface Doubt {
  readonly is: 'violated' | 'unclear';
  readonly reason: string;
  readonly at: Location;
  readonly exchange: string;
}

function placeOf({ at, exchange }: Doubt): { at: Location; exchange: string } {
  return { at, exchange };
}

/** The first check that is violated or, when none is, the first that is unclear. */
function firstDoubt(checks: readonly Check[], evidence: Evidence, mode: 'requirement' | 'question'): Doubt | undefined {
  const doubts = checks.flatMap((check): Doubt[] => {
    const truth: Truth = evaluate(check, evidence, mode);
    return truth.is === 'holds' ? [] : [{ is: truth.is, reason: truth.because, at: check.at, exchange: truth.of }];
  });
  return doubts.find(({ is }) => is === 'violated') ?? doubts[0];
}

function sumOfRows(rows: readonly RowJudgement[], { at }: RequirementCase): Judgement {
  const verdict = worst(rows.map((row) => row.verdict));
  const telling = rows.filter((row) => row.verdict === verdict);
  const first = telling[0];
  if (verdict === 'pass' || first === undefined) return { verdict, reason: '', at };
  if (rows.length === 1) return first;
  const others =
    telling.length > 1 ? ` (and ${telling.length - 1} more of ${rows.length} rows)` : ` (1 of ${rows.length} rows)`;
  return { ...first, reason: `${first.title}: ${first.reason}${others}` };
}

function judgeQuestion({ given, answer, missing, at }: QuestionCase, evidence: Evidence): CaseJudgement {
  if (missing.length > 0) return { ...notApplicable(missing, at), rows: [] };
  const unmet = firstDoubt(given, evidence, 'requirement');
  if (unmet !== undefined) {
    return {
      verdict: 'inconclusive',
      reason: `A precondition is not met. ${unmet.reason}`,
      ...placeOf(unmet),
      rows: [],
    };
  }
  // Without an answer the question was not asked. A rule that stays open although everything was answered means that
  // this target's answers do not tell the outcomes apart.
  for (const [name, came] of evidence.exchanges) {
    const trouble = troubleOf(came);
    if (trouble !== undefined) return { verdict: 'inconclusive', reason: trouble, at, exchange: name, rows: [] };
  }
  if (answer.kind === 'value') {
    const taken = takenValue(answer, evidence);
    if ('because' in taken)
      return { verdict: 'inconclusive', reason: taken.because, at: answer.at, exchange: answer.of, rows: [] };
    return { verdict: 'pass', reason: '', at: answer.at, exchange: answer.of, outcome: taken.value, rows: [] };
  }
  const exchange = [...evidence.exchanges].at(-1)?.[0];
  const shown = exchange === undefined ? {} : { exchange };
  for (const { outcome, checks } of answer.rules) {
    const truth = allOf(checks, evidence, 'question');
    const place = checks[0]?.at ?? at;
    if (truth.is === 'holds') return { verdict: 'pass', reason: '', at: place, ...shown, outcome, rows: [] };
    if (truth.is === 'unclear') {
      return {
        verdict: 'pass',
        reason: `Whether it is ${outcome} cannot be told. ${truth.because}`,
        at: place,
        exchange: truth.of,
        outcome: undetermined,
        rows: [],
      };
    }
  }
  return {
    verdict: 'pass',
    reason: 'None of the known outcomes fits what was answered.',
    at,
    ...shown,
    outcome: undetermined,
    rows: [],
  };
}

function notApplicable(missing: readonly string[], at: Location): Judgement {
  return { verdict: 'not-applicable', reason: `The target does not hold ${someOf(missing)}.`, at };
}
