import { createOracle } from '../contract/oracle.js';
import { type Exchange, serializeRequest } from '../http/exchange.js';
import { findResponseBreakage } from '../http/response-breakage.js';
import { readReturnedTiersOfBody } from '../recognition/returned-tiers.js';
import { createReason } from '../support/reason.js';
import type { UnmetAssertionResult } from './assertion.js';
import { type AnsweredExchange, listSuccesses, type RowEvidence } from './row-evidence.js';

/** The number of other responses that must be whole. Where few arrive, the network may be the reason. */
const minWhole = 4;
/** In characters of path, query and body. A longer request may be what the deployment does not take. */
const maxRequest = 4096;

/** Judges a response that does not arrive whole. Undefined if nothing is broken; unclear if it may not be the deployment. */
export function judgeBrokenResponse(exchange: Exchange, evidence: RowEvidence): UnmetAssertionResult | undefined {
  const breakage = findResponseBreakage(exchange);
  if (breakage === undefined) return undefined;
  const { path, body = '' } = exchange.request;
  const whole = listWholeResponses(evidence);
  const mayBeDeployment = whole.length >= minWhole && path.length + body.length <= maxRequest;
  if (!mayBeDeployment) return { is: 'unclear', reason: breakage.reason };
  const lengths = compareLengths(exchange, whole, evidence);
  const code = lengths === undefined ? 'response-broken' : 'long-responses-lost';
  return { is: 'violated', reason: createReason(code, { reason: breakage.reason, whole: whole.length, ...lengths }) };
}

/** Lists the successful responses of the case and of the calibration that are whole, one for each request. */
export function listWholeResponses({
  ofCase,
  calibration,
}: Pick<RowEvidence, 'ofCase' | 'calibration'>): AnsweredExchange[] {
  const whole = listSuccesses([...ofCase, ...calibration]).filter(
    (success) => findResponseBreakage(success) === undefined,
  );
  return [...new Map(whole.map((success) => [serializeRequest(success.request), success])).values()];
}

/**
 * Compares the numbers of promotions, since what does not arrive has no length. Undefined if a whole response has as many as
 * a broken one.
 */
function compareLengths(broken: Exchange, whole: readonly AnsweredExchange[], evidence: RowEvidence) {
  const { world, ofCase, calibration } = evidence;
  const countRequired = ({ request }: Exchange): number => {
    const { accepted, returned } = createOracle(request, world);
    return accepted ? world.tiers.filter((tier) => returned(tier) === 'required').length : 0;
  };
  const longest = Math.max(
    0,
    ...whole.map(({ response }) => readReturnedTiersOfBody(response.body, evidence).returned.length),
  );
  const allBroken = [...ofCase, ...calibration].filter((exchange) => findResponseBreakage(exchange) !== undefined);
  const shortestBroken = Math.min(...allBroken.map(countRequired));
  return longest > 0 && longest < shortestBroken ? { required: countRequired(broken), longest } : undefined;
}
