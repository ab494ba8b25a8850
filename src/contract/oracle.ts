/**
 * The contract. The file of requirements and questions, and the world of test data or a data file, go in; what the
 * documentation says comes out: the catalog, and for each request the obligations of each tier (the oracle, in this file).
 * Pure but for reading its files. It runs in the build, which stores the suite, in the workers, which send and judge, and in
 * the reporter, which explains.
 */

import { type DecodedRequest, parseRequest } from '../http/decoded-request.js';
import { findRefusableEncoding, type HttpRequest } from '../http/exchange.js';
import { cacheByObject } from '../support/caches.js';
import { groupBy } from '../support/collections.js';
import { explainUndocumented } from './explain-undocumented.js';
import { audienceParameter, type FilterSubject, parseFilterParameter } from './operation.js';
import {
  countWindowPlaces,
  findProductIdOfSku,
  type ItemRule,
  indexPositionsById,
  type TargetWorld,
  type Tier,
  type TierRule,
  type World,
  windowSize,
} from './world.js';

/** What the documentation says: something is required, forbidden, or open (a conforming deployment may do either). */
export type Obligation = 'required' | 'forbidden' | 'open';

export type ObligationReason = { readonly obligation: Obligation } & (
  | { readonly is: 'rank'; readonly rank: number }
  | ({ readonly is: 'filter' } & Pick<Filter, 'subject' | 'value'>)
  | { readonly is: 'rule'; readonly rule: TierRule }
);

/** One of two readings for a request with a filter. A deployment must follow one of them for all requests. */
export interface WindowAlternative {
  readonly window: 'before-the-filter' | 'after-the-filter';
  returned(tier: Tier): Obligation;
}

export interface Oracle {
  /** Whether a 2xx response is required if there is a promotion to return. */
  readonly accepted: boolean;
  returned(tier: Tier): Obligation;
  /** Whether a tier is valid for the customer and the order, regardless of filters and window. */
  valid(tier: Tier): Obligation;
  matching(tier: Tier): Obligation;
  /** The tiers that match the filters or may match them, newest first. */
  readonly matched: readonly Tier[];
  /** Whether a tier is checked: the newest 150 are. With a filter, older ones are open, up to the 150th that matches. */
  checked(tier: Tier): Obligation;
  /** The readings of the documentation for a request with one filter. Empty for other requests. */
  readonly alternatives: readonly WindowAlternative[];
  readonly filteredOn?: FilterSubject['on'];
  /** The reasons for a tier: its rank, each filter and each of its rules. Empty if the whole result is open. */
  listReasons(tier: Tier): readonly ObligationReason[];
  /** Why the whole result, or a part of it, is open. */
  readonly openReason?: string;
  /** Why the documentation does not describe this request at all. */
  readonly undocumentedReason?: string;
  /**
   * What it says of a response that returns a tier, if the request leaves out `options`, `metadata` or `order.metadata`:
   * a deployment may demand them, or return nothing without them; otherwise only rules about them are open.
   */
  readonly whenReturning?: Oracle;
}

type KnownWorld = World & Partial<Pick<TargetWorld, 'unavailable' | 'ownPromotions'>>;

/** The body of a documented request. Every member is optional. */
export interface DocumentedRequestBody {
  customer?: { id?: string };
  order?: { items?: Item[]; metadata?: Record<string, string[]> };
  options?: { expand?: string[] };
  metadata?: Record<string, string>;
}

interface Filter {
  readonly subject: FilterSubject;
  readonly value: string;
  /** Why its effect is open. */
  readonly openReason: string | undefined;
}

type Item = ({ product_id: string; sku_id?: never } | { sku_id: string; product_id?: never }) & { quantity?: number };

/**
 * Determines what the documentation says about a request to a deployment that has the world. Open is per tier: a filter
 * always restricts, older tiers are never returned without a filter, tiers for other customers than the named one are never
 * valid, and open filters leave invalid tiers invalid. A request is judged many times, so each oracle is kept.
 */
export function createOracle(request: HttpRequest, world: KnownWorld): Oracle {
  return getOracles(world)(request);
}

const getOracles = cacheByObject((world: KnownWorld) =>
  cacheByObject((request: HttpRequest) => deriveOracle(request, world)),
);

