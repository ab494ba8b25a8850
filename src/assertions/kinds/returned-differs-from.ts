import type { Obligation } from '../../contract/oracle.js';
import { defineAssertion } from '../assertion.js';
import { holdsIf } from '../assertion-result.js';
import { describeDifferences, judgeBothResults } from '../judge-result.js';
import { renderOpenReason } from '../requirement-flaws.js';

export default defineAssertion<string, { readonly other: string }>({
  key: 'returned.differs-from',
  schema: { description: 'Not the same as for this other request.', type: 'string' },
  read: (name, { resolveRequest: request }) => ({ other: request(name) }),
  describe: ({ other }) => `does not return the same as '${other}'`,
  judge: ({ other }, context) =>
    judgeBothResults(context, other, (one, two) =>
      holdsIf(
        describeDifferences(one, two, other, context.evidence.world) !== '',
        `The same promotions were returned as in '${other}'.`,
      ),
    ),
  listNeededIds({ other }, { mode, oracle, getOracle: otherOracle, world: { tiers }, possibleTiers }) {
    const telling = tiers.filter((tier) => areOpposite(oracle.returned(tier), otherOracle(other).returned(tier)));
    return mode === 'requirement' && telling.length > 0 ? telling.map(({ id }) => id) : possibleTiers;
  },
  findFlaw({ other: name }, context) {
    const { oracle, getRequest: other, world } = context;
    const others = other(name).oracle;
    if (world.tiers.some((tier) => areOpposite(oracle.returned(tier), others.returned(tier)))) return undefined;
    const message = `the documentation does not say that '${context.name}' and '${name}' differ${renderOpenReason(context)}`;
    return { message, hint: 'Vary the requests more.' };
  },
});

function areOpposite(one: Obligation, other: Obligation): boolean {
  return one !== other && one !== 'open' && other !== 'open';
}
