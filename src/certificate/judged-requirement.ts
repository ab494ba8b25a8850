/**
 * The entries of requirements and questions in a certificate, from those of their cases. Pure.
 */

import { getRequirementOrQuestionId, type TestCase } from '../cases/test-case.js';
import { isWarningOutcome, type Question } from '../contract/contract.js';
import { findWorstVerdict, type Verdict, verdicts } from '../judge/verdict.js';
import type { KnownDeviation } from '../record/known-deviations.js';
import { type CaseResult, getVerdictApartFromKnown, notSelectedReason, repetitionCaseId } from '../run/case-result.js';
import { isOwnCase, type Suite } from '../suite/suite.js';
import { type CaseEntry, renderQuestionAnswer } from './case-entry.js';
import { type JudgedDeviation, listShownDeviations } from './deviation-entry.js';
import type { DriftEntry } from './drift-entry.js';

export interface RequirementEntry {
  readonly id: string;
  readonly part: string;
  readonly statement: string;
  readonly verdict: Verdict;
  readonly known?: readonly KnownDeviation[];
  readonly cases: readonly CaseEntry[];
}

export type QuestionEntry = ReturnType<typeof createQuestionEntry>;

export type FindEntry = (id: string) => CaseEntry;

/** What was judged: all requirements and questions, and the entry of each selected case. */
export interface JudgedEntries {
  readonly requirements: readonly RequirementEntry[];
  readonly questions: readonly QuestionEntry[];
  readonly entries: readonly CaseEntry[];
  readonly findEntry: FindEntry;
}

export function createRequirements(
  suite: Suite,
  results: readonly CaseResult[],
  findEntry: FindEntry,
  known: readonly JudgedDeviation[],
): RequirementEntry[] {
  const verifying = listVerifying(suite);
  // The samples are of no single case: they count as one more case of the requirement that they refute.
  const samples = results.filter(({ id }) => id === repetitionCaseId);
  return suite.contract.requirements.map(({ id, part, statement }): RequirementEntry => {
    const ofCases = verifying.filter((testCase) => getRequirementOrQuestionId(testCase) === id);
    const ofSamples = samples.filter(({ subject }) => subject === id);
    const cases = [...ofCases, ...ofSamples].map((entry) => findEntry(entry.id));
    const entry = { id, part, statement, verdict: findWorstVerdict(listVerdicts(cases)), cases };
    const seen = listShownDeviations(entry, known);
    return seen.length === 0 ? entry : { ...entry, known: seen };
  });
}

export function createQuestionEntry(question: Question, entry: CaseEntry, drift: readonly DriftEntry[]) {
  const { id, part } = question;
  const { verdict, outcome, code, reason } = entry;
  const isWarning = isWarningOutcome(question, outcome);
  return {
    id,
    part,
    outcome: outcome ?? null,
    ...(code !== undefined && { code, reason }),
    ...(verdict === 'not-run' && { not_run: true }),
    warning: isWarning,
    ...(isWarning && { sentence: renderQuestionAnswer(question, outcome ?? '') }),
    drift: drift.some((change) => change.kind === 'answer' && change.case === id),
  };
}

/** Finds the first case that has the verdict of its requirement, if possible one that is not known. */
export function findDecisiveCase({ verdict, cases }: RequirementEntry): CaseEntry | undefined {
  const decisive = cases.filter((entry) => entry.verdict === verdict);
  return decisive.find((entry) => getVerdictApartFromKnown(entry) === verdict) ?? decisive[0];
}

export function isKnownFailure({ verdict, cases }: RequirementEntry): boolean {
  const selected = cases.filter(({ code }) => code !== notSelectedReason.code);
  return verdict !== 'pass' && selected.length > 0 && findVerdictApart(selected) === 'pass';
}

export const findVerdictApart = (cases: readonly CaseEntry[]): Verdict =>
  findWorstVerdict(cases.map(getVerdictApartFromKnown));

/** Lists the cases of the suite that verify requirements. */
export function listVerifying({ cases }: Suite): TestCase[] {
  return cases.filter((testCase) => testCase.kind === 'requirement' && !isOwnCase(testCase));
}

export function listVerdicts(judged: readonly { readonly verdict: Verdict }[]): Verdict[] {
  return judged.map(({ verdict }) => verdict);
}

export function countVerdicts(judged: readonly { readonly verdict: Verdict }[]): Partial<Record<Verdict, number>> {
  const counts = verdicts.map((name) => [name, judged.filter(({ verdict }) => verdict === name).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}
