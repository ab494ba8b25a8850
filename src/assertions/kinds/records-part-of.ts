import { isSuccessful } from '../../http/response-status.js';
import { defineAssertion } from '../assertion.js';
import { holds, unclear } from '../assertion-result.js';
import { hasQuery, judgeRecords } from '../judge-records.js';
import { renderOpenReason } from '../requirement-flaws.js';

/** `open` are tiers that may stand here and not there. */
export default defineAssertion<string, { readonly other: string; readonly open: readonly string[] }>({
  key: 'records.part-of',
  schema: {
    description: 'Nothing that does not stand in the response to this other request, too; otherwise it is left open.',
    type: 'string',
  },
  read: (name, { resolveRequest: request, listOpenTiers: openTiers }) => ({ other: request(name), open: openTiers() }),
  describe: ({ other }) => `has no record that '${other}' has not, older ones aside`,
  judge: ({ other: name, open }, context) =>
    judgeRecords(context, (records, recordsOf) => {
      const other = context.findAnswer(name);
      if ('because' in other) return unclear(`'${name}': ${other.because}`);
      if (!isSuccessful(other.response))
        return unclear(`'${name}' was answered ${other.response.status}, so there is no result to compare with.`);
      const there = new Set([...recordsOf(other), ...open]);
      const extra = records.filter((id) => !there.has(id)).length;
      if (extra === 0) return holds;
      // A filter may be applied before the window is taken, and then shows older ones.
      return unclear(`${extra} of ${records.length} promotions are not in '${name}'; they may be older ones.`);
    }),
  findFlaw({ other: name }, context) {
    const { http, oracle } = context;
    const other = context.getRequest(name);
    const isNarrower = !hasQuery(other.http) && hasQuery(http) && http.body === other.http.body;
    if (oracle.openReason === undefined && other.oracle.openReason === undefined && isNarrower) return undefined;
    const message = `the documentation does not say that '${context.name}' returns a part of '${name}'${renderOpenReason(context)}`;
    return { message, hint: 'Let them differ in a filter alone.' };
  },
  canBeViolated: () => false,
});
