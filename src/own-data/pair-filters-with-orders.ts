import { type Tier, type World, windowSize } from '../contract/world.js';
import { groupBy } from '../support/collections.js';
import { hasWellFormedTexts } from '../support/json.js';
import type { CandidateRequest, FilterVariation } from './candidate-request.js';
import { getTextFacets } from './decision-facets.js';
import type { FilterDraft } from './drawn-request-draft.js';
import { makeNearMissText, type NearMissKind, nearMissTextKinds } from './near-texts.js';
import { createSimilarIdFinder, findNearness } from './nearness.js';
import { rateMisreadRisk } from './rate-misread-risk.js';
import { takeEveryNth } from './take-every-nth.js';

/** Filters to send, and the order to send them with. */
export interface FilteredOrder {
  readonly filtering: FilterVariation;
  readonly filters: readonly FilterDraft[];
  readonly base: CandidateRequest;
}

/** How many campaigns and entries of metadata are tried, and how many of those that select most. */
const [maxFilters, maxLarge] = [26, 6];
/** Each way to miss a value nearly is tried with every sixth value, and with two values at least. */
const [everyNear, minNear] = [6, 2];

const exactFiltering = { campaign: 'a campaign filter', metadata: 'a metadata filter' } as const;

/** Lists filters, each on the order for which it has the largest result. */
export function pairFiltersWithOrders(orders: readonly CandidateRequest[], world: World): FilteredOrder[] {
  const known = listKnownFilters(world, orders);
  const campaigns = known.filter(({ filter }) => filter.subject.on === 'campaign').slice(0, maxFilters);
  const entries = known.filter(({ filter }) => filter.subject.on === 'metadata' && filter.value !== '');
  const tried = selectEntries(entries);
  const largest = known.toSorted((filter, next) => next.count - filter.count).slice(0, maxLarge);
  return [
    ...[...campaigns, ...tried].flatMap((filter) => sendWithBestOrders(filter, 'exact')),
    // Of those that match, too, the newest 150 are returned at most.
    ...largest
      .filter(({ filter }) => world.tiers.filter((tier) => matches(tier, filter)).length > windowSize)
      .flatMap((filter) => sendWithBestOrders(filter, 'many-matches')),
    ...listNeighbours(known, world),
    ...tried.flatMap((entry) => exchangeValue(entry, entries)),
    ...listNearMisses(tried),
    ...campaigns.slice(0, maxLarge).flatMap((campaign, n) => combine(campaign, tried[n], n % 2 === 0)),
    ...listUnmatched(world, orders),
  ];
}

/** A filter that selects a promotion which some order gets. */
interface KnownFilter {
  readonly filter: FilterDraft;
  /** The number of the newest tiers that it selects. */
  readonly count: number;
  /** The two orders for which it has the largest results. */
  readonly orders: readonly [CandidateRequest, ...CandidateRequest[]];
}

/** Lists the filters of the newest tiers, the most awkward ones first. */
function listKnownFilters({ tiers }: World, orders: readonly CandidateRequest[]): KnownFilter[] {
  const newest = tiers.slice(0, windowSize);
  const filters = new Map(newest.flatMap(listFiltersOf).map((filter) => [JSON.stringify(filter), filter]));
  const known = [...filters.values()].flatMap((filter): KnownFilter[] => {
    const selected = newest.filter((tier) => matches(tier, filter));
    const [best, ...others] = findLargestResults(selected, orders).slice(0, 2);
    return best === undefined ? [] : [{ filter, count: selected.length, orders: [best, ...others] }];
  });
  const rate = ({ filter: { subject, value } }: KnownFilter) =>
    subject.key === undefined ? 0 : rateMisreadRisk(subject.key + value);
  return known.toSorted((filter, next) => rate(next) - rate(filter));
}

/** Lists the orders that get some of these tiers, the one that gets most of them first. */
function findLargestResults(tiers: readonly Tier[], orders: readonly CandidateRequest[]): CandidateRequest[] {
  const counted = orders.map((order) => {
    return { order, count: tiers.filter((tier) => order.oracle.returned(tier) === 'required').length };
  });
  const showing = counted.filter(({ count }) => count > 0).toSorted((entry, next) => next.count - entry.count);
  return showing.map(({ order }) => order);
}

function listFiltersOf({ campaign_id, metadata }: Tier): FilterDraft[] {
  const ofEntries = Object.entries(metadata).map(([key, value]): FilterDraft => {
    return { subject: { on: 'metadata', key }, value: String(value) };
  });
  const all: FilterDraft[] = [{ subject: { on: 'campaign' }, value: campaign_id }, ...ofEntries];
  // What a deployment stores for half of a surrogate pair is unknown.
  return all.filter(hasWellFormedTexts);
}

function matches({ campaign_id, metadata }: Tier, { subject: { key }, value }: FilterDraft): boolean {
  if (key === undefined) return campaign_id === value;
  return Object.hasOwn(metadata, key) && String(metadata[key]) === value;
}

/** Selects entries of metadata: one of each key, one with each kind of text, and every second one of all. */
function selectEntries(entries: readonly KnownFilter[]): KnownFilter[] {
  const ofText = entries.flatMap((entry) => getTextFacets(entry.filter.value).map((facet) => ({ entry, facet })));
  const firstOfText = [...groupBy(ofText, ({ facet }) => facet).values()].map(([{ entry }]) => entry);
  const selected = new Set([...takeEveryNth(entries, 2), ...firstOfText]);
  for (const [first] of groupBy(entries, ({ filter }) => filter.subject.key).values()) selected.add(first);
  const isFirst = (entry: KnownFilter) => firstOfText.includes(entry);
  const all = entries.filter((entry) => selected.has(entry));
  return [...all.filter(isFirst), ...all.filter((entry) => !isFirst(entry))].slice(0, maxFilters);
}

