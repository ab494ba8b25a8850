import type { Row } from './observation.js';
import type { Hypothesis } from './prediction.js';

/** What most likely is wrong with a deployment: the facts of the run bear it out, and none contradicts it. */
export interface Cause {
  /** Stable, with the size that it has, such as `window-size/100`; `unknown` if no known mistake explains the failures. */
  readonly id: string;
  readonly sentence: string;
  /** The facts that show it, in numbers, a sentence each. */
  readonly evidence: readonly string[];
  /** Empty if nothing could be judged. Another cause may have the same requirements and cases. */
  readonly requirements: readonly string[];
  readonly cases: readonly string[];
  /** Requirements that could not be judged only because of it. */
  readonly follows: readonly string[];
}

export interface Finding extends Pick<Cause, 'id' | 'sentence' | 'evidence'> {
  readonly rows: Set<Row>;
  /** What was assumed, if the reference deployment can answer with it. */
  readonly hypothesis?: Hypothesis;
}

/** From fewer requests than these, a cause is only possible. */
export const minRequests = 3;

export function hedge(sentence: string, requests: number): string {
  return requests < minRequests ? `Possibly: ${sentence}` : sentence;
}
