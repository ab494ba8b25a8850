import type { HttpRequest } from '../http/exchange.js';
import { contentOf, type RequestContent } from '../http/request-content.js';
import { windowSize } from '../world/named-world.js';
import type { Rule, Tier, World } from '../world/world.js';
import { filterSubject, whyUndocumented } from './documented-request.js';

/**
 * What the documentation says of something: it must be so, it must not be so, or a conforming deployment may do
 * either.
 */
export type Obligation = 'required' | 'forbidden' | 'open';

/** One reason for or against a tier. */
export type Ground = { readonly obligation: Obligation } & (
  | { readonly is: 'rank'; readonly rank: number }
  | { readonly is: 'filter'; readonly parameter: string; readonly value: string }
  | { readonly is: 'rule'; readonly rule: Rule }
);

/** What the documentation says of one request. */
export interface Oracle {
  /** Whether it requires a 2xx answer, provided that there is something to return. */
  readonly accepted: boolean;
  /** That a tier is returned. */
  returned(tier: Tier): Obligation;
  /** That a tier is valid for the customer and the order, whatever the filters and the window. */
  valid(tier: Tier): Obligation;
  /** That a tier matches the filters of the request, whether valid or not. */
  matching(tier: Tier): Obligation;
  /** That a tier is among those that are checked at all: the newest 150, save that a filter may come first. */
  checked(tier: Tier): Obligation;
  /** What all of this follows from, for a tier: its rank, each filter and each of its rules. Empty where all is open. */
  grounds(tier: Tier): readonly Ground[];
  /** Why all of the result is open, if so. */
  readonly whyOpen?: string;
  /** Why the documentation does not describe the request at all, if so. */
  readonly undocumented?: string;
}

/** The body of a documented request that sends all members, after its check against the schema. */
interface Body {
  customer: { id: string };
  order: { items: Item[]; metadata: Record<string, string[]> };
  options: { expand?: string[] };
  metadata: Record<string, string>;
}

type Item = ({ product_id: string; sku_id?: never } | { sku_id: string; product_id?: never }) & { quantity: number };

/**
 * Reads from the documentation what it says of a request to a deployment that has the world.
 *
 * Whatever the documentation leaves open comes out as `open`, so nothing that is judged by this fails a deployment that
 * conforms: a question can be answered in any manner without a requirement failing.
 */
export function oracleFor(request: HttpRequest, world: World): Oracle {
  const content = contentOf(request);
  const undocumented = whyUndocumented(content);
  if (undocumented !== undefined) return { ...allOpen(false, undocumented), undocumented };
  // A space to HTML forms, a plus sign to RFC 3986.
  const plus = request.path.includes('+') ? 'what a + in the query means is open' : undefined;
  const whyOpen = plus ?? whyAllOpen(content, world);
  if (whyOpen !== undefined) return allOpen(false, whyOpen);
  const body = content.body as Body;
  if (content.query.some(([name]) => name === 'audienceRulesOnly')) {
    return allOpen(true, 'the effect of audienceRulesOnly is open');
  }
  const skuOwner = new Map(world.skus.map(({ id, product_id }) => [id, product_id]));
  const ranks = new Map(world.tiers.map((tier, index) => [tier.id, index + 1]));
  const filters = content.query.map(([name, value]) => ({ name, value, matches: filterOf(name, value) }));
  const valid = (tier: Tier) => all(tier.rules.map((rule) => holds(rule, body, skuOwner)));
  const matching = (tier: Tier) => all(filters.map(({ matches }) => matches(tier)));
  const checked = (tier: Tier) => {
    if ((ranks.get(tier.id) ?? Number.POSITIVE_INFINITY) <= windowSize) return 'required';
    // Without a filter an older tier is never returned. With one, the window may be taken before or after filtering.
    return filters.length === 0 ? 'forbidden' : 'open';
  };
  return {
    accepted: true,
    valid,
    matching,
    checked,
    returned: (tier) => all([checked(tier), matching(tier), valid(tier)]),
    grounds: (tier) => [
      { is: 'rank', rank: ranks.get(tier.id) ?? Number.POSITIVE_INFINITY, obligation: checked(tier) },
      ...filters.map(({ name, value, matches }) => {
        return { is: 'filter', parameter: name, value, obligation: matches(tier) } as const;
      }),
      ...tier.rules.map((rule) => ({ is: 'rule', rule, obligation: holds(rule, body, skuOwner) }) as const),
    ],
  };
}

function allOpen(accepted: boolean, whyOpen: string): Oracle {
  const open = () => 'open' as const;
  return { accepted, whyOpen, valid: open, matching: open, checked: open, returned: open, grounds: () => [] };
}

/** Of several things together: forbidden as soon as one is. */
function all(obligations: readonly Obligation[]): Obligation {
  if (obligations.includes('forbidden')) return 'forbidden';
  return obligations.includes('open') ? 'open' : 'required';
}

function requiredIf(condition: boolean): Obligation {
  return condition ? 'required' : 'forbidden';
}

/** Why the whole result of a request is open although the documentation describes it, if so. */
function whyAllOpen({ body, query }: RequestContent, world: World): string | undefined {
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
    const subject = filterSubject(name);
    if (subject?.on === 'campaign' && !campaigns.has(value)) return `what an unknown campaign means is open: ${value}`;
    if (subject?.on === 'metadata' && !world.tiers.some(({ metadata }) => Object.hasOwn(metadata, subject.key))) {
      return `what a metadata key that no tier has means is open: ${subject.key}`;
    }
  }
  return undefined;
}

function holds(rule: Rule, { customer, order, metadata }: Body, skuOwner: ReadonlyMap<string, string>): Obligation {
  switch (rule.kind) {
    case 'customer':
      return requiredIf(rule.any_of.includes(customer.id));
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
      return requiredIf(Object.hasOwn(metadata, rule.key) && metadata[rule.key] === rule.is);
    case 'order_metadata':
      return 'open';
  }
}

/** Whether items reach a threshold, however items with equal ids add up. */
function enough(certain: readonly Item[], possible: readonly Item[], atLeast: number): Obligation {
  const total = (items: readonly Item[]) => items.reduce((sum, { quantity }) => sum + quantity, 0);
  const smallest = certain.length === 0 ? 0 : Math.min(...certain.map(({ quantity }) => quantity));
  if (smallest >= atLeast) return 'required';
  return total(certain) + total(possible) >= atLeast ? 'open' : 'forbidden';
}

function filterOf(name: string, value: string): (tier: Tier) => Obligation {
  const subject = filterSubject(name);
  if (subject?.on !== 'metadata') return (tier) => requiredIf(tier.campaign_id === value);
  const { key } = subject;
  return ({ metadata }) => {
    if (Object.hasOwn(metadata, key) && metadata[key] === value) return 'required';
    // Open: how a boolean or a number compares with the string, and whether letter case matters.
    const isAlike = Object.entries(metadata).some(
      ([other, entry]) =>
        other.toLowerCase() === key.toLowerCase() && String(entry).toLowerCase() === value.toLowerCase(),
    );
    return isAlike ? 'open' : 'forbidden';
  };
}
