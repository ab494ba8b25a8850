/** What most likely is wrong with a deployment: the facts of the run bear it out, and none contradicts it. */
export interface Cause {
  readonly kind: CauseKind;
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

/** The kinds of causes. Users may sort by them: an id never changes its meaning. */
export const causeKinds = [
  // The whole deployment.
  'no-response',
  'same-status',
  'not-json',
  'constant-answer',
  'nothing-returned',
  'everything-returned',
  // Which promotions are checked, and how many are returned.
  'window-size',
  'window-missing',
  'window-shifted',
  'window-oldest-first',
  'window-after-rules',
  'page',
  // Rules.
  'rules-joined-by-or',
  'first-rule-only',
  'rule-ignored',
  'rule-never-met',
  'comparison',
  'threshold',
  // Parts of a request.
  'body-not-read',
  'items-not-read',
  'first-customer-only',
  // Filters.
  'filter-ignored',
  'filter-never-met',
  'filter-comparison',
  // State.
  'earlier-request',
  'cached',
  'changing-results',
  // Refusals.
  'refused',
  // What cannot be named exactly.
  'same-promotions',
  'unexplained',
] as const;
export type CauseKind = (typeof causeKinds)[number];
