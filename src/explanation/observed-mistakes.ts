import { createPageMistake, createWindowMistake, type StructuralMistake } from '../../reference/faults/model.js';
import { countWindowPlaces, indexPositionsById, type TargetWorld, type Tier, windowSize } from '../contract/world.js';
import { renderShortList } from '../support/collections.js';
import { type CheckedRanks, describeWronglyCheckedRanks, findWronglyCheckedRanks } from './checked-ranks.js';
import type { Observations } from './observation.js';
import { findOrderOfLimit, findSeenLimit } from './seen-limits.js';
import { listTierOrders, newestFirst } from './tier-orders.js';

/** The sentence of a result that is always empty. */
export const nothingReturnedSentence =
  'No promotion is ever returned: the result is always empty, or the deployment has other promotions than the test data (npx conformance world) or the data file.';

/** The id of a window that has other tiers than the newest. */
export const otherCheckedRanksCauseId = 'other-ranks';

/** What the id of a limit on the result begins with. Its size follows, then the order if it is not that of the newest. */
const pageKind = 'page-size';

export function isWindowMistakeId(id: string): boolean {
  return id === otherCheckedRanksCauseId || id.startsWith('window-');
}

/** Reads the number of tiers in the id of a window that has the newest, but not 150. */
export function readWindowSizeOfCauseId(id: string): number | undefined {
  const [, digits] = /^window-size\/(\d+)$/.exec(id) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Lists windows other than that of the newest 150 tiers, and limits on the result, with the sizes of a run. */
export function listWindowAndLimitMistakes(
  run: Pick<Observations, 'compared' | 'tiers' | 'world'>,
): StructuralMistake[] {
  const { compared, tiers, world } = run;
  const positions = indexPositionsById(world.tiers);
  const getRank = (id: string) => {
    const position = positions.get(id);
    return position === undefined ? undefined : position + 1;
  };
  const unfiltered = compared
    .filter(({ request }) => !request.path.includes('?'))
    .map(({ returned }) => tiers.flatMap(({ id }, n) => (returned[n] ? (getRank(id) ?? []) : [])));
  const lasts = unfiltered.flatMap((seen) => seen.at(-1) ?? []);
  const counts = takeMostFrequent(compared.map(({ returned }) => returned.filter(Boolean).length));
  const others = findWronglyCheckedRanks(run);
  if (others !== undefined) return [createRanksMistake(others)];
  const ids = [
    ...[...takeMostFrequent(lasts), Math.max(0, ...lasts)].map(
      (rank) => `window-size/${rank + (world.ownPromotions ?? 0)}`,
    ),
    'window-missing',
    'window-of-the-oldest',
    ...new Set([...counts.map((count) => `${pageKind}/${count}`), ...listSeenLimits(run)]),
  ];
  const window = compared.length === 0 ? [] : tiers.slice(0, countWindowPlaces(world));
  const unseen = window.filter((_, n) => compared.every(({ returned }) => !returned[n]));
  return ids.flatMap((id) => createWindowOrPageMistake(id, world, unseen) ?? []);
}

/** Takes the three most frequent numbers. */
function takeMostFrequent(numbers: readonly number[]): number[] {
  const countOf = (wanted: number) => numbers.filter((number) => number === wanted).length;
  return [...new Set(numbers)].toSorted((left, right) => countOf(right) - countOf(left)).slice(0, 3);
}

/** Creates the mistake that an id says. @param unseen tiers of the window that no response has: they may not be loaded */
export function createWindowOrPageMistake(
  id: string,
  world: TargetWorld,
  unseen: readonly Tier[] = [],
): StructuralMistake | undefined {
  const { tiers, ownPromotions = 0 } = world;
  const [kind, digits = '0'] = id.split('/');
  const size = Number(digits);
  if (kind === pageKind) return createSizedPage(id, size, world);
  if (kind === 'window-of-the-oldest') return createOldestWindow(id, tiers);
  const isMissing = kind === 'window-missing';
  const chosen = isMissing ? tiers : tiers.slice(0, Math.max(0, size - ownPromotions));
  const isOtherSize = size > 0 && size !== windowSize && chosen.length < tiers.length;
  if (!isMissing && !(kind === 'window-size' && isOtherSize)) return undefined;
  const sentence = isMissing
    ? `The limit of the newest ${windowSize} promotion tiers is not applied: older ones are returned.`
    : `The deployment checks the newest ${size} promotion tiers, not the newest ${windowSize}.`;
  const hint = describeUnloaded(
    world,
    unseen.filter((tier) => !chosen.includes(tier)),
  );
  const ids = new Set(chosen.map((tier) => tier.id));
  return createWindowMistake(id, `${sentence}${hint}`, (all) => all.filter((tier) => ids.has(tier.id)));
}

/** Lists the limit that all responses bear out, with the order that they show. */
function listSeenLimits(run: Pick<Observations, 'compared' | 'tiers' | 'world'>): string[] {
  const limit = findSeenLimit(run);
  const order = limit && findOrderOfLimit(limit, run);
  if (limit === undefined || order === undefined) return [];
  return [[pageKind, limit.size, ...(order === newestFirst ? [] : [order.id])].join('/')];
}

function createSizedPage(id: string, size: number, world: TargetWorld): StructuralMistake | undefined {
  const [, , ofOrder = newestFirst.id] = id.split('/');
  const order = listTierOrders(world).find((other) => other.id === ofOrder);
  if (order === undefined || !(size >= 0 && size < windowSize)) return undefined;
  if (size === 0) return createPageMistake(id, nothingReturnedSentence, { size, sort: order.sort });
  const limit = `A response has at most ${size} ${size === 1 ? 'promotion' : 'promotions'}: a page, or a limit on the result.`;
  const which = order === newestFirst ? '' : ` Those are the first in ${order.words}.`;
  return createPageMistake(id, `${limit}${which}`, { size, sort: order.sort });
}

/** Says that the deployment may not have tiers that no response has. @returns an empty text if there are none */
function describeUnloaded({ isDataFile }: Pick<TargetWorld, 'isDataFile'>, unseen: readonly Tier[]): string {
  if (unseen.length === 0) return '';
  const names = renderShortList(unseen.map(({ name }) => `'${name}'`));
  return isDataFile === true
    ? ` Or the data file is older than the data of the deployment, which lacks these promotion tiers: ${names}.`
    : ` Or these promotion tiers are not loaded: ${names}.`;
}

/** Creates a window that has other tiers than the newest. What no response shows of a tier is taken to be right. */
function createRanksMistake(ranks: CheckedRanks): StructuralMistake {
  const [leftOut, checked] = [ranks.leftOut, ranks.inPlace].map((list) => new Set(list.map(({ tier }) => tier.id)));
  const isChecked = ({ id }: Tier, n: number) =>
    checked?.has(id) === true || (n < windowSize && leftOut?.has(id) !== true);
  return createWindowMistake(otherCheckedRanksCauseId, describeWronglyCheckedRanks(ranks), (all) =>
    all.filter(isChecked),
  );
}

function createOldestWindow(id: string, tiers: readonly Tier[]): StructuralMistake | undefined {
  if (tiers.length <= windowSize) return undefined;
  const oldest = new Set(tiers.slice(-windowSize).map((tier) => tier.id));
  const sentence = `The deployment checks the oldest ${windowSize} promotion tiers, not the newest ${windowSize}.`;
  return createWindowMistake(id, sentence, (all) => all.filter((tier) => oldest.has(tier.id)));
}
