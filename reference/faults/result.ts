import type { TierRule } from '../../src/contract/world.js';
import type { ParsedRequest } from '../deployment/parsed-request.js';
import { type Fault, isReservedForSome } from './fault.js';

/** Valid ones that are not returned. */
const incomplete: readonly Fault[] = [
  {
    id: 'ends-at-first-invalid',
    breaks: 'result.all-valid',
    story: 'The loop over the tiers ends at the first one that is not valid: "break" is written for "continue".',
    sentence: 'The promotions after the first one that is not valid are missing.',
    change: (handlers) => ({
      select(request) {
        const checked = handlers.candidates(request);
        const valid = handlers.select(request);
        const end = checked.findIndex((tier) => !valid.includes(tier));
        return end < 0 ? checked : checked.slice(0, end);
      },
    }),
  },
  {
    id: 'nothing-without-a-reservation',
    breaks: 'result.all-valid',
    story: 'Tiers are looked up by the customer’s reservations, and a customer without any gets nothing.',
    sentence: 'A customer for whom nothing is reserved gets nothing.',
    change: (handlers, facts) => ({
      select: (request) => (isReservedForSome(facts, request.customer) ? handlers.select(request) : []),
    }),
  },
  {
    id: 'reservations-displace-the-rest',
    breaks: 'result.all-valid',
    story: 'A customer for whom something is reserved gets that and nothing else.',
    sentence: 'A customer for whom something is reserved gets nothing else.',
    change: (handlers) => ({
      select(request) {
        const valid = handlers.select(request);
        const reserved = valid.filter(({ rules }) => rules.some(({ kind }) => kind === 'customer'));
        return reserved.length > 0 ? reserved : valid;
      },
    }),
  },
];

/** Ones that are not valid, and are returned. */
const invalid: readonly Fault[] = [
  {
    id: 'older-matches-unchecked',
    breaks: 'result.valid-only',
    story: 'Older tiers that match a filter are added to the result, and their rules are not checked.',
    sentence: 'With a filter, older promotion tiers that match are returned although their rules do not hold.',
    change: (handlers, { catalogue }) => ({
      select(request) {
        const test = handlers.restriction(request);
        return test === undefined
          ? handlers.select(request)
          : [...handlers.select(request), ...catalogue.tiers.slice(150).filter(test)];
      },
    }),
  },
  {
    id: 'one-rule-suffices',
    breaks: 'result.valid-only',
    story: 'The rules of a tier are joined by "or".',
    sentence: 'A promotion is returned as soon as one of its rules holds: the rules are joined by "or", not by "and".',
    change: (handlers) => ({
      isValid: ({ rules }, request) => rules.length === 0 || rules.some((rule) => handlers.holds(rule, request)),
    }),
  },
  {
    id: 'first-rule-only',
    breaks: 'result.valid-only',
    story: 'The loop over the rules returns at the first one.',
    sentence: 'Only the first rule of a promotion is evaluated.',
    change: (handlers) => ({
      isValid: ({ rules }, request) => rules.slice(0, 1).every((rule) => handlers.holds(rule, request)),
    }),
  },
  {
    id: 'last-rule-only',
    breaks: 'result.valid-only',
    story: 'Each rule overwrites what the one before it has found.',
    sentence: 'Only the last rule of a promotion is evaluated.',
    change: (handlers) => ({
      isValid: ({ rules }, request) => rules.slice(-1).every((rule) => handlers.holds(rule, request)),
    }),
  },
  {
    id: 'first-rule-of-each-kind',
    breaks: 'result.valid-only',
    story: 'The rules are kept in a map by their kind, and the first one stays.',
    sentence: 'Of several rules of one kind, only the first is evaluated.',
    change: (handlers) => ({
      isValid: ({ rules }, request) => keepOneOfEachKind(rules).every((rule) => handlers.holds(rule, request)),
    }),
  },
  {
    id: 'last-rule-of-each-kind',
    breaks: 'result.valid-only',
    story: 'The rules are kept in a map by their kind, and the last one replaces those before it.',
    sentence: 'Of several rules of one kind, only the last is evaluated.',
    change: (handlers) => ({
      isValid: ({ rules }, request) =>
        keepOneOfEachKind(rules.toReversed()).every((rule) => handlers.holds(rule, request)),
    }),
  },
  {
    id: 'product-rules-waived-with-a-sku',
    breaks: 'result.valid-only',
    story: 'In an order with a SKU, only rules about SKUs are checked.',
    sentence: 'Rules about products are ignored if the order has a SKU.',
    change: (handlers) => ({ productRule: (rule, request) => hasSku(request) || handlers.productRule(rule, request) }),
  },
  {
    id: 'filter-in-place-of-rules',
    breaks: 'result.valid-only',
    story: 'With a filter, all tiers that match are returned, and no rule is checked.',
    sentence: 'With a filter, rules are ignored: everything that matches is returned.',
    change: (handlers) => ({
      isValid: (tier, request) => request.filters.length > 0 || handlers.isValid(tier, request),
    }),
  },
  {
    id: 'promotions-listed',
    breaks: 'result.valid-only',
    story: 'The operation is an alias of the one that lists all promotions.',
    sentence: 'Every promotion is returned, whatever the request asks for.',
    change: (_, { catalogue }) => ({ select: () => catalogue.tiers }),
  },
  {
    id: 'one-rule-of-each-kind-suffices',
    breaks: 'result.valid-only',
    story: 'Of several rules of one kind, one has to hold.',
    sentence: 'Of several rules of one kind, one is enough: they are joined by "or", not by "and".',
    change: (handlers) => ({
      isValid: ({ rules }, request) =>
        rules.every(({ kind }) => rules.some((rule) => rule.kind === kind && handlers.holds(rule, request))),
    }),
  },
];

function hasSku({ lines }: ParsedRequest): boolean {
  return lines.some(({ as }) => as === 'sku');
}

/** What is returned of what was checked. */
export const resultFaults: readonly Fault[] = [...incomplete, ...invalid];

/** Keeps the first rule of each kind. */
function keepOneOfEachKind(rules: readonly TierRule[]): TierRule[] {
  return [...new Map(rules.toReversed().map((rule) => [rule.kind, rule])).values()];
}
