import type { Obligation } from '../../contract/oracle.js';
import { createViolationUnless, defineAssertion } from '../assertion.js';
import { judgeTierDifferences } from '../judge-returned-tiers.js';
import { renderOpenReason } from '../requirement-flaws.js';

export default defineAssertion<string, { readonly compared: string }>({
  key: 'returned.differs-from',
  schema: { description: 'The promotions differ from those for this other request.', type: 'string' },
  read: (name, { resolveRequest }) => ({ compared: resolveRequest(name) }),
  describe: ({ compared }) => `does not return the same as '${compared}'`,
  judge: ({ compared: name }, context) =>
    judgeTierDifferences(context, name, (differences) =>
      createViolationUnless(differences !== undefined, 'results-alike', { name }),
    ),
  listNeededIds({ compared: name }, { mode, oracle, getOracle, world: { tiers }, allTiers }) {
    const compared = getOracle(name);
    const opposite = tiers.filter((tier) => areOpposite(oracle.returned(tier), compared.returned(tier)));
    return mode === 'requirement' && opposite.length > 0 ? opposite.map(({ id }) => id) : allTiers;
  },
  findFlaw({ compared: name }, context) {
    const { oracle, getRequest, world } = context;
    const compared = getRequest(name).oracle;
    if (world.tiers.some((tier) => areOpposite(oracle.returned(tier), compared.returned(tier)))) return undefined;
    const message = `the documentation does not say that '${context.name}' and '${name}' differ${renderOpenReason(context)}`;
    return { message, hint: 'Choose requests for which the documentation requires different promotions.' };
  },
});

function areOpposite(obligation: Obligation, compared: Obligation): boolean {
  return obligation !== compared && obligation !== 'open' && compared !== 'open';
}
