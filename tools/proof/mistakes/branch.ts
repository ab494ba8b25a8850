import type { Handlers } from '../../../reference/deployment/handlers.js';
import { isObject, type Members } from '../../../reference/deployment/json.js';
import type { ParsedQuery } from '../../../reference/deployment/parsed-request.js';
import type { Mistake } from './mistake.js';

/** A kind of request for which a developer may have written a branch of its own. */
export interface Condition {
  readonly id: string;
  /** As a part of a sentence: "with expand". */
  readonly what: string;
  /** A request meets at most one condition of an axis. */
  readonly axis: string;
  /** The question that leaves a part of such a request open, if any. */
  readonly question?: string;
  /** Conditions of other axes that no request meets beside this one. */
  readonly excludes?: readonly string[];
  isMet(members: Members, query: ParsedQuery): boolean;
}

const orderOf = ({ order }: Members): Members => (isObject(order) ? order : {});
const itemsOf = (members: Members): readonly Members[] => {
  const { items } = orderOf(members);
  return Array.isArray(items) ? items.filter(isObject) : [];
};
const hasEntries = (value: unknown): boolean => isObject(value) && Object.keys(value).length > 0;
const repeats = (ids: readonly unknown[]): boolean => new Set(ids).size < ids.length;
const idsOf = (members: Members, name: 'product_id' | 'sku_id'): unknown[] =>
  itemsOf(members).flatMap((item) => item[name] ?? []);
const fieldsOf = ({ filters }: ParsedQuery): string => filters.map(({ field }) => field).join(' ');

export const conditions: readonly Condition[] = [
  {
    id: 'no-customer',
    what: 'without customer',
    axis: 'customer',
    question: 'omitted-customer',
    isMet: ({ customer }) => customer === undefined,
  },
  {
    id: 'empty-object',
    excludes: ['order-metadata', 'expand', 'metadata', 'campaign-filter', 'metadata-filter', 'no-filter'],
    what: 'with an empty object as body',
    axis: 'customer',
    question: 'empty-object',
    isMet: (members) => Object.keys(members).length === 0,
  },
  {
    id: 'no-order',
    excludes: ['order-metadata'],
    what: 'without order',
    axis: 'items',
    question: 'omitted-order',
    isMet: ({ order }) => order === undefined,
  },
  {
    id: 'no-items',
    what: 'without items',
    axis: 'items',
    question: 'empty-items',
    isMet: (members) => members.order !== undefined && itemsOf(members).length === 0,
  },
  {
    id: 'products-alone',
    what: 'with products and no SKU',
    axis: 'items',
    isMet: (members) => itemsOf(members).length > 0 && idsOf(members, 'sku_id').length === 0,
  },
  {
    id: 'skus-alone',
    excludes: ['repeated-product'],
    what: 'with SKUs and no product',
    axis: 'items',
    isMet: (members) => itemsOf(members).length > 0 && idsOf(members, 'product_id').length === 0,
  },
  {
    id: 'products-and-skus',
    what: 'with products and SKUs',
    axis: 'items',
    isMet: (members) => idsOf(members, 'sku_id').length > 0 && idsOf(members, 'product_id').length > 0,
  },
  {
    id: 'repeated-product',
    what: 'with a product twice',
    axis: 'repetition',
    isMet: (members) => repeats(idsOf(members, 'product_id')),
  },
  {
    id: 'repeated-sku',
    what: 'with a SKU twice',
    axis: 'repetition',
    question: 'repeated-sku',
    isMet: (members) => repeats(idsOf(members, 'sku_id')),
  },
  {
    id: 'quantity-above-1',
    what: 'with a quantity above 1',
    axis: 'quantity',
    isMet: (members) => itemsOf(members).some(({ quantity }) => Number(quantity) > 1),
  },
  {
    id: 'no-quantity',
    what: 'without a quantity',
    axis: 'absent quantity',
    question: 'missing-quantity',
    isMet: (members) => itemsOf(members).some(({ quantity }) => quantity === undefined),
  },
  {
    id: 'quantity-0',
    what: 'with a quantity of 0',
    axis: 'zero',
    question: 'quantity-zero',
    isMet: (members) => itemsOf(members).some(({ quantity }) => quantity === 0),
  },
  {
    id: 'order-metadata',
    what: 'with order metadata',
    axis: 'order metadata',
    isMet: (members) => hasEntries(orderOf(members).metadata),
  },
  {
    id: 'no-order-metadata',
    // The suite omits all three together beside a filter, to save requests.
    excludes: ['expand', 'metadata'],
    what: 'without order metadata',
    axis: 'order metadata',
    question: 'omitted-order-metadata',
    isMet: (members) => isObject(members.order) && members.order.metadata === undefined,
  },
  { id: 'expand', what: 'with expand', axis: 'options', isMet: ({ options }) => hasEntries(options) },
  {
    id: 'no-options',
    // The suite omits all three together beside a filter, to save requests.
    excludes: ['metadata', 'order-metadata'],
    what: 'without options',
    axis: 'options',
    question: 'omitted-options',
    isMet: ({ options }) => options === undefined,
  },
  { id: 'metadata', what: 'with metadata', axis: 'metadata', isMet: ({ metadata }) => hasEntries(metadata) },
  {
    id: 'no-metadata',
    // The suite omits all three together beside a filter, to save requests.
    excludes: ['expand', 'order-metadata'],
    what: 'without metadata',
    axis: 'metadata',
    question: 'omitted-metadata',
    isMet: ({ metadata }) => metadata === undefined,
  },
  {
    id: 'campaign-filter',
    what: 'with a campaign filter',
    axis: 'filters',
    isMet: (_, query) => fieldsOf(query) === 'promotion_id',
  },
  {
    id: 'metadata-filter',
    what: 'with a metadata filter',
    axis: 'filters',
    isMet: (_, query) => fieldsOf(query) === 'metadata',
  },
  {
    id: 'both-filters',
    // The suite sends one such request, and nothing else in it.
    excludes: ['expand', 'metadata', 'order-metadata'],
    what: 'with a campaign filter before a metadata filter',
    axis: 'filters',
    question: 'filter-combination',
    isMet: (_, query) => fieldsOf(query) === 'promotion_id metadata',
  },
  {
    id: 'both-filters-reversed',
    what: 'with a metadata filter before a campaign filter',
    axis: 'filters',
    question: 'filter-combination',
    isMet: (_, query) => fieldsOf(query) === 'metadata promotion_id',
  },
  { id: 'no-filter', what: 'without a filter', axis: 'filters', isMet: (_, query) => fieldsOf(query) === '' },
  {
    id: 'audience-rules-only',
    what: 'with audienceRulesOnly',
    axis: 'audience',
    question: 'audience-rules-only-effect',
    isMet: (_, { audienceRulesOnly }) => audienceRulesOnly,
  },
];

