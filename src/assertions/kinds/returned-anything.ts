import { defineAssertion, holds, unclear, violated } from '../assertion.js';
import { judgeResult } from '../judge-result.js';

export default defineAssertion<true, object>({
  key: 'returned.anything',
  schema: { description: 'At least one promotion was returned.', const: true },
  shows: 'presence',
  read: () => ({}),
  describe: () => 'returns at least one promotion',
  judge: (_, context) =>
    judgeResult(context, false, (result) => {
      if (result.returned.length > 0) return holds;
      return result.unclear.size > 0 ? unclear(result.reason) : violated('No promotion was returned.');
    }),
  listNeededIds: (_, { allTiers }) => allTiers,
});
