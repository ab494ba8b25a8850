import { defineAssertion } from '../assertion.js';
import { withResult } from '../result-claim.js';
import { holds, unclear, violated } from '../truth.js';

export default defineAssertion<true, object>({
  key: 'returned.anything',
  schema: { description: 'At least one.', const: true },
  shows: 'presence',
  read: () => ({}),
  words: () => 'returns something',
  judge: (_, context) =>
    withResult(context, false, (result) => {
      if (result.returned.length > 0) return holds;
      return result.unclear.size > 0 ? unclear(result.because) : violated('No promotion was returned.');
    }),
  needs: (_, { possibleTiers }) => possibleTiers,
});
