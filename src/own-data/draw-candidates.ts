import { createOracle, type Oracle } from '../contract/oracle.js';
import { type Tier, type World, windowSize } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { isWellFormed } from '../support/json.js';
import { changes } from './change-contents.js';
import {
  acceptsCustomer,
  collectOrderFacts,
  type DrawnContents,
  type DrawnFilter,
  fillOrder,
  type OrderFacts,
  renderContents,
} from './drawn-contents.js';
import { createNearIdFinder, makeNearText, nearKinds, rateAwkwardness } from './near-texts.js';

export interface Candidate {
  readonly contents: DrawnContents;
  readonly request: HttpRequest;
  readonly oracle: Oracle;
  /** What it varies, in words; '' for a base. */
  readonly name: string;
  /** The kind of its filters, such as 'a campaign filter'; '' without filters. */
  readonly filter: string;
  /** What is changed in its base, such as 'quantities of 1'; '' if nothing but the filters. */
  readonly change: string;
  /** Undefined if it is a base itself. The two are a minimal pair. */
  readonly base: Candidate | undefined;
}

/** The kinds of filters that other kinds are compared with. */
export const filterKinds = { unmatched: 'a filter that nothing matches', large: 'a metadata filter with many matches' };

/** How many customers and filters are tried, and each near miss of a filter at least. */
const [maxCustomers, maxFilters, maxLarge, minTried] = [40, 20, 6, 2];

/** In characters. Larger requests may exceed the limits of a deployment. */
const [maxPath, maxBody] = [7_000, 48_000];

/** Lists requests that may be drawn for some data: orders that meet as many rules as possible, and variations of them. */
export function listCandidates(world: World, drawn: World): Candidate[] {
  const facts = collectOrderFacts(world);
  const create = (contents: DrawnContents, filter = '', change = '', base?: Candidate): Candidate => {
    const request = renderContents(contents);
    const name = [filter, change].filter((part) => part !== '').join(', ');
    return { contents, request, oracle: createOracle(request, drawn), name, filter, change, base };
  };
  const customers = selectCustomers(world);
  const bases = listBases(customers.members, drawn, facts).map((contents) => create(contents));
  const filtered = listFilters(bases, world, (kind, filters, base) =>
    create({ ...base.contents, filters }, kind, '', base),
  );
  const tried = new Set<string>();
  // The first request of a kind is tried with all changes, others with some.
  const vary = (start: Candidate, n: number): Candidate[] => {
    const { contents, filter, base = start } = start;
    const kind = filter.split(' ')[1] ?? '';
    const every = filter === '' ? Math.ceil(bases.length / 2) + 1 : 64;
    const isFirst = !tried.has(kind);
    tried.add(kind);
    // How rules compare texts is nothing to a filter.
    const named = Object.entries(changes).filter(([name]) => filter === '' || !/^(metadata|half) /.test(name));
    const selected = named.filter((_, at) => isFirst || at % every === n % every);
    const others = filter === '' ? customers.listOthers(contents.customer) : [];
    return [
      ...selected.map(([name, change]) => create({ ...contents, ...change(contents, facts) }, filter, name, base)),
      ...others.map(([name, customer]) => create({ ...contents, customer }, '', name, base)),
    ];
  };
  const all = [
    ...bases,
    ...bases.flatMap(vary),
    ...filtered,
    ...filtered.filter(({ filter }) => filter !== filterKinds.unmatched).flatMap(vary),
  ];
  // A text of the data may be no text of JSON.
  return all.filter(({ oracle, request: { path, body = '' } }) => {
    return oracle.undocumentedReason === undefined && path.length < maxPath && body.length < maxBody;
  });
}

