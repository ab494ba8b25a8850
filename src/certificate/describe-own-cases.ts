/** The notes about the user's own cases: the answers of those about questions, and what those that do not pass show. */

import { undeterminedOutcome } from '../cases/test-case.js';
import type { Question } from '../contract/contract.js';
import { joinCommandLines } from '../http/curl-command.js';
import { getVerdictApartFromKnown, notSelectedReason } from '../run/case-result.js';
import { shorten, toOneLine } from '../support/untrusted-text.js';
import { type CaseEntry, renderQuestionAnswer } from './case-entry.js';

/** What the notes about own cases are made of. */
interface DescribedOwnCases {
  readonly folder: string;
  /** How many cases have each verdict, in words. */
  readonly counts: readonly string[];
  readonly cases: readonly CaseEntry[];
  readonly questions: readonly Question[];
  /** The answers of the suite's own cases, by the ids of their questions; null for none. */
  readonly suiteOutcomes: ReadonlyMap<string, string | null>;
}

/** An open value may be a long text of the deployment, and a command may have hundreds of items. */
const [maxAnswer, maxCommand] = [300, 2_000];

export function describeOwnCases({ folder, counts, cases, questions, suiteOutcomes }: DescribedOwnCases): string[] {
  const unpassed = cases.filter(({ verdict, code }) => verdict !== 'pass' && code !== notSelectedReason.code);
  const answers = cases.flatMap((entry) => {
    const question = questions.find(({ id }) => id === entry.subject);
    const answer = question && describeOwnAnswer(entry, question, suiteOutcomes.get(question.id));
    return answer === undefined ? [] : [toOneLine(`${entry.id}: ${answer}`)];
  });
  return [
    `Own cases, which do not change the verdict: ${toOneLine(folder)}, ${counts.join(', ')}.`,
    ...answers,
    ...unpassed.map(describeUnpassed),
  ];
}

/**
 * @param entry of a case that answers the question
 * @param ofSuite the answer of the suite's own case, if it was asked and had one
 * @returns what the case answers, and how that differs; undefined if it has no answer
 */
export function describeOwnAnswer(
  { outcome, reason }: CaseEntry,
  question: Question,
  ofSuite?: string | null,
): string | undefined {
  if (outcome === undefined) return undefined;
  const why = outcome === undeterminedOutcome ? ` ${reason}` : '';
  const isAnswer = (answer: string | null | undefined): answer is string =>
    typeof answer === 'string' && answer !== undeterminedOutcome;
  const differs = isAnswer(outcome) && isAnswer(ofSuite) && outcome !== ofSuite;
  const difference = differs ? ` The case of the suite has another answer: ${renderAnswer(question, ofSuite)}` : '';
  return `${renderAnswer(question, outcome)}${why}${difference}`;
}

/** Renders an answer as a sentence, with its name. An open value has none. */
function renderAnswer(question: Question, outcome: string): string {
  const sentence = shorten(renderQuestionAnswer(question, outcome), maxAnswer);
  return question.answer.kind === 'value' ? sentence : `${sentence} (${outcome})`;
}

function describeUnpassed(entry: CaseEntry): string {
  const { id, verdict, at = '', reason, request, repeat_with } = entry;
  const asKnown = getVerdictApartFromKnown(entry) === verdict ? '' : ', as known';
  const ofRequest = request === undefined ? '' : `, request '${request}'`;
  const text = toOneLine(`${verdict}${asKnown}  ${id} (${at})${ofRequest}: ${reason}`);
  if (repeat_with === undefined) return text;
  const isLong = repeat_with.length > maxCommand;
  return `${text} Send it again with: ${isLong ? 'repeat_with in certificate.json.' : joinCommandLines(repeat_with)}`;
}
