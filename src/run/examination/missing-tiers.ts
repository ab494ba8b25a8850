/** Tiers of the test data that no response names, as though they were not loaded. */

import { listSuccesses } from '../../assertions/row-evidence.js';
import { createOracle } from '../../contract/oracle.js';
import { type TargetWorld, type Tier, windowSize } from '../../contract/world.js';
import { type HttpRequest, type RequestChannel, serializeRequest } from '../../http/exchange.js';
import {
  agreesWithOtherWorlds,
  type ResponseReadingContext,
  type SuspectedWrongDataLoad,
} from '../../judge/suspected-wrong-data-load.js';
import { readReturnedTiersOfBody } from '../../recognition/returned-tiers.js';
import type { Suite } from '../../suite/suite.js';
import { groupBy } from '../../support/collections.js';
import { createReason, type Reason } from '../../support/reason.js';
import { listRequestsOfCase } from '../case-sender.js';

interface MissingTiers {
  readonly missing: ReadonlySet<Tier>;
  readonly load: SuspectedWrongDataLoad;
}

/**
 * Finds tiers that seem not to be loaded. Requests with filters that they match may show that they are.
 * @param evidence of responses to requests without a filter
 */
export async function suspectUnloadedTiers(
  { cases }: Pick<Suite, 'cases'>,
  send: RequestChannel['send'],
  evidence: ResponseReadingContext,
): Promise<SuspectedWrongDataLoad | undefined> {
  const found = findMissingTiers(evidence);
  if (found === undefined || !agreesWithOtherWorlds(evidence.calibration, found.load.worlds, evidence))
    return undefined;
  const probes = await Promise.all(
    chooseProbes(cases.flatMap(listRequestsOfCase), found.missing, evidence.world).map(send),
  );
  const named = new Set(
    listSuccesses(probes).flatMap(({ response }) => readReturnedTiersOfBody(response.body, evidence).returned),
  );
  return [...found.missing].some(({ id }) => named.has(id)) ? undefined : found.load;
}

const maxProbes = 2;

/** Chooses the requests with a filter that most of the missing tiers match. */
function chooseProbes(requests: readonly HttpRequest[], missing: ReadonlySet<Tier>, world: TargetWorld): HttpRequest[] {
  const filtering = [...groupBy(requests, serializeRequest).values()].map(([request]) => {
    const oracle = createOracle(request, world);
    const mayName = (tier: Tier) => oracle.matching(tier) === 'required' && oracle.valid(tier) === 'required';
    return { request, count: oracle.filteredOn === undefined ? 0 : [...missing].filter(mayName).length };
  });
  const telling = filtering.filter(({ count }) => count > 0).toSorted((left, right) => right.count - left.count);
  return telling.slice(0, maxProbes).map(({ request }) => request);
}

/** Finds the tiers that were valid for a request and that no response names. Pure. */
function findMissingTiers(evidence: ResponseReadingContext): MissingTiers | undefined {
  const { world } = evidence;
  const successes = listSuccesses(evidence.calibration);
  const named = new Set(successes.flatMap(({ response }) => readReturnedTiersOfBody(response.body, evidence).returned));
  const oracles = successes.map(({ request }) => createOracle(request, world));
  const { tiers: available } = world;
  const isReachable = (tier: Tier) => oracles.some((oracle) => oracle.valid(tier) === 'required');
  const isRequired = (tier: Tier) => oracles.some((oracle) => oracle.returned(tier) === 'required');
  const unnamed = available.filter((tier) => !named.has(tier.id) && isReachable(tier));
  // Where no tier is named at all, it is not the load of some.
  if (named.size === 0 || !unnamed.some(isRequired)) return undefined;
  const last = available.findLastIndex(({ id }) => named.has(id));
  const isOlder = (tier: Tier) => available.indexOf(tier) > last;
  const gaps = unnamed.filter((tier) => !isOlder(tier));
  // If the oldest tier that is named is the 150th, the older ones are not missing: they are beyond the window.
  const tail = last === windowSize - 1 ? [] : available.filter(isOlder);
  const missing = new Set([...gaps, ...tail]);
  const isCertain = (tier: Tier) => named.has(tier.id) || isReachable(tier);
  const keep = (isKept: (tier: Tier) => boolean): TargetWorld => ({ ...world, tiers: available.filter(isKept) });
  const isLoaded = (tier: Tier) => !missing.has(tier);
  const load = {
    reason: describeMissing([...missing], available, named),
    // As long as the window of 150 is full, a mistake in its order may leave out any tier.
    isProven: available.length - missing.size < windowSize && isScattered(available, named, isReachable),
    // Whether tiers are loaded that were valid for no request is not known.
    worlds: [keep(isLoaded), keep((tier) => isLoaded(tier) && isCertain(tier))],
  };
  return { missing, load };
}

function describeMissing(missing: readonly Tier[], available: readonly Tier[], named: ReadonlySet<string>): Reason {
  const ranks = missing.map((tier) => available.indexOf(tier) + 1).sort((left, right) => left - right);
  const total = available.length;
  const [first = 0, last = 0] = [ranks[0], ranks.at(-1)];
  const names = missing.map(({ name }) => `'${name}'`);
  const common = { total, names, count: missing.length };
  // Between missing tiers there may be some that no request could show.
  const isWhole = available.slice(first - 1, last).every((tier) => missing.includes(tier) || !named.has(tier.id));
  if (isWhole && first === 1) return createReason('load-lacks-newest', { ...common, last });
  if (isWhole && last === total) return createReason('load-lacks-oldest', { ...common, first });
  // Older tiers must not be named, so that they are not says nothing.
  const isInWindow = (tier: Tier) => available.indexOf(tier) < windowSize;
  const nameWithRank = (tier: Tier) => `'${tier.name}' (rank ${available.indexOf(tier) + 1})`;
  const inPlace = available.filter((tier) => named.has(tier.id) && !isInWindow(tier)).map(nameWithRank);
  return createReason('load-lacks-some', { ...common, names: missing.filter(isInWindow).map(nameWithRank), inPlace });
}

/** One tier in the wrong place leaves one gap, which begins and ends. */
const maxChanges = 3;

/**
 * Whether tiers are missing that only their ids tell from others that are there. A mistake that sorts, cuts or compares
 * splits equal tiers at one place: by rank, by name or by id.
 */
function isScattered(
  available: readonly Tier[],
  named: ReadonlySet<string>,
  isReachable: (tier: Tier) => boolean,
): boolean {
  const alike = groupBy(available.filter(isReachable), ({ campaign_id, metadata, rules }) =>
    JSON.stringify([campaign_id, metadata, rules]),
  );
  const compare = (left: string, right: string) => (left < right ? -1 : 1);
  return [...alike.values()].some((tiers) => {
    const orders = [
      tiers,
      tiers.toSorted((left, right) => compare(left.name, right.name)),
      tiers.toSorted((left, right) => compare(left.id, right.id)),
    ];
    return orders.every((order) => countChanges(order.map(({ id }) => named.has(id))) > maxChanges);
  });
}

function countChanges(values: readonly boolean[]): number {
  return values.filter((value, n) => n > 0 && value !== values[n - 1]).length;
}
