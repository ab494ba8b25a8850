/** Caches whose key has only a part of a request, or another text of it. */

import {
  type Filter,
  type MetadataFilter,
  type ParsedRequest,
  waived,
} from '../../../reference/deployment/parsed-request.js';
import { textOf } from '../../../reference/faults/remember.js';
import { caches, type KeyEntries, type KeyEntry, type KeyTexts, type keyMistakes } from '../mistakes/cache-keys.js';
import { asKinds, entriesOf, nouns, type Place } from './places.js';

/** A part of a request, as the key of a cache has it. */
export interface KeyDetail extends Omit<Place<never>, 'plug'> {
  readonly of: 'body' | 'query';
  readonly kind: keyof typeof keyMistakes;
  /** A request as a key, in which this part has other texts. */
  rewrite(request: ParsedRequest, write: KeyTexts): unknown;
}

/** Rewrites one text of each part. */
function rewriteEach<T extends object>(parts: readonly T[], member: keyof T, write: KeyTexts): unknown[] {
  const texts = write(parts.map((part) => String(part[member])));
  return parts.map((part, n) => ({ ...part, [member]: texts[n] }));
}

const namedEntriesOf = (metadata: ParsedRequest['metadata']) =>
  entriesOf(metadata).map(([key, value]) => ({ key, value }));

const partFilters = ({ filters }: ParsedRequest, field: Filter['field']) =>
  [true, false].map((isMeant) => filters.filter((filter) => (filter.field === field) === isMeant));

const metadataDetails = [
  { id: 'metadata', what: 'request’s metadata', breaks: 'metadata.promotion-rules', member: 'metadata' },
  { id: 'order-metadata', what: 'order’s metadata', breaks: 'order.metadata', member: 'orderMetadata' },
] as const;

export const keyDetails: readonly KeyDetail[] = [
  {
    id: 'customer',
    what: 'the customer',
    breaks: 'customer.by-id',
    of: 'body',
    kind: 'id',
    rewrite: (request, write) => ({ ...request, customer: write([String(request.customer)]) }),
  },
  ...asKinds.map(
    (as): KeyDetail => ({
      id: `${as}-ids`,
      what: `the ids of items with ${nouns[as]}`,
      breaks: as === 'product' ? 'order.product-item' : 'order.sku-item',
      of: 'body',
      kind: 'id',
      rewrite(request, write) {
        const meant = request.lines.filter((line) => line.as === as);
        const others = request.lines.filter((line) => line.as !== as);
        return { ...request, lines: [rewriteEach(meant, 'id', write), others] };
      },
    }),
  ),
  {
    id: 'quantities',
    what: 'the quantities of the items',
    breaks: 'order.quantity',
    of: 'body',
    kind: 'quantity',
    rewrite: (request, write) => ({ ...request, lines: rewriteEach(request.lines, 'quantity', write) }),
  },
  {
    id: 'items',
    what: 'the ids and the quantities of the items',
    breaks: 'order.quantity',
    of: 'body',
    kind: 'list',
    rewrite: ({ lines, ...request }, write) => [
      request,
      write(lines.map(({ id }) => id)),
      write(lines.map(({ quantity }) => String(quantity))),
    ],
  },
  ...(['key', 'value'] as const).flatMap((part): KeyDetail[] => [
    ...metadataDetails.map(
      ({ id, what, breaks, member }): KeyDetail => ({
        id: `${id}-${part}s`,
        what: `the ${part}s of the ${what}`,
        breaks,
        of: 'body',
        kind: 'text',
        rewrite: (request, write) => ({
          ...request,
          [member]: rewriteEach(namedEntriesOf(request[member]), part, write),
        }),
      }),
    ),
    {
      id: `filter-${part}s`,
      what: `the ${part}s of metadata filters`,
      breaks: 'filter.tier-metadata',
      of: 'query',
      kind: 'text',
      rewrite(request, write) {
        const [meant, others] = partFilters(request, 'metadata');
        return { ...request, filters: [others, rewriteEach((meant ?? []) as MetadataFilter[], part, write)] };
      },
    },
  ]),
  {
    id: 'metadata-entries',
    what: 'the keys and the values of the request’s metadata',
    breaks: 'metadata.promotion-rules',
    of: 'body',
    kind: 'list',
    rewrite: ({ metadata, ...request }, write) => [
      request,
      write(entriesOf(metadata).map(([key]) => key)),
      write(entriesOf(metadata).map(([, value]) => value)),
    ],
  },
  {
    id: 'campaign',
    what: 'the campaign of a filter',
    breaks: 'filter.promotion-id',
    of: 'query',
    kind: 'id',
    rewrite(request, write) {
      const [meant, others] = partFilters(request, 'promotion_id');
      return { ...request, filters: [others, rewriteEach(meant ?? [], 'value', write)] };
    },
  },
  {
    id: 'filter-names',
    what: 'the names of filters',
    breaks: 'filter.promotion-id',
    of: 'query',
    kind: 'id',
    rewrite: ({ filters, ...request }, write) => [
      request,
      write(filters.map((filter) => (filter.field === 'metadata' ? filter.key : filter.field))),
      filters.map(({ value }) => value),
    ],
  },
  {
    id: 'filters',
    what: 'all filters',
    breaks: 'result.all-valid',
    of: 'query',
    kind: 'id',
    rewrite: (request, write) => ({ ...request, filters: write([textOf(request.filters)]) }),
  },
  {
    id: 'body',
    what: 'the body as one text',
    breaks: 'request.get-with-body',
    of: 'body',
    kind: 'whole',
    rewrite: ({ filters, ...body }, write) => [filters, write([textOf(body)])],
  },
  {
    id: 'query',
    what: 'the query as one text',
    breaks: 'filter.tier-metadata',
    of: 'query',
    kind: 'whole',
    rewrite: ({ filters, ...body }, write) => [body, write([textOf(filters)])],
  },
  {
    id: 'expand',
    what: 'options.expand',
    breaks: 'options.expand-category',
    of: 'body',
    kind: 'id',
    rewrite: (request, write) => ({ ...request, expand: write([textOf(request.expand)]) }),
  },
];