function deriveOracle(request: HttpRequest, world: KnownWorld): Oracle {
  const undocumentedReason = explainUndocumented(request);
  if (undocumentedReason !== undefined) return { ...createOpenOracle(undocumentedReason, world), undocumentedReason };
  const content = parseRequest(request);
  const body = content.body as DocumentedRequestBody;
  const filters = content.query.flatMap(([parameter, value]): Filter[] => {
    const subject = parseFilterParameter(parameter);
    if (subject === undefined) return [];
    return [{ subject, value, openReason: explainOpenFilter(subject, value, request.path, world) }];
  });
  const unknown = explainUnknownId(body, filters, world);
  if (unknown !== undefined) return createOpenOracle(unknown, world);
  const { order, options, metadata } = body;
  const omission = explainLeftOut({ 'order.metadata': order?.metadata, options, metadata });
  const oracle = createPartialOracle(request, filters, world, omission);
  if (omission === undefined) return oracle;
  return { ...oracle, whenReturning: { ...createPartialOracle(request, filters, world), accepted: false } };
}

/**
 * Derives what the documentation says of a request whose ids the world knows.
 *
 * @param omission why the whole result is open because of a member that was left out
 */
function createPartialOracle(
  request: HttpRequest,
  filters: readonly Filter[],
  world: KnownWorld,
  omission?: string,
): Oracle {
  const content = parseRequest(request);
  const body = content.body as DocumentedRequestBody;
  const [filter] = filters;
  const reasons = explainOpenParts(content, filters, world, omission);
  const { openReason } = reasons;
  const judgeOneRule = createRuleJudge(body, world, reasons);
  const valid = (tier: Tier) => openIfPartial(combine(tier.rules, judgeOneRule), openReason);
  const matching = cacheByObject((tier: Tier) => judgeFilters(filters, tier, openReason));
  const mayMatch = listCandidates(filter, reasons.filters, world);
  const matched = filter === undefined ? world.tiers : mayMatch.filter((tier) => matching(tier) !== 'forbidden');
  const checked = createWindowJudge(filters, matched, world, openReason);
  const isDecided = filter !== undefined && openReason === undefined;
  return {
    accepted: reasons.refusal === undefined && !mayBeRefused(request, content, filters, matched, world),
    alternatives: isDecided ? createAlternatives(matched, matching, valid, world) : [],
    valid,
    matching,
    matched,
    checked,
    returned: cacheByObject((tier) => combine([checked, matching, valid], (judge) => judge(tier))),
    listReasons: (tier) => [
      { is: 'rank', rank: getRank(tier, world), obligation: checked(tier) },
      ...filters.map(({ subject, value }) => ({ is: 'filter', subject, value, obligation: matching(tier) }) as const),
      ...tier.rules.map((rule) => {
        return { is: 'rule', rule, obligation: openIfPartial(judgeOneRule(rule), openReason) } as const;
      }),
    ],
    openReason,
    filteredOn: filter?.subject.on,
  };
}

/** Why parts of a request are open. A part without a reason is documented. */
interface OpenParts {
  /** Why the effect of the rules is open, other than those about the customer. */
  readonly rules: string | undefined;
  readonly filters: string | undefined;
  /** Why the request may be refused. */
  readonly refusal: string | undefined;
  /** Why any part of the request is open. */
  readonly openReason: string | undefined;
}

function explainOpenParts(
  { query, body }: DecodedRequest,
  filters: readonly Filter[],
  world: KnownWorld,
  omission: string | undefined,
): OpenParts {
  const documented = body as DocumentedRequestBody;
  const rulesReason = explainOpenRules(documented, world) ?? omission;
  const filtersReason = filters.length > 1 ? 'the combination of several filters is open' : filters[0]?.openReason;
  const isExpandEmpty = documented.options?.expand?.length === 0;
  const expandReason = isExpandEmpty ? 'whether options.expand may be empty is open' : undefined;
  const refusal = rulesReason ?? filtersReason ?? expandReason;
  // A request with this parameter must be accepted, though its effect is open.
  const hasAudience = query.some(([name]) => name === audienceParameter);
  const audienceReason = hasAudience ? `the effect of ${audienceParameter} is open` : undefined;
  return {
    rules: audienceReason ?? rulesReason,
    filters: filtersReason,
    refusal,
    openReason: audienceReason ?? refusal,
  };
}

/** If a part of the request is open, `required` becomes `open`. `forbidden` may still hold. */
function openIfPartial(obligation: Obligation, openReason: string | undefined): Obligation {
  return openReason !== undefined && obligation === 'required' ? 'open' : obligation;
}

