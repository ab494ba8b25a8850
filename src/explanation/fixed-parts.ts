/**
 * Lists the mistakes of a deployment that keeps a part of one request for all later ones: its customer, its filters, or a member of
 * its body. In: what was observed. Out: structural mistakes, to be proved like all others. Pure.
 */

import type { Handlers } from '../../reference/deployment/handlers.js';
import type { Filter } from '../../reference/deployment/parsed-request.js';
import { createMistakeOfEveryRequest, type StructuralMistake } from '../../reference/faults/model.js';
import { createNameLookup } from '../contract/describe-request.js';
import { parseFilterParameter } from '../contract/operation.js';
import { parseRequest } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { computeOnce } from '../support/caches.js';
import { getMember, isJsonObject } from '../support/json.js';
import { shorten } from '../support/untrusted-text.js';
import type { ComparableObservation, Observations } from './observation.js';
import { describeRequestComponent } from './request-components.js';

/** A longer text hides the rest of a sentence. */
const maxWords = 80;
/** How many of the first requests of a run may be the one that is kept. */
const maxFirst = 6;

export function listFixedPartMistakes({
  compared,
  world,
}: Pick<Observations, 'compared' | 'world'>): StructuralMistake[] {
  const inOrder = compared
    .toSorted((left, right) => readNumber(left) - readNumber(right))
    .map(({ request }) => request);
  const first = inOrder.slice(0, maxFirst);
  const nameOf = createNameLookup(world);
  // Without a promotion of its own, it is not told apart from no customer at all.
  const reserved = new Set(
    world.tiers.flatMap(({ rules }) => rules.flatMap((rule) => (rule.kind === 'customer' ? rule.any_of : []))),
  );
  const named = world.customers.filter(({ id }) => reserved.has(id));
  const customers = named.map(({ id }) =>
    createMistakeOfEveryRequest(
      `fixed-customer/${nameOf(id)}`,
      `Every request is answered as if its customer were ${nameOf(id)}, whichever customer it names.`,
      () => ({ customerOf: () => id }),
    ),
  );
  const queries = first.flatMap((request): StructuralMistake[] => {
    const query = readQuery(request);
    return query === '' ? [] : [createQueryMistake(query, describeQuery(request, nameOf))];
  });
  const filters = filterFields.flatMap(({ on, ...field }) =>
    listFiltering(inOrder, on).flatMap((request) => createFilterMistakes(request, field, nameOf)),
  );
  return dropRepeated([...customers, ...queries, ...filters, ...first.flatMap(createMemberMistakes)]);
}

/** The fields that a filter may be about, and the words for such a filter. */
const filterFields = [
  { on: 'campaign', field: 'promotion_id', words: 'promotion_id' },
  { on: 'metadata', field: 'metadata', words: 'tier metadata' },
] as const;

type FilterField = Omit<(typeof filterFields)[number], 'on'>;

/** Lists the first requests with a filter about something. Several are under way at first, and any of them may be the first to be read. */
function listFiltering(inOrder: readonly HttpRequest[], on: (typeof filterFields)[number]['on']): HttpRequest[] {
  const isFiltering = (request: HttpRequest) =>
    parseRequest(request).query.some(([name]) => parseFilterParameter(name)?.on === on);
  const byQuery = new Map(inOrder.filter(isFiltering).map((request) => [readQuery(request), request]));
  return [...byQuery.values()].slice(0, maxFirst);
}

function readQuery({ path }: HttpRequest): string {
  return /\?(.*)$/s.exec(path)?.[1] ?? '';
}

function describeQuery(request: HttpRequest, nameOf: ReturnType<typeof createNameLookup>): string {
  const parts = parseRequest(request).query.map(([name, value]) =>
    shorten(describeRequestComponent({ kind: 'parameter', name, value }, nameOf), maxWords),
  );
  return parts.join(' and ');
}

/** Which requests are answered as if they had the filter of another one. */
interface FilteredRequests {
  readonly id: string;
  /** The words continue "Every request …". */
  readonly words: string;
  readonly isMeant: (filters: readonly Filter[]) => boolean;
}

/** The filter may be kept for requests with one of the same kind, or the newest promotions may be looked up once, with it. */
function createFilterMistakes(
  request: HttpRequest,
  { field, words }: FilterField,
  nameOf: ReturnType<typeof createNameLookup>,
): StructuralMistake[] {
  const [query, described] = [readQuery(request), describeQuery(request, nameOf)];
  const meant: readonly FilteredRequests[] = [
    {
      id: 'fixed-filter',
      words: `with a filter by ${words}`,
      isMeant: (filters) => filters.some((filter) => filter.field === field),
    },
    { id: 'fixed-filter-of-others', words: 'without a filter', isMeant: (filters) => filters.length === 0 },
  ];
  return meant.map(({ id, words: which, isMeant }) =>
    createMistakeOfEveryRequest(
      `${id}/${query}`,
      `Every request ${which} is answered as if it had ${described}, as an earlier request had.`,
      (handlers) => {
        const readFilters = computeOnce(() => handlers.readQuery(query).filters);
        return {
          restriction: (asked) =>
            handlers.restriction(isMeant(asked.filters) ? { ...asked, filters: readFilters() } : asked),
        };
      },
    ),
  );
}

function readNumber({ numbers }: ComparableObservation): number {
  return Math.min(...numbers);
}

function createQueryMistake(query: string, words: string): StructuralMistake {
  return createMistakeOfEveryRequest(
    `fixed-query/${query}`,
    `Every request is answered as if it had ${words}, as an earlier request had.`,
    (handlers) => ({ readQuery: () => handlers.readQuery(query) }),
  );
}

/** The members of a body that may be kept: their names, the handlers that read them, and their values in a body. */
const members = [
  { name: 'metadata', handler: 'metadataOf', read: (body: object) => getMember(body, 'metadata') },
  { name: 'order.metadata', handler: 'orderMetadataOf', read: (body: object) => readOrderMember(body, 'metadata') },
  { name: 'order.items', handler: 'itemsOf', read: (body: object) => readOrderMember(body, 'items') },
] as const;

function readOrderMember(body: object, name: string): unknown {
  return getMember(getMember(body, 'order'), name);
}

function createMemberMistakes(request: HttpRequest): StructuralMistake[] {
  const { body } = parseRequest(request);
  if (!isJsonObject(body)) return [];
  return members.map(({ name, handler, read }) => {
    const value = JSON.stringify(read(body));
    return createMistakeOfEveryRequest(
      `fixed-${name}/${value}`,
      `Every request is answered as if its ${name} were ${value}, as that of an earlier request.`,
      (handlers: Handlers) => ({ [handler]: () => handlers[handler](body) }),
    );
  });
}

function dropRepeated(mistakes: readonly StructuralMistake[]): StructuralMistake[] {
  return [...new Map(mistakes.map((mistake) => [mistake.id, mistake])).values()];
}
