/**
 * Lists the mistakes of a deployment that keeps a part of one request for all later ones: its customer, its filters, or a member of
 * its body. In: what was observed. Out: structural mistakes, to be proved like all others. Pure.
 */

import type { Handlers } from '../../reference/deployment/handlers.js';
import { createMistakeOfEveryRequest, type StructuralMistake } from '../../reference/faults/model.js';
import { createNameLookup } from '../contract/describe-request.js';
import { parseRequest } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
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
  const first = compared
    .toSorted((left, right) => readNumber(left) - readNumber(right))
    .slice(0, maxFirst)
    .map(({ request }) => request);
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
    const [, query] = /\?(.*)$/s.exec(request.path) ?? [];
    const parts = parseRequest(request).query.map(([name, value]) =>
      shorten(describeRequestComponent({ kind: 'parameter', name, value }, nameOf), maxWords),
    );
    return query === undefined ? [] : [createQueryMistake(query, parts.join(' and '))];
  });
  return dropRepeated([...customers, ...queries, ...first.flatMap(createMemberMistakes)]);
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
