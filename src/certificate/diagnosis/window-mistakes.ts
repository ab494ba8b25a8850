/** Mistakes with the sizes that the responses of a run show: of the window, and of results. */

import { createPageMistake, createWindowMistake, type Mistake } from '../../../reference/model.js';
import { getWindowSize, type NamedWorld, windowSize } from '../../contract/named-world.js';
import type { Tier } from '../../contract/world.js';
import { renderHiddenPromotionsHint } from '../../judge/own-promotions.js';
import { renderShortList } from '../../support/render-short-list.js';
import type { Observations } from './observation.js';

/** The sizes that mistakes may have. */
interface Sizes {
  /** The first and the last rank of windows. */
  readonly windows: readonly (readonly [from: number, to: number])[];
  /** Numbers of promotions in one response. */
  readonly counts: readonly number[];
  /** Promotions of the window that no response has: they may not be loaded. */
  readonly missing: readonly Tier[];
}

/** Lists windows other than that of the newest 150 tiers, and limits on the result, with the sizes of a run. */
export function listSizeMistakes(observations: Observations): Mistake[] {
  return createMistakes(observations.world, readSizes(observations));
}

/** Finds a mistake by its id, which has its size. */
export function findSizeMistake(id: string, world: NamedWorld): Mistake | undefined {
  return createMistakes(world, parseSizes(id, world)).find((mistake) => mistake.id === id);
}

function readSizes({ all, tiers, ranks, world }: Observations): Sizes {
  const total = world.tiers.length;
  const returnedRanks = all.flatMap(({ oracle, returned }) =>
    oracle.filteredOn === undefined && oracle.undocumentedReason === undefined && returned !== undefined
      ? [tiers.flatMap((_, n) => (returned[n] ? [ranks[n] ?? 0] : []))]
      : [],
  );
  const seen = new Set(returnedRanks.flat());
  const first = Math.min(total, ...seen);
  const last = Math.max(1, ...seen);
  const lasts = [...takeMostFrequent(returnedRanks.flatMap((shown) => shown.at(-1) ?? [])), last, total];
  const isAnyClear = all.some(({ returned }) => returned !== undefined);
  return {
    windows: [1, first].flatMap((from) => lasts.map((to) => [from, to] as const)),
    counts: takeMostFrequent(all.map(({ returned = [] }) => returned.filter(Boolean).length)),
    missing: (isAnyClear ? tiers : []).filter(
      (_, n) => (ranks[n] ?? 0) <= windowSize && all.every(({ returned }) => !returned?.[n]),
    ),
  };
}

/** Parses the size in an id, such as `window-size/100`. */
function parseSizes(id: string, { tiers: { length: total }, ownPromotions = 0 }: NamedWorld): Sizes {
  const [kind = '', ...numbers] = id.split(/[/-](?=\d)/);
  const [size = 0, last = 0] = numbers.map(Number);
  const windows: Readonly<Record<string, readonly [from: number, to: number]>> = {
    'window-missing': [1, total],
    'window-size': [1, size - ownPromotions],
    'window-oldest': [total - size + 1, total],
    'window-ranks': [size, last],
  };
  const [from = 0, to = 0] = windows[kind] ?? [];
  const isPossible = from >= 1 && from <= to && to <= total;
  return { windows: isPossible ? [[from, to]] : [], counts: kind === 'page-size' ? [size] : [], missing: [] };
}

function createMistakes(world: NamedWorld, { windows, counts, missing }: Sizes): Mistake[] {
  return [
    ...windows
      .filter(([from, to]) => (from === 1 ? to !== getWindowSize(world) : to - from >= minWindow))
      .map(([from, to]) => createRange(from, to, world, missing)),
    ...counts
      .filter((count) => count > 0 && count < windowSize)
      .map((count) =>
        createPageMistake(
          `page-size/${count}`,
          `A response has at most ${count} ${count === 1 ? 'promotion' : 'promotions'}: a page, or a limit on the result.`,
          (selected) => selected.slice(0, count),
        ),
      ),
  ];
}

/** Fewer promotion tiers are no window. */
const minWindow = 10;

function takeMostFrequent(numbers: readonly number[]): number[] {
  const countOf = (wanted: number) => numbers.filter((number) => number === wanted).length;
  return [...new Set(numbers)].toSorted((left, right) => countOf(right) - countOf(left)).slice(0, 3);
}

/** @param missing tiers of the window that no response has: they may not be loaded */
function createRange(from: number, to: number, world: NamedWorld, missing: readonly Tier[]): Mistake {
  const { tiers, ownPromotions, unavailable } = world;
  const size = to + (ownPromotions ?? 0);
  const chosen = new Set(tiers.slice(from - 1, to).map(({ id }) => id));
  const kept = size - [...chosen].filter((id) => unavailable.has(id)).length;
  const take = (all: readonly Tier[]) => (from === 1 ? all.slice(0, kept) : all.filter(({ id }) => chosen.has(id)));
  const isToOldest = to === tiers.length;
  if (from === 1 && isToOldest)
    return createWindowMistake(
      'window-missing',
      `The limit of the newest ${windowSize} promotion tiers is not applied: older ones are returned.`,
      take,
    );
  const checks = (which: string) => `The deployment checks the ${which}, not the newest ${windowSize}`;
  const [id, sentence] =
    from === 1
      ? [`window-size/${size}`, checks(`newest ${size} promotion tiers`)]
      : isToOldest
        ? [
            `window-oldest/${to - from + 1}`,
            `${checks(`oldest ${to - from + 1} promotion tiers`)}: they are sorted in the wrong direction`,
          ]
        : [`window-ranks/${from}-${to}`, checks(`promotion tiers from rank ${from} to ${to}`)];
  const hint = from === 1 && ownPromotions === undefined ? renderHiddenPromotionsHint(to) : '';
  const unloaded = describeUnloaded(missing.filter((tier) => !chosen.has(tier.id)));
  return createWindowMistake(id, `${sentence}.${unloaded}${hint}`, take);
}

/** Says that promotions may not be loaded; empty if there are none. */
function describeUnloaded(missing: readonly Tier[]): string {
  if (missing.length === 0) return '';
  return ` Or these promotion tiers are not loaded: ${renderShortList(missing.map(({ name }) => `'${name}'`))}.`;
}
