import { type EquivalentRequestForm, equivalentRequestForms } from '../../src/cases/equivalent-request-forms.js';
import { assembleRequest, documentedRequestDraft } from '../../src/cases/request-draft.js';
import { audienceParameter, type FilterSubject, renderFilterParameter } from '../../src/contract/operation.js';
import { createOracle } from '../../src/contract/oracle.js';
import { findProductIdOfSku, type ItemRule, type Tier, type World, windowSize } from '../../src/contract/world.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import type { Random } from './random.js';

/** The sizes up to which the documentation, and the suite, say what a response must be. */
const [maxPath, maxBody] = [7_000, 60_000];

/**
 * Creates documented requests about some data, in their order. They share no code with the requests that the suite draws: with
 * enough of them, they show which mistakes the data can show at all. Related requests follow each other: what one leaves
 * behind shows in the next.
 */
export function createRandomRequests(world: World, random: Random, count: number): HttpRequest[] {
  const requests: HttpRequest[] = [];
  let draft = createDraft(world, random);
  while (requests.length < count) {
    draft = random.chance(0.5) ? createDraft(world, random) : varyDraft(draft, world, random);
    const request = writeRequest(draft);
    const isSmall = request.path.length < maxPath && (request.body ?? '').length < maxBody;
    if (isSmall && createOracle(request, world).undocumentedReason === undefined) requests.push(request);
    if (random.chance(0.1)) requests.push(...requests.slice(-1));
  }
  return requests;
}

interface Item {
  readonly kind: ItemRule['kind'];
  readonly id: string;
  readonly quantity: number;
}

interface Draft {
  readonly customer: string;
  readonly items: readonly Item[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly orderMetadata: Readonly<Record<string, readonly string[]>>;
  readonly expand: boolean;
  readonly audience: boolean;
  readonly filters: readonly { readonly subject: FilterSubject; readonly value: string }[];
  readonly forms: readonly EquivalentRequestForm[];
}

/** Creates an order that meets the rules of some tiers, often nearly. */
function createDraft(world: World, random: Random): Draft {
  const aims = random.sample(world.tiers.slice(0, windowSize + 10), 1 + random.below(random.chance(0.3) ? 40 : 4));
  const rules = aims.flatMap((tier) => tier.rules);
  const customers = rules.flatMap((rule) => (rule.kind === 'customer' ? rule.any_of : []));
  const anyCustomer = random.pick(world.customers).id;
  const items = rules.flatMap((rule) => ('id' in rule ? createItem(rule, random) : []));
  const metadata = rules.flatMap((rule) => (rule.kind === 'metadata' ? [[rule.key, rule.is] as const] : []));
  const orderMetadata = rules.flatMap((rule) =>
    rule.kind === 'order_metadata' ? [[rule.key, [rule.includes, 'more']] as const] : [],
  );
  return {
    customer: customers.length > 0 && random.chance(0.7) ? random.pick(customers) : anyCustomer,
    items: addItems(items, world, random),
    metadata: { ...Object.fromEntries(metadata), ...createMoreMetadata(random) },
    orderMetadata: Object.fromEntries(orderMetadata),
    expand: random.chance(0.3),
    audience: random.chance(0.05),
    filters: random.chance(0.35) ? [createFilter(random.pick(aims), world, random)].flat() : [],
    forms: random.chance(0.2) ? [random.pick(Object.keys(equivalentRequestForms) as EquivalentRequestForm[])] : [],
  };
}

function createItem({ kind, id, at_least }: ItemRule, random: Random): Item {
  const quantity = random.pick([at_least, at_least, at_least - 1, at_least + 1, 1, 9, 10, 100, 32_768, 100_000]);
  return { kind, id, quantity: Math.max(1, quantity) };
}

/** Adds items of no rule, up to the hundred that the documentation decides about. */
function addItems(items: readonly Item[], world: World, random: Random): Item[] {
  const more = random.chance(0.15) ? random.below(90) : random.below(3);
  const products = Array.from({ length: more }, (): Item => {
    return { kind: 'product', id: random.pick(world.products).id, quantity: 1 + random.below(3) };
  });
  const all = random.sample([...items, ...products], 100);
  // What a product and its SKU in one order mean is open, and so is a repeated SKU.
  const ordered = new Set(all.flatMap(({ kind, id }) => (kind === 'product' ? id : [])));
  const skus = new Map(all.flatMap((item) => (item.kind === 'sku' ? [[item.id, item] as const] : [])));
  const kept = all.filter((item) => {
    if (item.kind === 'product') return true;
    return skus.get(item.id) === item && !ordered.has(findProductIdOfSku(world.skus, item.id) ?? '');
  });
  return kept.length > 0 ? kept : [{ kind: 'product', id: random.pick(world.products).id, quantity: 1 }];
}

function createMoreMetadata(random: Random): Record<string, string> {
  if (!random.chance(0.2)) return {};
  const count = random.chance(0.3) ? 120 : 1;
  const length = random.pick([5, 120, 200, 300]);
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`note ${n}`, 'n'.repeat(length)]));
}

