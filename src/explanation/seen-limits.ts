/**
 * Finds a limit on the number of promotions in a response, whatever the order in which a deployment takes them. In: what was observed.
 * Out: the limit, and the order if one is seen. Pure.
 */

import type { ComparableObservation, Observations } from './observation.js';
import { chooseOnlyOrder, listTierOrders, newestFirst, type TierOrder } from './tier-orders.js';
import { minMendedResponses } from './wrong-results.js';

/** A limit that all responses bear out. */
export interface SeenLimit {
  readonly size: number;
  /** The responses in which something is missing. */
  readonly cutOff: readonly ComparableObservation[];
}

/** A result, or a part of it, such as the promotions of one campaign. */
export interface ResultPart {
  readonly shown: ComparableObservation;
  readonly positions: readonly number[];
}

/** How many different results have to be cut off: where all are alike, a fixed list of promotions explains them as well. */
const minDifferent = 3;

/**
 * Finds the limit on whole results. Each of those in which something is missing has as many promotions as the limit says, and no
 * result has more. A mistake that loses promotions for another reason leaves results of different sizes.
 */
export function findSeenLimit({ compared }: Pick<Observations, 'compared'>): SeenLimit | undefined {
  return findLimitOfParts(compared.map((shown) => ({ shown, positions: [...shown.returned.keys()] })));
}

export function findLimitOfParts(parts: readonly ResultPart[]): SeenLimit | undefined {
  const counted = parts.map((part) => ({ ...part, count: countReturned(part), isCutOff: isAnyMissing(part) }));
  const cutOff = counted.filter((part) => part.isCutOff);
  const size = cutOff[0]?.count ?? 0;
  const isLimited = cutOff.every(({ count }) => count === size) && counted.every(({ count }) => count <= size);
  const different = new Set(cutOff.map(({ shown, positions }) => positions.filter((n) => shown.returned[n]).join()));
  const responses = [...new Set(cutOff.map(({ shown }) => shown))];
  const isEnough = responses.length >= minMendedResponses && different.size >= minDifferent;
  return size > 0 && isLimited && isEnough ? { size, cutOff: responses } : undefined;
}

function countReturned({ shown, positions }: ResultPart): number {
  return positions.filter((position) => shown.returned[position]).length;
}

function isAnyMissing({ shown, positions }: ResultPart): boolean {
  return positions.some((position) => shown.documented[position] === 'required' && !shown.returned[position]);
}

/**
 * Finds the order in which, in each response that is cut off, what is returned comes before what is missing. That of the newest counts
 * first, since results should have it.
 */
export function findOrderOfLimit(
  { cutOff }: SeenLimit,
  { tiers, world }: Pick<Observations, 'tiers' | 'world'>,
): TierOrder | undefined {
  const positions = new Map(tiers.map((tier, position) => [tier, position]));
  const fitting = listTierOrders(world).filter(({ sort }) => {
    const sorted = sort(tiers).map((tier) => positions.get(tier) ?? 0);
    return cutOff.every(({ documented, returned }) => {
      const firstMissing = sorted.findIndex((n) => documented[n] === 'required' && !returned[n]);
      const lastReturned = sorted.findLastIndex((n) => returned[n]);
      return lastReturned < firstMissing;
    });
  });
  return fitting[0] === newestFirst ? newestFirst : chooseOnlyOrder(fitting, tiers);
}
