import { defineAssertion, holdsIf, unclear } from '../assertion.js';
import { judgeResult } from '../judge-result.js';

type Order = 'newest-first' | 'oldest-first';

export default defineAssertion<Order, { readonly order: Order }>({
  key: 'returned.order',
  schema: { description: 'The promotions are in this order.', enum: ['newest-first', 'oldest-first'] },
  read: (order) => ({ order }),
  describe: ({ order }) => `returns the promotions ${order}`,
  judge: ({ order }, context) =>
    judgeResult(context, false, (result) => {
      if (result.unclear.size > 0) return unclear(result.reason);
      if (result.returned.length < 2)
        return unclear('Fewer than two promotions were returned, so there is no order to judge.');
      const newestFirst = context.evidence.world.tiers.map(({ id }) => id).filter((id) => result.returned.includes(id));
      const wanted = order === 'newest-first' ? newestFirst : newestFirst.reverse();
      return holdsIf(
        wanted.every((id, n) => id === result.returned[n]),
        `The promotions are not in the order ${order}.`,
      );
    }),
  listNeededIds: (_, { allTiers }) => allTiers,
});
