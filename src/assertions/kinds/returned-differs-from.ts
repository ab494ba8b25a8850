import type { Obligation } from '../../contract/oracle.js';
import { defineAssertion } from '../assertion.js';
import { holdsIf } from '../assertion-result.js';
import { judgeBothResults } from '../judge-result.js';
import { renderOpenReason } from '../requirement-flaws.js';

export default defineAssertion<string, { readonly other: string }>({
  key: 'returned.differs-from',
  schema: { description: 'The promotions differ from those for this other request.', type: 'string' },
  read: (name, { resolveRequest }) => ({ other: resolveRequest(name) }),
  describe: ({ other }) => `does not return the same as '${other}'`,
  judge: ({ other }, context) =>
    judgeBothResults(context, other, (differences) =>
      holdsIf(differences !== '', `The same promotions were returned as in '${other}'.`),
    ),
  listNeededIds({ other: name }, { mode, oracle, getOracle, world: { tiers }, allTiers }) {
    const other = getOracle(name);
    const opposite = tiers.filter((tier) => areOpposite(oracle.returned(tier), other.returned(tier)));
    return mode === 'requirement' && opposite.length > 0 ? opposite.map(({ id }) => id) : allTiers;
  },
  findFlaw({ other: name }, context) {
    const { oracle, getRequest, world } = context;
    const other = getRequest(name).oracle;
    if (world.tiers.some((tier) => areOpposite(oracle.returned(tier), other.returned(tier)))) return undefined;
    const message = `the documentation does not say that '${context.name}' and '${name}' differ${renderOpenReason(context)}`;
    return { message, hint: 'Choose requests for which the documentation requires different promotions.' };
  },
});

function areOpposite(one: Obligation, other: Obligation): boolean {
  return one !== other && one !== 'open' && other !== 'open';
}
