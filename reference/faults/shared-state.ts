import type { Change } from '../deployment/handlers.js';
import type { Members } from '../deployment/json.js';
import { type Filter, type ParsedRequest, waived } from '../deployment/parsed-request.js';
import { type Fault, type Requirement, unlessWaived } from './fault.js';

function stateFault(id: string, breaks: Requirement, story: string, change: Change): Fault {
  return { id, breaks, story, change, hasState: true };
}

/** What several requests have in common by mistake, so that one of them gets what is another's. */
export const sharedStateFaults: readonly Fault[] = [
  ...(['promotion_id', 'metadata'] as const).flatMap((field: Filter['field']): Fault[] => {
    const name = field === 'metadata' ? 'metadata-filter' : 'campaign-filter';
    return [
      stateFault(
        `${name}-left-over`,
        'result.all-valid',
        'The filter of a request stays for the next request with the same items and without a filter.',
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
      'The newest tiers are looked up once, with the filter of the first request.',
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
    'The object that holds the metadata is created once and never emptied.',
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
    'Reservations are looked up for the customer of the request before.',
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
    (handlers) => {
      const carts = new Map<unknown, ParsedRequest['lines']>();
      return {
        parseBody(body) {
          const parsed = handlers.parseBody(body);
          const lines = [...(carts.get(parsed.customer) ?? []), ...parsed.lines].slice(-3);
          carts.set(parsed.customer, parsed.lines);
          return { ...parsed, lines, tally: parsed.tally === waived ? waived : handlers.tally(lines) };
        },
      };
    },
  ),
];
