/** Whether a deployment reads filters percent-encoded, as most clients write them, or only with literal brackets. */

import { type AnsweredExchange, listSuccesses } from '../assertions/row-evidence.js';
import { caseTags } from '../cases/test-case.js';
import { renderFilterParameter, spellFiltersLiterally } from '../contract/operation.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import type { World } from '../contract/world.js';
import { encodeQueryText, parseRequest } from '../http/decoded-request.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import type { Suite } from '../suite/suite.js';
import { listRequestsOfCase, type RequestWithExchange } from './case-sender.js';

/**
 * Finds a request with one filter that excludes promotions and leaves some. Undefined if no selected case has a filter. It has
 * a metadata filter, if a case has one: the same response shows whether the test data is loaded with its metadata.
 */
export function findFilterRequest({ cases, world, calibration }: Suite): HttpRequest | undefined {
  const spelled = cases.filter(({ tags }) => !tags.includes(caseTags.spelling)).flatMap(listRequestsOfCase);
  const filtered = spelled.filter((request) => createOracle(request, world).filteredOn !== undefined);
  const name = encodeQueryText(renderFilterParameter({ on: 'campaign' }));
  const campaigns = filtered.length === 0 ? [] : world.campaigns.filter(({ id }) => !world.unavailable.has(id));
  const others = calibration
    .slice(0, 1)
    .flatMap((plain) =>
      campaigns.map(({ id }) => ({ ...plain, path: `${plain.path.split('?')[0]}?${name}=${encodeQueryText(id)}` })),
    );
  const isTelling = (request: HttpRequest) => {
    const oracle = createOracle(request, world);
    const has = (obligation: Obligation) => world.tiers.some((tier) => oracle.returned(tier) === obligation);
    return parseRequest(request).query.length === 1 && has('required') && has('forbidden');
  };
  const onMetadata = filtered.filter((request) => createOracle(request, world).filteredOn === 'metadata');
  return [...onMetadata, ...filtered, ...others].find(isTelling);
}

/** Whether a filter restricts the result only with literal brackets. */
export async function doFiltersNeedLiteralBrackets(
  world: World,
  [filtered, encoded]: RequestWithExchange,
  send: (request: HttpRequest) => Promise<Exchange>,
  readReturned: (success: AnsweredExchange) => readonly string[],
): Promise<boolean> {
  const oracle = createOracle(filtered, world);
  const excluded = new Set(world.tiers.flatMap((tier) => (oracle.matching(tier) === 'forbidden' ? tier.id : [])));
  const isRestricted = (exchange: Exchange): boolean => {
    const returned = listSuccesses([exchange]).flatMap(readReturned);
    return returned.length > 0 && !returned.some((id) => excluded.has(id));
  };
  if (isRestricted(encoded) || !isRestricted(await send(spellFiltersLiterally(filtered)))) return false;
  // A single wrong response decides nothing, nor does a filter that a deployment keeps for the next request.
  return !isRestricted(await send(filtered)) || !isRestricted(await send(filtered));
}