function createFilter({ campaign_id, metadata }: Tier, world: World, random: Random): Draft['filters'] {
  const entries = Object.entries(metadata);
  if (entries.length === 0 || random.chance(0.3)) {
    const value = random.chance(0.6) ? campaign_id : random.pick(world.campaigns).id;
    return [{ subject: { on: 'campaign' }, value }];
  }
  const [key, value] = random.pick(entries);
  const other = random.pick(world.tiers).metadata[key];
  const text = String(value);
  const stated = random.pick([text, text, text, String(other ?? text), ...changeText(text)]);
  return [{ subject: { on: 'metadata', key }, value: stated }];
}

/** Texts that software may confuse with a text. */
function changeText(text: string): string[] {
  return [`${text} `, `${text}x`, text.slice(0, -1), ` ${text}`, `0${text}`, `${text.slice(0, -1)}b`, `${text}\n`];
}

/** Changes one part of an order: the pair shows a mistake that depends on what came before. */
function varyDraft(draft: Draft, world: World, random: Random): Draft {
  const [firstItem, ...items] = draft.items;
  const [firstKey, ...keys] = Object.keys(draft.metadata);
  const changes: readonly Draft[] = [
    { ...draft, customer: random.pick(world.customers).id },
    { ...draft, items: items.length > 0 ? items : draft.items },
    { ...draft, items: [...draft.items].reverse() },
    { ...draft, items: [...draft.items.slice(1), { ...(firstItem as Item), quantity: 1 }] },
    { ...draft, metadata: {} },
    { ...draft, metadata: Object.fromEntries(keys.map((key) => [key, draft.metadata[key] ?? ''])) },
    firstKey === undefined
      ? draft
      : {
          ...draft,
          metadata: { ...draft.metadata, [firstKey]: random.pick(changeText(draft.metadata[firstKey] ?? '')) },
        },
    { ...draft, orderMetadata: {} },
    { ...draft, metadata: {}, orderMetadata: mapToLists(draft.metadata) },
    { ...draft, expand: !draft.expand },
    { ...draft, filters: [] },
    { ...draft, filters: createFilter(random.pick(world.tiers), world, random) },
    { ...draft, forms: [random.pick(Object.keys(equivalentRequestForms) as EquivalentRequestForm[])] },
  ];
  return random.pick(changes);
}

function mapToLists(metadata: Draft['metadata']): Draft['orderMetadata'] {
  return Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, [value]]));
}

function writeRequest(draft: Draft): HttpRequest {
  const { customer, items, metadata, orderMetadata, expand, audience, filters, forms } = draft;
  const parameters = filters.map(({ subject, value }) => [renderFilterParameter(subject), value] as const);
  const query = audience ? [...parameters, [audienceParameter, 'true'] as const] : parameters;
  const body = {
    customer: { id: customer },
    order: {
      items: items.map(({ kind, id, quantity }) => ({ [`${kind}_id`]: id, quantity })),
      metadata: orderMetadata,
    },
    options: expand ? { expand: ['category'] } : {},
    metadata,
  };
  const draftOfRequest = { ...documentedRequestDraft, query: Object.fromEntries(query), body, sent: forms };
  return assembleRequest(draftOfRequest, (kind, name) => `<${kind} ${name}>`);
}
