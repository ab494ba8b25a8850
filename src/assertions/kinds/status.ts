import { createViolationUnless, defineAssertion } from '../assertion.js';
import { findNoRequiredTierFlaw, findUndocumentedRequestFlaw } from '../requirement-flaws.js';

type Pattern = number | string;
type Data = { readonly patterns: readonly string[] } | { readonly sameAs: string };

const pattern = '^[1-5](xx|\\d\\d)$';

export default defineAssertion<Pattern | readonly Pattern[] | { 'same-as': string }, Data>({
  key: 'status',
  schema: {
    description:
      'A status code, a class such as 2xx, or a list of these. Or `same-as` with the name of another request.',
    type: ['integer', 'string', 'array', 'object'],
    pattern,
    minimum: 100,
    maximum: 599,
    items: { type: ['integer', 'string'], pattern },
    minItems: 1,
    additionalProperties: false,
    required: ['same-as'],
    properties: { 'same-as': { description: 'The name of the request that has the same status.', type: 'string' } },
  },

  read(value, { resolveRequest }) {
    if (typeof value === 'object' && 'same-as' in value) return { sameAs: resolveRequest(value['same-as'], 'same-as') };
    return { patterns: [value].flat().map(String) };
  },

  describe: (data) =>
    'patterns' in data ? `is answered ${data.patterns.join(' or ')}` : `has the same status as '${data.sameAs}'`,

  judge(data, { exchange, compareWith }) {
    const { status } = exchange.response;
    if ('patterns' in data) {
      const isMet = [`${status}`, `${`${status}`.charAt(0)}xx`].some((pattern) => data.patterns.includes(pattern));
      return createViolationUnless(isMet, 'status-unexpected', { status, expected: data.patterns });
    }
    return compareWith(data.sameAs, ({ response: compared }) =>
      createViolationUnless(compared.status === status, 'statuses', {
        status,
        name: data.sameAs,
        compared: compared.status,
      }),
    );
  },

  listNeededIds(data, { mode, oracle, world: { tiers, unavailable }, allTiers }) {
    if (mode === 'question' || !('patterns' in data)) return [];
    // An empty result may have any status, so at least one of the required tiers must be available.
    const required = tiers.filter((tier) => oracle.returned(tier) === 'required').map(({ id }) => id);
    if (required.some((id) => !unavailable.has(id))) return [];
    return required.length > 0 ? required : allTiers;
  },

  findFlaw(data, context) {
    if (!('patterns' in data) || data.patterns.join() !== '2xx')
      return { message: 'the documentation names no status code', hint: "Expect '2xx'." };
    return findUndocumentedRequestFlaw(context) ?? findNoRequiredTierFlaw(context);
  },
});
