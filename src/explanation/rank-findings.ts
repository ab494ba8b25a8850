/**
 * Ranks what narrowing found: what says most comes first, and what something else says better is left out. In: groups of failures, each
 * with what was found. Out: those that are shown, in their order. Pure.
 */

import type { NarrowedGroup } from './failure-groups.js';
import type { FindingKind } from './narrowed-failure.js';

/** What was found in a run, as far as ranks depend on it. */
interface FoundInRun {
  readonly kinds: ReadonlySet<FindingKind>;
  /** Whether the customer makes the difference for a promotion that asks for none. */
  readonly isCustomerUnasked: boolean;
}

/** @param isUnstable whether equal requests of the run had different results */
export function rankFindings(groups: readonly NarrowedGroup[], isUnstable: boolean): NarrowedGroup[] {
  const run: FoundInRun = {
    kinds: new Set(groups.map(({ narrowed }) => narrowed.kind)),
    isCustomerUnasked: groups.some(isOfUnaskedCustomer),
  };
  const shown = groups.filter(({ narrowed }) => !isSaidBetter(narrowed.kind, run));
  const isWeakLeftOut = isRaceFound(run) || (isUnstable && !shown.every(isUnexplained));
  return shown
    .filter((group) => !isWeakLeftOut || !isUnexplained(group))
    .toSorted((left, right) => rank(left.narrowed.kind, run) - rank(right.narrowed.kind, run));
}

/** Whether nothing was found that makes a difference. */
export function isUnexplained({ narrowed: { kind } }: NarrowedGroup): boolean {
  return kind === 'smallest' || kind === 'unstable';
}

/** Whether what decides is no part of a request: then other contrasts may be due to it. */
export function isDoubtful({ narrowed: { kind } }: NarrowedGroup): boolean {
  return kind === 'earlier-request' || kind === 'reproduced-race' || kind === 'kept-result' || kind === 'unstable';
}

function isRaceFound({ kinds }: FoundInRun): boolean {
  return kinds.has('reproduced-race') || kinds.has('race-of-run') || kinds.has('race-of-run-with-parts');
}

/** Whether something else that was found says the same, and more. */
function isSaidBetter(kind: FindingKind, run: FoundInRun): boolean {
  switch (kind) {
    case 'earlier-parts':
      // Requests at the same time lent the parts: then earlier ones need not have lent theirs.
      return run.kinds.has('race-of-run-with-parts');
    case 'perhaps-earlier-answer':
      return isReproduced(run) && !run.isCustomerUnasked;
    case 'perhaps-earlier-parts':
      return isReproduced(run);
    default:
      return false;
  }
}

/** Whether further requests showed again that something else than a request decides. */
function isReproduced(run: FoundInRun): boolean {
  return isRaceFound(run) || run.kinds.has('earlier-request') || run.kinds.has('repeated-with-part');
}

/** The place of a kind among those that were found: the smallest comes first. */
function rank(kind: FindingKind, run: FoundInRun): number {
  switch (kind) {
    // Requests at the same time may get each other's answers: what other requests show may be such answers, too.
    case 'reproduced-race':
    case 'race-of-run':
    case 'race-of-run-with-parts':
      return 0;
    // The same holds of earlier answers. But what two requests show again says more than what was seen once.
    case 'kept-result':
    case 'earlier-parts':
      return run.kinds.has('earlier-request') ? 6 : 1;
    // Another customer may have another earlier answer, where no rule asks for the customer.
    case 'perhaps-earlier-answer':
      return run.isCustomerUnasked ? 2 : 8;
    // Which letters decide says more than which texts do, and long texts say least.
    case 'rule-texts':
      return run.kinds.has('letters') ? 4 : 3;
    case 'long-rule-texts':
      return 5;
    // For which other request a result is right says more than that it changes, unless it may be a coincidence.
    case 'repeated':
      return 7;
    case 'perhaps-earlier-parts':
      return 8;
    case 'smallest':
    case 'unstable':
      return 9;
    default:
      return 3;
  }
}

function isOfUnaskedCustomer({ symptom, narrowed }: NarrowedGroup): boolean {
  if (narrowed.kind !== 'customer' || symptom.kind === 'refused') return false;
  return symptom.tier.rules.every(({ kind }) => kind !== 'customer');
}
