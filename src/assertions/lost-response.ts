import { createOracle } from '../contract/oracle.js';
import type { Exchange } from '../http/exchange.js';
import { readReturned } from '../recognition/returned-tiers.js';
import { listSuccesses, type RowEvidence } from './row-evidence.js';

/**
 * Explains that a documented request gets no response because its response is long. A broken connection proves nothing,
 * unless it breaks for the longest responses and for no other: several shorter ones of the row arrive, each one that is known
 * to arrive is shorter, and no shorter one breaks. Sizes are compared by the number of promotions: what does not arrive has no
 * length. A request that is long itself may be what the deployment does not take.
 *
 * @returns undefined if the exchanges do not show that
 */
export function explainLostResponse(name: string, evidence: RowEvidence): string | undefined {
  const lost = evidence.exchanges.get(name);
  if (lost === undefined || !isCutShort(lost)) return undefined;
  const { world, exchanges, calibration } = evidence;
  const countRequired = ({ request }: Exchange): number => {
    const oracle = createOracle(request, world);
    return oracle.accepted ? world.tiers.filter((tier) => oracle.returned(tier) === 'required').length : 0;
  };
  const listReturned = (all: readonly Exchange[]): number[] =>
    listSuccesses(all).map(({ response }) => readReturned(response.body, evidence).returned.length);
  const all = [...exchanges.values(), ...calibration];
  const longest = Math.max(0, ...listReturned(all));
  const shortestLost = Math.min(...all.filter((exchange) => !('response' in exchange)).map(countRequired));
  const arrived = listReturned([...exchanges.values()]).filter((count) => count > 0);
  if (arrived.length < minArrived || longest >= shortestLost) return undefined;
  return `Only long responses do not arrive: the connection breaks, and there are ${countRequired(lost)} promotions to return. Responses with up to ${longest} promotions arrive.`;
}

/** A connection that breaks at random rarely spares as many, three times. */
const minArrived = 4;

/** In characters of path, query and body. */
const maxRequest = 4096;

function isCutShort(exchange: Exchange): boolean {
  const { path, body = '' } = exchange.request;
  return (
    'transportError' in exchange &&
    ['broken-connection', 'unreadable'].includes(exchange.transportError) &&
    path.length + body.length <= maxRequest
  );
}
