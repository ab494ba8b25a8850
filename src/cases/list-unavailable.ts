import type { Assertion } from '../assertions/assertion.js';
import { findResponseKind } from '../assertions/registry.js';
import type { JudgeMode } from '../assertions/row-evidence.js';
import { getWindowSize, type NamedWorld } from '../contract/named-world.js';
import { createOracle, type Oracle } from '../contract/oracle.js';
import type { HttpRequest } from '../http/exchange.js';
import type { Row } from './test-case.js';

/**
 * Lists what a row needs of the world and the target lacks: what its requests name, and what its assertions need. Each
 * with its kind and name, such as `customer ann`.
 */
export function listUnavailable(
  requests: Row['requests'],
  assertions: readonly Assertion[],
  mode: JudgeMode,
  world: NamedWorld,
): string[] {
  const { tiers, unavailable } = world;
  if (unavailable.size === 0) return [];
  const allTiers = tiers.map(({ id }) => id);
  const getOracle = (name: string) => createOracle(requests.get(name) as HttpRequest, world);
  const listNeeded = (assertion: Assertion): readonly string[] => {
    if ('lists' in assertion) return assertion.lists.flat().flatMap(listNeeded);
    const oracle = getOracle(assertion.of);
    const context = { mode, world, oracle, getOracle, allTiers, addWindow: createAddWindow(oracle, world) };
    return findResponseKind(assertion).listNeededIds?.(assertion.data, context) ?? [];
  };
  const needed = new Set(assertions.flatMap(listNeeded));
  const sent = JSON.stringify([...requests.values()]);
  return [...unavailable]
    .filter(([id]) => needed.has(id) || sent.includes(id))
    .map(([, { kind, name }]) => `${kind} ${name}`);
}

/** If only the age of a tier forbids it, the target must have the newest 150 tiers, too. */
function createAddWindow(oracle: Oracle, world: NamedWorld): (ids: readonly string[]) => string[] {
  const { tiers } = world;
  const size = getWindowSize(world);
  const newest = tiers.slice(0, size).map(({ id }) => id);
  const forbiddenByAge = new Set(
    tiers
      .slice(size)
      .filter((tier) => oracle.valid(tier) !== 'forbidden' && oracle.matching(tier) !== 'forbidden')
      .map(({ id }) => id),
  );
  return (ids) => [...ids, ...(ids.some((id) => forbiddenByAge.has(id)) ? newest : [])];
}
