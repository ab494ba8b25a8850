import { windowSize } from '../../world/named-world.js';
import { defineAssertion } from '../assertion.js';
import { holds, unclear, violated } from '../assertion-result.js';
import { hasQuery, judgeRecords } from '../judge-records.js';
import { renderOpenReason } from '../requirement-flaws.js';

export default defineAssertion<number, { readonly count: number }>({
  key: 'records.at-most',
  schema: { description: 'No more than so many.', type: 'integer', minimum: 0 },
  read: (count) => ({ count }),
  describe: ({ count }) => `has no more than ${count} records`,
  judge: ({ count }, context) =>
    judgeRecords(context, (records) => {
      if (records.length <= count) return holds;
      const because = `${records.length} promotions were returned, more than ${count}.`;
      // Beside promotions, something else may stand there, unless somebody says that it does not.
      return context.evidence.reading.kind === 'stated' ? violated(because) : unclear(because);
    }),
  findFlaw({ count }, context) {
    if (context.oracle.openReason === undefined && !hasQuery(context.http) && count >= windowSize) return undefined;
    const message = `the documentation does not say that no more than ${count} are returned${renderOpenReason(context)}`;
    return { message, hint: `Expect ${windowSize} of a request without filters.` };
  },
  canBeViolated: () => false,
});
