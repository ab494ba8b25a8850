import { defineAssertion } from '../assertion.js';
import { holdsIf } from '../assertion-result.js';

export default defineAssertion<string, { readonly other: string }>({
  key: 'body.same-as',
  schema: { description: 'The body is the same as in the response to this other request.', type: 'string' },
  read: (name, { resolveRequest }) => ({ other: resolveRequest(name) }),
  describe: ({ other }) => `has the same body as '${other}'`,
  judge: ({ other: name }, { exchange, compareWith }) =>
    compareWith(name, ({ response }) =>
      holdsIf(response.body === exchange.response.body, `The body differs from that of '${name}'.`),
    ),
});
