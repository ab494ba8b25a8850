import type { Exchange, HttpRequest } from './exchange.js';
import { nothingMorePrefix } from './request-budget.js';
import { explainTransientFailure } from './response-status.js';
import { isTransientFailure, wasSent } from './retry.js';

const failuresWithoutRetry = 3;
/** In a row; then a probe decides whether the circuit opens. */
const failuresBeforeProbe = 10;

/**
 * Creates a circuit breaker: it stops a run when the deployment no longer answers. A gateway may block only some
 * requests. So the breaker first probes with a request that was answered before.
 *
 * @param send sends the probe, before all waiting requests
 * @param open called with the reason for the user
 */
export function createCircuitBreaker(
  send: (request: HttpRequest) => Promise<Exchange>,
  open: (reason: string) => void,
) {
  let failures = 0;
  let answered: HttpRequest | undefined;
  return {
    allowsRetry: () => failures < failuresWithoutRetry,
    /** Records an exchange, and opens the circuit after too many failures. Returns the number of probes sent. */
    async record(exchange: Exchange): Promise<number> {
      if (!wasSent(exchange)) return 0;
      if (!isTransientFailure(exchange)) {
        failures = 0;
        answered ??= exchange.request;
        return 0;
      }
      failures += 1;
      if (failures % failuresBeforeProbe !== 0) return 0;
      const probe = answered && (await send(answered));
      if (probe !== undefined && !isTransientFailure(probe)) {
        failures = 0;
        return 1;
      }
      const probed = probe === undefined ? '' : ', and so did a request that was answered before';
      const last = explainTransientFailure(exchange);
      open(`${nothingMorePrefix} ${failuresBeforeProbe} requests in a row failed${probed}. The last one: ${last}`);
      return probe === undefined || !wasSent(probe) ? 0 : 1;
    },
  };
}