function createRuleJudge(
  body: DocumentedRequestBody,
  world: KnownWorld,
  reasons: OpenParts,
): (rule: TierRule) => Obligation {
  const quantities = listQuantities(body.order?.items ?? [], world.skus);
  return (rule) => {
    // A customer rule depends only on the customer, the other rules on the whole body. No rule depends on the filters.
    const isOpen = rule.kind !== 'customer' && reasons.rules !== undefined;
    return isOpen ? 'open' : judgeRule(rule, body, quantities);
  };
}

function judgeFilters(filters: readonly Filter[], tier: Tier, openReason: string | undefined): Obligation {
  if (filters.length < 2)
    return openIfPartial(
      combine(filters, (stated) => judgeFilter(stated, tier)),
      openReason,
    );
  // The combination of several filters is open, but a tier that matches none of them is not returned.
  return filters.every((stated) => judgeFilter(stated, tier) === 'forbidden') ? 'forbidden' : 'open';
}

/** Lists the tiers that a filter may match. Where a documented filter stands alone, an index finds them. */
function listCandidates(filter: Filter | undefined, filtersReason: string | undefined, { tiers }: World) {
  if (filter === undefined || filtersReason !== undefined) return tiers;
  return indexTexts(tiers).get(filter.value.toLowerCase()) ?? [];
}

/** Returns the rank of a tier by age, from 1 for the newest; Infinity for a tier that the world does not have. */
function getRank({ id }: Tier, { tiers }: World): number {
  return (indexPositionsById(tiers).get(id) ?? Number.POSITIVE_INFINITY) + 1;
}

function createWindowJudge(
  filters: readonly Filter[],
  matched: readonly Tier[],
  world: KnownWorld,
  openReason: string | undefined,
): Oracle['checked'] {
  const size = countWindowPlaces(world);
  // Of the tiers that match, too, the newest 150 are returned at most, whatever else is open.
  const isCertain = (tier: Tier) =>
    world.unavailable?.has(tier.id) !== true && filters.every((stated) => judgeFilter(stated, tier) === 'required');
  const lastMatch = filters.length === 1 ? matched.filter(isCertain)[windowSize - 1] : undefined;
  return (tier) => {
    const rank = getRank(tier, world);
    if (rank <= size) return openIfPartial('required', openReason);
    const mayBeReached = lastMatch === undefined || rank <= getRank(lastMatch, world);
    return filters.length > 0 && mayBeReached ? 'open' : 'forbidden';
  };
}

/** Whether a deployment may refuse a request although it is documented. */
function mayBeRefused(
  request: HttpRequest,
  content: DecodedRequest,
  filters: readonly Filter[],
  matched: readonly Tier[],
  world: KnownWorld,
): boolean {
  const size = countWindowPlaces(world);
  return (
    // A server may require Content-Length (RFC 9112, section 6.3) or refuse HTTP/1.0.
    findRefusableEncoding(request) !== undefined ||
    hasRefusableHeader(content) ||
    // Some databases store no NUL. Ordinary servers refuse control characters in a query, encoded or not.
    JSON.stringify(content).includes('\\u0000') ||
    filters.some((stated) => comparesOtherTypes(stated, world.tiers)) ||
    // An empty result may look like anything, and all that match may be too old.
    (matched.length > 0 && !matched.some((tier) => getRank(tier, world) <= size))
  );
}

/** Lists the tiers about which the readings of the documentation differ: both forbid what does not match the filter. */
export const listWindowDependentTiers = cacheByObject(({ alternatives, matched }: Oracle): readonly Tier[] => {
  if (alternatives.length === 0) return [];
  return matched.filter((tier) => new Set(alternatives.map(({ returned }) => returned(tier))).size > 1);
});

function createOpenOracle(openReason: string, { tiers }: World): Oracle {
  const open = () => 'open' as const;
  const obligations = { valid: open, matching: open, checked: open, returned: open };
  return { accepted: false, openReason, ...obligations, matched: tiers, alternatives: [], listReasons: () => [] };
}

