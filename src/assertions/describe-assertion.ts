import type { World } from '../world/world.js';
import type { Assertion } from './assertion.js';
import { renderTierNames } from './judge-result.js';
import { findKind, findResponseKind } from './registry.js';

/** What an assertion says, in plain words. @param world whose tiers are named */
export function describeAssertion(assertion: Assertion, world: World): string {
  if ('lists' in assertion) {
    const kind = findKind(assertion);
    const conjunction = 'combine' in kind ? kind.conjunction : 'and';
    const texts = assertion.lists.map((list) => list.map((each) => describeAssertion(each, world)).join(' and '));
    return texts.join(`, ${conjunction} `);
  }
  const words = findResponseKind(assertion).describe(assertion.data, (ids) => renderTierNames(ids, world));
  return `'${assertion.of}' ${words}`;
}
