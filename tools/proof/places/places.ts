import type { Change, Handlers } from '../../../reference/deployment/handlers.js';
import { isObject } from '../../../reference/deployment/json.js';
import { type Line, type ParsedRequest, type Tally, waived } from '../../../reference/deployment/parsed-request.js';
import type { Requirement } from '../../../reference/faults/fault.js';
import type { Tier, TierRule } from '../../../src/contract/world.js';
import { cacheByObject } from '../../../src/support/caches.js';
import type { BodyReading, QueryReading } from '../mistakes/bytes.js';
import type { ElementKeys, ListWalk } from '../mistakes/list.js';
import type { QuantityReading, QuantitySum, ThresholdComparison } from '../mistakes/number.js';
import type { TierCut } from '../mistakes/order-and-cut.js';
import type { KeptMember, StateMistake } from '../mistakes/state.js';
import type { TextComparison } from '../mistakes/text.js';

/** A decision of the deployment at which a developer can make a mistake of a kind. */
export interface Place<Plug> {
  readonly id: string;
  /** What is decided there, for the story of a fault. */
  readonly what: string;
  readonly breaks: Requirement;
  /** The deployment with a mistake in place of the right decision. */
  plug(mistake: Plug): Change;
}

type TallyKey = keyof Tally;

/** How many of the items whose ids compare with the id of a rule. */
function countOf(tally: ReadonlyMap<string, number>, id: string, isEqual: TextComparison): number {
  return [...tally].reduce((sum, [sent, quantity]) => sum + (isEqual(sent, id) ? quantity : 0), 0);
}

/** A rule about items, with another comparison of ids or of quantities. */
function itemRule(
  kind: TallyKey,
  meets: (tally: ReadonlyMap<string, number>, id: string, atLeast: number, handlers: Handlers) => boolean,
): Change {
  return (handlers) => {
    const rule = ({ id, at_least }: { id: string; at_least: number }, { tally }: ParsedRequest) =>
      tally === waived || meets(tally[kind], id, at_least, handlers);
    return kind === 'product' ? { productRule: rule } : { skuRule: rule };
  };
}

export function entriesOf(metadata: ParsedRequest['metadata']): [key: string, value: string][] {
  return metadata === waived ? [] : Object.entries(metadata).map(([key, value]) => [key, String(value)]);
}

/** Texts of a request that are compared with stored ones. */
export const textPlaces: readonly Place<TextComparison>[] = [
  {
    id: 'customer-id',
    what: 'The id of the customer is compared with a reservation',
    breaks: 'customer.by-id',
    plug: (isEqual) => () => ({
      customerRule: ({ any_of }, { customer }) =>
        customer === waived || (customer !== undefined && any_of.some((id) => isEqual(customer, id))),
    }),
  },
  {
    id: 'product-id',
    what: 'The product_id of an item is compared with a rule',
    breaks: 'order.product-item',
    plug: (isEqual) =>
      itemRule('product', (tally, id, atLeast, { isEnough }) => isEnough(countOf(tally, id, isEqual), atLeast)),
  },
  {
    id: 'sku-id',
    what: 'The sku_id of an item is compared with a rule',
    breaks: 'order.sku-item',
    plug: (isEqual) =>
      itemRule('sku', (tally, id, atLeast, { isEnough }) => isEnough(countOf(tally, id, isEqual), atLeast)),
  },
  {
    id: 'campaign-id',
    what: 'The value of the promotion_id filter is compared with a campaign',
    breaks: 'filter.promotion-id',
    plug: (isEqual) => () => ({ inCampaign: ({ campaign_id }, id) => isEqual(id, campaign_id) }),
  },
  {
    id: 'filter-key',
    what: 'The key of a metadata filter is compared with a tier’s metadata',
    breaks: 'filter.tier-metadata',
    plug: (isEqual) => () => ({
      hasMetadata: ({ metadata }, key, value) =>
        Object.entries(metadata).some(([name, entry]) => isEqual(key, name) && String(entry) === value),
    }),
  },
  {
    id: 'filter-value',
    what: 'The value of a metadata filter is compared with a tier’s metadata',
    breaks: 'filter.tier-metadata',
    plug: (isEqual) => () => ({
      hasMetadata: ({ metadata }, key, value) => Object.hasOwn(metadata, key) && isEqual(value, String(metadata[key])),
    }),
  },
  {
    id: 'metadata-key',
    what: 'A key of the request’s metadata is compared with a rule',
    breaks: 'metadata.promotion-rules',
    plug: (isEqual) => () => ({
      metadataRule: (rule, { metadata }) =>
        metadata === waived || entriesOf(metadata).some(([key, value]) => isEqual(key, rule.key) && value === rule.is),
    }),
  },
  {
    id: 'metadata-value',
    what: 'A value of the request’s metadata is compared with a rule',
    breaks: 'metadata.promotion-rules',
    plug: (isEqual) => () => ({
      metadataRule: (rule, { metadata }) =>
        metadata === waived || entriesOf(metadata).some(([key, value]) => key === rule.key && isEqual(value, rule.is)),
    }),
  },
  ...(['key', 'value'] as const).map(
    (part): Place<TextComparison> => ({
      id: `order-metadata-${part}`,
      what: `A ${part} of the order’s metadata is compared with a rule`,
      breaks: 'order.metadata',
      plug: (isEqual) => () => ({
        orderMetadataRule: (rule, { orderMetadata }) =>
          orderMetadata === waived ||
          Object.entries(orderMetadata).some(([key, values]) =>
            part === 'key'
              ? isEqual(key, rule.key) && [values].flat().includes(rule.includes)
              : key === rule.key && [values].flat().some((value) => isEqual(String(value), rule.includes)),
          ),
      }),
    }),
  ),
];

