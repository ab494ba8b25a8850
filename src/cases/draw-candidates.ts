import { windowSize } from '../contract/named-world.js';
import { renderFilterParameter } from '../contract/operation.js';
import { createOracle, type Oracle } from '../contract/oracle.js';
import type { Tier, World } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { remember } from '../support/compute-once.js';
import { groupBy } from '../support/group-by.js';
import {
  collectOrderFacts,
  type DrawnContents,
  type DrawnFilter,
  type DrawnItem,
  type Entry,
  fillOrder,
  type OrderFacts,
  renderContents,
} from './drawn-contents.js';
import { findNearIds, makeNearText, nearKinds, rateAwkwardness } from './near-texts.js';
import type { RequestForm } from './request-forms.js';

/** A request that may be drawn. */
export interface Candidate {
  readonly contents: DrawnContents;
  readonly request: HttpRequest;
  readonly oracle: Oracle;
  /** How it differs from its base; '' for a base. */
  readonly variation: string;
  /** Undefined if it is a base itself. The two are a minimal pair. */
  readonly base: Candidate | undefined;
}

/** How many customers, other customers of one base, and filters are tried, and each near miss of a filter at least. */
const [maxCustomers, maxOthers, maxFilters, maxLarge, minTried] = [40, 2, 20, 6, 2];

/** Lists requests that may be drawn for some data: orders that meet as many rules as possible, and variations of them. */
export function listCandidates(world: World, drawn: World): Candidate[] {
  const facts = collectOrderFacts(world);
  const createCandidate = (contents: DrawnContents, variation = '', base?: Candidate): Candidate => {
    const request = renderContents(contents);
    return { contents, request, oracle: createOracle(request, drawn), variation, base };
  };
  const customers = selectCustomers(world);
  const bases = [...listBases(customers.members, drawn, facts)].map((contents) => createCandidate(contents));
  const vary = (base: Candidate, changes: readonly Change[], prefix = '', filters?: readonly DrawnFilter[]) =>
    changes.map(([variation, create]) =>
      createCandidate({ ...create(), ...(filters && { filters }) }, `${prefix}${variation}`, base),
    );
  // Later bases are tried with fewer changes, each with others.
  const step = Math.ceil(bases.length / 2);
  const variants = bases.flatMap((base, n) => [
    ...vary(base, takeSome(listChanges(base.contents, world, facts), n === 0 ? 1 : step + 1, n)),
    ...vary(base, listOtherCustomers(base, customers)),
  ]);
  // A filter restricts, whatever else is in the request. The first filter of each kind is tried with all changes.
  const tried = new Set<string>();
  const filtered = [...listFilters(bases, world)].flatMap(([variation, filters, base], n) => {
    const kind = filters.map(({ subject }) => subject.on).join();
    const step = tried.has(kind) ? 64 : filters.length > 1 ? 8 : 1;
    tried.add(kind);
    // How rules compare texts is nothing to a filter.
    const changes = listChanges(base.contents, world, facts).filter(([change]) => !/^(metadata |half )/.test(change));
    return [
      createCandidate({ ...base.contents, filters }, variation, base),
      ...vary(base, takeSome(changes, step, n), `${variation}, `, filters),
    ];
  });
  // A text of the data may be no text of JSON.
  return [...bases, ...variants, ...filtered].filter(({ oracle }) => oracle.undocumentedReason === undefined);
}

/** Takes each nth of a list. @param from makes parts of different lists differ */
function takeSome<T>(all: readonly T[], n: number, from: number): T[] {
  return all.filter((_, at) => at % n === from % n);
}

/** One aspect that is changed. A function, because only some of the changes are tried. */
type Change = readonly [variation: string, create: () => DrawnContents];

/** Selects customers: the first and the last of each list, and those that are most like them or in no list. */
function selectCustomers({ customers, tiers }: World) {
  const lists = tiers
    .slice(0, windowSize)
    .flatMap(({ rules }) => rules.flatMap((rule) => (rule.kind === 'customer' ? [rule.any_of] : [])));
  const listed = new Set(lists.flat());
  const ids = customers.map(({ id }) => id);
  const outsiders = ids.filter((id) => !listed.has(id));
  const ends = lists.flatMap((list) => [list[0] ?? [], list.at(-1) ?? []].flat());
  const members = [...new Set([...ends, ...outsiders.slice(0, 1)])]
    .toSorted((id, next) => rateAwkwardness(next) - rateAwkwardness(id))
    .slice(0, maxCustomers);
  const near = findNearIds(ids, members);
  return { members, outsiders: outsiders.slice(0, 3), near };
}

