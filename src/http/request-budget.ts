import { appendFileSync, statSync } from 'node:fs';
import { getMonotonicMs } from '../support/monotonic-clock.js';
import type { BudgetLimits } from './connection-options.js';

/** The beginning of the reason why the rest of a run was not sent. */
export const nothingMorePrefix = 'Nothing more was sent:';

/** Counts the requests of a run. Several clients may share it. */
export interface RequestBudget {
  /** On the monotonic clock. */
  readonly openedAt: number;
  countSpent(): number;
  spend(): void;
}

export function createMemoryBudget(): RequestBudget {
  let requests = 0;
  return {
    openedAt: getMonotonicMs(),
    countSpent: () => requests,
    spend: () => {
      requests += 1;
    },
  };
}

/**
 * Opens a budget that several processes share: Playwright starts a new process after every failing test.
 *
 * @param file exists; gets one byte for each request, which is safe in parallel
 * @param openedAt on the monotonic clock
 */
export function openFileBudget(file: string, openedAt: number): RequestBudget {
  return {
    openedAt,
    countSpent: () => statSync(file).size,
    spend: () => appendFileSync(file, '.'),
  };
}

/** Explains why a budget allows no further request; undefined if it allows one. */
export function explainExhaustion(requestBudget: RequestBudget, limits: BudgetLimits): string | undefined {
  const { requests } = limits;
  if (requestBudget.countSpent() >= requests)
    return `${nothingMorePrefix} The budget of ${requests} requests is used up. Set a larger one in the target file (budget.requests).`;
  return getRemainingMs(requestBudget, limits) <= 0 ? renderTimeExceeded(limits) : undefined;
}

export function renderTimeExceeded({ timeMs }: BudgetLimits): string {
  return `${nothingMorePrefix} The budget of ${timeMs / 1_000} seconds is used up. Set a larger one in the target file (budget.seconds).`;
}

export function getRemainingMs({ openedAt }: RequestBudget, { timeMs }: BudgetLimits): number {
  return Math.max(openedAt + timeMs - getMonotonicMs(), 0);
}
