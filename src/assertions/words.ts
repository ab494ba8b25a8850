import type { World } from '../world/world.js';
import type { Assertion } from './assertion.js';
import { kindOf, responseKindOf } from './registry.js';
import { tierNames } from './result-claim.js';

/** What an assertion says, in plain words. @param world whose tiers are named */
export function wordsOf(assertion: Assertion, world: World): string {
  if ('lists' in assertion) {
    const kind = kindOf(assertion);
    const conjunction = 'combine' in kind ? kind.conjunction : 'and';
    const texts = assertion.lists.map((list) => list.map((each) => wordsOf(each, world)).join(' and '));
    return texts.join(`, ${conjunction} `);
  }
  const words = responseKindOf(assertion).words(assertion.data, (ids) => tierNames(ids, world));
  return `'${assertion.of}' ${words}`;
}
