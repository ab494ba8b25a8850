import { undetermined } from '../cases/test-case.js';
import type { Question } from '../contract/contract.js';
import type { Exchange } from '../http/exchange.js';
import { inlineCode, type Markdown, rawMarkdown } from '../support/markdown.js';

/**
 * Renders the answer to a question as a sentence.
 *
 * @param outcome for an open value, a text of the deployment
 * @param status of the response that shows the answer: it replaces its class (4xx)
 * @param quote renders what a deployment wrote
 */
export function renderAnswer(
  { answer }: Question,
  outcome: string,
  status?: number,
  quote = (text: string) => text,
): string {
  if (outcome === undetermined) return 'The behaviour could not be determined.';
  // The first clause: the rest says what a missing value looks like.
  if (answer.kind === 'value') return `${answer.describes.split(/[;.]/)[0]}: ${quote(outcome)}.`;
  const sentence = answer.outcomes.get(outcome) ?? `${quote(outcome)}.`;
  return sentence.replaceAll(/\b(?:another )?([1-5])xx\b/g, (words, digit: string) => {
    if (!`${status}`.startsWith(digit)) return words;
    return words.startsWith('another') ? `a ${status}` : `${status}`;
  });
}

/** The status of a response; undefined if there was none. */
export function getStatus(exchange: Exchange | undefined): number | undefined {
  return exchange !== undefined && 'response' in exchange ? exchange.response.status : undefined;
}

/** Renders the same sentence as Markdown. */
export function renderAnswerMarkdown(
  question: Question,
  outcome: string,
  exchange: Exchange | undefined,
  quote: (text: string) => Markdown = inlineCode,
): Markdown {
  return rawMarkdown(renderAnswer(question, outcome, getStatus(exchange), (text) => quote(text).text));
}
