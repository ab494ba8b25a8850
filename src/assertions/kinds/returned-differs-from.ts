import type { Obligation } from '../../contract/oracle.js';
import { defineAssertion } from '../assertion.js';
import { reason } from '../requirement-flaws.js';
import { differences, withBothResults } from '../result-claim.js';
import { holdsIf } from '../truth.js';

export default defineAssertion<string, { readonly other: string }>({
  key: 'returned.differs-from',
  schema: { description: 'Not the same as for this other request.', type: 'string' },
  read: (name, { request }) => ({ other: request(name) }),
  words: ({ other }) => `does not return the same as '${other}'`,
  judge: ({ other }, context) =>
    withBothResults(context, other, (one, two) =>
      holdsIf(
        differences(one, two, other, context.evidence.world) !== '',
        `The same promotions were returned as in '${other}'.`,
      ),
    ),
  needs({ other }, { mode, oracle, otherOracle, world: { tiers }, possibleTiers }) {
    const telling = tiers.filter((tier) => areOpposite(oracle.returned(tier), otherOracle(other).returned(tier)));
    return mode === 'requirement' && telling.length > 0 ? telling.map(({ id }) => id) : possibleTiers;
  },
  flaw({ other: name }, context) {
    const { oracle, other, world } = context;
    const others = other(name).oracle;
    if (world.tiers.some((tier) => areOpposite(oracle.returned(tier), others.returned(tier)))) return undefined;
    const message = `the documentation does not say that '${context.name}' and '${name}' differ${reason(context)}`;
    return { message, hint: 'Vary the requests more.' };
  },
});

function areOpposite(one: Obligation, other: Obligation): boolean {
  return one !== other && one !== 'open' && other !== 'open';
}
