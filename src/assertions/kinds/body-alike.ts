import { createUnclearResult, createViolationUnless, defineAssertion } from '../assertion.js';
import { areBodiesAlike, findVolatilePaths } from '../volatile-values.js';

export default defineAssertion<string, { readonly compared: string }>({
  key: 'body.alike',
  schema: {
    description:
      'The body is the same as in the response to this other request, except for volatile values: those that differ between responses to a request that the case sends twice.',
    type: 'string',
  },
  read: (name, { resolveRequest }) => ({ compared: resolveRequest(name) }),
  describe: ({ compared }) => `has the same body as '${compared}', except for volatile values`,
  judge: ({ compared: name }, { exchange, evidence, compareWith }) =>
    compareWith(name, ({ response }) => {
      const volatile = findVolatilePaths(evidence.exchanges);
      if (volatile.has('')) return createUnclearResult('body-varies');
      const isAlike = areBodiesAlike(exchange.response.body, response.body, volatile);
      return createViolationUnless(isAlike, 'bodies-differ', { name });
    }),
});
