import { windowSize } from '../../world/named-world.js';
import { defineAssertion } from '../assertion.js';
import { isNarrowed, withRecords } from '../records-claim.js';
import { reason } from '../requirement-flaws.js';
import { holds, unclear, violated } from '../truth.js';

export default defineAssertion<number, { readonly count: number }>({
  key: 'records.at-most',
  schema: { description: 'No more than so many.', type: 'integer', minimum: 0 },
  read: (count) => ({ count }),
  words: ({ count }) => `has no more than ${count} records`,
  judge: ({ count }, context) =>
    withRecords(context, (records) => {
      if (records.length <= count) return holds;
      const because = `${records.length} promotions were returned, more than ${count}.`;
      // Beside promotions, something else may stand there, unless somebody says that it does not.
      return context.evidence.reading.kind === 'stated' ? violated(because) : unclear(because);
    }),
  flaw({ count }, context) {
    if (context.oracle.whyOpen === undefined && !isNarrowed(context.http) && count >= windowSize) return undefined;
    const message = `the documentation does not say that no more than ${count} are returned${reason(context)}`;
    return { message, hint: `Expect ${windowSize} of a request without filters.` };
  },
  canBeViolated: () => false,
});
