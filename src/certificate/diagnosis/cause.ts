import type { Row } from './observation.js';

/** What most likely is wrong with a deployment: the facts of the run bear it out, and none contradicts it. */
export interface Cause {
  /** Stable, with the size that it has, such as `window-size/100`; `unknown` if no known mistake explains the failures. */
  readonly id: string;
  /** What is wrong, as a sentence. */
  readonly sentence: string;
  /** The facts that show it, in numbers, a sentence each. */
  readonly evidence: readonly string[];
  /**
   * Failing requirements, and their cases that fail or could not be judged for this cause. Another cause may have them,
   * too. Empty if nothing could be judged.
   */
  readonly requirements: readonly string[];
  readonly cases: readonly string[];
  /** Requirements that could not be judged only because of it. */
  readonly follows: readonly string[];
}

/** A cause, and the rows that show it. */
export interface Finding extends Pick<Cause, 'id' | 'sentence' | 'evidence'> {
  readonly rows: Set<Row>;
}

/** From fewer requests than these, a cause is only possible. */
export const minRequests = 3;

/** Says of a cause from few requests that it is only possible. */
export function hedge(sentence: string, requests: number): string {
  return requests < minRequests ? `Possibly: ${sentence}` : sentence;
}