/** Selects customers: the first and the last of each list, and those that are most like them or in no list. */
function selectCustomers({ customers, tiers }: World) {
  const ids = customers.map(({ id }) => id);
  const all = tiers.map(({ rules }) => rules.flatMap((rule) => (rule.kind === 'customer' ? [rule.any_of] : [])));
  const lists = all.slice(0, windowSize).flat();
  const findOutsider = (reservations: readonly (readonly string[])[]) => {
    const listed = new Set(reservations.flat());
    return ids.find((id) => !listed.has(id));
  };
  // Best a customer whom older promotions do not name, either.
  const outsider = findOutsider(all.flat()) ?? findOutsider(lists);
  const ends = lists.flatMap((list) => [list.slice(0, 1), list.slice(-1)].flat());
  const members = [...new Set([...ends, outsider ?? []].flat())]
    .toSorted((id, next) => rateAwkwardness(next) - rateAwkwardness(id))
    .slice(0, maxCustomers);
  const findNear = createNearIdFinder(ids, members);
  const listOthers = (customer: string) => [
    ...findNear(customer)
      .slice(0, 2)
      .map((id) => ['a similar customer', id] as const),
    ...(outsider === undefined ? [] : [['a customer without reservations', outsider] as const]),
  ];
  return { members, listOthers };
}

/** Lists orders: each of the newest tiers is met by one of them if some order can meet it, and each customer has one. */
function listBases(customers: readonly string[], world: World, facts: OrderFacts): DrawnContents[] {
  const [newest, older] = [world.tiers.slice(0, windowSize), world.tiers.slice(windowSize)];
  const count = (customer: string) => newest.filter((tier) => acceptsCustomer(tier, customer)).length;
  const reach = new Map(customers.map((customer) => [customer, count(customer)]));
  const sorted = customers.toSorted((id, next) => (reach.get(next) ?? 0) - (reach.get(id) ?? 0));
  const unused = new Set(sorted);
  // The oldest ones first: they show the edge of the window.
  const uncovered = new Set(newest.toReversed());
  const bases: DrawnContents[] = [];
  for (const tier of uncovered) {
    const customer = sorted.find((id) => acceptsCustomer(tier, id));
    const contents = fillOrder(customer ?? '', [tier, ...uncovered, ...newest, ...older], facts);
    const { returned } = createOracle(renderContents(contents), world);
    const covered = [...uncovered].filter((candidate) => returned(candidate) === 'required');
    if (covered.length === 0) continue;
    for (const found of covered) uncovered.delete(found);
    bases.push(bases.length % 2 === 1 ? { ...contents, expand: true } : contents);
    unused.delete(contents.customer);
  }
  const [customer] = sorted;
  if (customer === undefined) return [];
  const others = [...unused].map((id) => fillOrder(id, [...newest.toReversed(), ...older], facts));
  // The smallest order: few tiers are valid.
  return [...bases, ...others, { customer, items: [facts.anyItem], metadata: [], orderMetadata: [] }];
}

type AddFilters = (kind: string, filters: readonly DrawnFilter[], base: Candidate) => Candidate;

/** Lists requests with filters, each on the order for which it has the largest result. */
function listFilters(bases: readonly Candidate[], world: World, add: AddFilters): Candidate[] {
  const known = listKnownFilters(world, bases);
  const campaigns = known.filter(({ filter }) => filter.subject.on === 'campaign').slice(0, maxFilters);
  const entries = known.filter(({ filter }) => filter.subject.on === 'metadata' && filter.value !== '');
  // Each key once, and every second of its values.
  const keyOf = ({ filter }: KnownFilter) => filter.subject.key;
  const isFirstOfKey = (entry: KnownFilter, n: number) =>
    entries.findIndex((first) => keyOf(first) === keyOf(entry)) === n;
  const tried = entries.filter((entry, n) => isFirstOfKey(entry, n) || n % 2 === 0).slice(0, maxFilters);
  const listAll = (filters: readonly KnownFilter[], suffix = '') =>
    filters.flatMap(({ filter, bases: found }) =>
      found.map((base) => add(`a ${filter.subject.on} filter${suffix}`, [filter], base)),
    );
  const isLarge = ({ filter }: KnownFilter) => world.tiers.filter((tier) => matches(tier, filter)).length > windowSize;
  const largest = known.toSorted((filter, next) => next.count - filter.count).slice(0, maxLarge);
  const counts = new Map<string, number>();
  const listNear = ({ filter, bases: [best] }: KnownFilter, n: number) =>
    nearKinds.flatMap((kind, at) => {
      const value = makeNearText(kind, filter.value);
      const count = counts.get(kind) ?? 0;
      if (value === undefined || (count >= minTried && at % 6 !== n % 6)) return [];
      counts.set(kind, count + 1);
      return add(`a metadata filter that is ${kind}`, [{ ...filter, value, nearTo: filter.value }], best);
    });
  const [first] = bases;
  const unmatched = findUnmatchedFilter(world);
  return [
    ...listAll([...campaigns, ...tried]),
    // Of those that match, too, the newest 150 are returned at most.
    ...listAll(largest.filter(isLarge), ' with many matches'),
    ...tried.flatMap(({ filter: { subject, value }, bases: [best] }) => {
      const ofAnotherKey = entries.find((entry) => keyOf(entry) !== subject.key && entry.filter.value !== value);
      if (ofAnotherKey === undefined) return [];
      return add('a metadata filter with the value of another key', [{ ...ofAnotherKey.filter, value }], best);
    }),
    ...tried.flatMap(listNear),
    ...campaigns.slice(0, maxLarge).flatMap(({ filter, bases: [best] }, n) => {
      const { filter: more } = tried[n] ?? {};
      return more === undefined ? [] : add('two filters', n % 2 === 0 ? [filter, more] : [more, filter], best);
    }),
    ...(unmatched === undefined || first === undefined ? [] : [add(filterKinds.unmatched, [unmatched], first)]),
  ];
}

