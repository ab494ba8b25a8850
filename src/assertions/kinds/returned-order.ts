import { defineAssertion } from '../assertion.js';
import { withResult } from '../result-claim.js';
import { holdsIf, unclear } from '../truth.js';

type Order = 'newest-first' | 'oldest-first';

export default defineAssertion<Order, { readonly order: Order }>({
  key: 'returned.order',
  schema: { description: 'They stand in this order.', enum: ['newest-first', 'oldest-first'] },
  read: (order) => ({ order }),
  words: ({ order }) => `returns the promotions ${order}`,
  judge: ({ order }, context) =>
    withResult(context, false, (result) => {
      if (result.unclear.size > 0) return unclear(result.because);
      if (result.returned.length < 2) return unclear('Fewer than two promotions were returned, so they show no order.');
      const newestFirst = context.evidence.world.tiers.map(({ id }) => id).filter((id) => result.returned.includes(id));
      const wanted = order === 'newest-first' ? newestFirst : newestFirst.reverse();
      return holdsIf(
        wanted.every((id, n) => id === result.returned[n]),
        `The promotions do not stand ${order}.`,
      );
    }),
  needs: (_, { possibleTiers }) => possibleTiers,
});
