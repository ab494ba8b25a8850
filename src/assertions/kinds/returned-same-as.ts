import { defineAssertion } from '../assertion.js';
import { holdsIf } from '../assertion-result.js';
import { judgeBothResults } from '../judge-result.js';

export default defineAssertion<string, { readonly other: string }>({
  key: 'returned.same-as',
  schema: { description: 'The promotions are the same as for this other request, in any order.', type: 'string' },
  read: (name, { resolveRequest }) => ({ other: resolveRequest(name) }),
  describe: ({ other }) => `returns the same as '${other}'`,
  judge: ({ other }, context) =>
    judgeBothResults(context, other, (differences) => holdsIf(differences === '', differences)),
  listNeededIds: (_, { allTiers }) => allTiers,
});
