import { undetermined } from '../cases/test-case.js';
import type { Question } from '../contract/contract.js';
import { inlineCode, type Markdown, markdown, rawMarkdown } from './markdown.js';

/** Renders the answer to a question as a sentence. @param outcome for an open value, a text of the deployment */
export function renderAnswer({ answer }: Question, outcome: string): string {
  if (outcome === undetermined) return 'The behaviour could not be determined.';
  if (answer.kind === 'outcomes') return answer.outcomes.get(outcome) ?? `${outcome}.`;
  return `${describeValue(answer.describes)}: ${outcome}.`;
}

/** Renders the same sentence as Markdown. @param quote renders what a deployment wrote */
export function renderAnswerMarkdown(
  question: Question,
  outcome: string,
  quote: (text: string) => Markdown = inlineCode,
): Markdown {
  const { answer } = question;
  if (outcome === undetermined || (answer.kind === 'outcomes' && answer.outcomes.has(outcome)))
    return rawMarkdown(renderAnswer(question, outcome));
  if (answer.kind === 'outcomes') return markdown`${quote(outcome)}.`;
  return markdown`${rawMarkdown(describeValue(answer.describes))}: ${quote(outcome)}.`;
}

/** The first clause of what describes a value: the rest says what a missing value looks like. */
function describeValue(describes: string): string {
  return describes.split(/[;.]/)[0] ?? '';
}
