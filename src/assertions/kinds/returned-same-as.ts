import { defineAssertion, holds } from '../assertion.js';
import { judgeDifferences } from '../judge-result.js';

export default defineAssertion<string, { readonly compared: string }>({
  key: 'returned.same-as',
  schema: { description: 'The promotions are the same as for this other request, in any order.', type: 'string' },
  read: (name, { resolveRequest }) => ({ compared: resolveRequest(name) }),
  describe: ({ compared }) => `returns the same as '${compared}'`,
  judge: ({ compared }, context) =>
    judgeDifferences(context, compared, (differences) =>
      differences === undefined ? holds : { is: 'violated', reason: differences },
    ),
  listNeededIds: (_, { allTiers }) => allTiers,
});
