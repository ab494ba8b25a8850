import { type AnsweredExchange, readReturnedTiersOfExchange } from '../assertions/row-evidence.js';
import { createOracle, type Oracle } from '../contract/oracle.js';
import { type Tier, windowSize } from '../contract/world.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import { collectRowEvidence, type TargetContext } from '../judge/collect-row-evidence.js';
import { judgeExchanges } from '../judge/judge-exchange.js';
import { parseJson } from '../support/json.js';

/**
 * Whether a request may have another result at the end of a run because somebody changed the data. If a mistake of the
 * deployment explains it alone, failures of the run count.
 *
 * @param first the exchange at the beginning
 * @param atEnd those of the same request at the end
 * @param others requests with which the deployment may have mixed it up
 */
export function mayDataHaveChanged(
  first: Exchange | undefined,
  atEnd: readonly Exchange[],
  others: readonly HttpRequest[],
  target: TargetContext,
): boolean {
  if (isRightAtEndOnly(first, atEnd, target)) return false;
  return !atEnd.some((sent) => isOfOtherRequest(sent, others, target));
}

/**
 * Whether a response at the end agrees with the documentation, and the one at the beginning did not. The data file is older
 * than the run, so data that changed would agree with it at the beginning.
 */
function isRightAtEndOnly(first: Exchange | undefined, atEnd: readonly Exchange[], target: TargetContext): boolean {
  return first !== undefined && isContradicted(first, target) && !atEnd.some((sent) => isContradicted(sent, target));
}

function isContradicted(exchange: Exchange, target: TargetContext): boolean {
  return hasResponse(exchange) && judgeExchanges([exchange], target).some(({ verdict }) => verdict === 'fail');
}

function hasResponse(exchange: Exchange): exchange is AnsweredExchange {
  return 'response' in exchange;
}

/**
 * Whether a response is exactly what another request must get, with promotions too many and others too few. Data that changed
 * would hardly do both, and agree with the data file at that: the deployment mixes up requests.
 */
function isOfOtherRequest(exchange: Exchange, others: readonly HttpRequest[], target: TargetContext): boolean {
  const [evidence] = collectRowEvidence([new Map([['request', exchange]])], target);
  if (!hasResponse(exchange) || evidence === undefined) return false;
  const stated = createOracle(exchange.request, target.world);
  const mistakable = others.flatMap((other) => [other, takeCustomerOf(other, exchange.request)]);
  const candidates = mistakable.map((request) => createOracle(request, target.world));
  const returned = new Set(readReturnedTiersOfExchange(exchange, evidence).returned);
  const newest = target.world.tiers.slice(0, windowSize);
  const isWrong = (oracle: Oracle, tier: Tier) =>
    oracle.returned(tier) === (returned.has(tier.id) ? 'forbidden' : 'required');
  const wrong = newest.filter((tier) => isWrong(stated, tier));
  const isMixed = new Set(wrong.map((tier) => returned.has(tier.id))).size === 2;
  const isRightFor = (oracle: Oracle) =>
    oracle.openReason === undefined && !newest.some((tier) => isWrong(oracle, tier));
  return isMixed && candidates.some(isRightFor);
}

/** The request, sent by the customer of another one. */
function takeCustomerOf(other: HttpRequest, request: HttpRequest): HttpRequest {
  const read = ({ body = '' }: HttpRequest) => parseJson(body) as { readonly customer?: unknown };
  return { ...request, body: JSON.stringify({ ...read(request), customer: read(other).customer }) };
}
