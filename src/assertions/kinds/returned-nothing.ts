import { defineAssertion } from '../assertion.js';
import { noneReturned, withResult } from '../result-claim.js';

export default defineAssertion<true, object>({
  key: 'returned.nothing',
  schema: { description: 'None.', const: true },
  read: () => ({}),
  words: () => 'returns nothing',
  judge(_, context) {
    const all = context.evidence.world.tiers.map(({ id }) => id);
    return withResult(context, true, (result) => noneReturned(all, result, context));
  },
  needs: (_, { possibleTiers }) => possibleTiers,
});
