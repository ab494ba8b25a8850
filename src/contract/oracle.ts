import type { HttpRequest } from '../http/exchange.js';
import { contentOf, type RequestContent } from '../http/request-content.js';
import { schemaNamed } from '../support/schema.js';
import type { Rule, Tier, World } from '../world/world.js';
import { windowSize } from '../world/world-file.js';

/**
 * Whether the documentation says of something that it holds. `open` is what it leaves open: a conforming deployment
 * may go either way.
 */
export type Obligation = 'yes' | 'no' | 'open';

/** What the documentation promises for one request. */
export interface Oracle {
  /** Whether it promises a 2xx answer, provided that there is something to return. */
  readonly accepted: boolean;
  /** Whether a tier is returned. */
  returned(tier: Tier): Obligation;
  /** Whether a tier is valid for the customer and the order, whatever the filters and the window. */
  valid(tier: Tier): Obligation;
  /** Whether a tier matches the filters of the request, whether valid or not. */
  matching(tier: Tier): Obligation;
  /** Why nothing is promised of the result, if so. */
  readonly because?: string;
}

const campaignFilter = '[filters][promotion_id][conditions][$is]';
const metadataFilter = /^\[filters\]\[metadata\.([^[\]]+)\]\[conditions\]\[\$is\]$/;

/** The body of a documented request that sends all members, after its check against the schema. */
interface Body {
  customer: { id: string };
  order: { items: Item[]; metadata: Record<string, string[]> };
  options: { expand?: string[] };
  metadata: Record<string, string>;
}

type Item = ({ product_id: string; sku_id?: never } | { sku_id: string; product_id?: never }) & { quantity: number };

/**
 * Reads from the documentation what it promises for a request to a deployment that holds the world.
 *
 * Whatever the documentation leaves open comes out as `open`, so whatever is judged by this is sound: a question can
 * be answered in any way without a requirement failing.
 */
export function oracleFor(request: HttpRequest, world: World): Oracle {
  const content = contentOf(request);
  // A space to HTML forms, a plus sign to RFC 3986.
  const plus = request.path.includes('+') ? 'what a + in the query means is open' : undefined;
  const undocumented = whyUndocumented(content) ?? plus ?? whyUnpromised(content, world);
  if (undocumented !== undefined) return nothingPromised(false, undocumented);
  const body = content.body as Body;
  if (content.query.some(([name]) => name === 'audienceRulesOnly')) {
    return nothingPromised(true, 'the effect of audienceRulesOnly is open');
  }
  const skuOwner = new Map(world.skus.map(({ id, product_id }) => [id, product_id]));
  const ranks = new Map(world.tiers.map((tier, index) => [tier.id, index + 1]));
  const valid = remembered((tier) => every(tier.rules.map((rule) => holds(rule, body, skuOwner))));
  const filters = content.query.map(([name, value]) => filterOf(name, value));
  const matching = remembered((tier) => every(filters.map((matches) => matches(tier))));
  return {
    accepted: true,
    valid,
    matching,
    returned: remembered((tier) => {
      const within = (ranks.get(tier.id) ?? Number.POSITIVE_INFINITY) <= windowSize;
      // Without a filter an older tier is never returned. With one, the window may be taken before or after filtering.
      const checked = within ? 'yes' : filters.length === 0 ? 'no' : 'open';
      return every([checked, valid(tier), matching(tier)]);
    }),
  };
}

/** The same function, which works out each answer once: rows of a matrix ask for it again and again. */
function remembered(standing: (tier: Tier) => Obligation): (tier: Tier) => Obligation {
  const known = new Map<Tier, Obligation>();
  return (tier) => {
    const found = known.get(tier) ?? standing(tier);
    known.set(tier, found);
    return found;
  };
}

function nothingPromised(accepted: boolean, because: string): Oracle {
  return { accepted, because, valid: () => 'open', matching: () => 'open', returned: () => 'open' };
}

/** All of them: `no` as soon as one is. */
function every(standings: readonly Obligation[]): Obligation {
  if (standings.includes('no')) return 'no';
  return standings.includes('open') ? 'open' : 'yes';
}

/** Why the request is not one that the documentation describes, if so. */
export function whyUndocumented(content: RequestContent): string | undefined {
  const validate = schemaNamed('request');
  const query: Record<string, string[]> = {};
  for (const [name, value] of content.query) query[name] = [...(query[name] ?? []), value];
  if (validate({ ...content, query })) return undefined;
  const error = validate.errors?.find(({ keyword }) => keyword !== 'oneOf') ?? validate.errors?.[0];
  const extra: unknown = error?.params.additionalProperty ?? error?.params.missingProperty;
  const where = `${error?.instancePath || 'the request'}${typeof extra === 'string' ? ` (${extra})` : ''}`;
  return `the documentation does not describe it: ${where} ${error?.message ?? ''}`;
}

