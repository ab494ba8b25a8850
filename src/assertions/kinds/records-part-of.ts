import { isSuccessful } from '../../http/response-status.js';
import { defineAssertion } from '../assertion.js';
import { holds, unclear } from '../assertion-result.js';
import { hasQuery, judgeRecords } from '../judge-records.js';
import { renderOpenReason } from '../requirement-flaws.js';

/** `open` lists the tiers that only this response may have. */
export default defineAssertion<string, { readonly other: string; readonly open: readonly string[] }>({
  key: 'records.part-of',
  schema: {
    description:
      'All records are also in the response to this other request. If some are not, the assertion is unclear.',
    type: 'string',
  },
  read: (name, { resolveRequest, listOpenTiers }) => ({ other: resolveRequest(name), open: listOpenTiers() }),
  describe: ({ other }) => `returns only records that '${other}' returns too (older ones ignored)`,
  judge: ({ other: name, open }, context) =>
    judgeRecords(context, (records, recordsOf) =>
      context.compareWith(name, (other) => {
        if (!isSuccessful(other.response))
          return unclear(`'${name}' was answered ${other.response.status}, so there is no result to compare with.`);
        const allowed = new Set([...recordsOf(other), ...open]);
        const extra = records.filter((id) => !allowed.has(id)).length;
        if (extra === 0) return holds;
        // A deployment may filter before it takes the newest 150. Then older promotions appear.
        return unclear(`${extra} of ${records.length} promotions are not in '${name}'; they may be older ones.`);
      }),
    ),
  findFlaw({ other: name }, context) {
    const { http, oracle } = context;
    const other = context.getRequest(name);
    const isNarrower = !hasQuery(other.http) && hasQuery(http) && http.body === other.http.body;
    if (oracle.openReason === undefined && other.oracle.openReason === undefined && isNarrower) return undefined;
    const message = `the documentation does not say that '${context.name}' returns a part of '${name}'${renderOpenReason(context)}`;
    return { message, hint: 'Let the two requests differ only in a filter.' };
  },
  canBeViolated: () => false,
});
