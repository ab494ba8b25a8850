import { createReason, renderReason } from '../support/reason.js';
import type { Exchange, HttpRequest } from './exchange.js';
import { isTransientFailure } from './response-status.js';

/** After this many attempts in a row without an answer, whichever requests they are, nothing more is sent. */
const maxUnanswered = 10;

export type SilenceWatch = ReturnType<typeof createSilenceWatch>;

/**
 * Numbers the attempts of a run, and notices when a deployment stops answering. Several requests that share a feature may
 * lack an answer while all others have one. So a request that was answered before is sent again before the run ends.
 *
 * @param sendAgain sends a request that was answered before. It calls `countAttempt` each time, and returns the last exchange
 */
export function createSilenceWatch(sendAgain: (request: HttpRequest, countAttempt: () => number) => Promise<Exchange>) {
  let count = 0;
  let lastAnswered = 0;
  let answered: HttpRequest | undefined;
  let unanswered: number[] = [];
  let silentSince: number | undefined;
  let checking: Promise<void> | undefined;
  const countAttempt = (): number => {
    count += 1;
    return count;
  };
  const check = async (request: HttpRequest): Promise<void> => {
    const since = findFirstFailedAttempt(unanswered, lastAnswered);
    const exchange = await sendAgain(request, countAttempt);
    if (isTransientFailure(exchange)) silentSince = since;
    else lastAnswered = count;
    unanswered = [];
    checking = undefined;
  };
  return {
    /** Counts an attempt. @returns its number; undefined if the deployment stopped answering, so that nothing is sent */
    async begin(): Promise<number | undefined> {
      while (checking !== undefined) await checking;
      return silentSince === undefined ? countAttempt() : undefined;
    },
    /**
     * Notes how an attempt ended. Waits while it is not known whether the deployment stopped answering.
     *
     * @returns the numbers of the requests that were sent for this attempt to find that out
     */
    async end(number: number, exchange: Exchange): Promise<readonly number[]> {
      if (isTransientFailure(exchange)) unanswered.push(number);
      else {
        lastAnswered = Math.max(lastAnswered, number);
        unanswered = unanswered.filter((failed) => failed > lastAnswered - maxOverlapping);
        // Another method may change something.
        if (exchange.request.method === 'GET') answered = exchange.request;
      }
      // While nothing was ever answered, the examination of the target says so.
      const inARow = unanswered.filter((failed) => failed > lastAnswered).length;
      if (inARow < maxUnanswered || checking !== undefined || answered === undefined) {
        await checking;
        return [];
      }
      const before = count;
      checking = check(answered);
      await checking;
      return Array.from({ length: count - before }, (_, n) => before + n + 1);
    },
    /** The number of the first request without an answer, once nothing more is sent. */
    findSilence: () => silentSince,
  };
}

/** How many requests overlap at most. */
const maxOverlapping = 8;

/**
 * Finds the number of the first attempt that failed for good. Requests that overlap may arrive in another order than that of
 * sending: one that failed may have a lower number than the last one that did not. They count as if they came after it.
 *
 * @param failed the numbers of all that failed since then, at least one of them later
 * @param last the number of the last attempt that did not fail
 */
export function findFirstFailedAttempt(failed: readonly number[], last: number): number {
  const first = Math.min(...failed.filter((number) => number > last));
  return first - failed.filter((number) => number < last && number > last - maxOverlapping).length;
}

/** The exchange of a request that is not sent, since the deployment stopped answering. */
export function createUnsentExchange(request: HttpRequest, since: number | undefined): Exchange {
  const message = renderReason(createReason('silent', { since: since ?? 0 }));
  return { request, transportError: 'not-sent', message };
}
