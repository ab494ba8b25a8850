import type { World } from '../world/world.js';
import type { Assertion } from './assertion.js';
import { renderTierNames } from './judge-result.js';
import { findCompositeKind, findResponseKind } from './registry.js';

/** Says in words what an assertion asks for. @param reason the tiers that it names come first */
export function describeAssertion(assertion: Assertion, world: World, reason = ''): string {
  if ('lists' in assertion) {
    const { conjunction } = findCompositeKind(assertion);
    const texts = assertion.lists.map((list) =>
      list.map((each) => describeAssertion(each, world, reason)).join(' and '),
    );
    return texts.join(`, ${conjunction} `);
  }
  const names = new Map(reason === '' ? [] : world.tiers.map(({ id, name }) => [id, name]));
  const isNamed = (id: string) => reason !== '' && reason.includes(`'${names.get(id)}' (`);
  const words = findResponseKind(assertion).describe(assertion.data, (ids) =>
    renderTierNames([...ids.filter(isNamed), ...ids.filter((id) => !isNamed(id))], world),
  );
  return `'${assertion.of}' ${words}`;
}
