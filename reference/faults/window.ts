import type { Tier } from '../../src/contract/world.js';
import type { Handlers, TierTest } from '../deployment/handlers.js';
import { type Filter, type ParsedRequest, waived } from '../deployment/parsed-request.js';
import type { Fault } from './fault.js';

/** A window other than that of the newest 150 tiers. */
function windowFault(id: string, story: string, newest: Handlers['newest']): Fault {
  return { id, breaks: 'limit.newest-150', story, change: () => ({ newest }) };
}

/** The window is lost when a request says a certain thing. */
function windowless(what: string, story: string, when: (request: ParsedRequest) => boolean): Fault {
  return {
    id: `window-lost-with-${what}`,
    breaks: 'limit.newest-150',
    story,
    change: (handlers, { catalogue }) => ({
      candidates(request) {
        if (!when(request)) return handlers.candidates(request);
        return catalogue.tiers.filter(handlers.restriction(request) ?? (() => true));
      },
    }),
  };
}

/** With one kind of filter the window is taken neither before it nor after it, or now so and now so. */
function filteredWindowFault(
  field: Filter['field'],
  id: string,
  story: string,
  candidates: (request: ParsedRequest, test: TierTest, tiers: readonly Tier[]) => readonly Tier[],
): Fault {
  const kind = field === 'metadata' ? 'metadata' : 'campaign';
  return {
    id: `${id}-with-${kind}-filter`,
    breaks: 'limit.newest-150',
    story: `With a ${kind} filter: ${story}`,
    hiddenBy: ['filter-beyond-window'],
    change: (handlers, { catalogue }) => ({
      candidates(request) {
        const test = handlers.restriction(request);
        const isMeant = request.filters.length === 1 && request.filters[0]?.field === field;
        return isMeant && test !== undefined
          ? candidates(request, test, catalogue.tiers)
          : handlers.candidates(request);
      },
    }),
  };
}

const filteredWindowFaults = (['promotion_id', 'metadata'] as const).flatMap((field): Fault[] => [
  filteredWindowFault(
    field,
    'older-only-with-expand',
    'the query that joins the categories has its limit after the filter, the other one before it.',
    ({ expand }, test, tiers) => (expand.length > 0 ? tiers.filter(test) : tiers.slice(0, 150).filter(test)),
  ),
  filteredWindowFault(
    field,
    'older-only-for-some',
    'customers with more than 50 reserved promotions have the limit after the filter, other customers before it.',
    ({ customer }, test, tiers) => {
      const isReserved = ({ rules }: Tier) =>
        rules.some((rule) => rule.kind === 'customer' && customer !== waived && rule.any_of.includes(customer ?? ''));
      return tiers.filter(isReserved).length > 50 ? tiers.filter(test) : tiers.slice(0, 150).filter(test);
    },
  ),
  filteredWindowFault(
    field,
    'oldest-too',
    'what was created first of all that matches is kept as a fallback, and never left out.',
    (_, test, tiers) => [...tiers.slice(0, 150).filter(test), ...tiers.slice(150).filter(test).slice(-1)],
  ),
]);

/** The first 150 by a text that is not the time of creation. */
function firstBy(textOf: (tier: Tier) => string): Handlers['newest'] {
  return (tiers) => tiers.toSorted((a, b) => textOf(b).localeCompare(textOf(a))).slice(0, 150);
}

/** Which tiers are checked. */
export const windowFaults: readonly Fault[] = [
  windowFault('window-of-149', 'The loop over the tiers ends one too early.', (tiers) => tiers.slice(0, 149)),
  windowFault('window-of-151', 'The loop over the tiers ends one too late.', (tiers) => tiers.slice(0, 151)),
  windowFault('window-of-100', 'The query for the tiers has the default limit of the database client.', (tiers) =>
    tiers.slice(0, 100),
  ),
  windowFault('window-missing', 'All tiers are checked.', (tiers) => tiers),
  windowFault('window-of-the-oldest', 'The tiers are sorted in ascending order before the limit is applied.', (tiers) =>
    tiers.slice(-150),
  ),
  windowFault(
    'window-by-name',
    'The limit is applied to tiers sorted by name.',
    firstBy(({ name }) => name),
  ),
  windowless(
    'expand',
    'The query that joins the categories was written anew, without the limit.',
    ({ expand }) => expand.length > 0,
  ),
  windowless(
    'a-campaign-filter',
    'The tiers of a campaign come from a query of their own, without the limit.',
    ({ filters }) => filters.some(({ field }) => field === 'promotion_id'),
  ),
  windowless(
    'a-metadata-filter',
    'Tiers with a metadata entry come from an index of their own, without the limit.',
    ({ filters }) => filters.some(({ field }) => field === 'metadata'),
  ),
  ...filteredWindowFaults,
  {
    id: 'window-of-the-valid',
    breaks: 'limit.newest-150',
    story: 'Tiers are checked until 150 valid ones are found.',
    sentence:
      'The deployment applies the limit of 150 after it has evaluated the rules: older promotion tiers take the place of newer ones that are not valid.',
    change: (handlers) => ({ newest: (tiers) => tiers, select: (request) => handlers.select(request).slice(0, 150) }),
  },
  {
    id: 'window-within-the-audience',
    breaks: 'limit.newest-150',
    story: 'Tiers that are reserved for other customers are left out before the limit is applied.',
    sentence: 'The deployment applies the limit of 150 after it has left out promotions for other customers.',
    change: (handlers) => ({
      newest: (tiers) => tiers,
      candidates: (request) =>
        handlers
          .candidates(request)
          .filter(({ rules }) =>
            rules.every((rule) => rule.kind !== 'customer' || handlers.customerRule(rule, request)),
          )
          .slice(0, 150),
    }),
  },
];
