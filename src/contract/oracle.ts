import type { HttpRequest } from '../http/exchange.js';
import { parseRequest, type RequestContent } from '../http/request-content.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { windowSize } from '../world/named-world.js';
import type { Rule, Tier, World } from '../world/world.js';
import { explainUndocumented, type FilterSubject, parseFilterParameter } from './operation.js';

/**
 * What the documentation says of something: it must be so, it must not be so, or a conforming deployment may do
 * either.
 */
export type Obligation = 'required' | 'forbidden' | 'open';

/** One reason for or against a tier. */
export type ObligationReason = { readonly obligation: Obligation } & (
  | { readonly is: 'rank'; readonly rank: number }
  | { readonly is: 'filter'; readonly parameter: string; readonly value: string }
  | { readonly is: 'rule'; readonly rule: Rule }
);

/**
 * One of the two readings of the documentation where a request has a filter: the newest tiers are taken
 * before it, or after it. A deployment follows one of them throughout.
 */
export interface WindowAlternative {
  readonly window: 'before-the-filter' | 'after-the-filter';
  /** As {@link Oracle.returned}, where this is how it is read. */
  returned(tier: Tier): Obligation;
}

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
  /** How else the documentation can be read, and for which kind of filter; none where one reading is all there is. */
  readonly alternatives: readonly WindowAlternative[];
  readonly filteredOn?: FilterSubject['on'];
  /** What all of this follows from, for a tier: its rank, each filter and each of its rules. Empty where all is open. */
  listReasons(tier: Tier): readonly ObligationReason[];
  /** Why all of the result is open, if so. */
  readonly openReason?: string;
  /** Why the documentation does not describe the request at all, if so. */
  readonly undocumentedReason?: string;
}

/** The body of a documented request: every member may be left out, which leaves open what its rules come to. */
interface Body {
  customer?: { id?: string };
  order?: { items?: Item[]; metadata?: Record<string, string[]> };
  options?: { expand?: string[] };
  metadata?: Record<string, string>;
}

type Item = ({ product_id: string; sku_id?: never } | { sku_id: string; product_id?: never }) & { quantity?: number };

/**
 * Reads from the documentation what it says of a request to a deployment that has the world.
 *
 * Whatever the documentation leaves open comes out as `open`, so nothing that is judged by this fails a deployment that
 * conforms: a question can be answered in any manner without a requirement failing. What it leaves open of a request is
 * open tier by tier: whatever else a documented request carries or leaves out, a filter restricts, without a filter
 * older tiers are not returned, and what is reserved for others than the named customer is not valid.
 */
export function createOracle(request: HttpRequest, world: World): Oracle {
  const content = parseRequest(request);
  const undocumentedReason = explainUndocumented(content);
  if (undocumentedReason !== undefined) return { ...allOpen(undocumentedReason), undocumentedReason };
  const body = content.body as Body;
  const unknown = unknownId(body, content.query, world);
  if (unknown !== undefined) return allOpen(unknown);

  const [audience, ...others] = openReasons(body, content.query, request.path, world);
  const openReason = audience ?? others.find((each) => each !== undefined);
  const isAccepted = others.every((each) => each === undefined);
  /** Where a part of the request is open, what speaks for a tier is open too; what speaks against it may still bind. */
  const ifAllIsSaid = (obligation: Obligation): Obligation =>
    openReason !== undefined && obligation === 'required' ? 'open' : obligation;

  const skuOwner = new Map(world.skus.map(({ id, product_id }) => [id, product_id]));
  const ranks = new Map(world.tiers.map((tier, index) => [tier.id, index + 1]));
  const filters = content.query
    .filter(([name]) => parseFilterParameter(name) !== undefined)
    .map(([name, value]) => ({ name, value, matches: filterOf(name, value, request.path, world) }));
  const ofRule = (rule: Rule): Obligation => {
    // A reservation binds wherever a customer is named; what the other rules come to depends on all of the request.
    if (rule.kind === 'customer') return body.customer?.id === undefined ? 'open' : holds(rule, body, skuOwner);
    return openReason === undefined ? holds(rule, body, skuOwner) : 'open';
  };
  const valid = (tier: Tier) => ifAllIsSaid(all(tier.rules.map(ofRule)));
  const matching = (tier: Tier) => {
    const each = filters.map(({ matches }) => matches(tier));
    // What several filters mean together is open, but what matches none of them is not returned.
    if (each.length > 1) return each.every((one) => one === 'forbidden') ? 'forbidden' : 'open';
    return ifAllIsSaid(all(each));
  };
  const checked = (tier: Tier): Obligation => {
    if ((ranks.get(tier.id) ?? Number.POSITIVE_INFINITY) <= windowSize) return ifAllIsSaid('required');
    // Without a filter an older tier is never returned. With one, the window may be taken before or after filtering.
    return filters.length === 0 ? 'forbidden' : 'open';
  };
  const [filter] = filters;
  return {
    // A server may ask for the length of a body (RFC 9112, section 6.3).
    accepted: isAccepted && request.sent !== 'chunked',
    alternatives: openReason === undefined && filter !== undefined ? alternativesOf(matching, valid, world) : [],
    ...(filter === undefined ? {} : { filteredOn: parseFilterParameter(filter.name)?.on as FilterSubject['on'] }),
    valid,
    matching,
    checked,
    returned: (tier) => all([checked(tier), matching(tier), valid(tier)]),
    listReasons: (tier) => [
      { is: 'rank', rank: ranks.get(tier.id) ?? Number.POSITIVE_INFINITY, obligation: checked(tier) },
      ...filters.map(({ name, value }) => {
        return { is: 'filter', parameter: name, value, obligation: matching(tier) } as const;
      }),
      ...tier.rules.map((rule) => ({ is: 'rule', rule, obligation: ifAllIsSaid(ofRule(rule)) }) as const),
    ],
    ...omitUndefined({ openReason }),
  };
}

