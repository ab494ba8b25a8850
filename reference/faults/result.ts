import { type Asked, nothingAsked } from '../asked.js';
import type { Parts } from '../parts.js';
import {
  additions,
  also,
  bothFilters,
  type Collateral,
  type Fault,
  isReservedForSome,
  isSaid,
  type Requirement,
} from './fault.js';

/** What is cut off the valid ones. */
function cutFault(id: string, story: string, page: Parts['page'], collateral: Collateral = {}): Fault {
  return { id, breaks: 'result.all-valid', story, collateral, change: () => ({ page }) };
}

function pageFault(size: number, collateral: Collateral = {}): Fault {
  return cutFault(
    `page-of-${size}`,
    `The answer is a list of pages of ${size}, and nothing leads to the next one.`,
    (tiers) => tiers.slice(0, size),
    collateral,
  );
}

/** Valid ones that are not returned. */
const incomplete: readonly Fault[] = [
  pageFault(10, also({ lacking: ['limit.newest-150'], control: [...additions, 'result.valid-only'] })),
  pageFault(20, also({ lacking: ['limit.newest-150'], control: bothFilters })),
  pageFault(50, also({ lacking: ['limit.newest-150'], control: bothFilters })),
  pageFault(100, also({ lacking: ['limit.newest-150'], control: bothFilters })),
  cutFault(
    'first-tier-only',
    'The search ends at the first tier that is valid.',
    (tiers) => tiers.slice(0, 1),
    also({
      lacking: [
        'customer.by-id',
        'metadata.promotion-rules',
        'order.product-item',
        'order.sku-item',
        'order.quantity',
        'limit.newest-150',
      ],
      same: ['request.get-with-body'],
      control: [...additions, 'order.repeated-product', 'result.valid-only'],
    }),
  ),
  cutFault(
    'one-tier-per-campaign',
    'The tiers are put into a map by their campaign, of which one remains.',
    (tiers) => [...new Map(tiers.map((tier) => [tier.campaign_id, tier])).values()],
    also({
      lacking: ['order.quantity'],
      same: ['request.get-with-body'],
      control: [
        ...additions,
        'customer.by-id',
        'metadata.promotion-rules',
        'order.product-item',
        'order.sku-item',
        'order.repeated-product',
        'result.valid-only',
      ],
    }),
  ),
  {
    id: 'ends-at-first-invalid',
    breaks: 'result.all-valid',
    story: 'The loop over the tiers is left, rather than continued, at one that is not valid.',
    collateral: also({
      lacking: [
        'customer.by-id',
        'metadata.promotion-rules',
        'order.product-item',
        'order.sku-item',
        'order.quantity',
        'limit.newest-150',
      ],
      control: [...additions, 'order.repeated-product', 'result.valid-only'],
    }),
    change: (parts) => ({
      select(asked) {
        const checked = parts.candidates(asked);
        const valid = parts.select(asked);
        const end = checked.findIndex((tier) => !valid.includes(tier));
        return end < 0 ? checked : checked.slice(0, end);
      },
    }),
  },
  {
    id: 'tiers-without-rules-left-out',
    breaks: 'result.all-valid',
    story: 'A tier is joined with its rules, and one that has none disappears.',
    collateral: also({
      lacking: ['limit.newest-150'],
      control: [
        ...additions,
        'customer.by-id',
        'metadata.promotion-rules',
        'order.product-item',
        'order.sku-item',
        'result.valid-only',
      ],
    }),
    change: (parts) => ({ isValid: (tier, asked) => tier.rules.length > 0 && parts.isValid(tier, asked) }),
  },
  {
    id: 'nothing-without-a-reservation',
    breaks: 'result.all-valid',
    story: 'Tiers are looked up by the customer’s reservations, and a customer who has none gets nothing.',
    collateral: also({
      lacking: ['customer.by-id', 'order.quantity', 'limit.newest-150'],
      control: [
        ...additions,
        'metadata.promotion-rules',
        'order.product-item',
        'order.sku-item',
        'order.repeated-product',
        'result.valid-only',
      ],
    }),
    change: (parts, setting) => ({
      select: (asked) => (isReservedForSome(setting, asked.customer) ? parts.select(asked) : []),
    }),
  },
  {
    id: 'reservations-displace-the-rest',
    breaks: 'result.all-valid',
    story: 'A customer for whom something is reserved gets that and nothing else.',
    collateral: also({
      lacking: ['limit.newest-150'],
      control: [...bothFilters, 'customer.by-id', 'result.valid-only'],
    }),
    change: (parts) => ({
      select(asked) {
        const valid = parts.select(asked);
        const reserved = valid.filter(({ rules }) => rules.some(({ kind }) => kind === 'customer'));
        return reserved.length > 0 ? reserved : valid;
      },
    }),
  },
];

const incompleteForSome: readonly Fault[] = [
  {
    id: 'page-of-100-with-expand',
    breaks: 'result.all-valid',
    story: 'With categories joined, the answer is cut to a page of 100.',
    collateral: also({ lacking: ['limit.newest-150'] }),
    change: (parts) => ({
      select: (asked) => parts.select(asked).slice(0, asked.expand.length > 0 ? 100 : undefined),
    }),
  },
  {
    id: 'items-of-the-first-page-only',
    breaks: 'result.all-valid',
    story: 'Of an order the first five items are read.',
    change: (parts) => ({ linesOf: (items) => parts.linesOf(items).filter(({ item }) => item < 5) }),
  },
];