export const asKinds: readonly TallyKey[] = ['product', 'sku'];
export const nouns: Readonly<Record<TallyKey, string>> = { product: 'a product', sku: 'a SKU' };

/** Quantities as they are read. */
export const quantityPlaces: readonly Place<QuantityReading>[] = asKinds.map((as) => ({
  id: `${as}-quantity`,
  what: `The quantity of an item with ${nouns[as]} is read`,
  breaks: 'order.quantity',
  plug: (read) => (handlers) => ({
    linesOf: (items) =>
      handlers
        .linesOf(items)
        .map((line) =>
          line.as === as && Number.isInteger(line.quantity) && Number(line.quantity) > 0
            ? { ...line, quantity: read(Number(line.quantity)) || 0 }
            : line,
        )
        .filter(({ quantity }) => typeof quantity !== 'number' || quantity > 0),
  }),
}));

export const thresholdPlaces: readonly Place<ThresholdComparison>[] = asKinds.map((as) => ({
  id: `${as}-threshold`,
  what: `The quantity of ${nouns[as]} is compared with a threshold`,
  breaks: 'order.quantity',
  plug: (meets) => itemRule(as, (tally, id, atLeast) => meets(tally.get(id) ?? 0, atLeast)),
}));

export const sumPlaces: readonly Place<QuantitySum>[] = asKinds.map((as) => ({
  id: `repeated-${as}`,
  what: `The quantities of several items with ${nouns[as]} are added up`,
  breaks: 'order.repeated-product',
  plug: (sum) => (handlers) => ({
    addUp: (kind, quantities) =>
      kind === as && quantities.length > 1 && quantities.every((quantity) => typeof quantity === 'number')
        ? sum(quantities.map(Number))
        : handlers.addUp(kind, quantities),
  }),
}));

function ruleSubject(rule: TierRule): unknown {
  switch (rule.kind) {
    case 'customer':
      return rule.any_of;
    case 'product':
    case 'sku':
      return rule.id;
    case 'other':
      return rule.description;
    default:
      return rule.key;
  }
}

const itemKeys: ElementKeys<unknown> = {
  id: (item) => (isObject(item) ? (item.product_id ?? item.sku_id) : item),
  kind: (item) => (isObject(item) ? 'product_id' in item : item),
  value: (item) => (isObject(item) ? item.quantity : item),
};
const ruleKeys: ElementKeys<TierRule> = {
  id: ruleSubject,
  kind: ({ kind }) => kind,
  value: (rule) => ('at_least' in rule ? rule.at_least : 'is' in rule ? rule.is : ruleSubject(rule)),
};
const tierKeys: ElementKeys<Tier> = {
  id: ({ name }) => name,
  kind: ({ campaign_id }) => campaign_id,
  value: cacheByObject(({ metadata, rules }) => JSON.stringify([metadata, rules])),
};
const entryKeys: ElementKeys<readonly [string, unknown]> = {
  id: ([key]) => key.toLowerCase(),
  kind: ([key]) => key.length,
  value: ([, value]) => value,
};
const textKeys: ElementKeys<string> = {
  id: (text) => text,
  kind: (text) => text.length,
  value: (text) => text.split('=')[1],
};

