import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { getMonotonicMs } from '../support/monotonic-clock.js';
import type { BudgetLimits } from './connection-options.js';

/** What a run has spent. Clients that share it share one budget. */
export interface RequestBudget {
  /** When it was opened, on the monotonic clock. */
  readonly openedAt: number;
  /** How many requests were sent, repeats included. */
  countSpent(): number;
  /** Counts one request. */
  spend(): void;
  /** Spends what is left, since more would be in vain. @param reason in words for the user */
  stop(reason: string): void;
  /** Why it was given up, if so. */
  getStopReason(): string | undefined;
}

/** A budget of this process, opened now. */
export function createMemoryBudget(): RequestBudget {
  let requests = 0;
  let givenUp: string | undefined;
  return {
    openedAt: getMonotonicMs(),
    countSpent: () => requests,
    spend: () => {
      requests += 1;
    },
    stop: (reason) => {
      givenUp = reason;
    },
    getStopReason: () => givenUp,
  };
}

/**
 * A budget that several processes share: a run has a new one after every failing test.
 *
 * @param file exists, and grows by one byte with each request, which processes can do side by side; the reason to give
 *   up goes into a file beside it
 * @param openedAt on the monotonic clock, which processes share
 */
export function openFileBudget(file: string, openedAt: number): RequestBudget {
  const reasonFile = `${file}-given-up`;
  return {
    openedAt,
    countSpent: () => statSync(file).size,
    spend: () => appendFileSync(file, '.'),
    stop: (reason) => writeFileSync(reasonFile, reason),
    getStopReason: () => (existsSync(reasonFile) ? readFileSync(reasonFile, 'utf8') : undefined),
  };
}

/** Why a budget allows no further request, in words for the user; undefined while it does. */
export function explainExhaustion(requestBudget: RequestBudget, limits: BudgetLimits): string | undefined {
  const { requests } = limits;
  if (requestBudget.countSpent() >= requests)
    return `The budget of ${requests} requests is used up. A larger one goes into the target file (budget.requests).`;
  if (getRemainingMs(requestBudget, limits) <= 0) return renderTimeExceeded(limits);
  return requestBudget.getStopReason();
}

/** That the time of a budget is over, in words for the user. */
export function renderTimeExceeded({ timeMs }: BudgetLimits): string {
  return `The budget of ${timeMs / 1_000} seconds is used up. A larger one goes into the target file (budget.seconds).`;
}

/** How much time a budget leaves, in milliseconds. */
export function getRemainingMs({ openedAt }: RequestBudget, { timeMs }: BudgetLimits): number {
  return Math.max(openedAt + timeMs - getMonotonicMs(), 0);
}