/** Lists orders, until each of the newest tiers is met by one of them if some order can meet it. */
function* listBases(customers: readonly string[], world: World, facts: OrderFacts): Generator<DrawnContents> {
  const newest = world.tiers.slice(0, windowSize);
  // The oldest ones first: they show the edge of the window.
  const oldestFirst = newest.toReversed();
  const uncovered = new Set(oldestFirst);
  const unused = new Set(customers);
  const accepts = (customer: string, { rules }: Tier) =>
    rules.every((rule) => rule.kind !== 'customer' || facts.isListed(rule.any_of, customer));
  for (let n = 0; uncovered.size > 0 && customers.length > 0; n += 1) {
    const reach = (customer: string) => [...uncovered].filter((tier) => accepts(customer, tier)).length;
    const [customer = ''] = customers.toSorted((id, next) => reach(next) - reach(id));
    unused.delete(customer);
    const contents = fillOrder(customer, [...uncovered, ...newest, ...world.tiers.slice(windowSize)], facts);
    const { returned } = createOracle(renderContents(contents), world);
    const covered = [...uncovered].filter((tier) => returned(tier) === 'required');
    // What this order cannot meet, no other one does.
    const skipped = covered.length > 0 ? covered : [...uncovered].slice(0, 1);
    for (const tier of skipped) uncovered.delete(tier);
    if (covered.length > 0) yield { ...contents, ...(n % 2 === 1 && { expand: true }) };
  }
  for (const customer of unused) yield fillOrder(customer, [...oldestFirst, ...world.tiers.slice(windowSize)], facts);
  // The smallest order: few tiers are valid.
  const [first] = customers;
  if (first !== undefined) yield { customer: first, items: [facts.anyItem], metadata: [], orderMetadata: [] };
}

/** Order metadata as in the samples of the documentation, and as awkward as it may be. */
const ordinaryMetadata: readonly Entry<readonly string[]>[] = [
  ['payment_mean', ['credit-card']],
  ['gift_options', ['wrapping', 'card', 'ribbon']],
  ['größe:1.0 & mehr', ['½ "groß"', '', '🎁']],
];

/** Encodings that mean the same. A conforming deployment accepts all of them. */
const forms: readonly (readonly [RequestForm, ...RequestForm[]])[] = [
  ['header-names-in-lower-case', 'in-pieces'],
  ['header-names-in-upper-case'],
  ['pretty-printed', 'after-white-space'],
  ['values-percent-encoded-in-lower-case', 'members-reversed', 'on-a-fresh-connection'],
  ['with-escaped-letters'],
];

