import { undetermined } from '../cases/test-case.js';
import type { Contract, Question } from '../contract/contract.js';
import { findWorstVerdict } from '../judge/verdict.js';
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
  readonly differences: readonly {
    /** Of a requirement or a question. */
    readonly id: string;
    /** A verdict with its reason, or an outcome as a sentence, of each certificate. */
    readonly answers: readonly string[];
  }[];
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
export function compareCertificates(certificates: readonly Certificate[], { questions }: Contract): Comparison {
  const requirements = certificates.flatMap((certificate) => certificate.requirements);
  // A case that one of the runs did not reach says nothing about a difference.
  const unrun = new Set(
    requirements.flatMap(({ cases }) => (cases.every(isUnrun) ? [] : cases.filter(isUnrun).map(({ id }) => id))),
  );
  const columns = certificates.map((certificate) => {
    const verdicts = certificate.requirements.map((entry) => [entry.id, createVerdict(entry, unrun)] as const);
    const outcomes = certificate.questions.map(
      (entry) =>
        [
          entry.id,
          createOutcome(
            entry,
            questions.find(({ id }) => id === entry.id),
          ),
        ] as const,
    );
    return new Map([...verdicts, ...outcomes]);
  });
  const isPartial =
    requirements.some(({ cases }) => cases.some(isUnrun)) ||
    certificates.some((certificate) => certificate.questions.some(({ not_run }) => not_run));
  const digests = new Set(certificates.map(({ suite }) => suite.digest));
  return {
    limits: [
      ...(isPartial ? ['Only cases that all of these runs have run are compared.'] : []),
      ...(digests.size > 1 ? ['The certificates are of suites with different cases.'] : []),
    ],
    headings: certificates.map((certificate) => renderHeading(certificate, certificates)),
    differences: [...new Set(columns.flatMap((column) => [...column.keys()]))].flatMap((id) => {
      const answers = columns.map((column) => column.get(id) ?? missing);
      const values = new Set(answers.filter((answer) => answer !== notRun).map(({ value }) => value));
      return values.size > 1 ? [{ id, answers: answers.map(({ text }) => text) }] : [];
    }),
  };
}

function createVerdict(entry: RequirementEntry, unrun: ReadonlySet<string>): Answer {
  const cases = entry.cases.filter((judged) => !isUnrun(judged) && !unrun.has(judged.id));
  if (cases.length === 0) return notRun;
  const verdict = findWorstVerdict(cases.map((judged) => judged.verdict));
  const decisive = cases.find((judged) => judged.verdict === verdict);
  return createAnswer(verdict, verdict === 'pass' ? '' : decisive?.reason);
}

function createOutcome({ outcome, reason, not_run }: QuestionEntry, question: Question | undefined): Answer {
  if (not_run) return notRun;
  if (outcome === null || outcome === undetermined) return createAnswer(outcome ?? 'no answer', reason);
  return { value: outcome, text: question === undefined ? outcome : renderAnswer(question, outcome) };
}

function createAnswer(value: string, reason = ''): Answer {
  return { value, text: reason === '' ? value : `${value}: ${reason}` };
}

function isUnrun({ verdict }: CaseEntry): boolean {
  return verdict === 'not-run';
}

function renderHeading({ target, started_at }: Certificate, all: readonly Certificate[]): string {
  const isShared = all.filter(({ target: { name } }) => name === target.name).length > 1;
  return isShared ? `${target.name}, ${started_at.slice(0, 16).replace('T', ' ')}` : target.name;
}

/** Characters of an answer: a reason may be long. */
const maxAnswer = 160;

/** Renders a comparison for the terminal: under each id a line per certificate. */
export function renderComparison({ limits, headings, differences }: Comparison): string {
  if (differences.length === 0)
    return joinLines([...limits, 'The certificates agree in everything that was compared.']);
  const width = Math.max(...headings.map(({ length }) => length));
  const lines = differences.flatMap(({ id, answers }) => [
    id,
    ...answers.map((answer, n) => `  ${(headings[n] ?? '').padEnd(width)}  ${shorten(answer, maxAnswer)}`),
  ]);
  return joinLines([...limits, ...lines]);
}
