import { createOracle } from '../contract/oracle.js';
import type { HttpRequest } from '../http/exchange.js';
import { isJsonObject, parseJson } from '../support/json.js';
import type { NamedWorld } from '../world/named-world.js';
import type { Tier } from '../world/world.js';

/** A part of another request that explains a wrong result. */
export interface Leak {
  /** In words, as in "its customer". */
  readonly part: string;
  /** How many promotions it explains that were returned or left out by mistake. */
  readonly explained: number;
  /** Whether it explains all of the result. */
  readonly isComplete: boolean;
}

type Members = Readonly<Record<string, unknown>>;

/** Requests as a deployment may mix them up, with the part that it takes from the other one. */
const mixtures: readonly (readonly [part: string, mix: (own: HttpRequest, other: HttpRequest) => HttpRequest])[] = [
  ['its customer', mixBodies((own, other) => ({ ...own, customer: other.customer }))],
  ['its metadata', mixBodies((own, other) => ({ ...own, metadata: other.metadata }))],
  [
    'its metadata',
    mixBodies((own, other) => ({ ...own, metadata: { ...toMembers(other.metadata), ...toMembers(own.metadata) } })),
  ],
  ['its order', mixBodies((own, other) => ({ ...own, order: other.order }))],
  ['its order', mixBodies((own, other) => ({ ...own, order: addItems(own.order, other.order) }))],
  ['its filter', (own, { path }) => ({ ...own, path })],
  ['its body', (own, { body = '' }) => ({ ...own, body })],
  ['all of it', (_, other) => other],
];

/**
 * Finds the part of another request that a deployment used in place of the request's own.
 *
 * @param returned ids of the tiers that the response returned
 * @returns undefined if no part of the other request explains any mistake of the result
 */
export function findLeak(
  own: HttpRequest,
  other: HttpRequest,
  returned: ReadonlySet<string>,
  world: NamedWorld,
): Leak | undefined {
  const mistakes = findMistakes(own, returned, world);
  if (mistakes.length === 0) return undefined;
  const leaks = mixtures.flatMap(([part, mix]): Leak[] => {
    const mixed = mix(own, other);
    const oracle = createOracle(mixed, world);
    const isExplained = (tier: Tier) => oracle.returned(tier) === (returned.has(tier.id) ? 'required' : 'forbidden');
    const explained = mistakes.filter(isExplained).length;
    if (explained === 0) return [];
    return [{ part, explained, isComplete: findMistakes(mixed, returned, world).length === 0 }];
  });
  const rank = ({ explained, isComplete }: Leak) => (isComplete ? world.tiers.length + 1 : explained);
  return leaks.toSorted((one, two) => rank(two) - rank(one))[0];
}

/** Lists the tiers that a request requires and that were left out, or that it forbids and that were returned. */
export function findMistakes(request: HttpRequest, returned: ReadonlySet<string>, world: NamedWorld): Tier[] {
  const oracle = createOracle(request, world);
  return world.tiers.filter(
    (tier) =>
      !world.unavailable.has(tier.id) && oracle.returned(tier) === (returned.has(tier.id) ? 'forbidden' : 'required'),
  );
}

function mixBodies(mix: (own: Members, other: Members) => Members) {
  return (own: HttpRequest, other: HttpRequest): HttpRequest => {
    const bodies = [own, other].map(({ body }) => toMembers(body === undefined ? undefined : parseJson(body)));
    return { ...own, body: JSON.stringify(mix(bodies[0] ?? {}, bodies[1] ?? {})) };
  };
}

function addItems(own: unknown, other: unknown): Members {
  const items = [other, own].flatMap((order) => {
    const { items: list } = toMembers(order);
    return Array.isArray(list) ? list : [];
  });
  return { ...toMembers(own), items };
}

function toMembers(value: unknown): Members {
  return isJsonObject(value) ? value : {};
}