/** Lists the ways to change one aspect of a request. */
function listChanges(contents: DrawnContents, world: World, facts: OrderFacts): Change[] {
  const { items, metadata, orderMetadata, expand } = contents;
  const withItems = (change: () => readonly DrawnItem[]) => () => ({ ...contents, items: change() });
  const withMetadata = (change: () => readonly Entry<string>[]) => () => ({ ...contents, metadata: change() });
  const without = (member: string) => () => ({ ...contents, without: [member] });
  const quantify = (change: (quantity: number, n: number) => number) =>
    items.map((item, at) => ({ ...item, quantity: Math.max(1, change(item.quantity ?? 1, at)) }));
  const isProduct = ({ kind }: DrawnItem) => kind === 'product';
  const repeat = () => [...items, ...items.filter(isProduct).toReversed()];
  const reduce = () => quantify((quantity) => quantity - 1);
  const [sku] = items.filter(({ kind }) => kind === 'sku');
  return [
    ['quantities of one less', withItems(reduce)],
    ['every second quantity of one less', withItems(() => quantify((quantity, at) => quantity - (at % 2)))],
    ['quantities of 1', withItems(() => quantify(() => 1))],
    ['larger quantities', withItems(() => quantify((quantity, at) => quantity * 10 + at))],
    ['very large quantities', withItems(() => quantify((_, at) => 100_000 + at))],
    ['items in another order', withItems(() => items.toReversed())],
    ['products in two items each', withItems(repeat)],
    ['products in three items each', withItems(() => [...repeat(), ...items.filter(isProduct)])],
    [
      'products in different quantities',
      withItems(() => [...quantify((quantity, at) => quantity + at + 1), ...items.filter(isProduct).toReversed()]),
    ],
    ['products in two items that are too few', withItems(() => items.flatMap(splitItem))],
    ['products in two items, one less', withItems(() => [...reduce(), ...reduce().filter(isProduct)])],
    ...listHalves(items).map(([half, keep]): Change => [`${half} of the items`, withItems(keep)]),
    ['products in place of SKUs', withItems(() => mergeItems(items, (item) => replaceSku(item, facts)))],
    ['other SKUs of the same products', withItems(() => mergeItems(items, (item) => replaceBySibling(item, facts)))],
    ['SKUs in place of products', withItems(() => mergeItems(items, (item) => replaceProduct(item, facts)))],
    ['similar products and SKUs', withItems(() => mergeItems(items, createNearItem(world)))],
    ...nearKinds.map((kind): Change => [`metadata ${kind}`, withMetadata(() => listNearValues(metadata, kind))]),
    ['similar metadata keys', withMetadata(() => limitEntries(listNearKeys(metadata)))],
    ['similar metadata keys, too', withMetadata(() => limitEntries([...metadata, ...listNearKeys(metadata)]))],
    ['metadata in another order', withMetadata(() => metadata.toReversed())],
    ['more metadata', withMetadata(() => [...metadata, ['store_name', 'Elsewhere'], ['other', 'entry']])],
    [
      'values of other metadata keys',
      withMetadata(() => metadata.map(([key], at) => [key, metadata[(at + 1) % metadata.length]?.[1] ?? ''])),
    ],
    ...listHalves(metadata).map(([half, keep]): Change => [`${half} of the metadata`, withMetadata(keep)]),
    [
      'metadata as order metadata',
      () => ({ ...contents, metadata: [], orderMetadata: metadata.map(([key, value]) => [key, [value]]) }),
    ],
    [expand ? 'no options.expand' : 'options.expand', () => ({ ...contents, expand: !expand })],
    ['order metadata', () => ({ ...contents, orderMetadata: [...orderMetadata, ...ordinaryMetadata] })],
    ['no order metadata', () => ({ ...contents, orderMetadata: [] })],
    [
      'everything at once',
      () => ({ ...contents, items: repeat(), expand: true, orderMetadata: [...orderMetadata, ...ordinaryMetadata] }),
    ],
    ['audienceRulesOnly', () => ({ ...contents, audienceRulesOnly: 'first' })],
    ['audienceRulesOnly at the end', () => ({ ...contents, audienceRulesOnly: 'last' })],
    // The documentation leaves open what these mean as a whole. Windows, filters and reservations bind all the same.
    ...['customer', 'order', 'order.metadata', 'options', 'metadata'].map(
      (member): Change => [`without ${member}`, without(member)],
    ),
    ['products alone', withItems(() => items.filter(isProduct))],
    ['SKUs alone', withItems(() => items.filter((item) => !isProduct(item)))],
    ...forms.map(([form, ...more]): Change => [`sent ${form}`, () => ({ ...contents, sent: [form, ...more] })]),
    ['again', () => ({ ...contents, again: 1 })],
    ['without items', withItems(() => [])],
    ['items without quantity', withItems(() => items.map((item) => ({ ...item, quantity: undefined })))],
    ['quantities of 0', withItems(() => items.map((item) => ({ ...item, quantity: 0 })))],
    ['a SKU in two items', withItems(() => [...items, ...(sku === undefined ? [] : [sku])])],
  ];
}

/** Two items that are too few together. */
function splitItem(item: DrawnItem): DrawnItem[] {
  const { kind, quantity = 1 } = item;
  if (kind !== 'product' || quantity < 3) return [item];
  return [
    { ...item, quantity: quantity - 2 },
    { ...item, quantity: 1 },
  ];
}

function listNearValues(metadata: readonly Entry<string>[], kind: string): Entry<string>[] {
  return metadata.map(([key, value]) => [key, makeNearText(kind, value) ?? `no ${value}`]);
}

function listNearKeys(metadata: readonly Entry<string>[]): Entry<string>[] {
  const known = new Set(metadata.map(([key]) => key));
  const ofOtherKeys = nearKinds.flatMap((kind) =>
    metadata.flatMap(([key, value]): Entry<string>[] => {
      const near = makeNearText(kind, key);
      return near === undefined ? [] : [[near, value]];
    }),
  );
  return [...metadata.flatMap(moveBorder), ...ofOtherKeys].filter(([key]) => !known.has(key));
}

