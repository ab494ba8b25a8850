import { createViolationUnless, defineAssertion } from '../assertion.js';

export default defineAssertion<string, { readonly compared: string }>({
  key: 'body.same-as',
  schema: { description: 'The body is the same as in the response to this other request.', type: 'string' },
  read: (name, { resolveRequest }) => ({ compared: resolveRequest(name) }),
  describe: ({ compared }) => `has the same body as '${compared}'`,
  judge: ({ compared: name }, { exchange, compareWith }) =>
    compareWith(name, ({ response }) =>
      createViolationUnless(response.body === exchange.response.body, 'bodies-differ', { name }),
    ),
});
