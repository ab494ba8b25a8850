import { undetermined } from '../cases/test-case.js';
import type { Contract } from '../contract/contract.js';
import { findWorstVerdict } from '../judge/verdict.js';
import { joinLines, shorten } from '../support/untrusted-text.js';
import type { Certificate } from './certificate.js';
import { renderAnswer } from './render-answer.js';

export interface Comparison {
  readonly limits: readonly string[];
  readonly headings: readonly string[];
  /** By the id of a requirement or question: a verdict with its reason, or an outcome as a sentence, of each certificate. */
  readonly differences: readonly { readonly id: string; readonly answers: readonly string[] }[];
}

interface Answer {
  readonly value: string;
  readonly reason?: string;
  readonly sentence?: string;
}

const notRun = 'not-run';
const missing: Answer = { value: 'not in this certificate' };

export function compareCertificates(certificates: readonly Certificate[], contract: Contract): Comparison {
  // A case that one of the runs did not reach says nothing about a difference.
  const cases = certificates.flatMap(({ requirements }) => requirements.flatMap((entry) => entry.cases));
  const unrun = new Set(cases.filter(({ verdict }) => verdict === notRun).map(({ id }) => id));
  const columns = certificates.map((certificate) => listAnswers(certificate, contract, unrun));
  const ids = new Set(columns.flatMap((column) => [...column.keys()]));
  const isPartial =
    unrun.size > 0 || columns.some((column) => [...column.values()].some(({ value }) => value === notRun));
  const digests = new Set(certificates.map(({ suite }) => suite.digest));
  return {
    limits: [
      ...(isPartial ? ['Only what all of these runs have judged is compared.'] : []),
      ...(digests.size > 1 ? ['The certificates are of suites with different cases.'] : []),
    ],
    headings: certificates.map(({ target: { name }, started_at }) => {
      const isShared = certificates.filter(({ target }) => target.name === name).length > 1;
      return isShared ? `${name}, ${started_at.slice(0, 16).replace('T', ' ')}` : name;
    }),
    differences: [...ids].flatMap((id) => {
      const answers = columns.map((column) => column.get(id) ?? missing);
      const values = new Set(answers.map(({ value }) => value).filter((value) => value !== notRun));
      return values.size > 1 ? [{ id, answers: answers.map(describe) }] : [];
    }),
  };
}

function listAnswers(
  { requirements, questions }: Certificate,
  contract: Contract,
  unrun: ReadonlySet<string>,
): Map<string, Answer> {
  const verdicts = requirements.map(({ id, cases: all }): [string, Answer] => {
    const cases = all.filter((entry) => !unrun.has(entry.id));
    const value = cases.length === 0 ? notRun : findWorstVerdict(cases.map(({ verdict }) => verdict));
    const { reason = '' } = cases.find(({ verdict }) => verdict === value) ?? {};
    return [id, { value, reason }];
  });
  const outcomes = questions.map(({ id, outcome, reason = '', not_run }): [string, Answer] => {
    if (not_run) return [id, { value: notRun }];
    const question = contract.questions.find((candidate) => candidate.id === id);
    if (outcome === null || outcome === undetermined) return [id, { value: outcome ?? 'no answer', reason }];
    return [id, { value: outcome, ...(question && { sentence: renderAnswer(question, outcome) }) }];
  });
  return new Map([...verdicts, ...outcomes]);
}

function describe({ value, reason = '', sentence = value }: Answer): string {
  return reason === '' ? sentence : `${value}: ${reason}`;
}

const maxAnswer = 160;

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