/** Makes entries that are the same text once key and value are joined by a sign, or by nothing. */
function moveBorder([key, value]: Entry<string>): Entry<string>[] {
  const [first = '', ...rest] = [...value];
  const [last = '', ...before] = [...key].reverse();
  const signs = [...new Set(`${key}${value}`.match(/[^\p{L}\p{N}\p{M}]/gu) ?? [])];
  const moved = signs.flatMap((sign): Entry<string>[] => {
    const [word = '', ...words] = value.split(sign);
    const names = key.split(sign);
    return [
      [[key, word].join(sign), words.join(sign)],
      [names.slice(0, -1).join(sign), [names.at(-1), value].join(sign)],
    ];
  });
  const joined: Entry<string>[] = [
    [`${key}${first}`, rest.join('')],
    [before.reverse().join(''), `${last}${value}`],
  ];
  return [...joined, ...moved].filter(([name, text]) => name !== '' && text !== '');
}

/** In characters, far below common limits. */
const maxSize = 12_000;

/** A list of near misses must not exceed common limits of sizes. */
function limitEntries(entries: readonly Entry<string>[]): Entry<string>[] {
  let size = 0;
  return entries.filter(([key, value]) => {
    size += key.length + value.length;
    return size < maxSize;
  });
}

/** Parts of a list so that any two of its members are in different parts once. */
function listHalves<T>(all: readonly T[]): [half: string, keep: () => readonly T[]][] {
  const bits = Math.ceil(Math.log2(Math.max(1, all.length)));
  return Array.from({ length: bits }, (_, bit) => bit).flatMap((bit) =>
    [0, 1].map((side): [string, () => readonly T[]] => [
      `half ${2 * bit + side + 1}`,
      () => all.filter((_, at) => ((at >> bit) & 1) === side),
    ]),
  );
}

/** Replaces items. Leaves out what is ordered already. */
function mergeItems(items: readonly DrawnItem[], replace: (item: DrawnItem) => DrawnItem): DrawnItem[] {
  return [...new Map(items.map(replace).map((item) => [`${item.kind} ${item.id}`, item])).values()];
}

function replaceSku(item: DrawnItem, { productOf }: OrderFacts): DrawnItem {
  const product = item.kind === 'sku' ? productOf.get(item.id) : undefined;
  return product === undefined ? item : { ...item, kind: 'product', id: product };
}

function replaceProduct(item: DrawnItem, { skusOf }: OrderFacts): DrawnItem {
  const [sku] = item.kind === 'product' ? (skusOf.get(item.id) ?? []) : [];
  return sku === undefined ? item : { ...item, kind: 'sku', id: sku };
}

function replaceBySibling(item: DrawnItem, { productOf, skusOf }: OrderFacts): DrawnItem {
  const siblings = item.kind === 'sku' ? (skusOf.get(productOf.get(item.id) ?? '') ?? []) : [];
  return { ...item, id: siblings.find((id) => id !== item.id) ?? item.id };
}

function createNearItem({ products, skus }: World): (item: DrawnItem) => DrawnItem {
  const near = { product: computeNear(products), sku: computeNear(skus) };
  return (item) => ({ ...item, id: near[item.kind].get(item.id)?.[0] ?? item.id });
}

const computeNear = remember((things: readonly { readonly id: string }[]) => findNearIds(things.map(({ id }) => id)));

/** The same order of other customers: those that are most alike, and one in no list. */
function listOtherCustomers(
  { contents }: Candidate,
  { outsiders, near }: ReturnType<typeof selectCustomers>,
): Change[] {
  const { customer } = contents;
  const similar = (near.get(customer) ?? []).filter((id) => id !== customer).slice(0, maxOthers);
  const create = (variation: string, id: string): Change => [variation, () => ({ ...contents, customer: id })];
  return [
    ...similar.map((id) => create('a similar customer', id)),
    ...outsiders.slice(0, 1).map((id) => create('a customer without reservations', id)),
  ];
}

type FilteredBase = readonly [variation: string, filters: readonly DrawnFilter[], base: Candidate];

