import type { World } from '../world/world.js';
import type { Assertion } from './assertion.js';
import { renderTierNames } from './judge-result.js';
import { findCompositeKind, findResponseKind } from './registry.js';

/** Says in words what an assertion asks for. */
export function describeAssertion(assertion: Assertion, world: World): string {
  if ('lists' in assertion) {
    const texts = assertion.lists.map((list) => list.map((each) => describeAssertion(each, world)).join(' and '));
    return texts.join(`, ${findCompositeKind(assertion).conjunction} `);
  }
  const words = findResponseKind(assertion).describe(assertion.data, (ids) => renderTierNames(ids, world));
  return `'${assertion.of}' ${words}`;
}
