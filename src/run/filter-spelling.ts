import { listSuccesses } from '../assertions/row-evidence.js';
import type { Suite } from '../cases/suite.js';
import { tag } from '../cases/test-case.js';
import { renderFilterParameter, spellFiltersLiterally } from '../contract/operation.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import type { World } from '../contract/world.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import { encodeQueryText, parseRequest } from '../http/request-content.js';
import { listRequests, type SentRequest } from './case-sender.js';
import { maskChanging } from './find-wrong-address.js';

/** Finds a request with one filter that excludes promotions and leaves some. Undefined if no selected case has a filter. */
export function findFilterRequest({ cases, world, calibration }: Suite): HttpRequest | undefined {
  const spelled = cases.filter(({ tags }) => !tags.includes(tag.spelling)).flatMap(listRequests);
  const filtered = spelled.filter((request) => createOracle(request, world).filteredOn !== undefined);
  const name = encodeQueryText(renderFilterParameter({ on: 'campaign' }));
  const campaigns = filtered.length === 0 ? [] : world.campaigns.filter(({ id }) => !world.unavailable.has(id));
  const others = calibration
    .slice(0, 1)
    .flatMap((plain) =>
      campaigns.map(({ id }) => ({ ...plain, path: `${plain.path.split('?')[0]}?${name}=${encodeQueryText(id)}` })),
    );
  return [...filtered, ...others].find((request) => {
    const oracle = createOracle(request, world);
    const has = (obligation: Obligation) => world.tiers.some((tier) => oracle.returned(tier) === obligation);
    return parseRequest(request).query.length === 1 && has('required') && has('forbidden');
  });
}

/** Whether a filter restricts the result only with literal brackets; most clients encode them. */
export async function needsLiteralFilters(
  world: World,
  [filtered, encoded]: SentRequest,
  send: (request: HttpRequest) => Promise<Exchange>,
  /** Returns undefined if it is not clear which tiers a response returns. */
  readReturned: (body: string) => readonly string[] | undefined,
): Promise<boolean> {
  const oracle = createOracle(filtered, world);
  const excluded = new Set(world.tiers.flatMap((tier) => (oracle.matching(tier) === 'forbidden' ? tier.id : [])));
  const isRestricted = (exchange: Exchange): boolean | undefined => {
    const [success] = listSuccesses([exchange]);
    const returned = success === undefined ? [] : readReturned(success.response.body);
    return returned && returned.length > 0 && !returned.some((id) => excluded.has(id));
  };
  const isEncodedRead = isRestricted(encoded);
  if (isEncodedRead === true) return false;
  const literal = await send(spellFiltersLiterally(filtered));
  if (isEncodedRead === undefined) {
    // A filter that is not read changes nothing.
    const plain = maskBody(await send({ ...filtered, path: filtered.path.split('?')[0] ?? '' }));
    return maskBody(encoded) === plain && maskBody(literal) !== plain;
  }
  // A single wrong response decides nothing, nor does a filter that a deployment keeps for the next request.
  if (isRestricted(literal) !== true) return false;
  return isRestricted(await send(filtered)) !== true || isRestricted(await send(filtered)) !== true;
}

const maskBody = (exchange: Exchange) => ('response' in exchange ? maskChanging(exchange.response.body) : '');
