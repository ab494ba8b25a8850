import { undetermined } from '../cases/test-case.js';
import type { Contract } from '../contract/contract.js';
import { findWorstVerdict } from '../judge/verdict.js';
import { joinMarkdown, markdown, renderMarkdownTable, tableCode } from '../support/markdown.js';
import { joinLines, shorten } from '../support/untrusted-text.js';
import type { CaseEntry } from './case-entry.js';
import type { Certificate, QuestionEntry, RequirementEntry } from './certificate.js';
import { renderAnswer } from './render-answer.js';

/** Certificates side by side: a row for each requirement and question that differs. */
export interface Comparison {
  /** What limits the comparison, a sentence each. */
  readonly limits: readonly string[];
  /** The name of each certificate. */
  readonly headings: readonly string[];
  readonly differences: readonly Difference[];
}

interface Difference {
  /** Of a requirement or a question. */
  readonly id: string;
  /** A verdict with its reason, or an outcome as a sentence, of each certificate. */
  readonly answers: readonly string[];
}

/** The verdict or the outcome of a certificate. Certificates differ if their values differ. */
interface Answer {
  readonly value: string;
  /** The value in words. */
  readonly text: string;
}

const notRun: Answer = { value: 'not-run', text: 'not run' };
const missing: Answer = { value: '', text: 'not in this certificate' };

/** Compares the verdicts of all requirements and the outcomes of all questions. */
export function compareCertificates(certificates: readonly Certificate[], contract: Contract): Comparison {
  const questions = new Map(contract.questions.map((question) => [question.id, question]));
  const createOutcome = (entry: QuestionEntry): Answer => {
    const { id, outcome, reason = '' } = entry;
    if (entry.not_run) return notRun;
    if (outcome === null || outcome === undetermined) return createAnswer(outcome ?? 'no answer', reason);
    const question = questions.get(id);
    return { value: outcome, text: question === undefined ? outcome : renderAnswer(question, outcome) };
  };
  return {
    limits: listLimits(certificates),
    headings: certificates.map((certificate) => renderHeading(certificate, certificates)),
    differences: [
      ...listDifferences(
        certificates.map(({ requirements }) => requirements),
        createVerdicts,
      ),
      ...listDifferences(
        certificates.map((certificate) => certificate.questions),
        (entries) => entries.map((entry) => entry && createOutcome(entry)),
      ),
    ],
  };
}

function createAnswer(value: string, reason: string): Answer {
  return { value, text: reason === '' ? value : `${value}: ${reason}` };
}

/** Creates the verdicts of a requirement. A case that one of the runs did not reach says nothing about a difference. */
function createVerdicts(entries: readonly (RequirementEntry | undefined)[]): (Answer | undefined)[] {
  const partial = entries.flatMap((entry) => (entry === undefined || entry.cases.every(isUnrun) ? [] : [entry]));
  const unrun = new Set(partial.flatMap(({ cases }) => cases.filter(isUnrun).map(({ id }) => id)));
  return entries.map((entry) => {
    if (entry === undefined) return undefined;
    const cases = entry.cases.filter((caseEntry) => !isUnrun(caseEntry) && !unrun.has(caseEntry.id));
    if (cases.length === 0) return notRun;
    const verdict = findWorstVerdict(cases.map((caseEntry) => caseEntry.verdict));
    const decisive = verdict === 'pass' ? undefined : cases.find((caseEntry) => caseEntry.verdict === verdict);
    return createAnswer(verdict, decisive?.reason ?? '');
  });
}

function isUnrun({ verdict }: CaseEntry): boolean {
  return verdict === 'not-run';
}

/** @param columns the entries of each certificate */
function listDifferences<T extends { readonly id: string }>(
  columns: readonly (readonly T[])[],
  createAnswers: (entries: readonly (T | undefined)[]) => readonly (Answer | undefined)[],
): Difference[] {
  const ids = new Set(columns.flatMap((entries) => entries.map(({ id }) => id)));
  return [...ids].flatMap((id) => {
    const entries = columns.map((column) => column.find((entry) => entry.id === id));
    const answers = createAnswers(entries).map((answer) => answer ?? missing);
    const values = new Set(answers.filter((answer) => answer !== notRun).map(({ value }) => value));
    return values.size > 1 ? [{ id, answers: answers.map(({ text }) => text) }] : [];
  });
}

function renderHeading({ target, started_at }: Certificate, all: readonly Certificate[]): string {
  const isShared = all.filter(({ target: { name } }) => name === target.name).length > 1;
  return isShared ? `${target.name}, ${started_at.slice(0, 16).replace('T', ' ')}` : target.name;
}

function listLimits(certificates: readonly Certificate[]): string[] {
  const partial = certificates.flatMap(({ requirements, questions, target, started_at }) => {
    const ofCases = requirements.flatMap(({ cases }) => cases.map(isUnrun));
    const isLeftOut = [...ofCases, ...questions.map(({ not_run }) => not_run === true)];
    const count = isLeftOut.filter((isUnsent) => !isUnsent).length;
    return count === isLeftOut.length
      ? []
      : [`${target.name} (${started_at}) ran ${count} of ${isLeftOut.length} cases.`];
  });
  return [
    ...(partial.length === 0 ? [] : [...partial, 'Only cases that all of these runs have run are compared.']),
    ...(new Set(certificates.map(({ suite }) => suite.digest)).size > 1
      ? ['The certificates are of suites with different cases.']
      : []),
  ];
}

const noDifference = 'The certificates agree in everything that was compared.';
/** Characters of an answer: a reason may be long. */
const maxAnswer = 160;

/** Renders a comparison for the terminal: under each id a line per certificate. */
export function renderComparison({ limits, headings, differences }: Comparison): string {
  if (differences.length === 0) return joinLines([...limits, noDifference]);
  const width = Math.max(...headings.map(({ length }) => length));
  const lines = differences.flatMap(({ id, answers }) => [
    id,
    ...answers.map((answer, n) => `  ${(headings[n] ?? '').padEnd(width)}  ${shorten(answer, maxAnswer)}`),
  ]);
  return joinLines([...limits, ...lines]);
}

/** Renders a comparison as Markdown, such as for a pull request. */
export function renderComparisonMarkdown({ limits, headings, differences }: Comparison): string {
  const rows = differences.map(({ id, answers }) => [
    tableCode(id),
    ...answers.map((answer) => markdown`${shorten(answer, maxAnswer)}`),
  ]);
  const table = rows.length === 0 ? markdown`${noDifference}` : renderMarkdownTable(['', ...headings], rows);
  return markdown`${joinMarkdown([...limits.map((limit) => markdown`${limit}`), table])}\n`.text;
}