function sendWithBestOrders({ filter, orders }: KnownFilter, kind: 'exact' | 'many-matches'): FilteredOrder[] {
  const { on } = filter.subject;
  const title = kind === 'exact' ? exactFiltering[on] : `${exactFiltering[on]} with many matches`;
  return orders.map((base) => ({ filtering: { kind, group: on, title }, filters: [filter], base }));
}

/** How many filters are tried with orders that meet promotions of a value which is easily taken for theirs. */
const maxNeighbours = 24;

/**
 * Lists filters with a value of the data that is near another one, for the same key. The order gets promotions with the other
 * value: a deployment that takes the values for equal returns them.
 */
function listNeighbours(known: readonly KnownFilter[], { campaigns }: World): FilteredOrder[] {
  const ofKey = groupBy(known, ({ filter }) => filter.subject.key);
  const neighbours = [...ofKey].flatMap(([key, filters]) => {
    const stored = filters.map(({ filter }) => filter.value);
    const values = key === undefined ? [...stored, ...campaigns.map(({ id }) => id)] : stored;
    const findSimilar = createSimilarIdFinder(values);
    return filters.flatMap(({ filter, orders }) =>
      findSimilar(filter.value).flatMap((value) => {
        const nearness = findNearness(filter.value, value);
        return nearness === undefined || value === '' ? [] : [{ filter: { ...filter, value }, orders, nearness }];
      }),
    );
  });
  // A pair of each kind comes before a second one.
  const kinds = [...groupBy(neighbours, ({ filter, nearness }) => `${filter.subject.on} ${nearness}`).values()];
  const rounds = Math.max(0, ...kinds.map((pairs) => pairs.length));
  const inTurn = Array.from({ length: rounds }, (_, n) => kinds.flatMap((pairs) => pairs[n] ?? [])).flat();
  return inTurn.slice(0, maxNeighbours).map(({ filter, orders: [base] }) => {
    const { on } = filter.subject;
    const filtering: FilterVariation = {
      kind: 'neighbour',
      group: on,
      title: `${exactFiltering[on]} of a similar value`,
    };
    return { filtering, filters: [filter], base };
  });
}

/** Filters by another key and the value of this one: a deployment that compares values alone returns the wrong tiers. */
function exchangeValue({ filter, orders: [base] }: KnownFilter, entries: readonly KnownFilter[]): FilteredOrder[] {
  const { subject, value } = filter;
  const differing = entries.find((entry) => entry.filter.subject.key !== subject.key && entry.filter.value !== value);
  if (differing === undefined) return [];
  const title = 'a metadata filter with the value of another key';
  const filtering: FilterVariation = { kind: 'value-of-another-key', group: 'metadata', title };
  return [{ filtering, filters: [{ ...differing.filter, value }], base }];
}

function listNearMisses(entries: readonly KnownFilter[]): FilteredOrder[] {
  const counts = new Map<NearMissKind, number>();
  return entries.flatMap(({ filter, orders: [base] }, n) => {
    const sampled = new Set(takeEveryNth(nearMissTextKinds, everyNear, n));
    return nearMissTextKinds.flatMap((near): FilteredOrder[] => {
      const value = makeNearMissText(near, filter.value);
      const count = counts.get(near) ?? 0;
      if (value === undefined || (count >= minNear && !sampled.has(near))) return [];
      counts.set(near, count + 1);
      const title = `a metadata filter that is ${near}`;
      const filtering: FilterVariation = { kind: 'near-miss', group: 'metadata', title };
      return [{ filtering, filters: [{ ...filter, value, nearTo: filter.value }], base }];
    });
  });
}

function combine(campaign: KnownFilter, entry: KnownFilter | undefined, isCampaignFirst: boolean): FilteredOrder[] {
  if (entry === undefined) return [];
  const filtering: FilterVariation = { kind: 'two-filters', group: 'two-filters', title: 'two filters' };
  const filters = isCampaignFirst ? [campaign.filter, entry.filter] : [entry.filter, campaign.filter];
  return [{ filtering, filters, base: campaign.orders[0] }];
}

function listUnmatched(world: World, [base]: readonly CandidateRequest[]): FilteredOrder[] {
  const filter = findUnmatchedFilter(world);
  if (filter === undefined || base === undefined) return [];
  const filtering: FilterVariation = { kind: 'no-match', group: 'no-match', title: 'a filter that nothing matches' };
  return [{ filtering, filters: [filter], base }];
}

function findUnmatchedFilter({ tiers, campaigns }: World): FilterDraft | undefined {
  const key = tiers.flatMap(({ metadata }) => Object.keys(metadata)).find((name) => /^[\w-]+$/.test(name));
  if (key !== undefined) return { subject: { on: 'metadata', key }, value: 'no promotion has this value' };
  const used = new Set(tiers.map(({ campaign_id }) => campaign_id));
  const unused = campaigns.find(({ id }) => !used.has(id));
  return unused && { subject: { on: 'campaign' }, value: unused.id };
}