function createAlternatives(
  matched: readonly Tier[],
  matching: Oracle['matching'],
  valid: Oracle['valid'],
  world: KnownWorld,
): WindowAlternative[] {
  const size = countWindowPlaces(world);
  const newest = new Set(world.tiers.slice(0, size));
  // Tiers that the deployment lacks take no places. The comparison of some values is open, so the number of newer
  // matching tiers may vary. Promotions of the deployment may match.
  const atMost = new Set<Tier>();
  const atLeast = new Set<Tier>();
  for (const tier of matched) {
    if (atLeast.size === windowSize) break;
    if (world.unavailable?.has(tier.id)) continue;
    if (atMost.size < size) atMost.add(tier);
    if (matching(tier) === 'required') atLeast.add(tier);
  }
  const checkedBefore = (tier: Tier) => requireIf(newest.has(tier));
  const checkedAfter = (tier: Tier) => (atLeast.has(tier) && !atMost.has(tier) ? 'open' : requireIf(atMost.has(tier)));
  const combineWith = (checked: Oracle['checked']) =>
    cacheByObject((tier: Tier) => combine([checked, matching, valid], (judge) => judge(tier)));
  return [
    { window: 'before-the-filter', returned: combineWith(checkedBefore) },
    { window: 'after-the-filter', returned: combineWith(checkedAfter) },
  ];
}

/** Whether headers ask for something that a server may refuse: another format, a coding or an expectation. */
function hasRefusableHeader({ headers }: DecodedRequest): boolean {
  const { accept = [], expect, 'transfer-encoding': coding } = headers;
  const acceptsJson = accept.length === 0 || accept.some((types) => /\*\/\*|application\/\*|json/i.test(types));
  return !acceptsJson || expect !== undefined || coding !== undefined;
}

/** Tiers by the texts that filters compare, in lower case: a data file has thousands of tiers. */
const indexTexts = cacheByObject((tiers: readonly Tier[]): ReadonlyMap<string, readonly Tier[]> => {
  const texts = tiers.flatMap((tier) =>
    [...new Set([tier.campaign_id, ...Object.values(tier.metadata)].map((text) => String(text).toLowerCase()))].map(
      (text) => ({ text, tier }),
    ),
  );
  return new Map([...groupBy(texts, ({ text }) => text)].map(([text, found]) => [text, found.map(({ tier }) => tier)]));
});

function combine<T>(all: readonly T[], judge: (item: T) => Obligation): Obligation {
  let combined: Obligation = 'required';
  for (const item of all) {
    const obligation = judge(item);
    if (obligation === 'forbidden') return obligation;
    if (obligation === 'open') combined = obligation;
  }
  return combined;
}

function requireIf(condition: boolean): Obligation {
  return condition ? 'required' : 'forbidden';
}

function explainUnknownId(body: DocumentedRequestBody, filters: readonly Filter[], world: World): string | undefined {
  const { customers, products, skus, campaigns } = world;
  const named = [
    ['customer', customers, body.customer?.id] as const,
    ...(body.order?.items ?? []).flatMap(({ product_id, sku_id }) => [
      ['product', products, product_id] as const,
      ['SKU', skus, sku_id] as const,
    ]),
    ...filters.flatMap(({ subject, value }) =>
      subject.on === 'campaign' && value !== '' ? [['campaign', campaigns, value] as const] : [],
    ),
  ];
  const unknown = named.find(([, things, id]) => id !== undefined && !indexPositionsById(things).has(id));
  return unknown && `the effect of an unknown ${unknown[0]} is open: ${unknown[2]}`;
}

function explainLeftOut(members: Readonly<Record<string, unknown>>): string | undefined {
  const name = Object.keys(members).find((member) => members[member] === undefined);
  return name && `the effect of leaving out ${name} is open`;
}

function explainOpenRules({ customer, order }: DocumentedRequestBody, { skus }: World): string | undefined {
  const items = order?.items ?? [];
  const products = new Set(items.flatMap(({ product_id }) => product_id ?? []));
  const ordered = items.flatMap(({ sku_id }) => sku_id ?? []);
  const isOrderedTwice = ordered.some((id) => products.has(findProductIdOfSku(skus, id) ?? ''));
  const reasons: readonly (readonly [applies: boolean, reason: string])[] = [
    [items.length === 0, 'the effect of an order without items is open'],
    [items.some(({ quantity }) => quantity === undefined), 'the effect of an item without quantity is open'],
    [items.some(({ quantity = 1 }) => quantity < 1), 'the effect of a quantity below 1 is open'],
    [items.some(({ quantity = 1 }) => quantity > 1_000_000), 'the maximum quantity is open'],
    [items.length > 100, 'the maximum number of items is open'],
    [new Set(ordered).size < ordered.length, 'whether a SKU may be repeated is open'],
    [isOrderedTwice, 'the effect of a product and its own SKU in one order is open'],
  ];
  const leftOut = explainLeftOut({ customer, 'customer.id': customer?.id, order, 'order.items': order?.items });
  return leftOut ?? reasons.find(([applies]) => applies)?.[1];
}

