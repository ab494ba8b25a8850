import { defineAssertion } from '../assertion.js';
import { judgeNoneReturned, judgeReturnedTiers } from '../judge-returned-tiers.js';

export default defineAssertion<true, object>({
  key: 'returned.nothing',
  schema: { description: 'No promotion was returned.', const: true },
  read: () => ({}),
  describe: () => 'returns nothing',
  judge(_, context) {
    const all = context.evidence.world.tiers.map(({ id }) => id);
    return judgeReturnedTiers(context, true, (result) => judgeNoneReturned(all, result, context));
  },
  listNeededIds: (_, { allTiers }) => allTiers,
});