function allOpen(openReason: string): Oracle {
  const open = () => 'open' as const;
  const said = { valid: open, matching: open, checked: open, returned: open };
  return { accepted: false, openReason, ...said, alternatives: [], listReasons: () => [] };
}

/** What is returned where the newest tiers are taken before a filter, and where they are taken after it. */
function alternativesOf(matching: Oracle['matching'], valid: Oracle['valid'], { tiers }: World): WindowAlternative[] {
  const newestOf = (some: readonly Tier[]) => new Set(some.slice(0, windowSize));
  const newest = newestOf(tiers);
  // How some values compare is open, so a tier may have more matching ones before it, or fewer.
  const atMost = newestOf(tiers.filter((tier) => matching(tier) !== 'forbidden'));
  const atLeast = newestOf(tiers.filter((tier) => matching(tier) === 'required'));
  const afterIt = (tier: Tier): Obligation =>
    atMost.has(tier) ? 'required' : atLeast.has(tier) ? 'open' : 'forbidden';
  const alternative = (window: WindowAlternative['window'], checked: Oracle['checked']): WindowAlternative => ({
    window,
    returned: (tier) => all([checked(tier), matching(tier), valid(tier)]),
  });
  return [
    alternative('before-the-filter', (tier) => requiredIf(newest.has(tier))),
    alternative('after-the-filter', afterIt),
  ];
}

/** Of several things together: forbidden as soon as one is. */
function all(obligations: readonly Obligation[]): Obligation {
  if (obligations.includes('forbidden')) return 'forbidden';
  return obligations.includes('open') ? 'open' : 'required';
}

function requiredIf(condition: boolean): Obligation {
  return condition ? 'required' : 'forbidden';
}

/** Why all of a result is open although the documentation describes the request: an id in it does not exist. */
function unknownId(body: Body, query: RequestContent['query'], world: World): string | undefined {
  const { customers, products, skus, campaigns } = world;
  const said = (kind: string, things: readonly { readonly id: string }[], id: string | undefined) =>
    id === undefined || things.some((thing) => thing.id === id) ? [] : [`what an unknown ${kind} means is open: ${id}`];
  return [
    ...said('customer', customers, body.customer?.id),
    ...(body.order?.items ?? []).flatMap(({ product_id, sku_id }) => [
      ...said('product', products, product_id),
      ...said('SKU', skus, sku_id),
    ]),
    ...query.flatMap(([name, value]) =>
      parseFilterParameter(name)?.on === 'campaign' && value !== '' ? said('campaign', campaigns, value) : [],
    ),
  ][0];
}

