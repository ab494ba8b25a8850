import { createViolationUnless, defineAssertion } from '../assertion.js';

export default defineAssertion<true, object>({
  key: 'body.empty',
  schema: { description: 'The response has no body.', const: true },
  read: () => ({}),
  describe: () => 'has no body',
  judge: (_, { exchange: { response } }) =>
    createViolationUnless(response.body === '', 'body-not-empty', { length: response.body.length }),
});
