import { refuse } from '../deployment/early-response.js';
import type { Handlers } from '../deployment/handlers.js';
import type { Filter, ParsedQuery, ParsedRequest } from '../deployment/parsed-request.js';
import type { Fault } from './fault.js';
import { orNothing } from './or-nothing.js';

type Field = Filter['field'];

const fields = [
  { field: 'promotion_id', name: 'campaign-filter', words: 'promotion_id', breaks: 'filter.promotion-id' },
  { field: 'metadata', name: 'metadata-filter', words: 'tier metadata', breaks: 'filter.tier-metadata' },
] as const;

/** What goes wrong with either filter. */
const ofEither: readonly Fault[] = fields.flatMap(({ field, name, words, breaks }): Fault[] => {
  const hasFilter = ({ filters }: ParsedRequest): boolean => filters.some((filter) => filter.field === field);
  return [
    {
      id: `${name}-ignored`,
      breaks,
      story: 'The parameter is parsed but never used.',
      sentence: `The filter by ${words} is ignored: promotions that do not match are returned.`,
      change: (handlers) => ({
        restriction: (request) => handlers.restriction({ ...request, filters: without(request.filters, field) }),
      }),
    },
    {
      id: `${name}-refused`,
      breaks,
      story: `The check of the query does not know the filter by ${words}.`,
      change: (handlers) => ({
        readFilter(parameter) {
          const filter = handlers.readFilter(parameter);
          return filter?.field === field ? refuse(400, parameter.name, 'invalid_query_params') : filter;
        },
      }),
    },
    {
      id: `${name}-void-when-nothing-matches`,
      breaks,
      story: 'If the filter finds nothing, the deployment continues as without a filter.',
      sentence: `The filter by ${words} is ignored if no promotion matches it.`,
      change: (handlers) => ({
        select(request) {
          const tiers = orNothing(handlers.select)(request);
          return tiers.length > 0 || !hasFilter(request) ? tiers : handlers.select({ ...request, filters: [] });
        },
      }),
    },
    {
      id: `${name}-within-a-page`,
      breaks,
      story: 'The first 10 promotions are taken, and then the filter is applied to them.',
      change: (handlers) => ({
        select(request) {
          const test = hasFilter(request) ? handlers.restriction(request) : undefined;
          if (test === undefined) return handlers.select(request);
          return handlers
            .select({ ...request, filters: [] })
            .slice(0, 10)
            .filter(test);
        },
      }),
    },
    {
      id: `${name}-inverted`,
      breaks,
      story: 'The condition of the filter is negated.',
      sentence: `The filter by ${words} is inverted: promotions that do not match are returned, and those that match are not.`,
      change: (handlers) => ({
        restriction(request) {
          const test = handlers.restriction(request);
          return test !== undefined && hasFilter(request) ? (tier) => !test(tier) : test;
        },
      }),
    },
    {
      id: `${name}-cached`,
      breaks,
      story: 'The filter of the first request that has one is kept for the others.',
      hasState: true,
      change(handlers) {
        let kept: ParsedQuery['filters'] | undefined;
        return {
          restriction(request) {
            if (!hasFilter(request)) return handlers.restriction(request);
            kept ??= request.filters;
            return handlers.restriction({ ...request, filters: kept });
          },
        };
      },
    },
  ];
});

function without(filters: ParsedQuery['filters'], field: Field): ParsedQuery['filters'] {
  return filters.filter((filter) => filter.field !== field);
}

/** Tier metadata that is compared wrongly. */
function comparisonFault(id: string, story: string, sentence: string, hasMetadata: Handlers['hasMetadata']): Fault {
  return { id, breaks: 'filter.tier-metadata', story, sentence, change: () => ({ hasMetadata }) };
}

const ofMetadata: readonly Fault[] = [
  comparisonFault(
    'metadata-filter-by-key',
    'The filter compares the key, and not the value.',
    'The filter by tier metadata compares keys only: any value matches.',
    ({ metadata }, key) => Object.hasOwn(metadata, key),
  ),
  comparisonFault(
    'metadata-filter-by-first-entry',
    'Only the first metadata entry of a tier is compared.',
    'The filter by tier metadata looks only at the first metadata entry of a tier.',
    ({ metadata }, key, value) => {
      const [first, entry] = Object.entries(metadata)[0] ?? [];
      return first === key && entry === value;
    },
  ),
  comparisonFault(
    'metadata-filter-lets-keyless-through',
    'A tier without the key passes unchecked.',
    'The filter by tier metadata also returns promotions that lack the key.',
    ({ metadata }, key, value) => !Object.hasOwn(metadata, key) || metadata[key] === value,
  ),
];

/** How the result is narrowed. */
export const filterFaults: readonly Fault[] = [...ofEither, ...ofMetadata];
