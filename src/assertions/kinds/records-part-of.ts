import { succeeded } from '../../http/response-status.js';
import { defineAssertion } from '../assertion.js';
import { isNarrowed, withRecords } from '../records-claim.js';
import { reason } from '../requirement-flaws.js';
import { holds, unclear } from '../truth.js';

/** `open` are tiers that may stand here and not there. */
export default defineAssertion<string, { readonly other: string; readonly open: readonly string[] }>({
  key: 'records.part-of',
  schema: {
    description: 'Nothing that does not stand in the response to this other request, too; otherwise it is left open.',
    type: 'string',
  },
  read: (name, { request, openTiers }) => ({ other: request(name), open: openTiers() }),
  words: ({ other }) => `has no record that '${other}' has not, older ones aside`,
  judge: ({ other: name, open }, context) =>
    withRecords(context, (records, recordsOf) => {
      const other = context.other(name);
      if ('because' in other) return unclear(`'${name}': ${other.because}`);
      if (!succeeded(other.response))
        return unclear(`'${name}' was answered ${other.response.status}, so there is no result to compare with.`);
      const there = new Set([...recordsOf(other), ...open]);
      const extra = records.filter((id) => !there.has(id)).length;
      if (extra === 0) return holds;
      // A filter may be applied before the window is taken, and then shows older ones.
      return unclear(`${extra} of ${records.length} promotions are not in '${name}'; they may be older ones.`);
    }),
  flaw({ other: name }, context) {
    const { http, oracle } = context;
    const other = context.other(name);
    const isNarrower = !isNarrowed(other.http) && isNarrowed(http) && http.body === other.http.body;
    if (oracle.whyOpen === undefined && other.oracle.whyOpen === undefined && isNarrower) return undefined;
    const message = `the documentation does not say that '${context.name}' returns a part of '${name}'${reason(context)}`;
    return { message, hint: 'Let them differ in a filter alone.' };
  },
  canBeViolated: () => false,
});
