import { windowSize } from '../../world/named-world.js';
import { defineAssertion } from '../assertion.js';
import { holds, unclear, violated } from '../assertion-result.js';
import { hasQuery, judgeRecords } from '../judge-records.js';
import { renderOpenReason } from '../requirement-flaws.js';

export default defineAssertion<number, { readonly count: number }>({
  key: 'records.at-most',
  schema: { description: 'The response has at most this number of records.', type: 'integer', minimum: 0 },
  read: (count) => ({ count }),
  describe: ({ count }) => `has at most ${count} records`,
  judge: ({ count }, context) =>
    judgeRecords(context, (records) => {
      if (records.length <= count) return holds;
      const reason = `${records.length} promotions were returned, more than ${count}.`;
      // The list may contain more than promotions, unless the target file states its path.
      return context.evidence.reading.kind === 'stated' ? violated(reason) : unclear(reason);
    }),
  findFlaw({ count }, context) {
    if (context.oracle.openReason === undefined && !hasQuery(context.http) && count >= windowSize) return undefined;
    const message = `the documentation does not say that at most ${count} promotions are returned${renderOpenReason(context)}`;
    return { message, hint: `Expect at most ${windowSize}, for a request without a query.` };
  },
  canBeViolated: () => false,
});