/** Why nothing is promised for a request that the documentation describes, if so. */
function whyUnpromised({ body, query }: RequestContent, world: World): string | undefined {
  const { customer, order, options, metadata } = body as Partial<Body>;
  const omitted = Object.entries({
    customer,
    'customer.id': customer?.id,
    order,
    'order.items': order?.items,
    'order.metadata': order?.metadata,
    options,
    metadata,
  }).find(([, value]) => value === undefined);
  if (omitted !== undefined) return `what leaving out ${omitted[0]} means is open`;
  const { items } = order as Body['order'];
  if (items.length === 0) return 'what an order without items means is open';
  if (items.some(({ quantity }) => quantity === undefined)) return 'what an item without quantity means is open';
  if (items.some(({ quantity }) => quantity < 1)) return 'what a quantity below 1 means is open';
  if (items.some(({ quantity }) => quantity > 1_000_000)) return 'the largest quantity is open';
  if (items.length > 100) return 'the largest number of items is open';

  const unknown = (kind: string, id: string) => `what an unknown ${kind} means is open: ${id}`;
  const { customers, products, skus, campaigns } = world;
  if (!customers.some(({ id }) => id === customer?.id)) return unknown('customer', customer?.id ?? '');
  for (const { product_id, sku_id } of items) {
    if (product_id !== undefined && !products.some(({ id }) => id === product_id))
      return unknown('product', product_id);
    if (sku_id !== undefined && !skus.some(({ id }) => id === sku_id)) return unknown('SKU', sku_id);
  }
  return whyRepeated(items, world) ?? whyFiltersOpen(query, world, new Set(campaigns.map(({ id }) => id)));
}

function whyRepeated(items: readonly Item[], { skus }: World): string | undefined {
  const inOrder = new Set(items.flatMap(({ product_id }) => product_id ?? []));
  const seen = new Map<string, number>();
  for (const { product_id, sku_id, quantity } of items) {
    // A deployment may count each kind by itself.
    const key = product_id === undefined ? `sku ${sku_id}` : `product ${product_id}`;
    const before = seen.get(key);
    if (before !== undefined && sku_id !== undefined) return 'whether a SKU may be repeated is open';
    if (before !== undefined && before !== quantity) return 'how different quantities of one product add up is open';
    seen.set(key, quantity);
    const owner = skus.find(({ id }) => id === sku_id)?.product_id;
    if (owner !== undefined && inOrder.has(owner)) return 'what a product beside its own SKU means is open';
  }
  return undefined;
}

function whyFiltersOpen(query: RequestContent['query'], world: World, campaigns: Set<string>): string | undefined {
  const filters = query.filter(([name]) => name !== 'audienceRulesOnly');
  if (filters.length > 1) return 'what several filters together mean is open';
  for (const [name, value] of filters) {
    if (value === '') return 'what a filter with an empty value means is open';
    if (name === campaignFilter && !campaigns.has(value)) return `what an unknown campaign means is open: ${value}`;
    const key = metadataFilter.exec(name)?.[1];
    if (key !== undefined && !world.tiers.some(({ metadata }) => Object.hasOwn(metadata, key))) {
      return `what a metadata key that no tier has means is open: ${key}`;
    }
  }
  return undefined;
}

function holds(rule: Rule, { customer, order, metadata }: Body, skuOwner: ReadonlyMap<string, string>): Obligation {
  switch (rule.kind) {
    case 'customer':
      return rule.any_of.includes(customer.id) ? 'yes' : 'no';
    case 'product':
      // Whether a SKU counts as its product is open, so its items can only add to what is possible.
      return enough(
        order.items.filter(({ product_id }) => product_id === rule.id),
        order.items.filter(({ sku_id }) => sku_id !== undefined && skuOwner.get(sku_id) === rule.id),
        rule.at_least,
      );
    case 'sku':
      return enough(
        order.items.filter(({ sku_id }) => sku_id === rule.id),
        [],
        rule.at_least,
      );
    case 'metadata':
      return Object.hasOwn(metadata, rule.key) && metadata[rule.key] === rule.is ? 'yes' : 'no';
    case 'order_metadata':
      return 'open';
  }
}

/** Whether items reach a threshold, however items with equal ids add up. */
function enough(certain: readonly Item[], possible: readonly Item[], atLeast: number): Obligation {
  const total = (items: readonly Item[]) => items.reduce((sum, { quantity }) => sum + quantity, 0);
  const smallest = certain.length === 0 ? 0 : Math.min(...certain.map(({ quantity }) => quantity));
  if (smallest >= atLeast) return 'yes';
  return total(certain) + total(possible) >= atLeast ? 'open' : 'no';
}

function filterOf(name: string, value: string): (tier: Tier) => Obligation {
  if (name === campaignFilter) return (tier) => (tier.campaign_id === value ? 'yes' : 'no');
  const key = metadataFilter.exec(name)?.[1] ?? '';
  return ({ metadata }) => {
    const actual = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
    if (actual === value) return 'yes';
    // Open: how a boolean or a number compares with the string, and whether letter case matters.
    const alike = Object.entries(metadata).some(
      ([other, held]) =>
        other.toLowerCase() === key.toLowerCase() && String(held).toLowerCase() === value.toLowerCase(),
    );
    return alike ? 'open' : 'no';
  };
}
