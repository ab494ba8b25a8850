import type { Exchange, HttpRequest } from './exchange.js';
import { explainTransientFailure } from './response-status.js';
import { isTransientFailure, wasSent } from './retry.js';

/** After so many fruitless exchanges in a row, nothing is repeated until one fares better. */
const maxRepeatedInVain = 3;

/** After so many in a row, it is tried whether the deployment answers at all. */
const maxInVain = 10;

/** How the reason begins for which requests were not sent. */
export const circuitOpenPrefix = 'Nothing more was sent:';

/** What becomes of exchanges, one after another, and when more of them would be in vain. */
export interface CircuitBreaker {
  /** Whether repeating a request may help. */
  allowsRetry(): boolean;
  /**
   * Takes note of how an exchange ended; gives up where nothing comes any more.
   *
   * @returns how many requests were sent to find that out
   */
  record(exchange: Exchange): Promise<number>;
}

/**
 * Watches exchanges. Something in between may let some requests through and not others, whole groups of them: so before
 * it gives up, a request that was answered before is sent once more.
 *
 * @param send sends a request once, before all others
 * @param giveUp is called with the reason, in words for the user
 */
export function createCircuitBreaker(
  send: (request: HttpRequest) => Promise<Exchange>,
  giveUp: (reason: string) => void,
): CircuitBreaker {
  let inVain = 0;
  let answered: HttpRequest | undefined;
  return {
    allowsRetry: () => inVain < maxRepeatedInVain,
    async record(exchange) {
      if (!wasSent(exchange)) return 0;
      if (!isTransientFailure(exchange)) {
        inVain = 0;
        answered ??= exchange.request;
        return 0;
      }
      inVain += 1;
      if (inVain % maxInVain !== 0) return 0;
      const trial = answered && (await send(answered));
      if (trial !== undefined && !isTransientFailure(trial)) {
        inVain = 0;
        return 1;
      }
      const inRow = `${maxInVain} requests in a row brought nothing`;
      const trialToo = trial === undefined ? '' : ', nor did one that was answered before';
      giveUp(`${circuitOpenPrefix} ${inRow}${trialToo}. The last one: ${explainTransientFailure(exchange)}`);
      return trial === undefined || !wasSent(trial) ? 0 : 1;
    },
  };
}
