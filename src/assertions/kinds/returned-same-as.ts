import { defineAssertion, holdingResult } from '../assertion.js';
import { judgeTierDifferences } from '../judge-returned-tiers.js';

export default defineAssertion<string, { readonly compared: string }>({
  key: 'returned.same-as',
  schema: { description: 'The promotions are the same as for this other request, in any order.', type: 'string' },
  read: (name, { resolveRequest }) => ({ compared: resolveRequest(name) }),
  describe: ({ compared }) => `returns the same as '${compared}'`,
  judge: ({ compared }, context) =>
    judgeTierDifferences(context, compared, (differences) =>
      differences === undefined ? holdingResult : { is: 'violated', reason: differences },
    ),
  listNeededIds: (_, { allTiers }) => allTiers,
});
