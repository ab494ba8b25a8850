import type { Assertion } from '../assertions/assertion.js';
import { findResponseKind } from '../assertions/registry.js';
import type { JudgeMode } from '../assertions/row-evidence.js';
import type { Oracle } from '../contract/oracle.js';
import { type NamedWorld, windowSize } from '../world/named-world.js';
import type { PreparedRequest } from './row-reader.js';

/** What a row sends and states. */
interface Needing {
  readonly requests: ReadonlyMap<string, PreparedRequest>;
  readonly assertions: readonly Assertion[];
  readonly mode: JudgeMode;
}

/**
 * What a row needs of the world and the deployment does not have: what its requests name, and what its assertions
 * need. Each by kind and name, as in `customer ann`.
 */
export function listUnavailable({ requests, assertions, mode }: Needing, world: NamedWorld): string[] {
  const { tiers, unavailable } = world;
  if (unavailable.size === 0) return [];
  const isPossible = (id: string) => (unavailable.get(id)?.capabilities.length ?? 0) === 0;
  const possibleTiers = tiers.map(({ id }) => id).filter(isPossible);
  const oracleOf = (name: string) => (requests.get(name) as PreparedRequest).oracle;
  const needsOf = (assertion: Assertion): readonly string[] => {
    if ('lists' in assertion) return assertion.lists.flat().flatMap(needsOf);
    const oracle = oracleOf(assertion.of);
    const context = { mode, world, oracle, getOracle: oracleOf, possibleTiers, addWindow: windowFor(oracle, world) };
    return findResponseKind(assertion).listNeededIds?.(assertion.data, context) ?? [];
  };
  const needed = new Set(assertions.flatMap(needsOf));
  const sent = JSON.stringify([...requests.values()].map(({ http }) => http));
  return [...unavailable]
    .filter(([id]) => needed.has(id) || sent.includes(id))
    .map(([, { kind, name }]) => `${kind} ${name}`);
}

/** Where only its age speaks against a tier, the deployment must have as many newer ones as the document says. */
function windowFor(oracle: Oracle, { tiers }: NamedWorld): (ids: readonly string[]) => string[] {
  const newest = tiers.slice(0, windowSize).map(({ id }) => id);
  const restsOnWindow = new Set(
    tiers
      .slice(windowSize)
      .filter((tier) => oracle.valid(tier) !== 'forbidden' && oracle.matching(tier) !== 'forbidden')
      .map(({ id }) => id),
  );
  return (ids) => [...ids, ...(ids.some((id) => restsOnWindow.has(id)) ? newest : [])];
}