/** Why some of a result is open; the first, which may be undefined as any, is no reason to refuse the request. */
function openReasons(body: Body, query: RequestContent['query'], path: string, world: World): (string | undefined)[] {
  const { customer, order, options, metadata } = body;
  const omitted = Object.entries({
    customer,
    'customer.id': customer?.id,
    order,
    'order.items': order?.items,
    'order.metadata': order?.metadata,
    options,
    metadata,
  }).find(([, value]) => value === undefined);
  const items = order?.items ?? [];
  const filters = query.filter(([name]) => parseFilterParameter(name) !== undefined);
  const hasAudience = query.some(([name]) => name === 'audienceRulesOnly');
  return [
    hasAudience ? 'the effect of audienceRulesOnly is open' : undefined,
    omitted === undefined ? undefined : `what leaving out ${omitted[0]} means is open`,
    order?.items?.length === 0 ? 'what an order without items means is open' : undefined,
    whyItemsOpen(items, world),
    filters.length > 1 ? 'what several filters together mean is open' : undefined,
    // A space to HTML forms, a plus sign to RFC 3986.
    path.includes('+') ? 'what a + in the query means is open' : undefined,
    filters.some(([, value]) => value === '') ? 'what a filter with an empty value means is open' : undefined,
    ...filters.map(([name]) => whyUnknownKey(name, world)),
  ];
}

function whyItemsOpen(items: readonly Item[], { skus }: World): string | undefined {
  if (items.some(({ quantity }) => quantity === undefined)) return 'what an item without quantity means is open';
  if (items.some(({ quantity = 1 }) => quantity < 1)) return 'what a quantity below 1 means is open';
  if (items.some(({ quantity = 1 }) => quantity > 1_000_000)) return 'the largest quantity is open';
  if (items.length > 100) return 'the largest number of items is open';
  const products = new Set(items.flatMap(({ product_id }) => product_id ?? []));
  const ordered = items.flatMap(({ sku_id }) => sku_id ?? []);
  if (new Set(ordered).size < ordered.length) return 'whether a SKU may be repeated is open';
  const isBesideItsProduct = ordered.some((id) => products.has(skus.find((sku) => sku.id === id)?.product_id ?? ''));
  return isBesideItsProduct ? 'what a product beside its own SKU means is open' : undefined;
}

function whyUnknownKey(parameter: string, { tiers }: World): string | undefined {
  const subject = parseFilterParameter(parameter);
  if (subject?.on !== 'metadata' || tiers.some(({ metadata }) => Object.hasOwn(metadata, subject.key)))
    return undefined;
  return `what a metadata key that no tier has means is open: ${subject.key}`;
}

function holds(rule: Rule, body: Body, skuOwner: ReadonlyMap<string, string>): Obligation {
  const { items = [] } = body.order ?? {};
  const { metadata = {} } = body;
  switch (rule.kind) {
    case 'customer':
      return requiredIf(rule.any_of.includes(body.customer?.id ?? ''));
    case 'product':
      // Whether a SKU counts as its product is open, so its items can only add to what is possible.
      return enough(
        items.filter(({ product_id }) => product_id === rule.id),
        items.filter(({ sku_id }) => sku_id !== undefined && skuOwner.get(sku_id) === rule.id),
        rule.at_least,
      );
    case 'sku':
      return enough(
        items.filter(({ sku_id }) => sku_id === rule.id),
        [],
        rule.at_least,
      );
    case 'metadata':
      return hasEntry(metadata, rule.key, rule.is);
    case 'order_metadata':
      return 'open';
  }
}

/** Whether items reach a threshold, however items with equal ids add up. */
function enough(certain: readonly Item[], possible: readonly Item[], atLeast: number): Obligation {
  const total = (items: readonly Item[]) => items.reduce((sum, { quantity = 1 }) => sum + quantity, 0);
  const smallest = certain.length === 0 ? 0 : Math.min(...certain.map(({ quantity = 1 }) => quantity));
  if (smallest >= atLeast) return 'required';
  return total(certain) + total(possible) >= atLeast ? 'open' : 'forbidden';
}

function filterOf(name: string, value: string, path: string, world: World): (tier: Tier) => Obligation {
  const subject = parseFilterParameter(name);
  // Such a filter may mean anything, or nothing.
  if (value === '' || path.includes('+') || whyUnknownKey(name, world) !== undefined) return () => 'open';
  if (subject?.on !== 'metadata') return (tier) => requiredIf(tier.campaign_id === value);
  const { key } = subject;
  return ({ metadata }) => hasEntry(metadata, key, value);
}

/** Whether metadata has a key with a value. Open: whether letter case matters, and how what is no string compares. */
function hasEntry(metadata: Readonly<Record<string, unknown>>, key: string, value: string): Obligation {
  if (Object.hasOwn(metadata, key) && metadata[key] === value) return 'required';
  const isAlike = Object.entries(metadata).some(
    ([other, entry]) =>
      other.toLowerCase() === key.toLowerCase() && String(entry).toLowerCase() === value.toLowerCase(),
  );
  return isAlike ? 'open' : 'forbidden';
}
