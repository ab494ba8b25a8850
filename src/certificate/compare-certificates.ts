import { undetermined } from '../cases/test-case.js';
import type { Contract } from '../contract/contract.js';
import { findWorstVerdict } from '../judge/verdict.js';
import { joinLines, shorten } from '../support/untrusted-text.js';
import type { Certificate } from './certificate.js';
import { renderAnswer } from './render-answer.js';

export interface Comparison {
  readonly headings: readonly string[];
  /** By the id of a requirement or question: a verdict with its reason, or an outcome as a sentence, of each certificate. */
  readonly differences: readonly { readonly id: string; readonly answers: readonly string[] }[];
  readonly isPartial: boolean;
}

interface Answer {
  readonly value: string;
  readonly text: string;
}

const notRun: Answer = { value: 'not-run', text: 'not-run' };
const missing: Answer = { value: '', text: 'not in this certificate' };

export function compareCertificates(certificates: readonly Certificate[], contract: Contract): Comparison {
  // A case that one of the runs did not reach says nothing about a difference.
  const cases = certificates.flatMap(({ requirements }) => requirements.flatMap((entry) => entry.cases));
  const unrun = new Set(cases.filter(({ verdict }) => verdict === 'not-run').map(({ id }) => id));
  const columns = certificates.map((certificate) => listAnswers(certificate, contract, unrun));
  const ids = new Set(columns.flatMap((column) => [...column.keys()]));
  return {
    headings: certificates.map(({ target: { name }, started_at }) => {
      const isShared = certificates.filter(({ target }) => target.name === name).length > 1;
      return isShared ? `${name}, ${started_at.slice(0, 16).replace('T', ' ')}` : name;
    }),
    differences: [...ids].flatMap((id) => {
      const answers = columns.map((column) => column.get(id) ?? missing);
      const values = new Set(answers.filter((answer) => answer !== notRun).map(({ value }) => value));
      return values.size > 1 ? [{ id, answers: answers.map(({ text }) => text) }] : [];
    }),
    isPartial: unrun.size > 0 || columns.some((column) => [...column.values()].includes(notRun)),
  };
}

function listAnswers(
  { requirements, questions }: Certificate,
  contract: Contract,
  unrun: ReadonlySet<string>,
): Map<string, Answer> {
  const explain = (value: string, reason = '') => ({ value, text: reason === '' ? value : `${value}: ${reason}` });
  const verdicts = requirements.map(({ id, cases: all }): [string, Answer] => {
    const cases = all.filter((entry) => !unrun.has(entry.id));
    const value = findWorstVerdict(cases.map(({ verdict }) => verdict));
    return [id, cases.length === 0 ? notRun : explain(value, cases.find(({ verdict }) => verdict === value)?.reason)];
  });
  const outcomes = questions.map(({ id, outcome, reason, not_run }): [string, Answer] => {
    if (not_run) return [id, notRun];
    const question = contract.questions.find((candidate) => candidate.id === id);
    if (outcome === null || outcome === undetermined) return [id, explain(outcome ?? 'no answer', reason)];
    return [id, { value: outcome, text: question === undefined ? outcome : renderAnswer(question, outcome) }];
  });
  return new Map([...verdicts, ...outcomes]);
}

const maxAnswer = 160;

export function renderComparison({ isPartial, headings, differences }: Comparison): string {
  const limits = isPartial ? ['Only what all of these runs have judged is compared.'] : [];
  if (differences.length === 0)
    return joinLines([...limits, 'The certificates agree in everything that was compared.']);
  const width = Math.max(...headings.map(({ length }) => length));
  const lines = differences.flatMap(({ id, answers }) => [
    id,
    ...answers.map((answer, n) => `  ${(headings[n] ?? '').padEnd(width)}  ${shorten(answer, maxAnswer)}`),
  ]);
  return joinLines([...limits, ...lines]);
}
