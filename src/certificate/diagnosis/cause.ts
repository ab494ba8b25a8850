/** What most likely is wrong with a deployment: the facts of the run bear it out, and none contradicts it. */
export interface Cause {
  /** Stable, with the size that it has, such as `window-size/100`; `unknown` if no known mistake explains the failures. */
  readonly id: string;
  /** What is wrong, as a sentence. */
  readonly sentence: string;
  /** The facts that show it, in numbers, a sentence each. */
  readonly evidence: readonly string[];
  /** The judged row with the largest deviation, and what its response shows, such as "50 not returned: rank 101 to 150". */
  readonly example: {
    readonly requirement: string;
    readonly case: string;
    /** The title of the row, if the case has several. */
    readonly row?: string;
    readonly shows: string;
  };
  /**
   * Failing requirements, and their cases that fail or could not be judged for this cause. Another cause may have them,
   * too. Empty if nothing could be judged.
   */
  readonly requirements: readonly string[];
  readonly cases: readonly string[];
  /** Requirements that could not be judged only because of it. */
  readonly follows: readonly string[];
}
