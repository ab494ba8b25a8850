/** Mistakes about the window of the newest tiers, and about the size of results. */

import { getWindowSize, type NamedWorld, windowSize } from '../../contract/named-world.js';
import { type Obligation, requireIf } from '../../contract/oracle.js';
import type { Rule, Tier } from '../../contract/world.js';
import { renderHiddenPromotionsHint } from '../../judge/own-promotions.js';
import { renderShortList } from '../../support/render-short-list.js';
import type { Observations } from './observation.js';
import { type Change, combineWithOr, keepFirst, type Mistake, type ReadRequest, remember } from './prediction.js';

export function listWindowMistakes({ all, tiers, ranks, world }: Observations): Mistake[] {
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
  const ranges = [1, first].flatMap((from) => lasts.map((to) => [from, to] as const));
  const isAnyClear = all.some(({ returned }) => returned !== undefined);
  const missing = (isAnyClear ? tiers : []).filter(
    (_, n) => (ranks[n] ?? 0) <= windowSize && all.every(({ returned }) => !returned?.[n]),
  );
  const sorted = { id: 'ids', name: 'names', campaign_id: 'campaigns' } as const;
  return [
    ...ranges
      .filter(([from, to]) => (from === 1 ? to !== getWindowSize(world) : to - from >= minWindow))
      .map(([from, to]) => createWindowMistake(from, to, world, missing)),
    {
      id: 'window-after-rules',
      sentence: `The deployment applies the limit of ${windowSize} after it has evaluated the rules: older promotion tiers take the place of newer ones that are not valid.`,
      change: takeWindowAfter(() => true, world),
    },
    {
      id: 'window-after-customer',
      sentence: `The deployment applies the limit of ${windowSize} after it has left out promotions for other customers.`,
      change: takeWindowAfter(({ kind }) => kind === 'customer', world),
    },
    ...Object.entries(sorted).flatMap(([key, name]) =>
      [1, -1].map((direction): Mistake => {
        const keyOf = (tier: Tier) => tier[key as keyof typeof sorted];
        const order = world.tiers.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1) * direction);
        return {
          id: `window-by-${key === 'campaign_id' ? 'campaign' : key}`,
          sentence: `The deployment sorts promotion tiers by their ${name}, and takes the first ${windowSize} of that order: it must take the newest.`,
          change: takeWindow(new Set(order.slice(0, getWindowSize(world))), false),
        };
      }),
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
function createWindowMistake(from: number, to: number, world: NamedWorld, missing: readonly Tier[]): Mistake {
  const { tiers, ownPromotions } = world;
  const isToOldest = to === tiers.length;
  const chosen = new Set(tiers.slice(from - 1, to));
  const change = takeWindow(chosen, from === 1);
  if (from === 1 && isToOldest)
    return {
      id: 'window-missing',
      sentence: `The limit of the newest ${windowSize} promotion tiers is not applied: older ones are returned.`,
      change,
    };
  const size = to + (ownPromotions ?? 0);
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
  return {
    id,
    sentence: `${sentence}.${describeUnloaded(missing.filter((tier) => !chosen.has(tier)))}${hint}`,
    change,
  };
}

/** Says that promotions may not be loaded; empty if there are none. */
function describeUnloaded(missing: readonly Tier[]): string {
  if (missing.length === 0) return '';
  return ` Or these promotion tiers are not loaded: ${renderShortList(missing.map(({ name }) => `'${name}'`))}.`;
}

/** Takes some of the tiers. @param isNewest whether they are, so that a deployment may filter before it takes them */
function takeWindow(chosen: ReadonlySet<Tier>, isNewest: boolean): Change {
  return (before) => ({
    ...before,
    checked: (tier, request) => {
      if (request.filters.length === 0) return requireIf(chosen.has(tier));
      return isNewest && chosen.has(tier) ? before.checked(tier, request) : 'open';
    },
  });
}

/** Takes the window from the promotions for which some of the rules hold. With a filter, it is open unless it is smaller. */
function takeWindowAfter(isMeant: (rule: Rule) => boolean, { tiers }: NamedWorld, size = windowSize): Change {
  const findWindow = remember(({ oracle }: ReadRequest) => {
    const valid = tiers.map((tier) => oracle.valid({ ...tier, rules: tier.rules.filter(isMeant) }));
    const checked = keepFirst(valid, size);
    return new Map(tiers.map((tier, n) => [tier, checked[n]]));
  });
  return (before) => ({
    ...before,
    checked: (tier, request) =>
      request.filters.length > 0 && size === windowSize ? 'open' : (findWindow(request).get(tier) ?? 'open'),
  });
}

export function listResultMistakes({ all, tiers, world }: Observations): Mistake[] {
  const counts = takeMostFrequent(all.map(({ returned = [] }) => returned.filter(Boolean).length));
  const keepOne = (keyOf: (tier: Tier) => string): Change =>
    changeResult((obligations) => {
      const seen = new Map<string, Obligation>();
      return obligations.map((obligation, n) => {
        const key = keyOf(tiers[n] as Tier);
        const before = seen.get(key) ?? 'forbidden';
        if (obligation === 'forbidden') return obligation;
        seen.set(key, combineWithOr([before, obligation]));
        return before === 'required' ? 'forbidden' : before === 'open' ? 'open' : obligation;
      });
    });
  return [
    ...[...new Set([...counts, 1, 2, 5, 10, 20, 25, 50, 100])]
      .filter((count) => count > 0 && count < windowSize)
      .map((count) => ({
        id: `page-size/${count}`,
        sentence: `A response has at most ${count} ${count === 1 ? 'promotion' : 'promotions'}: a page, or a limit on the result.`,
        change: changeResult((obligations) => keepFirst(obligations, count)),
      })),
    ...[10, 20, 25, 50, 100].map((count) => ({
      id: `page-before-filter/${count}`,
      sentence: `A filter is applied to the first ${count} promotions alone: the result is cut before it is filtered.`,
      change: takeWindowAfter(() => true, world, count),
    })),
    {
      id: 'result-empty',
      sentence: 'Nothing is returned.',
      change: changeResult((obligations) => obligations.map(() => 'forbidden')),
    },
    {
      id: 'first-promotion-lost',
      sentence: 'The newest promotion of a result is left out.',
      change: changeResult(dropFirst),
    },
    {
      id: 'last-promotion-lost',
      sentence: 'The oldest promotion of a result is left out.',
      change: changeResult((obligations) => dropFirst(obligations.toReversed()).toReversed()),
    },
    {
      id: 'one-per-campaign',
      sentence: 'Only one promotion of each campaign is returned.',
      change: keepOne(({ campaign_id }) => campaign_id),
    },
  ];
}

function changeResult(cut: (obligations: readonly Obligation[]) => readonly Obligation[]): Change {
  return (before) => ({
    ...before,
    cut: (obligations, request) => cut(before.cut?.(obligations, request) ?? obligations),
  });
}

function dropFirst(obligations: readonly Obligation[]): Obligation[] {
  const kept = keepFirst(obligations, 1);
  return obligations.map((obligation, n) => {
    if (kept[n] === 'required') return 'forbidden';
    return kept[n] === 'open' ? 'open' : obligation;
  });
}
