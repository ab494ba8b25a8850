import { defineAssertion, holdingResult } from '../assertion.js';
import { judgeBrokenResponse } from '../judge-broken-response.js';
import { findUndocumentedRequestFlaw } from '../requirement-flaws.js';

export default defineAssertion<'whole', object>({
  key: 'answered',
  schema: {
    description:
      'Whether a whole response arrives, whatever its status: no connection that ends before, no body that is cut off, no invalid HTTP, no invalid compression. It is violated if the responses to other requests arrive whole, and this one is broken each time that it is sent alone.',
    const: 'whole',
  },
  read: () => ({}),
  describe: () => 'gets a whole response',
  judge: (_, { exchange, evidence }) => judgeBrokenResponse(exchange, evidence) ?? holdingResult,
  judgeLost: (exchange, evidence) => judgeBrokenResponse(exchange, evidence),
  findFlaw: (_, context) => findUndocumentedRequestFlaw(context),
});
