import { undetermined } from '../cases/test-case.js';
import type { Question } from '../contract/contract.js';

/** Renders the answer to a question as a sentence. @param quote renders what a deployment wrote */
export function renderAnswer({ answer }: Question, outcome: string, quote = (text: string) => text): string {
  if (outcome === undetermined) return 'The behaviour could not be determined.';
  // The first clause: the rest says what a missing value looks like.
  if (answer.kind === 'value') return `${answer.describes.split(/[;.]/)[0]}: ${quote(outcome)}.`;
  return answer.outcomes.get(outcome) ?? `${quote(outcome)}.`;
}
