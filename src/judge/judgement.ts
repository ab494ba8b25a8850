/** What is decided of a case, of each of its rows, and of a row that is known to fail. */

import type { Assertion } from '../assertions/assertion.js';
import type { Location } from '../support/problem.js';
import type { Reason } from '../support/reason.js';
import type { Verdict } from './verdict.js';

/** The verdict on a case or on a row, with what shows it. */
export interface Judgement {
  readonly verdict: Verdict;
  /** Undefined for `pass` only. */
  readonly reason?: Reason;
  /** The line of the case file that decided the verdict. */
  readonly at: Location;
  /** For `fail`: what is violated. */
  readonly expected?: Assertion;
  /** The name of the exchange that shows the reason. */
  readonly exchange?: string;
  /** For `fail`: the names of all exchanges that show it. */
  readonly shownBy?: readonly string[];
  /** Whether it failed only in some of several attempts. */
  readonly isUnstable?: true;
  /** Whether it would pass, were it not for what is known to be wrong with the target. */
  readonly isKnown?: true;
}

export interface RowJudgement extends Judgement {
  readonly title: string;
}

export interface CaseJudgement extends Judgement {
  readonly rows: readonly RowJudgement[];
  /** The answer to a question, if there is one. */
  readonly outcome?: string;
}

/** A row that fails. Its title is empty if it is the only row of its case, or if the case fails as a whole. */
export interface FailingRow {
  readonly requirement: string;
  readonly case: string;
  readonly title: string;
}

/** Answers whether it is known that a row fails, whatever the cause is. */
export type KnownFailureTest = (row: FailingRow) => boolean;

/** Whether a failure is not explained by a known deviation. */
export function isNewFailure({ verdict, isKnown }: Judgement): boolean {
  return verdict === 'fail' && isKnown !== true;
}
