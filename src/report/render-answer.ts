import { undetermined } from '../cases/test-case.js';
import type { Question } from '../contract/contract.js';

/**
 * What a target does where the documentation leaves it open, as a sentence.
 *
 * @param outcome the observed one; that of an open value is a text of the deployment
 * @param quoted how such a text is written in the output
 */
export function renderAnswer({ answer }: Question, outcome: string, quoted: (text: string) => string): string {
  if (outcome === undetermined) return 'What it does could not be determined.';
  if (answer.kind === 'outcomes') return answer.outcomes.get(outcome) ?? `${quoted(outcome)}.`;
  // Of what describes the value, the first clause: the rest says what stands for none.
  const [lead = ''] = answer.describes.split(/[;.]/);
  return `${lead}: ${quoted(outcome)}.`;
}
