import type { Asked, Filter } from '../asked.js';
import type { Parts, Setting } from '../parts.js';
import { refuse } from '../stop.js';
import { also, type Collateral, type Fault, hasOnlySkus, isReservedForSome, isSaid } from './fault.js';

type Field = Filter['field'];

const fields = [
  { field: 'promotion_id', name: 'campaign-filter', breaks: 'filter.promotion-id' },
  { field: 'metadata', name: 'metadata-filter', breaks: 'filter.tier-metadata' },
] as const;

/** The ways in which either filter goes wrong. */
const ofEither: readonly Fault[] = fields.flatMap(({ field, name, breaks }): Fault[] => {
  const asks = ({ filters }: Asked): boolean => filters.some((filter) => filter.field === field);
  const lost = (when: (asked: Asked, setting: Setting) => boolean): Fault['change'] => {
    return (parts, setting) => ({
      restriction: (asked) =>
        parts.restriction(when(asked, setting) ? { ...asked, filters: without(asked.filters, field) } : asked),
    });
  };
  const cut = (most: number): Fault['change'] => {
    return (parts) => ({ select: (asked) => parts.select(asked).slice(0, asks(asked) ? most : undefined) });
  };
  const lacking = also({ control: ['result.valid-only'] });
  return [
    {
      id: `${name}-ignored`,
      breaks,
      story: 'The parameter is parsed but never used.',
      change: lost(() => true),
    },
    {
      id: `${name}-lost-with-metadata`,
      breaks,
      story: 'The conditions of the filter are overwritten by those of the metadata rules.',
      change: lost(({ metadata }) => isSaid(metadata)),
    },
    {
      id: `${name}-lost-with-order-metadata`,
      breaks,
      story: 'The query with order metadata was written anew, without the filter.',
      change: lost(({ orderMetadata }) => isSaid(orderMetadata)),
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
      story: 'Customers for whom something is reserved take a path of their own, without the filter.',
      change: lost(({ customer }, setting) => isReservedForSome(setting, customer)),
    },
    {
      id: `${name}-lost-with-several-items`,
      breaks,
      story: 'Orders of several items take a path of their own, without the filter.',
      change: lost(({ lines }) => lines.length > 1),
    },
    {
      id: `${name}-lost-with-skus-alone`,
      breaks,
      story: 'Orders of SKUs alone take a path of their own, without the filter.',
      change: lost(hasOnlySkus),
    },
    {
      id: `${name}-in-pages-of-20`,
      breaks,
      story: 'What a filter finds comes in pages of 20, and nothing leads to the next one.',
      change: cut(20),
    },
    {
      id: `${name}-refused`,
      breaks,
      story: 'The parser of the query string gives up at names that begin with a bracket.',
      collateral: also({ refused: ['result.valid-only'] }),
      change: (parts) => ({
        readFilter(parameter) {
          const filter = parts.readFilter(parameter);
          return filter?.field === field ? refuse(400, parameter.name, 'invalid_query_params') : filter;
        },
      }),
    },
    {
      id: `${name}-first-match-only`,
      breaks,
      story: '"find" is written for "filter".',
      collateral: lacking,
      change: cut(1),
    },
    {
      id: `${name}-void-when-nothing-matches`,
      breaks,
      story: 'An empty result of the filter is taken for no filter.',
      change: (parts) => ({
        select(asked) {
          const tiers = parts.select(asked);
          return tiers.length > 0 || !asks(asked) ? tiers : parts.select({ ...asked, filters: [] });
        },
      }),
    },
    {
      id: `${name}-within-a-page`,
      breaks,
      story: 'The filter is applied to the page of 10 that would have been returned without it.',
      collateral: lacking,
      change: (parts) => ({
        select(asked) {
          const test = asks(asked) ? parts.restriction(asked) : undefined;
          if (test === undefined) return parts.select(asked);
          return parts
            .select({ ...asked, filters: [] })
            .slice(0, 10)
            .filter(test);
        },
      }),
    },
    {
      id: `${name}-inverted`,
      breaks,
      story: 'The filter says what is left out.',
      collateral: lacking,
      change: (parts) => ({
        restriction(asked) {
          const test = parts.restriction(asked);
          return test !== undefined && asks(asked) ? (tier) => !test(tier) : test;
        },
      }),
    },
    {
      id: `${name}-cached`,
      breaks,
      story: 'The filter of the first request that has one is kept for the others.',
      change(parts) {
        let kept: Asked['filters'] | undefined;
        return {
          restriction(asked) {
            if (!asks(asked)) return parts.restriction(asked);
            kept ??= asked.filters;
            return parts.restriction({ ...asked, filters: kept });
          },
        };
      },
    },
  ];
});

