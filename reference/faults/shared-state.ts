import type { Change } from '../deployment/handlers.js';
import type { Members } from '../deployment/json.js';
import type { Filter, ParsedRequest } from '../deployment/parsed-request.js';
import { createCacheChange, type Fault, type Requirement, unlessWaived } from './fault.js';

function stateFault(id: string, breaks: Requirement, story: string, sentence: string, change: Change): Fault {
  return { id, breaks, story, sentence, change, hasState: true };
}

/** What several requests have in common by mistake, so that one of them gets what is another's. */
export const sharedStateFaults: readonly Fault[] = [
  stateFault(
    'cached-without-the-products',
    'order.product-item',
    'Results are cached under the quantities of an order, without its products.',
    'Responses are cached without the product ids in the key: requests that differ only in them get the answer of the first one.',
    createCacheChange(({ tally, ...request }) => ({
      ...request,
      lines: request.lines.map(({ as, id, quantity }) => ({ as, quantity, id: as === 'sku' ? id : '' })),
    })),
  ),
  ...(['promotion_id', 'metadata'] as const).flatMap((field: Filter['field']): Fault[] => {
    const [name, breaks, words] =
      field === 'metadata'
        ? (['metadata-filter', 'filter.tier-metadata', 'tier metadata'] as const)
        : (['campaign-filter', 'filter.promotion-id', 'promotion_id'] as const);
    return [
      stateFault(
        `${name}-value-left-out-of-the-cache`,
        breaks,
        'Results are cached under the body and the names of the parameters.',
        `Responses are cached without the values of filters by ${words} in the key: requests that differ only in them get the answer of the first one.`,
        createCacheChange((request) => ({
          ...request,
          filters: request.filters.map((filter) => (filter.field === field ? { ...filter, value: '' } : filter)),
        })),
      ),
      stateFault(
        `${name}-left-over`,
        'result.all-valid',
        'The filter of a request stays for the next one with the same body that has none.',
        `A request without a filter by ${words} gets the result for that of the request before it.`,
        (handlers) => {
          const kept = new Map<string, ParsedRequest['filters']>();
          return {
            select(request) {
              const key = JSON.stringify(request.lines);
              const before = kept.get(key) ?? [];
              kept.set(key, request.filters);
              const isLeft = request.filters.length === 0 && before[0]?.field === field;
              return handlers.select(isLeft ? { ...request, filters: before } : request);
            },
          };
        },
      ),
    ];
  }),
  {
    ...stateFault(
      'window-of-the-first-request',
      'result.all-valid',
      'The newest tiers are looked up once, by the first request, and its filter is in that query.',
      'The newest promotion tiers are looked up once, with the filter of the first request: requests without a filter get no others.',
      (handlers) => {
        let first: ReturnType<typeof handlers.candidates> | undefined;
        return {
          candidates(request) {
            first ??= handlers.candidates(request);
            return request.filters.length === 0 ? first : handlers.candidates(request);
          },
        };
      },
    ),
    // Then the first filter is not read.
    hiddenBy: ['filter-percent-encoded'],
  },
  stateFault(
    'metadata-left-over',
    'metadata.promotion-rules',
    'The object into which metadata is read is made once, and never emptied.',
    'The metadata of earlier requests still counts.',
    (handlers) => {
      const kept: Record<string, unknown> = {};
      return {
        metadataOf: (members) => ({
          ...Object.assign(kept, unlessWaived<Members>(handlers.metadataOf(members), {})),
        }),
      };
    },
  ),
  stateFault(
    'customer-left-over',
    'customer.by-id',
    'Who has reservations is looked up for the customer of the request before.',
    'A request is answered with the customer of the request before it.',
    (handlers) => {
      let before: ParsedRequest['customer'];
      return {
        select(request) {
          const customer = before ?? request.customer;
          before = request.customer;
          return handlers.select({ ...request, customer });
        },
      };
    },
  ),
  stateFault(
    'items-left-over',
    'result.valid-only',
    'A customer’s cart is kept, and what was ordered before is still in it.',
    'The items that the same customer sent before still count.',
    (handlers) => {
      const carts = new Map<unknown, ParsedRequest['lines']>();
      return {
        parseBody(body) {
          const parsed = handlers.parseBody(body);
          const lines = [...(carts.get(parsed.customer) ?? []), ...parsed.lines].slice(-3);
          carts.set(parsed.customer, parsed.lines);
          return { ...parsed, lines, tally: handlers.tally(lines) };
        },
      };
    },
  ),
];
