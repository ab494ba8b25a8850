import type { NamedWorld } from '../world/named-world.js';
import { misspellings } from './misspellings.js';
import {
  createSimpleRequest,
  type Entry,
  type Exploration,
  listOpenChanges,
  listWorldValues,
  meetRules,
  type RandomRequest,
  type RequestSequence,
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
  const alone = (steps: readonly RandomRequest[]) => steps.map((step) => ({ steps: [step], isSentTogether: false }));
  const inGroups = (steps: readonly RandomRequest[], isSentTogether = false) =>
    Array.from({ length: Math.ceil(steps.length / groupSize) }, (_, n) => ({
      steps: steps.slice(n * groupSize, (n + 1) * groupSize),
      isSentTogether,
    }));
  return [
    ...alone(combined.map((each) => ({ ...each, form: 'on-a-fresh-connection' }))),
    ...inGroups(combined, true),
    ...inGroups(combined.toReversed()),
    ...alone([...texts, ...openedWithOther]),
    ...kinds.flatMap((one, n) => inGroups(kinds.slice(n + 1).flatMap((two) => [one, two]))),
  ];
}

type Axis = readonly Partial<RandomRequest>[];

/** The choices for each member; the first ones make the simplest request. */
function listAxes(world: NamedWorld): Axis[] {
  const simple = createSimpleRequest(world);
  const [sku = ''] = world.ids.sku.keys();
  const allRules = world.tiers.flatMap((tier) => tier.rules);
  const { items, metadata } = meetRules(allRules, world, simple);
  const repeated = [3, 4].flatMap((quantity) => simple.items.map((item) => ({ ...item, quantity })));
  const { orderRules, filters, distinctFilters } = listWorldValues(world);
  const campaigns = [...world.ids.campaign.keys()].map((name): Entry => ['campaign', name]);
  const count = (filter: Entry) => filters.filter((each) => each.join(' ') === filter.join(' ')).length;
  const frequent = distinctFilters.filter((filter) => count(filter) > 2);
  return [
    [...world.ids.customer.keys()].map((customer) => ({ ...simple, customer })),
    [{}, { items: [{ kind: 'sku', name: sku, quantity: 2 }] }, { items: repeated }, { items }],
    [{}, { orderMetadata: Object.fromEntries(orderRules.map(([key, value]) => [key, [value]])) }],
    [{}, { metadata }],
    [{}, { expand: true }],
    [{}, ...[...campaigns, ...frequent].map((filter) => ({ filters: [filter] }))],
  ];
}

function combine(axes: readonly Axis[], places: readonly number[]): RandomRequest {
  return Object.assign({}, ...axes.map((choices, axis) => choices[places[axis] ?? 0]));
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
  const add = (entry: Entry, request: RandomRequest) => {
    const id = JSON.stringify(entry);
    if (!requests.has(id)) requests.set(id, { ...plain, ...request });
  };
  const spellings = [(text: string) => text, ...misspellings];
  for (const tier of world.tiers) {
    for (const rule of tier.rules) {
      if (rule.kind !== 'metadata') continue;
      const rules = [...tier.rules.filter((other) => other !== rule), rule];
      const entries = spellings.flatMap((spell): Entry[] => [
        [spell(rule.key), rule.is],
        [rule.key, spell(rule.is)],
      ]);
      for (const entry of entries)
        add(
          entry,
          meetRules(rules, world, plain, 0, () => entry),
        );
    }
    const met = meetRules(tier.rules, world, plain);
    for (const [key, value] of listWorldValues({ ...world, tiers: [tier] }).filters)
      for (const text of spellings.map((spell) => spell(value)).filter((each) => each !== '')) {
        const filter: Entry = [key, text];
        add(filter, { ...met, filters: [filter] });
      }
  }
  return [...requests.values()];
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
