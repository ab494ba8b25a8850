import { defineAssertion, holdsIf } from '../assertion.js';

export default defineAssertion<true, object>({
  key: 'body.empty',
  schema: { description: 'The response has no body.', const: true },
  read: () => ({}),
  describe: () => 'has no body',
  judge: (_, { exchange: { response } }) =>
    holdsIf(response.body === '', 'body-not-empty', { length: response.body.length }),
});
