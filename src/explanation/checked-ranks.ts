/**
 * Finds out which promotion tiers a deployment checks in place of the newest 150, and what they have in common. In: what was
 * observed. Out: the ranks that are left out and those that are checked, and facts about their times, names and sizes. Pure.
 */

import { createOracle } from '../contract/oracle.js';
import { indexPositionsById, type TargetWorld, type Tier, windowSize } from '../contract/world.js';
import { renderShortList } from '../support/collections.js';
import { quoteTierName } from './narrowed-failure.js';
import type { ComparableObservation, Observations } from './observation.js';
import { countableParts, countParts } from './row-limits.js';
import { chooseOnlyOrder, listOtherTierOrders } from './tier-orders.js';

/** A tier with its rank: 1 is the newest. */
interface RankedTier {
  readonly tier: Tier;
  readonly rank: number;
}

/** Which tiers are checked, as far as responses without a filter show it. */
export interface CheckedRanks {
  readonly checked: readonly RankedTier[];
  readonly unchecked: readonly RankedTier[];
  /** Those of the newest 150 that are left out. */
  readonly leftOut: readonly RankedTier[];
  /** Older ones that are checked. */
  readonly inPlace: readonly RankedTier[];
}

/** How many tiers may have been returned in some responses only: another mistake may concern them. */
const maxShareOfMixed = 0.05;

/** Fewer of the newest tiers may be missing for a reason of their own, while the window has another size. */
const minLeftOut = 6;

/**
 * @returns undefined if the newest or the oldest tiers are checked, however many, or if the responses do not agree which are
 */
export function findWronglyCheckedRanks({
  compared,
  tiers,
  world,
}: Pick<Observations, 'compared' | 'tiers' | 'world'>): CheckedRanks | undefined {
  const positions = indexPositionsById(world.tiers);
  const unfiltered = compared.filter(({ request }) => !request.path.includes('?'));
  const shown = tiers.map((tier, position) => ({
    tier,
    rank: (positions.get(tier.id) ?? Number.POSITIVE_INFINITY) + 1,
    results: new Set(listResultsOfValidTier(unfiltered, tier, position, world)),
  }));
  const decided = shown.filter(({ results }) => results.size === 1);
  const mixed = shown.filter(({ results }) => results.size > 1);
  if (mixed.length > maxShareOfMixed * shown.length) return undefined;
  const [checked, unchecked] = [true, false].map((wanted) =>
    decided.filter(({ results }) => results.has(wanted)).map(({ tier, rank }): RankedTier => ({ tier, rank })),
  ) as [RankedTier[], RankedTier[]];
  const leftOut = unchecked.filter(({ rank }) => rank <= windowSize);
  const inPlace = checked.filter(({ rank }) => rank > windowSize);
  const newestChecked = checked[0]?.rank ?? 0;
  const areOldest = unchecked.every(({ rank }) => rank < newestChecked);
  const open = shown.length - decided.length;
  // A window of the oldest is another mistake. Fewer than its size are the rest after the newest, such as a second page.
  const isOldestWindow = areOldest && checked.length + open >= windowSize;
  if (inPlace.length === 0 || isOldestWindow) return undefined;
  const isExchange = leftOut.length > 0 && Math.abs(leftOut.length - inPlace.length) <= open;
  const lastInPlace = inPlace.at(-1)?.rank ?? 0;
  const hasGap = unchecked.some(({ rank }) => rank > windowSize && rank < lastInPlace);
  const ranks = { checked, unchecked, leftOut, inPlace };
  const isLaterPage = leftOut.length >= minLeftOut && findBlockOfRanks(ranks) !== undefined;
  return isExchange || hasGap || areOldest || isLaterPage ? ranks : undefined;
}

/** Whether a tier was returned, for each request whose customer and order it is valid for. */
function listResultsOfValidTier(
  unfiltered: readonly ComparableObservation[],
  tier: Tier,
  position: number,
  world: TargetWorld,
): boolean[] {
  return unfiltered.flatMap(({ request, returned }) =>
    createOracle(request, world).valid(tier) === 'required' ? (returned[position] ?? []) : [],
  );
}

/** Finds the first and the last rank that is checked, if all between them are, as far as responses show it: a later page is one. */
function findBlockOfRanks({ checked, unchecked }: CheckedRanks): readonly [first: number, last: number] | undefined {
  const [first = 0, last = 0] = [checked[0]?.rank, checked.at(-1)?.rank];
  return first === 1 || unchecked.some(({ rank }) => rank > first && rank < last) ? undefined : [first, last];
}

