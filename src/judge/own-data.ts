import type { TestCase } from '../cases/test-case.js';
import type { Exchange } from '../http/exchange.js';
import { type NamedWorld, ownPrefix, thingKinds } from '../world/named-world.js';

/**
 * Whether the responses to a case show the test data that the user added to the world: yes if they name a tier of it, or
 * if the case sends nothing of it.
 */
export function isOwnDataSeen({ rows }: TestCase, exchanges: readonly Exchange[], { ids }: NamedWorld): boolean {
  const listOwnIds = (kind: (typeof thingKinds)[number]) =>
    [...ids[kind]].flatMap(([name, id]) => (name.startsWith(ownPrefix) ? [id] : []));
  const tiers = listOwnIds('tier');
  if (tiers.length === 0) return true;
  const own = thingKinds.flatMap(listOwnIds);
  const sent = rows.flatMap(({ requests }) => [...requests.values()]).map(({ path, body = '' }) => path + body);
  if (!sent.some((text) => own.some((id) => text.includes(id)))) return true;
  return exchanges.some(
    (exchange) => 'response' in exchange && tiers.some((id) => exchange.response.body.includes(id)),
  );
}
