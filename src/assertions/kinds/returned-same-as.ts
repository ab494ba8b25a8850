import { defineAssertion } from '../assertion.js';
import { differences, withBothResults } from '../result-claim.js';
import { holdsIf } from '../truth.js';

export default defineAssertion<string, { readonly other: string }>({
  key: 'returned.same-as',
  schema: { description: 'The same as for this other request.', type: 'string' },
  read: (name, { request }) => ({ other: request(name) }),
  words: ({ other }) => `returns the same as '${other}'`,
  judge: ({ other }, context) =>
    withBothResults(context, other, (one, two) => {
      const found = differences(one, two, other, context.evidence.world);
      return holdsIf(found === '', found);
    }),
  needs: (_, { possibleTiers }) => possibleTiers,
});