interface EntryDetail extends Pick<KeyDetail, 'id' | 'what' | 'breaks' | 'of'> {
  readEntries(request: ParsedRequest): readonly KeyEntry[];
  /** The request without the entries. */
  leaveOut(request: ParsedRequest): unknown;
}

/** Members of a request that are names with values. */
const entryDetails: readonly EntryDetail[] = [
  ...metadataDetails.map(
    ({ id, what, breaks, member }): EntryDetail => ({
      id,
      what: `the ${what}`,
      breaks,
      of: 'body',
      readEntries: (request) => entriesOf(request[member]),
      leaveOut: (request) => ({ ...request, [member]: undefined }),
    }),
  ),
  {
    id: 'metadata-filters',
    what: 'the metadata filters',
    breaks: 'filter.tier-metadata',
    of: 'query',
    readEntries: (request) =>
      ((partFilters(request, 'metadata')[0] ?? []) as MetadataFilter[]).map(({ key, value }) => [key, value]),
    leaveOut: (request) => ({ ...request, filters: partFilters(request, 'metadata')[1] }),
  },
];

function listPlaces<Plug>(
  { id, what, breaks, of }: Pick<KeyDetail, 'id' | 'what' | 'breaks' | 'of'>,
  keyOf: (request: ParsedRequest, plug: Plug) => unknown,
): Place<Plug>[] {
  return caches
    .filter(({ reads }) => reads.includes(of))
    .map((cache) => ({
      id: `cached-${cache.id}-by-${id}`,
      what: `${cache.what} under a key that has ${what}`,
      breaks,
      plug: (write) => cache.keep((request) => keyOf({ ...request, tally: waived }, write)),
    }));
}

/** Caches whose key has the entries of a member. */
export const entryKeyPlaces: readonly Place<KeyEntries>[] = entryDetails.flatMap((detail) =>
  listPlaces<KeyEntries>(detail, (request, write) => [detail.leaveOut(request), write(detail.readEntries(request))]),
);

/** Caches whose key has a part of a request. */
export function listKeyPlaces(wanted: KeyDetail['kind']): Place<KeyTexts>[] {
  const details = keyDetails.filter(({ kind }) => kind === wanted);
  return details.flatMap((detail) => listPlaces<KeyTexts>(detail, detail.rewrite));
}
