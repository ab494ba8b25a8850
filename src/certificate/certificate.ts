import { deservesWarning, type Question } from '../contract/ledger.js';
import { formatLocation } from '../contract/problem.js';
import type { Suite } from '../contract/suite.js';
import { curlCommand } from '../exchange/curl.js';
import { type Verdict, verdicts, worst } from '../judge/verdict.js';
import type { CaseResult } from '../run.js';
import { driftText } from './drift.js';

/** The report of one run, as `certificate.json` holds it. Its schema is `schemas/certificate.schema.json`. */
export interface Certificate {
  readonly verdict: RunVerdict;
  readonly missing?: readonly string[];
  readonly target: { readonly name: string; readonly base_url: string };
  readonly suite: { readonly name: string; readonly version: string; readonly digest: string };
  readonly summary: Readonly<Partial<Record<Verdict, number>>>;
  readonly requirements: readonly RequirementEntry[];
  readonly questions: readonly QuestionEntry[];
  readonly drift: readonly DriftEntry[];
  readonly notes: readonly string[];
  readonly requests_sent: number;
  readonly started_at: string;
  readonly duration_ms: number;
}

export type RunVerdict = 'conforms' | 'does-not-conform' | 'incomplete';

export interface RequirementEntry {
  readonly id: string;
  readonly statement: string;
  readonly verdict: Verdict;
  readonly cases: readonly CaseEntry[];
}

export interface CaseEntry {
  readonly id: string;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly at?: string;
  readonly rows?: readonly { readonly title: string; readonly verdict: Verdict; readonly reason: string }[];
  readonly repeat_with?: string;
}

export interface QuestionEntry {
  readonly id: string;
  readonly outcome: string | null;
  readonly reason?: string;
  /** Whether the outcome deserves a warning. */
  readonly warning: boolean;
  readonly drift: boolean;
}

/** A difference from the record, or from what the target file states. */
export interface DriftEntry {
  readonly case: string;
  readonly text: string;
}

/** What a run knows beside the results of its cases. */
export interface RunFacts {
  readonly target: { readonly name: string; readonly base_url: string };
  readonly requestsSent: number;
  /** What the reader should know of the run. */
  readonly notes: readonly string[];
  readonly startedAt: Date;
  readonly durationMs: number;
}

/** Sums the results of cases up to a certificate. Cases of the suite without a result were not selected. */
export function certify(suite: Suite, results: readonly CaseResult[], facts: RunFacts): Certificate {
  const byCase = new Map(results.map((result) => [result.id, result]));
  const requirements = suite.ledger.requirements.map(({ id, statement }): RequirementEntry => {
    const cases = suite.cases
      .filter((case_) => case_.kind === 'requirement' && case_.verifies === id)
      .map((case_) => caseEntry(case_.id, byCase.get(case_.id), facts.target.base_url));
    return { id, statement, verdict: worst(cases.map(({ verdict }) => verdict)), cases };
  });
  const verdict = sumOf(requirements);
  return {
    verdict,
    ...(verdict === 'incomplete' ? { missing: missingFrom(requirements) } : {}),
    target: facts.target,
    suite: { name: suite.name, version: suite.version, digest: suite.digest },
    summary: Object.fromEntries(
      verdicts
        .map((each) => [each, requirements.filter((requirement) => requirement.verdict === each).length])
        .filter(([, n]) => n !== 0),
    ),
    requirements,
    questions: suite.ledger.questions.map((question) => questionEntry(question, byCase.get(question.id))),
    drift: results.flatMap((result) =>
      result.drift.map((drift) => ({ case: result.id, text: driftText(drift, result, suite.world.world) })),
    ),
    notes: facts.notes,
    requests_sent: facts.requestsSent,
    started_at: facts.startedAt.toISOString(),
    duration_ms: Math.round(facts.durationMs),
  };
}

/** A run's verdict: a failure decides it, and only passes make it conform. */
export function sumOf(requirements: readonly Pick<RequirementEntry, 'verdict'>[]): RunVerdict {
  if (requirements.some(({ verdict }) => verdict === 'fail')) return 'does-not-conform';
  return requirements.every(({ verdict }) => verdict === 'pass') ? 'conforms' : 'incomplete';
}

const notSelected = 'Not selected in this run.';

function caseEntry(id: string, result: CaseResult | undefined, baseUrl: string): CaseEntry {
  if (result === undefined) return { id, verdict: 'not-applicable', reason: notSelected };
  const { verdict, reason, at, rows, evidence } = result;
  if (verdict === 'pass') return { id, verdict, reason };
  const unpassed = rows.filter((row) => row.verdict !== 'pass' && row.title !== '');
  return {
    id,
    verdict,
    reason,
    at: formatLocation(at),
    ...(unpassed.length > 0 ? { rows: unpassed } : {}),
    ...(evidence === undefined ? {} : { repeat_with: curlCommand(evidence.request, baseUrl) }),
  };
}

function questionEntry(question: Question, result: CaseResult | undefined): QuestionEntry {
  const reason = result === undefined ? notSelected : result.reason;
  return {
    id: question.id,
    outcome: result?.outcome ?? null,
    ...(reason === '' ? {} : { reason }),
    warning: deservesWarning(question, result?.outcome),
    drift: result?.drift.some(({ kind }) => kind === 'outcome') ?? false,
  };
}

function missingFrom(requirements: readonly RequirementEntry[]): string[] {
  return requirements
    .filter(({ verdict }) => verdict !== 'pass')
    .map(
      ({ id, verdict, cases }) =>
        `${id}: ${cases.find((entry) => entry.verdict === verdict)?.reason ?? 'It has no case.'}`,
    );
}
