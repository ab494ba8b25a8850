import { parseJson } from '../support/json.js';
import type { NamedWorld } from '../world/named-world.js';
import { misspellings } from './misspellings.js';
import {
  type Exploration,
  isAcceptedKey,
  listOpenChanges,
  meetRules,
  type RandomItem,
  type RandomRequest,
  type RequestSequence,
  type RequestValues,
  sortByThreshold,
} from './request-values.js';

/** How many requests overlap, or follow one another on a connection. */
const groupSize = 8;

/**
 * Lists the requests of a thorough run: any three choices for three members together, each alone, overlapping with others
 * and on a connection that others have used; each awkward text by itself; each other choice beside each open part; and each
 * kind of request after each other kind.
 */
export function listThoroughRequests(world: NamedWorld): RequestSequence[] {
  const axes = listAxes(world);
  const plain = combine(axes, [0]);
  const combined = coverTriples(axes.map(({ length }) => length)).map((places) => combine(axes, places));
  const texts = listTextRequests(world, plain);
  const changed = axes.flatMap((choices) => choices.slice(1).map((choice) => ({ ...plain, ...choice })));
  const opened = listOpenChanges(world).map((openChange) => ({ ...plain, openChange }));
  const kinds = [plain, ...changed, ...opened];
  // A filter would leave it open whether older tiers are returned.
  const openedWithOther = opened.flatMap((one) =>
    changed.filter(({ filters }) => filters.length === 0).map((other) => ({ ...other, openChange: one.openChange })),
  );
  return [
    ...combined.map((each) => ({
      steps: [{ ...each, form: 'on-a-fresh-connection' as const }],
      isSentTogether: false,
    })),
    ...group(combined).map((steps) => ({ steps, isSentTogether: true })),
    ...group(combined.toReversed()).map((steps) => ({ steps, isSentTogether: false })),
    ...[...texts, ...openedWithOther].map((each) => ({ steps: [each], isSentTogether: false })),
    ...kinds.flatMap((one, n) =>
      group(kinds.slice(n + 1).flatMap((two) => [one, two])).map((steps) => ({ steps, isSentTogether: false })),
    ),
  ];
}

type Axis = readonly Partial<RequestValues>[];

/** The choices for each member; the first ones make the simplest request. */
function listAxes(world: NamedWorld): Axis[] {
  const rules = sortByThreshold(world.tiers.flatMap((tier) => tier.rules));
  const [product = ''] = world.ids.product.keys();
  const [sku = ''] = world.ids.sku.keys();
  const simple: RequestValues = {
    customer: [...world.ids.customer.keys()][0] ?? '',
    items: [{ product, quantity: 1, times: 1, differs: false }],
    orderMetadata: {},
    metadata: {},
    expand: false,
    filters: [],
  };
  const { items, metadata } = meetRules(rules, world, simple);
  const repeated: RandomItem[] = [{ product, quantity: 3, times: 2, differs: true }];
  const orderRules = rules.flatMap((rule) =>
    rule.kind === 'order_metadata' ? [[rule.key, [rule.includes]] as const] : [],
  );
  const campaigns = [...world.ids.campaign.keys()].map((name) => [['campaign', name]] as const);
  const entries = world.tiers.flatMap((tier) =>
    Object.entries(tier.metadata).flatMap(([key, value]) =>
      typeof value === 'string' ? [JSON.stringify([`metadata.${key}`, value])] : [],
    ),
  );
  const frequent = [...new Set(entries)].filter((entry) => entries.filter((each) => each === entry).length > 2);
  const metadataFilters = frequent.map((entry) => [parseJson(entry) as [string, string]]);
  return [
    [...world.ids.customer.keys()].map((customer) => ({ ...simple, customer })),
    [{}, { items: [{ sku, quantity: 2 }] }, { items: repeated }, { items }],
    [{}, { orderMetadata: Object.fromEntries(orderRules) }],
    [{}, { metadata }],
    [{}, { expand: true }],
    [{}, ...[...campaigns, ...metadataFilters].map((filters) => ({ filters }))],
  ];
}

function combine(axes: readonly Axis[], places: readonly number[]): RandomRequest {
  const chosen: RequestValues = Object.assign({}, ...axes.map((choices, axis) => choices[places[axis] ?? 0]));
  return { ...chosen, form: undefined, openChange: undefined, isOpenChangeFirst: false };
}

/** Lists rows in which any three places of three axes meet. */
function coverTriples(sizes: readonly number[]): number[][] {
  const met = new Set<string>();
  const count = sizes.reduce((product, size) => product * size, 1);
  const rows: number[][] = [];
  // A stride that is prime visits all rows, and neighbours differ in all axes.
  for (let n = 0; n < count; n += 1) {
    let rest = (n * 7_919) % count;
    const row = sizes.map((size) => {
      const place = rest % size;
      rest = Math.floor(rest / size);
      return place;
    });
    const triples = listTriples(row).filter((triple) => !met.has(triple));
    if (triples.length > 0) rows.push(row);
    for (const triple of triples) met.add(triple);
  }
  return rows;
}

function listTriples(row: readonly number[]): string[] {
  const places = row.map((place, axis) => `${axis}:${place}`);
  return places.flatMap((one, a) =>
    places.slice(a + 1).flatMap((two, b) => places.slice(a + b + 2).map((three) => `${one} ${two} ${three}`)),
  );
}

/** Lists requests that meet all rules of a tier, or match its metadata, with one text as it is or misspelled. */
function listTextRequests(world: NamedWorld, plain: RandomRequest): RandomRequest[] {
  const requests = new Map<string, RandomRequest>();
  const add = (place: 'rule' | 'filter', key: string, value: string, request: RequestValues) => {
    const id = JSON.stringify([place, key, value]);
    if (!requests.has(id)) requests.set(id, { ...plain, ...request });
  };
  const spellings = [(text: string) => text, ...misspellings];
  for (const tier of world.tiers) {
    for (const rule of tier.rules) {
      if (rule.kind !== 'metadata') continue;
      const rules = [...tier.rules.filter((other) => other !== rule), rule];
      for (const spell of spellings)
        for (const entry of [[spell(rule.key), rule.is] as const, [rule.key, spell(rule.is)] as const]) {
          const request = meetRules(rules, world, plain, 0, () => entry);
          add('rule', ...entry, request);
        }
    }
    const met = meetRules(tier.rules, world, plain);
    for (const [key, value] of Object.entries(tier.metadata)) {
      if (typeof value !== 'string' || !isAcceptedKey(key)) continue;
      for (const each of spellings.map((spell) => spell(value)).filter((text) => text !== ''))
        add('filter', key, each, { ...met, filters: [[`metadata.${key}`, each]] });
    }
  }
  return [...requests.values()];
}

function group<T>(list: readonly T[]): T[][] {
  const count = Math.ceil(list.length / groupSize);
  return Array.from({ length: count }, (_, n) => list.slice(n * groupSize, (n + 1) * groupSize));
}

/** Counts the requests of some sequences. */
export function countSteps(sequences: readonly RequestSequence[]): number {
  return sequences.reduce((sum, { steps }) => sum + steps.length, 0);
}

/** Counts the requests that an exploration sends if nothing fails. */
export function countExplorationRequests(exploration: Exploration | undefined, world: NamedWorld): number {
  const { requests = 0, isThorough = false } = exploration ?? {};
  return requests + (isThorough ? countSteps(listThoroughRequests(world)) : 0);
}
