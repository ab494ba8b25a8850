import { refuse } from '../../../reference/deployment/early-response.js';
import type { Change, DeploymentFacts, Handlers } from '../../../reference/deployment/handlers.js';
import { emptyRequest, type Filter, type ParsedRequest, waived } from '../../../reference/deployment/parsed-request.js';
import { createCacheChange, type Fault, isReservedForSome } from '../../../reference/faults/fault.js';
import type { Tier } from '../../../src/contract/world.js';

const fields = [
  { field: 'promotion_id', name: 'campaign-filter', breaks: 'filter.promotion-id' },
  { field: 'metadata', name: 'metadata-filter', breaks: 'filter.tier-metadata' },
] as const;

const without = (filters: ParsedRequest['filters'], field: Filter['field']) =>
  filters.filter((filter) => filter.field !== field);

/** A filter is lost in requests that no condition of a generated fault describes. */
const lostFilters: readonly Fault[] = fields.flatMap(({ field, name, breaks }): Fault[] => {
  const lostWhen = (isMeant: (request: ParsedRequest, facts: DeploymentFacts) => boolean): Change => {
    return (handlers, facts) => ({
      restriction: (request) =>
        handlers.restriction(
          isMeant(request, facts) ? { ...request, filters: without(request.filters, field) } : request,
        ),
    });
  };
  const lostAt = (pattern: RegExp): Change => {
    return (handlers) => ({
      readQuery(text) {
        const query = handlers.readQuery(text);
        return pattern.test(text) ? { ...query, filters: without(query.filters, field) } : query;
      },
    });
  };
  const hiddenBy = ['audience-rules-only-effect'];
  return [
    {
      id: `${name}-lost-with-reservations`,
      breaks,
      story: 'Customers with reserved promotions take a separate code path, without the filter.',
      change: lostWhen(({ customer }, facts) => isReservedForSome(facts, customer)),
    },
    {
      id: `${name}-lost-with-several-items`,
      breaks,
      story: 'Orders of several items take a separate code path, without the filter.',
      change: lostWhen(({ lines }) => lines.length > 1),
    },
    {
      id: `${name}-lost-after-another-parameter`,
      breaks,
      story: 'The first parameter of the query is looked at.',
      hiddenBy,
      change: lostAt(/^audienceRulesOnly=[^&]*&/),
    },
    {
      id: `${name}-lost-before-another-parameter`,
      breaks,
      story: 'The last parameter of the query is looked at.',
      hiddenBy,
      change: lostAt(/&audienceRulesOnly=[^&]*$/),
    },
  ];
});

/** The names of the parameters are in the key of a cache, and their values are not. */
const cachedWithoutValues: Fault = {
  id: 'metadata-filter-value-left-out-of-the-cache',
  breaks: 'filter.tier-metadata',
  story: 'Results are cached under the body and the names of the parameters.',
  hasState: true,
  change: createCacheChange((request) => ({
    ...request,
    filters: request.filters.map((filter) => (filter.field === 'metadata' ? { ...filter, value: '' } : filter)),
  })),
};

/** For how many reservations a customer takes another code path. */
const manyReservations = 50;

/** The window with one kind of filter, for customers with many reservations. */
const olderForSome: readonly Fault[] = fields.map(
  ({ field, name }): Fault => ({
    id: `older-only-for-some-with-${name}`,
    breaks: 'limit.newest-150',
    story:
      'With a filter, customers with more than 50 reserved promotions have the limit after the filter, other customers before it.',
    hiddenBy: ['filter-beyond-window'],
    change: (handlers, { catalogue }) => ({
      candidates(request) {
        const test = handlers.restriction(request);
        const isMeant = request.filters.length === 1 && request.filters[0]?.field === field;
        if (!isMeant || test === undefined) return handlers.candidates(request);
        const isReserved = ({ rules }: Tier) =>
          rules.some(
            (rule) =>
              rule.kind === 'customer' && request.customer !== waived && rule.any_of.includes(request.customer ?? ''),
          );
        const hasMany = catalogue.tiers.filter(isReserved).length > manyReservations;
        return hasMany ? catalogue.tiers.filter(test) : catalogue.tiers.slice(0, 150).filter(test);
      },
    }),
  }),
);

const ofWholesale: Fault = {
  id: 'orders-of-wholesale-unchecked',
  breaks: 'result.valid-only',
  story: 'For customers with very many reservations the order is not looked at.',
  change: (handlers, facts) => {
    const isWholesale = ({ customer }: ParsedRequest) =>
      facts.catalogue.tiers.filter((tier) =>
        tier.rules.some(
          (rule) => rule.kind === 'customer' && handlers.customerRule(rule, { ...emptyRequest, customer }),
        ),
      ).length > manyReservations;
    const unless = <Rule>(check: (rule: Rule, request: ParsedRequest) => boolean) => {
      return (rule: Rule, request: ParsedRequest) => isWholesale(request) || check(rule, request);
    };
    return {
      productRule: unless(handlers.productRule),
      skuRule: unless(handlers.skuRule),
    } satisfies Partial<Handlers>;
  },
};

const expandWithMetadata: Fault = {
  id: 'expand-refused-with-metadata',
  breaks: 'options.expand-category',
  story: 'Options and metadata are taken for alternatives.',
  change: (handlers) => ({
    expandOf(members) {
      const expand = handlers.expandOf(members);
      const { metadata } = members;
      const hasMetadata = typeof metadata === 'object' && metadata !== null && Object.keys(metadata).length > 0;
      return hasMetadata && expand.length > 0 ? refuse(400, 'options: not accepted beside metadata') : expand;
    },
  }),
};

/** Mistakes with requests of one kind, which no condition of a generated fault describes. */
export const requestKindFaults: readonly Fault[] = [
  ...lostFilters,
  cachedWithoutValues,
  ...olderForSome,
  ofWholesale,
  expandWithMetadata,
];
