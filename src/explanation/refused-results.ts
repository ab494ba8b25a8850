/**
 * Says what the results have in common that a deployment does not manage to send, where requests with one part are now refused, now
 * accepted. In: a refused request and one that differs in little and is accepted, and all exchanges of a run. Out: a sentence. Pure.
 */

import { createOracle } from '../contract/oracle.js';
import { listAvailableTiers, type TargetWorld, type Tier } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { quoteTierName } from './narrowed-failure.js';
import { listRequestFeatures } from './refused-features.js';
import { createTraits, type RequestWithReturnedTiers } from './wrong-tier-traits.js';

/** How many refused requests, and how many accepted ones, are no coincidence. */
const minRequests = 4;
/** More promotions that all refused requests would return single none out. */
const maxTiers = 2;

/** A refused request, and an accepted one. Their differing parts decide, or only where the result has something else. */
export interface RefusalContrast {
  readonly status: number;
  readonly refused: HttpRequest;
  readonly accepted: HttpRequest;
}

/** The requests of a run that were refused with a status, and the successful responses. */
export interface RefusedAndAccepted {
  readonly refused: readonly HttpRequest[];
  readonly accepted: readonly RequestWithReturnedTiers[];
}

/**
 * @param run documented requests alone
 * @returns undefined if no requests with the same part are accepted, or their results do not differ in a trait
 */
export function describeRefusedResults(
  { status, refused, accepted }: RefusalContrast,
  run: RefusedAndAccepted,
  world: TargetWorld,
): string | undefined {
  const unlike = new Set(listRequestFeatures(accepted));
  const features = listRequestFeatures(refused).filter((feature) => !unlike.has(feature));
  const hasFeatures = (request: HttpRequest) => {
    const present = listRequestFeatures(request);
    return features.every((feature) => present.includes(feature));
  };
  const refusedAlike = run.refused.filter((request) => hasFeatures(request) && isResultKnown(request, world));
  const acceptedAlike = run.accepted.filter(({ request }) => hasFeatures(request));
  if (features.length === 0 || refusedAlike.length < minRequests || acceptedAlike.length < minRequests)
    return undefined;
  const decides = createDecisiveTest(refusedAlike, acceptedAlike, world);
  const traits = createTraits(world).flatMap(([words, has]) => (decides(has) ? [words] : []));
  const tiers = traits.length > 0 ? [] : listDecisiveTiers(decides, world);
  if (traits.length + tiers.length === 0) return undefined;
  const what = traits.length > 0 ? `a promotion with ${traits.join('; with ')}` : tiers.join('; ');
  return `Of the requests with ${features.join(', ')}, ${refusedAlike.length} got ${status}, and ${acceptedAlike.length} were accepted. All that got ${status}, and none of the others, have to return ${what}.`;
}

/** Whether the documentation says anything of the result: what an undocumented filter leaves is open. */
function isResultKnown(request: HttpRequest, world: TargetWorld): boolean {
  const { returned } = createOracle(request, world);
  const stated = new Set(listAvailableTiers(world).map(returned));
  return stated.has('required') || (stated.size === 1 && stated.has('forbidden'));
}

type TierTest = (tier: Tier) => boolean;

/** Creates a test that says of some tiers whether each refused request has to return one of them, and no accepted one does. */
function createDecisiveTest(
  refused: readonly HttpRequest[],
  accepted: readonly RequestWithReturnedTiers[],
  world: TargetWorld,
): (has: TierTest) => boolean {
  const tiers = listAvailableTiers(world);
  const wanted = refused.map((request) => {
    const oracle = createOracle(request, world);
    return tiers.filter((tier) => oracle.returned(tier) === 'required');
  });
  const returned = new Set(accepted.flatMap(({ result }) => [...result.returned, ...result.unclear]));
  const sent = tiers.filter(({ id }) => returned.has(id));
  return (has) => wanted.every((required) => required.some(has)) && !sent.some(has);
}

function listDecisiveTiers(decides: (has: TierTest) => boolean, world: TargetWorld): string[] {
  const decisive = listAvailableTiers(world).filter(({ id }) => decides((tier) => tier.id === id));
  return decisive.length > maxTiers ? [] : decisive.map(quoteTierName);
}