/** What is lost in a branch. */
export interface Loss {
  readonly breaks: string;
  /** Whether it still binds where a part of the request is open. */
  readonly bindsWhereOpen: boolean;
  readonly change: (handlers: Handlers) => Partial<Handlers>;
}

const loss = (
  id: string,
  story: string,
  breaks: string,
  change: Loss['change'],
  bindsWhereOpen = false,
): Mistake<Loss> => ({
  id,
  story,
  plug: { breaks, bindsWhereOpen, change },
});

export const branchMistakes: readonly Mistake<Loss>[] = [
  loss(
    'window-lost',
    'The limit to the newest tiers is forgotten.',
    'limit.newest-150',
    () => ({ newest: (tiers) => tiers }),
    true,
  ),
  loss(
    'reservations-lost',
    'Reservations are not checked.',
    'customer.by-id',
    () => ({ customerRule: () => true }),
    true,
  ),
  loss(
    'filters-lost',
    'The filters are passed over.',
    'filter.promotion-id',
    () => ({ restriction: () => undefined }),
    true,
  ),
  loss('product-rules-lost', 'Rules about products are not checked.', 'order.product-item', () => ({
    productRule: () => true,
  })),
  loss('sku-rules-lost', 'Rules about SKUs are not checked.', 'order.sku-item', () => ({ skuRule: () => true })),
  loss('metadata-rules-lost', 'Rules about metadata are not checked.', 'metadata.promotion-rules', () => ({
    metadataRule: () => true,
  })),
  loss('all-rules-lost', 'No rule is checked.', 'result.valid-only', () => ({ isValid: () => true })),
  loss('quantities-lost', 'Thresholds are not compared.', 'order.quantity', () => ({
    isEnough: (quantity) => quantity > 0,
  })),
  loss('items-unread', 'The items are not read.', 'order.product-item', () => ({ linesOf: () => [] })),
  loss('metadata-unread', 'The metadata is not read.', 'metadata.promotion-rules', () => ({ metadataOf: () => ({}) })),
  loss('customer-unread', 'The customer is not read.', 'customer.by-id', () => ({ customerOf: () => undefined })),
  loss('page-of-10', 'The result is cut to a page of 10.', 'result.all-valid', () => ({
    page: (tiers) => tiers.slice(0, 10),
  })),
];

/** What is lost of promotions with several rules, in documented requests of one kind. */
export const severalRulesMistakes: readonly Mistake<Loss>[] = (
  [
    ['customer', 'customer.by-id'],
    ['product', 'order.product-item'],
    ['sku', 'order.sku-item'],
    ['metadata', 'metadata.promotion-rules'],
  ] as const
).map(([kind, breaks]) =>
  loss(
    `${kind}-rules-lost-among-others`,
    `Of several rules, those of the kind ${kind} are not checked.`,
    breaks,
    (handlers) => ({
      isValid: (tier, request) =>
        handlers.isValid(
          tier.rules.length > 1 ? { ...tier, rules: tier.rules.filter((rule) => rule.kind !== kind) } : tier,
          request,
        ),
    }),
  ),
);

/** What is lost beside that for some customers, who send every documented kind of request. */
export const customerMistakes: readonly Mistake<Loss>[] = [
  loss('product-rules-unmet', 'No product counts.', 'order.product-item', () => ({ productRule: () => false })),
  loss('sku-rules-unmet', 'No SKU counts.', 'order.sku-item', () => ({ skuRule: () => false })),
  loss('campaign-filter-lost', 'The campaign filter is passed over.', 'filter.promotion-id', () => ({
    inCampaign: () => true,
  })),
  loss('metadata-filter-lost', 'The metadata filter is passed over.', 'filter.tier-metadata', () => ({
    hasMetadata: () => true,
  })),
];