function explainOpenFilter(subject: FilterSubject, value: string, path: string, { tiers }: World): string | undefined {
  // It is a space in HTML forms, and a plus sign in RFC 3986.
  if (path.includes('+')) return 'the meaning of + in the query is open';
  if (value === '') return 'the effect of a filter with an empty value is open';
  if (subject.on !== 'metadata') return undefined;
  // A server may decode percent escapes before it looks for the brackets around the key.
  if (/[[\]]/.test(subject.key)) return `how a filter names a metadata key with brackets is open: ${subject.key}`;
  if (tiers.some(({ metadata }) => Object.hasOwn(metadata, subject.key))) return undefined;
  return `the effect of a metadata key that no tier has is open: ${subject.key}`;
}

/** Whether a tier has the value of a metadata filter as a number or a boolean. */
function comparesOtherTypes({ subject, value }: Filter, tiers: readonly Tier[]): boolean {
  if (subject.on !== 'metadata') return false;
  return tiers.some(({ metadata }) => {
    const entry: unknown = Object.hasOwn(metadata, subject.key) ? metadata[subject.key] : undefined;
    return typeof entry !== 'string' && String(entry) === value;
  });
}

function judgeRule(
  rule: TierRule,
  { customer, metadata }: DocumentedRequestBody,
  quantities: OrderedQuantities,
): Obligation {
  if (rule.kind === 'customer')
    return customer?.id === undefined ? 'open' : requireIf(rule.any_of.includes(customer.id));
  if ('id' in rule) return judgeQuantity(rule, quantities);
  return rule.kind === 'metadata' && metadata !== undefined ? judgeEntry(metadata, rule.key, rule.is) : 'open';
}

type OrderedQuantities = ReturnType<typeof listQuantities>;

/** Lists the quantities of the items of an order by what they name. Those of SKUs also by their products. */
function listQuantities(items: readonly Item[], skus: World['skus']) {
  const list = (identify: (item: Item) => string | undefined): ReadonlyMap<string, readonly number[]> => {
    const named = groupBy(items, (item) => identify(item) ?? '');
    return new Map([...named].map(([id, found]) => [id, found.map(({ quantity = 1 }) => quantity)]));
  };
  return {
    product: list(({ product_id }) => product_id),
    sku: list(({ sku_id }) => sku_id),
    skuByProduct: list(({ sku_id }) => sku_id && findProductIdOfSku(skus, sku_id)),
  };
}

/** Judges whether items reach a threshold. The documentation leaves open how items with equal ids add up. */
function judgeQuantity({ kind, id, at_least }: ItemRule, quantities: OrderedQuantities): Obligation {
  const certain = quantities[kind].get(id) ?? [];
  if (certain.length > 0 && Math.min(...certain) >= at_least) return 'required';
  // A SKU may or may not count as its product.
  const possible = (kind === 'product' && quantities.skuByProduct.get(id)) || [];
  const total = [...certain, ...possible].reduce((sum, quantity) => sum + quantity, 0);
  return total >= at_least ? 'open' : 'forbidden';
}

function judgeFilter({ subject, value, openReason }: Filter, tier: Tier): Obligation {
  if (openReason !== undefined) return 'open';
  if (subject.on === 'campaign') return requireIf(tier.campaign_id === value);
  return judgeEntry(tier.metadata, subject.key, value);
}

/** Judges whether metadata has an entry. Open: whether letter case matters, and how other types than strings compare. */
function judgeEntry(metadata: Readonly<Record<string, unknown>>, key: string, value: string): Obligation {
  if (Object.hasOwn(metadata, key) && metadata[key] === value) return 'required';
  const isAlike = (text: string, stated: string) => text === stated || text.toLowerCase() === stated.toLowerCase();
  const isOpen = Object.entries(metadata).some(([name, entry]) => isAlike(name, key) && isAlike(String(entry), value));
  return isOpen ? 'open' : 'forbidden';
}