/** Lists that are walked. */
export const listPlaces: readonly Place<ListWalk>[] = [
  {
    id: 'items',
    what: 'The items of the order are walked',
    breaks: 'order.product-item',
    plug: (walk) => (handlers) => ({ linesOf: (items) => handlers.linesOf(walk(items, itemKeys)) }),
  },
  {
    id: 'rules',
    what: 'The rules of a tier are walked',
    breaks: 'result.valid-only',
    plug: (walk) => (handlers) => ({
      isValid: (tier, request) => handlers.isValid({ ...tier, rules: walk(tier.rules, ruleKeys) }, request),
    }),
  },
  {
    id: 'reservations',
    what: 'The customers of a reservation are walked',
    breaks: 'customer.by-id',
    plug: (walk) => (handlers) => ({
      customerRule: (rule, request) => handlers.customerRule({ ...rule, any_of: walk(rule.any_of, textKeys) }, request),
    }),
  },
  {
    id: 'checked-tiers',
    what: 'The tiers that may be valid are walked',
    breaks: 'limit.newest-150',
    plug: (walk) => (handlers) => ({ candidates: (request) => walk(handlers.candidates(request), tierKeys) }),
  },
  {
    id: 'valid-tiers',
    what: 'The valid tiers are walked',
    breaks: 'result.all-valid',
    plug: (walk) => () => ({ page: (tiers) => walk(tiers, tierKeys) }),
  },
  {
    id: 'metadata-entries',
    what: 'The entries of the request’s metadata are walked',
    breaks: 'metadata.promotion-rules',
    plug: (walk) => (handlers) => ({
      metadataOf(members) {
        const metadata = handlers.metadataOf(members);
        return metadata === waived ? metadata : Object.fromEntries(walk(Object.entries(metadata), entryKeys));
      },
    }),
  },
  {
    id: 'tier-metadata-entries',
    what: 'The entries of a tier’s metadata are walked for a filter',
    breaks: 'filter.tier-metadata',
    plug: (walk) => (handlers) => ({
      hasMetadata: (tier, key, value) =>
        handlers.hasMetadata(
          { ...tier, metadata: Object.fromEntries(walk(Object.entries(tier.metadata), entryKeys)) },
          key,
          value,
        ),
    }),
  },
  {
    id: 'query-parameters',
    what: 'The query parameters are read one by one',
    breaks: 'filter.promotion-id',
    plug: (walk) => (handlers) => ({
      readQuery: (query) => handlers.readQuery(walk(query.split('&'), textKeys).join('&')),
    }),
  },
];

/** Where tiers are cut to the newest 150. */
export const windowPlaces: readonly Place<TierCut>[] = [
  {
    id: 'window',
    what: 'The newest 150 tiers are taken',
    breaks: 'limit.newest-150',
    plug: (cut) => () => ({ newest: cut }),
  },
  ...(['promotion_id', 'metadata'] as const).map(
    (field): Place<TierCut> => ({
      id: field === 'metadata' ? 'window-with-metadata-filter' : 'window-with-campaign-filter',
      what: `The newest 150 tiers are taken for a request with a ${field} filter`,
      breaks: 'limit.newest-150',
      plug:
        (cut) =>
        (handlers, { catalogue }) => ({
          candidates(request) {
            const test = handlers.restriction(request);
            const isMeant = request.filters.length === 1 && request.filters[0]?.field === field;
            return isMeant && test !== undefined ? cut(catalogue.tiers).filter(test) : handlers.candidates(request);
          },
        }),
    }),
  ),
];

/** Where the result may be cut. */
export const pagePlaces: readonly Place<TierCut>[] = [
  {
    id: 'result',
    what: 'The result is listed',
    breaks: 'result.all-valid',
    plug: (cut) => () => ({ page: cut }),
  },
  ...Object.entries({
    expand: ({ expand }: ParsedRequest) => expand.length > 0,
    'campaign-filter': ({ filters }: ParsedRequest) => filters.some(({ field }) => field === 'promotion_id'),
    'metadata-filter': ({ filters }: ParsedRequest) => filters.some(({ field }) => field === 'metadata'),
  }).map(
    ([id, isMeant]): Place<TierCut> => ({
      id: `result-with-${id}`,
      what: `The result of a request with ${id.replace('-', ' ')} is listed`,
      breaks: 'result.all-valid',
      plug: (cut) => (handlers) => ({
        select: (request) => (isMeant(request) ? cut(handlers.select(request)) : handlers.select(request)),
      }),
    }),
  ),
];

const withLines = (request: ParsedRequest, lines: readonly Line[], handlers?: Handlers): ParsedRequest => ({
  ...request,
  lines,
  tally: handlers === undefined ? request.tally : handlers.tally(lines),
});