function without(filters: Asked['filters'], field: Field): Asked['filters'] {
  return filters.filter((filter) => filter.field !== field);
}

const ofCampaign: readonly Fault[] = [
  {
    id: 'campaign-compared-by-name',
    breaks: 'filter.promotion-id',
    story: 'The value is compared with the name of the campaign.',
    collateral: also({ control: ['result.valid-only'] }),
    change: (_, { catalogue }) => ({
      inCampaign: (tier, id) => catalogue.campaigns.get(tier.campaign_id)?.name === id,
    }),
  },
  {
    id: 'campaign-compared-with-tier',
    breaks: 'filter.promotion-id',
    story: 'promotion_id is taken for the id of the tier.',
    collateral: also({ control: ['result.valid-only'] }),
    change: () => ({ inCampaign: ({ id }, campaign) => id === campaign }),
  },
];

/** Tier metadata that is compared in a wrong way. */
function comparisonFault(
  id: string,
  story: string,
  hasMetadata: Parts['hasMetadata'],
  collateral: Collateral = {},
): Fault {
  return { id, breaks: 'filter.tier-metadata', story, collateral, change: () => ({ hasMetadata }) };
}

const ofMetadata: readonly Fault[] = [
  comparisonFault('metadata-filter-by-key', 'That the tier has the key is enough.', ({ metadata }, key) =>
    Object.hasOwn(metadata, key),
  ),
  comparisonFault('metadata-filter-by-value', 'The value is looked for under any key.', ({ metadata }, _, asked) =>
    Object.values(metadata).map(String).includes(asked),
  ),
  comparisonFault('metadata-filter-by-prefix', '$is is translated to LIKE "value%".', ({ metadata }, key, asked) =>
    String(metadata[key] ?? '').startsWith(asked),
  ),
  comparisonFault(
    'metadata-filter-by-first-word',
    'The value is cut at the first space.',
    ({ metadata }, key, asked) => metadata[key] === asked.split(' ')[0],
  ),
  comparisonFault(
    'metadata-filter-by-first-entry',
    'Of the metadata of a tier the first entry is compared.',
    ({ metadata }, key, asked) => {
      const [first, value] = Object.entries(metadata)[0] ?? [];
      return first === key && value === asked;
    },
  ),
  comparisonFault(
    'metadata-filter-by-truth',
    'Both values are cast to booleans.',
    ({ metadata }, key, asked) => Object.hasOwn(metadata, key) && Boolean(metadata[key]) === Boolean(asked),
  ),
  comparisonFault(
    'metadata-filter-as-boolean',
    'A value other than "true" counts as false.',
    ({ metadata }, key, asked) => (metadata[key] === 'true') === (asked === 'true'),
  ),
  comparisonFault(
    'metadata-filter-as-json',
    'The value is compared with the JSON text in the database, quotes and all.',
    ({ metadata }, key, asked) => JSON.stringify(metadata[key]) === asked,
    also({ control: ['result.valid-only'] }),
  ),
  comparisonFault(
    'metadata-filter-lets-keyless-through',
    'A tier that lacks the key is not looked at.',
    ({ metadata }, key, asked) => !Object.hasOwn(metadata, key) || metadata[key] === asked,
  ),
];

/** How the result is narrowed. */
export const filterFaults: readonly Fault[] = [...ofEither, ...ofCampaign, ...ofMetadata];
