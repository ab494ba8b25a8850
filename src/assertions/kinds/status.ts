import { defineAssertion, type ReadContext } from '../assertion.js';
import { holdsIf, unclear } from '../assertion-result.js';
import { findNotAccepted, findNothingRequired } from '../requirement-flaws.js';

type Pattern = number | string;
type Data = { readonly patterns: readonly string[] } | { readonly sameAs: string };

const pattern = '^[1-5](xx|\\d\\d)$';

export default defineAssertion<Pattern | readonly Pattern[] | { 'same-as': string }, Data>({
  key: 'status',
  schema: {
    description: 'A status code or a class such as 2xx, or several. Or that it is the same as that of another request.',
    type: ['integer', 'string', 'array', 'object'],
    pattern,
    minimum: 100,
    maximum: 599,
    items: { type: ['integer', 'string'], pattern },
    minItems: 1,
    additionalProperties: false,
    required: ['same-as'],
    properties: { 'same-as': { type: 'string' } },
  },

  read(value, { resolveRequest: request }: ReadContext) {
    if (typeof value === 'object' && 'same-as' in value) return { sameAs: request(value['same-as'], 'same-as') };
    return { patterns: [value].flat().map(String) };
  },

  describe: (data) =>
    'patterns' in data ? `is answered ${data.patterns.join(' or ')}` : `has the status of '${data.sameAs}'`,

  judge(data, { exchange: { response }, findAnswer: other }) {
    if ('patterns' in data) {
      const isMet = data.patterns.some((each) => statusMatches(response.status, each));
      return holdsIf(isMet, `Answered ${response.status}, expected ${data.patterns.join(' or ')}.`);
    }
    const one = other(data.sameAs);
    if ('because' in one) return unclear(`'${data.sameAs}': ${one.because}`);
    return holdsIf(
      one.response.status === response.status,
      `Answered ${response.status}, '${data.sameAs}' ${one.response.status}.`,
    );
  },

  listNeededIds(data, { mode, oracle, world: { tiers, unavailable }, possibleTiers }) {
    if (mode === 'question' || !('patterns' in data)) return [];
    // That a request is accepted rests on there being something to return.
    const something = tiers.filter((tier) => oracle.returned(tier) === 'required').map(({ id }) => id);
    if (something.some((id) => !unavailable.has(id))) return [];
    return something.length > 0 ? something : possibleTiers;
  },

  findFlaw(data, context) {
    if (!('patterns' in data) || data.patterns.join() !== '2xx')
      return { message: 'the documentation names no status code', hint: "Expect '2xx'." };
    return findNotAccepted(context) ?? findNothingRequired(context);
  },
});

/** `2xx`, `404`. */
function statusMatches(status: number, wanted: string): boolean {
  return wanted.endsWith('xx') ? String(status).startsWith(wanted.slice(0, 1)) : String(status) === wanted;
}
