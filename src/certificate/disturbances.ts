import type { RetriedAttempt } from '../http/exchange.js';
import { groupBy } from '../support/collections.js';

/** The failures that passed when a request was sent again, as in `certificate.json`. */
export interface Disturbances {
  /** The number of attempts that were retried, by their status, or by why there was no response. */
  readonly retried: Readonly<Record<string, number>>;
  /** The number of requests per second at the end of the run, if the deployment asked the client to wait. */
  readonly requests_per_second?: number;
}

/** Counts the attempts that were retried; undefined if there were none. */
export function countDisturbances(attempts: readonly RetriedAttempt[]): Disturbances | undefined {
  if (attempts.length === 0) return undefined;
  const groups = [...groupBy(attempts, ({ outcome }) => String(outcome))];
  const byCount = groups.toSorted(([, left], [, right]) => right.length - left.length);
  const paces = attempts.flatMap(({ slowed_to: pace }) => pace ?? []);
  return {
    retried: Object.fromEntries(byCount.map(([outcome, alike]) => [outcome, alike.length])),
    // The client only ever becomes slower.
    ...(paces.length > 0 && { requests_per_second: Math.min(...paces) }),
  };
}
