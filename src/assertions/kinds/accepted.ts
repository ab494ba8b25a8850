import { parseRequest } from '../../http/decoded-request.js';
import { isSuccessful } from '../../http/response-status.js';
import { isJsonObject } from '../../support/json.js';
import {
  createUnclearResult,
  createViolation,
  defineAssertion,
  holdingResult,
  type RequestWithOracle,
} from '../assertion.js';
import { findUndocumentedRequestFlaw } from '../requirement-flaws.js';

type Value = 'or-empty' | { readonly 'or-empty-like': string } | { readonly wherever: string };

/** A response that is not 2xx leaves open whether the request was accepted, unless the comparison refutes it. */
interface Data {
  readonly unless: 'empty' | 'empty-like' | 'other-refused';
  /** A request whose result is empty, or one that is a part of this request. */
  readonly compared: string;
}

export default defineAssertion<Value, Data>({
  key: 'accepted',
  schema: {
    description:
      'Answered 2xx, whatever the deployment contains. An empty result may have any status, so another status needs a comparison. `or-empty`: another status is unclear. `or-empty-like: x`: no promotion is valid for request x; another status is a violation unless x has the same status. `wherever: x`: this request contains everything that x contains; another status than 404 is a violation if x is answered 2xx.',
    type: ['string', 'object'],
    pattern: '^or-empty$',
    additionalProperties: false,
    properties: {
      'or-empty-like': { description: 'The name of a request for which no promotion is valid.', type: 'string' },
      wherever: { description: 'The name of a request that contains nothing that this one lacks.', type: 'string' },
    },
    minProperties: 1,
    maxProperties: 1,
  },

  read(value, { resolveRequest }) {
    if (typeof value === 'string') return { unless: 'empty', compared: '' };
    if ('wherever' in value) return { unless: 'other-refused', compared: resolveRequest(value.wherever, 'wherever') };
    return { unless: 'empty-like', compared: resolveRequest(value['or-empty-like'], 'or-empty-like') };
  },

  describe: ({ unless, compared }) =>
    ({
      empty: 'is answered 2xx, or has an empty result',
      'empty-like': `is answered 2xx, or like '${compared}', for which no promotion is valid`,
      'other-refused': `is answered 2xx if '${compared}' is`,
    })[unless],

  judge({ unless, compared: name }, { exchange: { response }, compareWith }) {
    const { status } = response;
    if (isSuccessful(response)) return holdingResult;
    const mayBeEmpty = createUnclearResult('perhaps-empty', { status });
    if (unless === 'empty') return mayBeEmpty;
    return compareWith(name, ({ response: compared }) => {
      const judgeBoth = (isUnclear: boolean) =>
        (isUnclear ? createUnclearResult : createViolation)('statuses', { status, name, compared: compared.status });
      if (unless === 'empty-like') return judgeBoth(compared.status === status);
      // Promotions of the deployment's own may have rules that exclude what this request adds.
      if (status === 404) return mayBeEmpty;
      return judgeBoth(!isSuccessful(compared));
    });
  },

  findFlaw({ unless, compared: name }, context) {
    const flaw = findUndocumentedRequestFlaw(context);
    if (flaw !== undefined || unless === 'empty') return flaw;
    const compared = context.getRequest(name);
    if (unless === 'other-refused') {
      if (compared.oracle.accepted && contains(context, compared)) return undefined;
      return {
        message: `'${context.name}' does not contain everything that '${name}' contains, so it may return nothing if that returns something`,
        hint: "Only add to that request, or write 'accepted: or-empty'.",
      };
    }
    if (context.world.tiers.every((tier) => compared.oracle.returned(tier) === 'forbidden')) return undefined;
    return {
      message: `a promotion may be valid for '${name}', so its result may not be empty`,
      hint: 'Name a request for which no promotion is valid.',
    };
  },
});

/** Whether a request contains everything that another one contains. Rules only ask for what is present. */
function contains({ http }: RequestWithOracle, { http: compared }: RequestWithOracle): boolean {
  return http.path === compared.path && includesAll(parseRequest(http).body, parseRequest(compared).body);
}

function includesAll(more: unknown, less: unknown): boolean {
  if (Array.isArray(more) && Array.isArray(less))
    return more.length >= less.length && less.every((part) => more.some((candidate) => includesAll(candidate, part)));
  if (isJsonObject(more) && isJsonObject(less))
    return Object.entries(less).every(([key, part]) => Object.hasOwn(more, key) && includesAll(more[key], part));
  return more === less;
}