/** What fails where no rule is looked at. */
const ruled: readonly Requirement[] = [
  'customer.by-id',
  'metadata.promotion-rules',
  'order.product-item',
  'order.sku-item',
  'order.quantity',
  'order.repeated-product',
];

/** Ones that are not valid, and are returned. */
const unsound: readonly Fault[] = [
  {
    id: 'older-matches-unchecked',
    breaks: 'result.valid-only',
    story: 'What a filter finds among older tiers is added to the result, without a look at the rules.',
    change: (parts, { catalogue }) => ({
      select(asked) {
        const test = parts.restriction(asked);
        return test === undefined
          ? parts.select(asked)
          : [...parts.select(asked), ...catalogue.tiers.slice(150).filter(test)];
      },
    }),
  },
  {
    id: 'orders-of-wholesale-unchecked',
    breaks: 'result.valid-only',
    story: 'For customers with very many reservations the order is not looked at.',
    change: (parts, setting) => {
      const isWholesale = ({ customer }: Asked) =>
        setting.catalogue.tiers.filter((tier) =>
          tier.rules.some(
            (rule) => rule.kind === 'customer' && parts.customerRule(rule, { ...nothingAsked, customer }),
          ),
        ).length > 50;
      return {
        productRule: (rule, asked) => isWholesale(asked) || parts.productRule(rule, asked),
        skuRule: (rule, asked) => isWholesale(asked) || parts.skuRule(rule, asked),
      };
    },
  },
  {
    id: 'one-rule-suffices',
    breaks: 'result.valid-only',
    story: 'The rules of a tier are joined by "or".',
    change: (parts) => ({
      isValid: ({ rules }, asked) => rules.length === 0 || rules.some((rule) => parts.holds(rule, asked)),
    }),
  },
  {
    id: 'first-rule-only',
    breaks: 'result.valid-only',
    story: 'The loop over the rules returns at the first one.',
    change: (parts) => ({ isValid: ({ rules }, asked) => rules.slice(0, 1).every((rule) => parts.holds(rule, asked)) }),
  },
  {
    id: 'last-rule-only',
    breaks: 'result.valid-only',
    story: 'The result of each rule overwrites that of the rule before.',
    change: (parts) => ({ isValid: ({ rules }, asked) => rules.slice(-1).every((rule) => parts.holds(rule, asked)) }),
  },
  {
    id: 'one-rule-of-a-kind',
    breaks: 'result.valid-only',
    story: 'The rules of a tier are kept in a map by their kind, of which one remains.',
    change: (parts) => ({
      isValid: ({ rules }, asked) =>
        [...new Map(rules.map((rule) => [rule.kind, rule])).values()].every((rule) => parts.holds(rule, asked)),
    }),
  },
  ruleless(
    'order-metadata',
    'The query with order metadata was written anew, without the rules.',
    ({ orderMetadata }) => isSaid(orderMetadata),
    also({ extra: ['metadata.promotion-rules'] }),
  ),
  ruleless(
    'metadata',
    'The query with metadata was written anew, with its rules alone.',
    ({ metadata }) => isSaid(metadata),
    also({ extra: ['metadata.promotion-rules'] }),
  ),
  ruleless(
    'expand',
    'The query that joins the categories was written anew, without the rules.',
    ({ expand }) => expand.length > 0,
  ),
  {
    id: 'product-rules-waived-with-a-sku',
    breaks: 'result.valid-only',
    story: 'An order with a SKU is checked for SKUs alone.',
    collateral: also({ extra: ['order.product-item'] }),
    change: (parts) => ({ productRule: (rule, asked) => hasSku(asked) || parts.productRule(rule, asked) }),
  },
  {
    id: 'filter-in-place-of-rules',
    breaks: 'result.valid-only',
    story: 'With a filter, what it lets through is returned without a look at the rules.',
    collateral: { 'filter.promotion-id': 'more is returned with the filter than without it' },
    change: (parts) => ({ isValid: (tier, asked) => asked.filters.length > 0 || parts.isValid(tier, asked) }),
  },
  {
    id: 'rules-unused',
    breaks: 'result.valid-only',
    story: 'Whether a tier is valid is computed, but all that were checked are returned.',
    collateral: also({
      extra: ruled,
      same: ['request.get-with-body'],
    }),
    change: (parts) => ({ select: parts.candidates }),
  },
  {
    id: 'promotions-listed',
    breaks: 'result.valid-only',
    story: 'The operation is an alias of the one that lists all promotions.',
    collateral: also({
      extra: [...bothFilters, ...ruled, 'limit.newest-150'],
      same: ['request.get-with-body'],
    }),
    change: (_, { catalogue }) => ({ select: () => catalogue.tiers }),
  },
];

/** The rules are lost when a request says a certain thing. */
function ruleless(what: string, story: string, when: (asked: Asked) => boolean, collateral: Collateral = {}): Fault {
  return {
    id: `rules-lost-with-${what}`,
    breaks: 'result.valid-only',
    story,
    collateral,
    change: (parts) => ({ isValid: (tier, asked) => when(asked) || parts.isValid(tier, asked) }),
  };
}

function hasSku({ lines }: Asked): boolean {
  return lines.some(({ as }) => as === 'sku');
}

/** What is returned of what was checked. */
export const resultFaults: readonly Fault[] = [...incomplete, ...incompleteForSome, ...unsound];