/** Lists filters, each on the orders for which it has the largest results. */
function* listFilters(bases: readonly Candidate[], world: World): Generator<FilteredBase> {
  const known = listKnownFilters(world, bases);
  const campaigns = known.filter(({ filter }) => filter.subject.on === 'campaign').slice(0, maxFilters);
  const entries = known.filter(({ filter }) => filter.subject.on === 'metadata' && filter.value !== '');
  // Each key once, and every second of its values.
  const spread = entries.filter((entry, n) => entries.findIndex(hasSubjectOf(entry)) === n || n % 2 === 0);
  const tried = spread.slice(0, maxFilters);
  const large = known.filter(({ tiers }) => tiers.length > windowSize).slice(0, maxLarge);
  for (const { filter, best } of [...campaigns, ...tried])
    for (const base of best) yield [`a ${filter.subject.on} filter`, [filter], base];
  // Of those that match, too, the newest 150 are returned at most.
  for (const { filter, best } of large)
    for (const base of best) yield [`a ${filter.subject.on} filter with many matches`, [filter], base];
  const counts = new Map<string, number>();
  for (const [n, entry] of tried.entries()) {
    const { filter, best } = entry;
    const ofOtherKey = entries.find(
      (candidate) => !hasSubjectOf(entry)(candidate) && candidate.filter.value !== filter.value,
    );
    if (ofOtherKey !== undefined)
      yield [
        'a metadata filter with the value of another key',
        [{ ...ofOtherKey.filter, value: filter.value }],
        best[0],
      ];
    for (const [at, kind] of nearKinds.entries()) {
      const value = makeNearText(kind, filter.value);
      const count = counts.get(kind) ?? 0;
      if (value === undefined || (count >= minTried && at % 6 !== n % 6)) continue;
      counts.set(kind, count + 1);
      yield [`a metadata filter that is ${kind}`, [{ ...filter, value, nearTo: filter.value }], best[0]];
    }
  }
  for (const [n, { filter, best }] of campaigns.slice(0, maxLarge).entries()) {
    const { filter: more = filter } = tried[n] ?? {};
    yield ['two filters', n % 2 === 0 ? [filter, more] : [more, filter], best[0]];
  }
  const [unmatched, first] = [findUnmatchedFilter(world), bases[0]];
  if (unmatched !== undefined && first !== undefined) yield [nothingMatches, [unmatched], first];
}

/** A filter that selects a promotion which some order gets. */
interface KnownFilter {
  readonly filter: DrawnFilter;
  /** Those that it selects, newest first. */
  readonly tiers: readonly Tier[];
  /** The orders for which it has the largest results. */
  readonly best: readonly [Candidate, ...Candidate[]];
}

const hasSubjectOf = (known: KnownFilter) => (candidate: KnownFilter) =>
  renderFilterParameter(known.filter.subject) === renderFilterParameter(candidate.filter.subject);

/** Lists the filters of the newest tiers, the most awkward ones first. */
function listKnownFilters({ tiers }: World, bases: readonly Candidate[]): KnownFilter[] {
  const newest = new Set(tiers.slice(0, windowSize));
  const matches = tiers.flatMap((tier) => listFiltersOf(tier).map((filter) => ({ filter, tier })));
  const byFilter = groupBy(matches, ({ filter }) => `${renderFilterParameter(filter.subject)} ${filter.value}`);
  const known = [...byFilter.values()].flatMap((group): KnownFilter[] => {
    const [{ filter }] = group;
    const selected = group.map(({ tier }) => tier);
    const seen = selected.slice(0, windowSize).filter((tier) => newest.has(tier));
    const count = ({ oracle }: Candidate) => seen.filter((tier) => oracle.returned(tier) === 'required').length;
    const counted = seen.length === 0 ? [] : bases.map((base) => ({ base, count: count(base) }));
    const [best, ...others] = counted
      .filter((entry) => entry.count > 0)
      .toSorted((entry, next) => next.count - entry.count);
    if (best === undefined) return [];
    return [{ filter, tiers: selected, best: [best.base, ...others.slice(0, 1).map(({ base }) => base)] }];
  });
  const rate = ({ filter: { subject, value } }: KnownFilter) =>
    subject.on === 'campaign' ? 0 : rateAwkwardness(`${subject.key}${value}`);
  return known.toSorted((filter, next) => rate(next) - rate(filter));
}

function listFiltersOf({ campaign_id, metadata }: Tier): DrawnFilter[] {
  const ofEntries = Object.entries(metadata).map(([key, value]): DrawnFilter => {
    return { subject: { on: 'metadata', key }, value: String(value) };
  });
  return [{ subject: { on: 'campaign' }, value: campaign_id }, ...ofEntries];
}

/** The variation that shows how a deployment answers if nothing is valid. */
export const nothingMatches = 'a filter that nothing matches';

/** Finds a filter without a match: a value that no tier has, or a campaign without tiers. */
function findUnmatchedFilter({ tiers, campaigns }: World): DrawnFilter | undefined {
  const key = tiers.flatMap(({ metadata }) => Object.keys(metadata)).find((name) => /^[\w-]+$/.test(name));
  if (key !== undefined) return { subject: { on: 'metadata', key }, value: 'no promotion has this value' };
  const used = new Set(tiers.map(({ campaign_id }) => campaign_id));
  const unused = campaigns.find(({ id }) => !used.has(id));
  return unused && { subject: { on: 'campaign' }, value: unused.id };
}
