import type { Change, Handlers } from '../handlers.js';
import type { Members } from '../json.js';
import type { Body, ParsedQuery } from '../parsed-request.js';
import type { Fault } from './fault.js';

/** Requests of which the documentation leaves a part open, and for which a developer wrote a branch of its own. */
interface Branch {
  readonly id: string;
  readonly story: string;
  /** What is open about it. */
  readonly question: string;
  isTaken(body: Body, query: ParsedQuery): boolean;
}

const hasBody = (body: Body): body is Extract<Body, { kind: 'object' }> => body.kind === 'object';
const leavesOut = (member: string) => (body: Body) => hasBody(body) && body.members[member] === undefined;
const isEmpty = (body: Body) => hasBody(body) && Object.keys(body.members).length === 0;
const orderOf = (body: Body): unknown => (hasBody(body) ? body.members.order : undefined);
const itemsOf = (body: Body): readonly unknown[] => {
  const order = orderOf(body) as { items?: unknown } | undefined;
  return Array.isArray(order?.items) ? order.items : [];
};
const quantities = (body: Body): unknown[] => itemsOf(body).map((item) => (item as { quantity?: unknown }).quantity);

const fieldsOf = (filters: ParsedQuery['filters']) => filters.map(({ field }) => field).join(' ');

const branches: readonly Branch[] = [
  {
    id: 'audience-rules-only',
    story: 'audienceRulesOnly',
    question: 'audience-rules-only-effect',
    isTaken: (_, { audienceRulesOnly }) => audienceRulesOnly,
  },
  {
    id: 'no-customer',
    story: 'a request without customer',
    question: 'omitted-customer',
    isTaken: (body) => leavesOut('customer')(body) && !isEmpty(body),
  },
  { id: 'empty-object', story: 'an empty body', question: 'empty-object', isTaken: isEmpty },
  { id: 'no-order', story: 'a request without order', question: 'omitted-order', isTaken: leavesOut('order') },
  {
    id: 'no-items',
    story: 'an order without items',
    question: 'empty-items',
    isTaken: (body) => orderOf(body) !== undefined && itemsOf(body).length === 0,
  },
  {
    id: 'no-order-metadata',
    story: 'an order without metadata',
    question: 'omitted-order',
    isTaken: (body) => itemsOf(body).length > 0 && (orderOf(body) as Members).metadata === undefined,
  },
  {
    id: 'repeated-sku',
    story: 'an order with a SKU twice',
    question: 'repeated-sku',
    isTaken: (body) => {
      const skus = itemsOf(body).flatMap((item) => (item as Members).sku_id ?? []);
      return new Set(skus).size < skus.length;
    },
  },
  { id: 'no-options', story: 'a request without options', question: 'omitted-options', isTaken: leavesOut('options') },
  {
    id: 'no-metadata',
    story: 'a request without metadata',
    question: 'omitted-metadata',
    isTaken: leavesOut('metadata'),
  },
  {
    id: 'no-quantity',
    story: 'an item without quantity',
    question: 'missing-quantity',
    isTaken: (body) => quantities(body).includes(undefined),
  },
  {
    id: 'quantity-0',
    story: 'an item of quantity 0',
    question: 'quantity-zero',
    isTaken: (body) => quantities(body).includes(0),
  },
  {
    id: 'both-filters',
    story: 'a campaign filter before a metadata filter',
    question: 'filter-combination',
    isTaken: (_, { filters }) => fieldsOf(filters) === 'promotion_id metadata',
  },
  {
    id: 'both-filters-reversed',
    story: 'a metadata filter before a campaign filter',
    question: 'filter-combination',
    isTaken: (_, { filters }) => fieldsOf(filters) === 'metadata promotion_id',
  },
];

/** Replaces handlers for requests that take a branch. */
function inBranch({ isTaken }: Branch, change: (handlers: Handlers) => Partial<Handlers>): Change {
  return (handlers) => {
    let body: Body = { kind: 'absent' };
    let query: ParsedQuery = { filters: [], audienceRulesOnly: false };
    const changed = change(handlers);
    const inTurn = Object.entries(changed).map(([name, handler]) => {
      const usual = handlers[name as keyof Handlers] as (...args: unknown[]) => unknown;
      const other = handler as (...args: unknown[]) => unknown;
      return [name, (...args: unknown[]) => (isTaken(body, query) ? other(...args) : usual(...args))];
    });
    return {
      ...Object.fromEntries(inTurn),
      readBody(request) {
        body = handlers.readBody(request);
        return body;
      },
      readQuery(text) {
        query = handlers.readQuery(text);
        return query;
      },
    };
  };
}

/** What is lost in a branch. */
interface Loss {
  readonly id: string;
  readonly breaks: Fault['breaks'];
  readonly story: string;
  readonly change: (handlers: Handlers) => Partial<Handlers>;
  /** Whether it shows with a filter alone: what may be left out beside one is left out by one request. */
  readonly isFiltered: boolean;
  /** Branches in which it does not bind, or no case can show it. */
  readonly not: readonly string[];
}

const omissions: readonly string[] = ['omitted-order', 'omitted-options', 'omitted-metadata'];
const withSeveralFilters = ['both-filters', 'both-filters-reversed'];

const losses: readonly Loss[] = [
  {
    id: 'window',
    breaks: 'limit.newest-150',
    isFiltered: false,
    story: 'the limit to the newest tiers is forgotten',
    change: () => ({ newest: (tiers) => tiers }),
    // With a filter the window may come after it.
    not: withSeveralFilters,
  },
  {
    id: 'reservation',
    breaks: 'customer.by-id',
    isFiltered: false,
    story: 'reservations are not checked',
    change: () => ({ customerRule: () => true }),
    // Without a customer nobody is named.
    not: ['no-customer', 'empty-object', 'both-filters-reversed'],
  },
  {
    id: 'campaign-filter',
    breaks: 'filter.promotion-id',
    isFiltered: true,
    story: 'the campaign filter is passed over',
    change: (handlers) => ({
      restriction: (request) =>
        request.filters.some(({ field }) => field === 'promotion_id') ? undefined : handlers.restriction(request),
    }),
    not: ['empty-object'],
  },
  {
    id: 'metadata-filter',
    breaks: 'filter.tier-metadata',
    isFiltered: true,
    story: 'the metadata filter is passed over',
    change: (handlers) => ({
      restriction: (request) =>
        request.filters.some(({ field }) => field === 'metadata') ? undefined : handlers.restriction(request),
    }),
    // Where both are passed over, the other requirement fails.
    not: ['empty-object', ...withSeveralFilters],
  },
];

/** A filter of which the place in the query matters. */
const misplaced: readonly Fault[] = (
  [
    ['campaign-filter', 'promotion_id', 'filter.promotion-id'],
    ['metadata-filter', 'metadata', 'filter.tier-metadata'],
  ] as const
).flatMap(([name, field, breaks]) =>
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

/** What still binds where a part of the request is open, lost in a branch for just that. */
export const openBranchFaults: readonly Fault[] = [...misplaced, ...ofBranches()];

function ofBranches(): Fault[] {
  return branches.flatMap((branch) =>
    losses
      .filter(({ not }) => !not.includes(branch.id))
      .map(
        (loss): Fault => ({
          id: `${loss.id}-lost-by-${branch.id}`,
          breaks: loss.breaks,
          story: `For ${branch.story} there is a branch of its own, in which ${loss.story}.`,
          hiddenBy: loss.isFiltered && omissions.includes(branch.question) ? omissions : [branch.question],
          change: inBranch(branch, loss.change),
        }),
      ),
  );
}
