import { undeterminedOutcome } from '../cases/test-case.js';
import type { Contract } from '../contract/contract.js';
import { findWorstVerdict } from '../judge/verdict.js';
import { joinAndEscapeLines, shorten } from '../support/untrusted-text.js';
import { renderQuestionAnswer } from './case-entry.js';
import type { Certificate } from './certificate.js';
import { listOutOfScope } from './scope.js';

/** A verdict with its reason, or an outcome as a sentence, and what is compared of it. */
type Answer = readonly [value: string, text: string];

const notRun: Answer = ['not-run', 'not-run'];
const missing: Answer = ['', 'not in this certificate'];
const maxAnswer = 160;

/** Renders the requirements and questions that differ, with a line for each certificate. */
export function compareCertificates(certificates: readonly Certificate[], contract: Contract) {
  // A case that one of the runs did not reach says nothing about a difference.
  const cases = certificates.flatMap(({ requirements }) => requirements.flatMap((entry) => entry.cases));
  const unrun = new Set(cases.flatMap(({ verdict, id }) => (verdict === 'not-run' ? id : [])));
  const columns = certificates.map((certificate) => listAnswers(certificate, contract, unrun));
  const headings = certificates.map(({ target: { name }, started_at }) => {
    const isShared = certificates.filter(({ target }) => target.name === name).length > 1;
    return isShared ? `${name}, ${started_at.slice(0, 16).replace('T', ' ')}` : name;
  });
  const width = Math.max(...headings.map(({ length }) => length));
  const ids = new Set(columns.flatMap((column) => [...column.keys()]));
  const lines = [...ids].flatMap((id) => {
    const answers = columns.map((column) => column.get(id) ?? missing);
    const values = new Set(answers.flatMap((answer) => (answer === notRun ? [] : answer[0])));
    if (values.size < 2) return [];
    return [id, ...answers.map(([, text], n) => `  ${headings[n]?.padEnd(width)}  ${shorten(text, maxAnswer)}`)];
  });
  const isPartial = unrun.size > 0 || columns.some((column) => [...column.values()].includes(notRun));
  const limits = isPartial ? ['Only what all of these runs have judged is compared.'] : [];
  const agreement = lines.length > 0 ? [] : ['The certificates agree in everything that was compared.'];
  const scopes = certificates.flatMap((certificate, n) => {
    const without = listOutOfScope(certificate.scope).map(({ requirement }) => requirement);
    return without.length === 0 ? [] : [`${headings[n]} is without ${without.join(', ')}: its target file says so.`];
  });
  return {
    isDifferent: lines.length > 0,
    text: joinAndEscapeLines([...limits, ...new Set(scopes), ...agreement, ...lines]),
  };
}

function listAnswers(
  { requirements, questions, scope }: Certificate,
  contract: Contract,
  unrun: ReadonlySet<string>,
): Map<string, Answer> {
  const explain = (value: string, reason = ''): Answer => [value, reason === '' ? value : `${value}: ${reason}`];
  const verdicts = requirements.map(({ id, cases: all }): [string, Answer] => {
    const cases = all.filter((entry) => !unrun.has(entry.id));
    const value = findWorstVerdict(cases.map(({ verdict }) => verdict));
    const declared = listOutOfScope(scope).find(({ requirement }) => requirement === id);
    if (declared !== undefined) return [id, explain('out of scope', declared.reason)];
    return [id, cases.length === 0 ? notRun : explain(value, cases.find(({ verdict }) => verdict === value)?.reason)];
  });
  const outcomes = questions.map(({ id, outcome, reason, not_run }): [string, Answer] => {
    const question = contract.questions.find((candidate) => candidate.id === id);
    if (not_run) return [id, notRun];
    if (outcome === null || outcome === undeterminedOutcome) return [id, explain(outcome ?? 'no answer', reason)];
    return [id, [outcome, question === undefined ? outcome : renderQuestionAnswer(question, outcome)]];
  });
  return new Map([...verdicts, ...outcomes]);
}
