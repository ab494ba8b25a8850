import { appendFileSync, statSync } from 'node:fs';
import type { BudgetLimits } from './connection-options.js';

/** What a run has spent. Clients that share it share one budget. */
export interface RequestBudget {
  /** When it was opened, in milliseconds since the epoch. */
  readonly openedAt: number;
  /** How many requests were sent, repeats included. */
  spent(): number;
  /** Counts one request. */
  spend(): void;
}

/** A budget of this process, opened now. */
export function budgetInMemory(): RequestBudget {
  let requests = 0;
  return {
    openedAt: Date.now(),
    spent: () => requests,
    spend: () => {
      requests += 1;
    },
  };
}

/**
 * A budget that several processes share: a run has a new one after every failing test.
 *
 * @param file exists, and grows by one byte with each request, which processes can do side by side
 * @param openedAt in milliseconds since the epoch
 */
export function budgetInFile(file: string, openedAt: number): RequestBudget {
  return { openedAt, spent: () => statSync(file).size, spend: () => appendFileSync(file, '.') };
}

/** Why a budget allows no further request, in words for the user; undefined while it does. */
export function whyExhausted({ openedAt, spent }: RequestBudget, limits: BudgetLimits): string | undefined {
  const { requests, timeMs } = limits;
  if (spent() >= requests)
    return `The budget of ${requests} requests is used up. A larger one goes into the target file (budget.requests).`;
  if (Date.now() - openedAt >= timeMs)
    return `The budget of ${timeMs / 1_000} seconds is used up. A larger one goes into the target file (budget.seconds).`;
  return undefined;
}