const keptMembers: readonly (Omit<Place<never>, 'plug'> & { createMember(handlers: Handlers): KeptMember })[] = [
  {
    id: 'kept-customer',
    what: 'The customer of a request is kept',
    breaks: 'customer.by-id',
    createMember: () => ({
      empty: undefined,
      read: ({ customer }) => customer,
      replace: (request, customer) => ({ ...request, customer: customer as ParsedRequest['customer'] }),
    }),
  },
  {
    id: 'kept-items',
    what: 'The items of a request are kept',
    breaks: 'order.product-item',
    createMember: (handlers) => ({
      empty: [],
      read: ({ lines }) => lines,
      replace: (request, lines) => withLines(request, lines as readonly Line[], handlers),
    }),
  },
  {
    id: 'kept-quantities',
    what: 'The quantities of a request are kept',
    breaks: 'order.quantity',
    createMember: (handlers) => ({
      empty: [],
      read: ({ lines }) => lines.map(({ quantity }) => quantity),
      replace: (request, quantities) =>
        withLines(
          request,
          request.lines.map((line, at) => ({ ...line, quantity: (quantities as unknown[])[at] ?? 1 })),
          handlers,
        ),
    }),
  },
  ...asKinds.map((as) => ({
    id: `kept-${as}-ids`,
    what: `The ids of items with ${nouns[as]} are kept`,
    breaks: as === 'product' ? ('order.product-item' as const) : ('order.sku-item' as const),
    createMember: (handlers: Handlers): KeptMember => ({
      empty: [],
      read: ({ lines }) => lines.flatMap((line) => (line.as === as ? line.id : [])),
      replace(request, ids) {
        const left = [...(ids as string[])];
        const lines = request.lines.flatMap((line) => {
          if (line.as !== as) return line;
          const id = left.shift();
          return id === undefined ? [] : { ...line, id };
        });
        return withLines(request, lines, handlers);
      },
    }),
  })),
  {
    id: 'kept-metadata',
    what: 'The metadata of a request is kept',
    breaks: 'metadata.promotion-rules',
    createMember: () => ({
      empty: {},
      read: ({ metadata }) => metadata,
      replace: (request, metadata) => ({ ...request, metadata: metadata as ParsedRequest['metadata'] }),
    }),
  },
  {
    id: 'kept-metadata-values',
    what: 'The values of a request’s metadata are kept',
    breaks: 'metadata.promotion-rules',
    createMember: () => ({
      empty: [],
      read: ({ metadata }) => entriesOf(metadata).map(([, value]) => value),
      replace: (request, values) => ({
        ...request,
        metadata: Object.fromEntries(
          entriesOf(request.metadata).map(([key], at) => [key, (values as string[])[at] ?? '']),
        ),
      }),
    }),
  },
  {
    id: 'kept-order-metadata',
    what: 'The order’s metadata is kept',
    breaks: 'order.metadata',
    createMember: () => ({
      empty: {},
      read: ({ orderMetadata }) => orderMetadata,
      replace: (request, orderMetadata) => ({
        ...request,
        orderMetadata: orderMetadata as ParsedRequest['orderMetadata'],
      }),
    }),
  },
  ...(['promotion_id', 'metadata'] as const).map((field) => ({
    id: field === 'metadata' ? 'kept-metadata-filter' : 'kept-campaign-filter',
    what: `The ${field} filter of a request is kept`,
    breaks: field === 'metadata' ? ('filter.tier-metadata' as const) : ('filter.promotion-id' as const),
    createMember: (): KeptMember => ({
      empty: [],
      read: ({ filters }) => filters.filter((filter) => filter.field === field),
      replace: (request, filters) => ({
        ...request,
        filters: [
          ...request.filters.filter((filter) => filter.field !== field),
          ...(filters as ParsedRequest['filters']),
        ],
      }),
    }),
  })),
  {
    id: 'kept-filter-value',
    what: 'The value of a filter is kept',
    breaks: 'filter.tier-metadata',
    createMember: () => ({
      empty: [],
      read: ({ filters }) => filters.map(({ value }) => value),
      replace: (request, values) => ({
        ...request,
        filters: request.filters.map((filter, at) => ({ ...filter, value: (values as string[])[at] ?? '' })),
      }),
    }),
  },
];

export const statePlaces: readonly Place<StateMistake>[] = keptMembers.map(({ createMember, ...place }) => ({
  ...place,
  plug: (keep) => (handlers, facts) => keep(createMember(handlers))(handlers, facts),
}));

/** Bytes that become structure. */
export const bodyPlaces: readonly Place<BodyReading>[] = [
  {
    id: 'body',
    what: 'The body is read',
    breaks: 'request.get-with-body',
    plug: (read) => (handlers) => ({
      readBody(request) {
        if ((request.body ?? '') === '') return handlers.readBody(request);
        const seen = read(request);
        return seen === undefined ? { kind: 'unread' } : handlers.readBody(seen);
      },
    }),
  },
];

export const queryPlaces: readonly Place<QueryReading>[] = [
  {
    id: 'query',
    what: 'The query is read',
    breaks: 'filter.promotion-id',
    plug: (read) => (handlers) => ({ readQuery: (query) => handlers.readQuery(read(query)) }),
  },
];