export function describeWronglyCheckedRanks(ranks: CheckedRanks): string {
  const { leftOut, inPlace } = ranks;
  const block = findBlockOfRanks(ranks);
  if (block !== undefined)
    return `The deployment checks the promotion tiers of rank ${block.join(' to ')}, not the newest ${windowSize}.`;
  const list = (ranked: readonly RankedTier[]) =>
    `${renderShortList(ranked.map(({ tier, rank }) => `${quoteTierName(tier)} (rank ${rank})`))} ${ranked.length === 1 ? 'is' : 'are'}`;
  if (leftOut.length === 0)
    return `More promotion tiers than the newest ${windowSize} are checked, but not all older ones: ${list(inPlace)} checked, too.`;
  return `Other promotion tiers than the newest ${windowSize} are checked: ${list(leftOut)} left out, and ${list(inPlace)} checked.`;
}

/** Lists facts about the tiers that are checked: how far their order is that of their times, or another order. */
export function describeCheckedRanks(ranks: CheckedRanks, world: TargetWorld): string[] {
  // Then the order is right, and the ranks say all.
  if (findBlockOfRanks(ranks) !== undefined) return [];
  const otherOrder = describeOtherOrder(ranks, world);
  if (otherOrder !== undefined) return [otherOrder];
  const facts = [
    ranks.leftOut.length === 0 ? undefined : describeOrderOfTimes(ranks),
    describeFewExchanged(ranks, world),
    describeNewestOfEachCampaign(ranks, world),
    describeOneOfEach(ranks),
    describeBlocks(ranks),
  ];
  return facts.flatMap((fact) => fact ?? []);
}

/** Few tiers are described one by one: what they differ in may be what decides. */
const maxDescribed = 2;

function describeFewExchanged({ leftOut, inPlace }: CheckedRanks, { campaigns }: TargetWorld): string | undefined {
  if (leftOut.length === 0 || leftOut.length > maxDescribed || inPlace.length > maxDescribed) return undefined;
  const describe = ({ tier, rank }: RankedTier) => {
    const campaign = campaigns.find(({ id }) => id === tier.campaign_id)?.name;
    return `rank ${rank} was created at ${tier.created_at}, in the campaign '${campaign}'`;
  };
  return `By their times and campaigns: ${[...leftOut, ...inPlace].map(describe).join('; ')}.`;
}

/** Finds out whether the limit is one of each campaign. */
function describeNewestOfEachCampaign(
  { checked, unchecked }: CheckedRanks,
  { tiers }: TargetWorld,
): string | undefined {
  const isAmongNewest = ({ tier }: RankedTier) =>
    tiers.filter(({ campaign_id }) => campaign_id === tier.campaign_id).indexOf(tier) < windowSize;
  if (!checked.every(isAmongNewest) || unchecked.some(isAmongNewest)) return undefined;
  return `Each checked one is among the newest ${windowSize} of its campaign, and none of the others is.`;
}

/** Parts of a time, the finest first: the name, how many letters of ISO 8601 they take, and the preposition before them. */
const timeUnits = [
  ['second', 19, 'in'],
  ['minute', 16, 'in'],
  ['hour', 13, 'in'],
  ['day', 10, 'on'],
  ['month', 7, 'in'],
  ['year', 4, 'in'],
] as const;

function describeOrderOfTimes(ranks: CheckedRanks): string {
  const { checked, unchecked } = ranks;
  const cutAll = (ranked: readonly RankedTier[], length: number) =>
    ranked.map(({ tier }) => tier.created_at.slice(0, length)).sort();
  for (const [unit, length, preposition] of timeUnits) {
    const oldest = cutAll(checked, length)[0] ?? '';
    const newest = cutAll(unchecked, length).at(-1) ?? '';
    if (oldest < newest) continue;
    return `Those that changed places were created ${preposition} the same ${unit}, ${oldest}: by the times of creation, all others are in order.`;
  }
  const order = 'Some that are left out were created in a later year than some that are checked.';
  return `${order} ${describeTimeOfLeftOut(ranks)}`.trim();
}

/** Says when the tiers were created that are left out, if all were created in the same second, day or year. */
function describeTimeOfLeftOut({ leftOut }: CheckedRanks): string {
  if (leftOut.length === 1) return '';
  const unit = timeUnits.find(
    ([, length]) => new Set(leftOut.map(({ tier }) => tier.created_at.slice(0, length))).size === 1,
  );
  if (unit === undefined) return '';
  const [name, length, preposition] = unit;
  return `Those left out were created ${preposition} the same ${name}, ${leftOut[0]?.tier.created_at.slice(0, length)}.`;
}

/** Few may be passed over for any other reason. */
const minPassedOver = 3;

