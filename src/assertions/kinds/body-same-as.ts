import { defineAssertion } from '../assertion.js';
import { holdsIf, unclear } from '../assertion-result.js';

export default defineAssertion<string, { readonly other: string }>({
  key: 'body.same-as',
  schema: { description: "Equals the body of this other request's response.", type: 'string' },
  read: (name, { resolveRequest: request }) => ({ other: request(name) }),
  describe: ({ other }) => `has the body of '${other}'`,
  judge({ other: name }, { exchange: { response }, findAnswer: other }) {
    const one = other(name);
    if ('because' in one) return unclear(`'${name}': ${one.because}`);
    return holdsIf(response.body === one.response.body, `The body differs from that of '${name}'.`);
  },
});
