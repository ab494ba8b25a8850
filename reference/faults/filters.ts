import { refuse } from '../deployment/early-response.js';
import type { Change, DeploymentFacts, Handlers } from '../deployment/handlers.js';
import type { Filter, ParsedQuery, ParsedRequest } from '../deployment/parsed-request.js';
import { type Fault, hasEntries, hasOnlySkus, isReservedForSome } from './fault.js';

type Field = Filter['field'];

const fields = [
  { field: 'promotion_id', name: 'campaign-filter', words: 'promotion_id', breaks: 'filter.promotion-id' },
  { field: 'metadata', name: 'metadata-filter', words: 'tier metadata', breaks: 'filter.tier-metadata' },
] as const;

/** What goes wrong with either filter. */
const ofEither: readonly Fault[] = fields.flatMap(({ field, name, words, breaks }): Fault[] => {
  const hasFilter = ({ filters }: ParsedRequest): boolean => filters.some((filter) => filter.field === field);
  const lost = (when: (request: ParsedRequest, facts: DeploymentFacts) => boolean): Change => {
    return (handlers, facts) => ({
      restriction: (request) =>
        handlers.restriction(when(request, facts) ? { ...request, filters: without(request.filters, field) } : request),
    });
  };
  return [
    {
      id: `${name}-ignored`,
      breaks,
      story: 'The parameter is parsed but never used.',
      sentence: `The filter by ${words} is ignored: promotions that do not match are returned.`,
      change: lost(() => true),
    },
    {
      id: `${name}-lost-with-metadata`,
      breaks,
      story: 'The conditions of the filter are overwritten by those of the metadata rules.',
      change: lost(({ metadata }) => hasEntries(metadata)),
    },
    {
      id: `${name}-lost-with-order-metadata`,
      breaks,
      story: 'The query with order metadata was written anew, without the filter.',
      change: lost(({ orderMetadata }) => hasEntries(orderMetadata)),
    },
    {
      id: `${name}-lost-with-expand`,
      breaks,
      story: 'The query that joins the categories was written anew, without the filter.',
      change: lost(({ expand }) => expand.length > 0),
    },
    {
      id: `${name}-lost-with-reservations`,
      breaks,
      story: 'Customers with reserved promotions take a separate code path, without the filter.',
      change: lost(({ customer }, facts) => isReservedForSome(facts, customer)),
    },
    {
      id: `${name}-lost-with-several-items`,
      breaks,
      story: 'Orders of several items take a separate code path, without the filter.',
      change: lost(({ lines }) => lines.length > 1),
    },
    {
      id: `${name}-lost-with-skus-alone`,
      breaks,
      story: 'Orders that contain only SKUs take a separate code path, without the filter.',
      change: lost(hasOnlySkus),
    },
    {
      id: `${name}-refused`,
      breaks,
      story: 'The parser of the query string gives up at names that begin with a bracket.',
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
      story: 'An empty result of the filter is taken for no filter.',
      sentence: `The filter by ${words} is ignored where nothing matches.`,
      change: (handlers) => ({
        select(request) {
          const tiers = handlers.select(request);
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
      story: 'The filter says what is left out.',
      sentence: `The filter by ${words} says what is left out: promotions that do not match are returned, and others are not.`,
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
      sentence: `All later requests with a filter by ${words} are answered with that of the first one.`,
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
function comparisonFault(
  id: string,
  story: string,
  sentence: string | undefined,
  hasMetadata: Handlers['hasMetadata'],
): Fault {
  return { id, breaks: 'filter.tier-metadata', story, ...(sentence && { sentence }), change: () => ({ hasMetadata }) };
}

const ofMetadata: readonly Fault[] = [
  comparisonFault(
    'metadata-filter-by-key',
    'That the tier has the key is enough.',
    'The filter by tier metadata compares wrongly: the key alone decides, and any value matches.',
    ({ metadata }, key) => Object.hasOwn(metadata, key),
  ),
  comparisonFault(
    'metadata-filter-by-prefix',
    '$is is translated to LIKE "value%".',
    undefined,
    ({ metadata }, key, value) => String(metadata[key] ?? '').startsWith(value),
  ),
  comparisonFault(
    'metadata-filter-by-first-word',
    'The value is cut at the first space.',
    undefined,
    ({ metadata }, key, value) => metadata[key] === value.split(' ')[0],
  ),
  comparisonFault(
    'metadata-filter-by-first-entry',
    'Of the metadata of a tier the first entry is compared.',
    'The filter by tier metadata looks at the first metadata entry of a tier alone.',
    ({ metadata }, key, value) => {
      const [first, entry] = Object.entries(metadata)[0] ?? [];
      return first === key && entry === value;
    },
  ),
  comparisonFault(
    'metadata-filter-as-boolean',
    'A value other than "true" counts as false.',
    undefined,
    ({ metadata }, key, value) => (metadata[key] === 'true') === (value === 'true'),
  ),
  comparisonFault(
    'metadata-filter-as-json',
    'The value is compared with the JSON text in the database, quotes and all.',
    undefined,
    ({ metadata }, key, value) => JSON.stringify(metadata[key]) === value,
  ),
  comparisonFault(
    'metadata-filter-lets-keyless-through',
    'A tier without the key is not looked at.',
    'The filter by tier metadata compares wrongly: a missing key matches, too.',
    ({ metadata }, key, value) => !Object.hasOwn(metadata, key) || metadata[key] === value,
  ),
];

/** A filter of which the place in the query matters. */
const misplaced: readonly Fault[] = fields.flatMap(({ name, field, breaks }) =>
  (
    [
      ['after', 'The first parameter of the query is looked at.', /^audienceRulesOnly=[^&]*&/],
      ['before', 'The last parameter of the query is looked at.', /&audienceRulesOnly=[^&]*$/],
    ] as const
  ).map(
    ([place, story, pattern]): Fault => ({
      id: `${name}-lost-${place}-another-parameter`,
      breaks,
      story,
      hiddenBy: ['audience-rules-only-effect'],
      change: (handlers) => ({
        readQuery(text) {
          const query = handlers.readQuery(text);
          if (!pattern.test(text)) return query;
          return { ...query, filters: query.filters.filter((filter) => filter.field !== field) };
        },
      }),
    }),
  ),
);

/** How the result is narrowed. */
export const filterFaults: readonly Fault[] = [...ofEither, ...misplaced, ...ofMetadata];