/** Finds out whether, of the tiers that were created in the same second, day or year, only one is checked. */
function describeOneOfEach({ checked, unchecked }: CheckedRanks): string | undefined {
  const last = checked.at(-1)?.rank ?? 0;
  const passedOver = unchecked.filter(({ rank }) => rank < last);
  const unit = timeUnits.find(([, length]) => {
    const cut = ({ tier }: RankedTier) => tier.created_at.slice(0, length);
    const taken = new Set(checked.map(cut));
    const isOneOfEach = taken.size === checked.length && passedOver.every((ranked) => taken.has(cut(ranked)));
    return passedOver.length >= minPassedOver && isOneOfEach;
  });
  return unit && `Of the promotion tiers that were created ${unit[2]} the same ${unit[0]}, only one is checked.`;
}

/** More ranges say no more than the names of the tiers. */
const maxBlocks = 4;
/** Fewer than these are as well listed by their names. */
const minOfBlock = 4;

/** Says in which ranges the checked ranks are, if they are in few. */
function describeBlocks({ checked, unchecked }: CheckedRanks): string | undefined {
  const isUnchecked = new Set(unchecked.map(({ rank }) => rank));
  const blocks: { first: number; last: number }[] = [];
  for (const { rank } of checked) {
    const block = blocks.at(-1);
    const isNext = block !== undefined && !rangeOf(block.last, rank).some((between) => isUnchecked.has(between));
    if (isNext) block.last = rank;
    else blocks.push({ first: rank, last: rank });
  }
  const isTelling = blocks.length <= maxBlocks && blocks.every(({ first, last }) => last - first + 1 >= minOfBlock);
  if (!isTelling || blocks.length < 2) return undefined;
  const words = blocks.map(({ first, last }) => `${first} to ${last}`);
  return `The ranks that are checked: ${words.join(', ')}.`;
}

function rangeOf(first: number, last: number): number[] {
  return Array.from({ length: last - first }, (_, n) => first + n);
}

/**
 * Finds another order in which all checked tiers come before all others. It is named if no order with other words does so as
 * well.
 */
function describeOtherOrder({ checked, unchecked, leftOut }: CheckedRanks, world: TargetWorld): string | undefined {
  // Where few changed places, an order may fit by chance.
  if (leftOut.length < minLeftOut) return undefined;
  const inside = new Set(checked.map(({ tier }) => tier));
  const outside = new Set(unchecked.map(({ tier }) => tier));
  const fitting = listOtherTierOrders(world).filter(({ sort }) => {
    const sorted = sort(world.tiers);
    const last = sorted.findLastIndex((tier) => inside.has(tier));
    return last < windowSize && last < sorted.findIndex((tier) => outside.has(tier));
  });
  const order = chooseOnlyOrder(fitting, world.tiers);
  return order && `The checked ones are the first in ${order.words}.`;
}

/** Says what may explain that a window has another size. @param size how many of the newest tiers are checked */
export function listExplanationsOfWindowSize(size: number, tiers: readonly Tier[]): string[] {
  return size > windowSize ? listEqualTimes(size, tiers) : listReachedCounts(size, tiers);
}

/** Finds the part of a time that the tiers from the 150th to the last checked one have in common, and the next one has not. */
function listEqualTimes(size: number, tiers: readonly Tier[]): string[] {
  const [last, lastChecked, next] = [windowSize, size, size + 1].map((rank) => tiers[rank - 1]?.created_at ?? '');
  const unit = timeUnits.find(([, length]) => last?.slice(0, length) === lastChecked?.slice(0, length));
  if (unit === undefined || last?.slice(0, unit[1]) === next?.slice(0, unit[1])) return [];
  return [
    `Rank ${windowSize} was created ${unit[2]} the same ${unit[0]} as rank ${size}, and rank ${size + 1} was not.`,
  ];
}

/** Finds out whether the last checked tier has the 150th rule, or entry of metadata, of all: then the limit may count these. */
function listReachedCounts(size: number, tiers: readonly Tier[]): string[] {
  const newest = tiers.slice(0, size);
  const isReached = (count: (tier: Tier) => number) => {
    const total = countParts(count, newest);
    const last = newest.at(-1);
    return last !== undefined && total >= windowSize && total - count(last) < windowSize;
  };
  return countableParts.flatMap(({ name, count }) => {
    if (isReached(count)) return [`Rank ${size} has the ${windowSize}th of all ${name}.`];
    const withEmpty = `Rank ${size} has the ${windowSize}th of all ${name}, if a promotion tier without any counts as one.`;
    return isReached((tier) => Math.max(1, count(tier))) ? [withEmpty] : [];
  });
}