/** A filter that selects a promotion which some order gets. */
interface KnownFilter {
  readonly filter: DrawnFilter;
  /** The number of the newest tiers that it selects. */
  readonly count: number;
  /** The two orders for which it has the largest results. */
  readonly bases: readonly [Candidate, ...Candidate[]];
}

/** Lists the filters of the newest tiers, the most awkward ones first. */
function listKnownFilters({ tiers }: World, bases: readonly Candidate[]): KnownFilter[] {
  const newest = tiers.slice(0, windowSize);
  const filters = new Map(newest.flatMap(listFiltersOf).map((filter) => [JSON.stringify(filter), filter]));
  const known = [...filters.values()].flatMap((filter): KnownFilter[] => {
    const selected = newest.filter((tier) => matches(tier, filter));
    const countReturned = ({ oracle }: Candidate) =>
      selected.filter((tier) => oracle.returned(tier) === 'required').length;
    const counts = new Map(bases.map((base) => [base, countReturned(base)]));
    const showing = [...counts].filter(([, count]) => count > 0).toSorted(([, count], [, next]) => next - count);
    const [best, ...others] = showing.slice(0, 2).map(([base]) => base);
    return best === undefined ? [] : [{ filter, count: selected.length, bases: [best, ...others] }];
  });
  const rate = ({ filter: { subject, value } }: KnownFilter) =>
    subject.key === undefined ? 0 : rateAwkwardness(subject.key + value);
  return known.toSorted((filter, next) => rate(next) - rate(filter));
}

function listFiltersOf({ campaign_id, metadata }: Tier): DrawnFilter[] {
  const ofEntries = Object.entries(metadata).map(([key, value]): DrawnFilter => {
    return { subject: { on: 'metadata', key }, value: String(value) };
  });
  const all: DrawnFilter[] = [{ subject: { on: 'campaign' }, value: campaign_id }, ...ofEntries];
  // What a deployment stores for half of a surrogate pair is unknown.
  return all.filter(isWellFormed);
}

function matches({ campaign_id, metadata }: Tier, { subject: { key }, value }: DrawnFilter): boolean {
  if (key === undefined) return campaign_id === value;
  return Object.hasOwn(metadata, key) && String(metadata[key]) === value;
}

function findUnmatchedFilter({ tiers, campaigns }: World): DrawnFilter | undefined {
  const key = tiers.flatMap(({ metadata }) => Object.keys(metadata)).find((name) => /^[\w-]+$/.test(name));
  if (key !== undefined) return { subject: { on: 'metadata', key }, value: 'no promotion has this value' };
  const used = new Set(tiers.map(({ campaign_id }) => campaign_id));
  const unused = campaigns.find(({ id }) => !used.has(id));
  return unused && { subject: { on: 'campaign' }, value: unused.id };
}
