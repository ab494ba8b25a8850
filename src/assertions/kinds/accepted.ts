import { parseRequest } from '../../http/request-content.js';
import { isSuccessful } from '../../http/response-status.js';
import { isJsonObject } from '../../support/json.js';
import { defineAssertion, type ExaminedRequest } from '../assertion.js';
import { holds, unclear, violated } from '../assertion-result.js';
import { findNotAccepted } from '../requirement-flaws.js';

type Value = 'or-empty' | { readonly 'or-empty-like': string } | { readonly wherever: string };

/** What leaves it open whether a request was accepted that was not answered with success. */
type Data =
  /** That its result may be empty. */
  | { readonly unless: 'empty' }
  /** That `other`, whose result is empty, was answered with the same status. */
  | { readonly unless: 'empty-like'; readonly other: string }
  /** That `other`, which says no more, was not answered with success either. */
  | { readonly unless: 'other-refused'; readonly other: string };

export default defineAssertion<Value, Data>({
  key: 'accepted',
  schema: {
    description:
      'Answered 2xx, whatever the deployment has. An empty result may have any status, so with `or-empty` another status leaves it open. With `or-empty-like`, nothing is valid for the request named; then every status refutes it but the one with which that is answered. With `wherever`, this request must say all that the one named says; then another status, 404 aside, refutes it where that one is answered 2xx.',
    type: ['string', 'object'],
    pattern: '^or-empty$',
    additionalProperties: false,
    properties: { 'or-empty-like': { type: 'string' }, wherever: { type: 'string' } },
    minProperties: 1,
    maxProperties: 1,
  },

  read(value, { resolveRequest: request }) {
    if (typeof value === 'string') return { unless: 'empty' };
    if ('wherever' in value) return { unless: 'other-refused', other: request(value.wherever, 'wherever') };
    return { unless: 'empty-like', other: request(value['or-empty-like'], 'or-empty-like') };
  },

  describe(data) {
    if (data.unless === 'empty') return 'is answered 2xx, or may have an empty result';
    if (data.unless === 'empty-like') return `is answered 2xx, or as '${data.other}' is, for which nothing is valid`;
    return `is answered 2xx wherever '${data.other}' is`;
  },

  judge(data, { exchange: { response }, findAnswer: other }) {
    if (isSuccessful(response)) return holds;
    const mayBeEmpty = unclear(`Answered ${response.status}, which may be how an empty result looks.`);
    if (data.unless === 'empty') return mayBeEmpty;
    const one = other(data.other);
    if ('because' in one) return unclear(`'${data.other}': ${one.because}`);
    const both = `Answered ${response.status}, and '${data.other}' ${one.response.status}.`;
    if (data.unless === 'empty-like') return one.response.status === response.status ? unclear(both) : violated(both);
    // Rules that nobody knows may ask that something is not there.
    if (response.status === 404) return mayBeEmpty;
    return isSuccessful(one.response) ? violated(both) : unclear(both);
  },

  findFlaw(data, context) {
    const flaw = findNotAccepted(context);
    if (flaw !== undefined || data.unless === 'empty') return flaw;
    const other = context.getRequest(data.other);
    if (data.unless === 'other-refused') {
      if (other.oracle.accepted && addsTo(context, other)) return undefined;
      return {
        message: `'${context.name}' does not say all that '${other.name}' says, so it may return nothing where that does`,
        hint: "Let it add and take nothing away, or say 'accepted: or-empty'.",
      };
    }
    if (context.world.tiers.every((tier) => other.oracle.returned(tier) === 'forbidden')) return undefined;
    return {
      message: `something may be valid for '${other.name}', so it does not show how an empty result looks`,
      hint: 'Name a request for which nothing is.',
    };
  },

  canBeViolated: ({ unless }) => unless !== 'empty',
});

/** Whether a request says all that another one says: rules ask for what is there, so adding takes nothing away. */
function addsTo({ http }: ExaminedRequest, { http: other }: ExaminedRequest): boolean {
  return http.path === other.path && saysAll(parseRequest(http).body, parseRequest(other).body);
}

function saysAll(more: unknown, less: unknown): boolean {
  if (Array.isArray(more) && Array.isArray(less)) {
    const left = [...more];
    return less.every((part) => {
      const at = left.findIndex((other) => saysAll(other, part));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
  }
  if (isJsonObject(more) && isJsonObject(less)) {
    return Object.entries(less).every(([key, part]) => Object.hasOwn(more, key) && saysAll(more[key], part));
  }
  return more === less;
}
