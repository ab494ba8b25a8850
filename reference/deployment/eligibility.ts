import { createDecider } from './decider.js';
import type { DeploymentFacts, EligibilityHandlers, HandlerLookup, TierTest } from './handlers.js';
import { type Filter, type ParsedRequest, waived } from './parsed-request.js';

const windowSize = 150;

export function createEligibilityHandlers(
  handlers: HandlerLookup,
  { catalogue, behaviours }: DeploymentFacts,
): EligibilityHandlers {
  const inQuery = createDecider(behaviours, 'invalid_query_params');

  return {
    newest: (tiers) => tiers.slice(0, windowSize),

    candidates(request) {
      const test = handlers().restriction(request);
      if (test === undefined) return handlers().newest(catalogue.tiers);
      if (comesFirst(request)) return handlers().newest(catalogue.tiers.filter(test));
      const found = handlers().newest(catalogue.tiers).filter(test);
      if (found.length === 0 && catalogue.tiers.some(test)) inQuery('filter-beyond-window', 'filters');
      return found;
    },

    isValid: (tier, request) => tier.rules.every((rule) => handlers().holds(rule, request)),

    holds(rule, request) {
      switch (rule.kind) {
        case 'customer':
          return handlers().customerRule(rule, request);
        case 'product':
          return handlers().productRule(rule, request);
        case 'sku':
          return handlers().skuRule(rule, request);
        case 'order_metadata':
          return handlers().orderMetadataRule(rule, request);
        case 'metadata':
          return handlers().metadataRule(rule, request);
        case 'other':
          return true;
      }
    },

    customerRule: ({ any_of }, { customer }) =>
      customer === waived || (customer !== undefined && any_of.includes(customer)),

    productRule: ({ id, at_least }, { tally }) =>
      tally === waived || handlers().isEnough(tally.product.get(id) ?? 0, at_least),

    skuRule: ({ id, at_least }, { tally }) => tally === waived || handlers().isEnough(tally.sku.get(id) ?? 0, at_least),

    orderMetadataRule({ key, includes }, { orderMetadata, metadata, turn }) {
      if (orderMetadata === waived) return true;
      const sent = orderMetadata[key];
      const values: readonly unknown[] = Array.isArray(sent) ? sent : [];
      const holds = {
        applied: values.includes(includes),
        'applied-to-parts': values.some((value) => String(value).includes(includes)),
        'applied-to-metadata-too': values.includes(includes) || (metadata !== waived && metadata[key] === includes),
        'first-value': values[0] === includes,
        'last-value': values.at(-1) === includes,
        ignored: true,
        'never-satisfied': false,
      }[behaviours['order-metadata-rules']];
      // What these rules do is not documented, so a deployment may waver here without breaking a requirement.
      return turn === 'second' && behaviours.repeatability === 'different-promotions' ? !holds : holds;
    },

    metadataRule({ key, is }, { metadata }) {
      if (metadata === waived) return true;
      const folding = behaviours['metadata-letter-case'];
      const isKey = same(folding === 'ignored-in-both' || folding === 'ignored-in-key');
      const isValue = same(folding === 'ignored-in-both' || folding === 'ignored-in-value');
      if (folding === 'exact') return Object.hasOwn(metadata, key) && String(metadata[key]) === is;
      return Object.entries(metadata).some(([name, value]) => isKey(name, key) && isValue(String(value), is));
    },

    isEnough: (quantity, atLeast) => quantity >= atLeast,

    validity(request) {
      const { admits, rest } = underAudienceRules(request);
      return (tier) => admits(tier) && handlers().isValid(tier, rest);
    },

    select: (request) => handlers().candidates(request).filter(handlers().validity(request)),
  };

  /** Whether the newest are taken of what the filters let through. */
  function comesFirst({ filters }: ParsedRequest): boolean {
    const areAll = (field: Filter['field']) => filters.every((filter) => filter.field === field);
    switch (behaviours['filter-beyond-window']) {
      case 'filter-first':
        return true;
      case 'campaign-filter-first':
        return areAll('promotion_id');
      case 'metadata-filter-first':
        return areAll('metadata');
      default:
        return false;
    }
  }

  /** What is left to check of a request, and of which tiers, where audience rules alone count. */
  function underAudienceRules(request: ParsedRequest): { readonly rest: ParsedRequest; readonly admits: TierTest } {
    if (!request.audienceRulesOnly) return { rest: request, admits: always };
    const waiving: ParsedRequest = { ...request, tally: waived, orderMetadata: waived, metadata: waived };
    switch (inQuery('audience-rules-only-effect', 'audienceRulesOnly')) {
      case 'skips-order-rules':
        return { rest: waiving, admits: always };
      case 'audience-tiers-only':
        return { rest: waiving, admits: ({ rules }) => rules.some(({ kind }) => kind === 'customer') };
      case 'no-effect':
        return { rest: request, admits: always };
    }
  }
}

const always = (): boolean => true;

/** Compares texts, with or without their letter case. */
function same(isFolded: boolean): (a: string, b: string) => boolean {
  return (a, b) => a === b || (isFolded && a.toLowerCase() === b.toLowerCase());
}
