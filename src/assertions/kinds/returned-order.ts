import { createUnclearResult, createViolationUnless, defineAssertion } from '../assertion.js';
import { createUnclearTiersResult, judgeReturnedTiers } from '../judge-returned-tiers.js';

type Order = 'newest-first' | 'oldest-first';

export default defineAssertion<Order, { readonly order: Order }>({
  key: 'returned.order',
  schema: { description: 'The promotions are in this order.', enum: ['newest-first', 'oldest-first'] },
  read: (order) => ({ order }),
  describe: ({ order }) => `returns the promotions ${order}`,
  judge: ({ order }, context) =>
    judgeReturnedTiers(context, false, (result) => {
      if (result.unclear.size > 0) return createUnclearTiersResult(result);
      if (result.returned.length < 2) return createUnclearResult('no-order');
      const newestFirst = context.evidence.world.tiers.map(({ id }) => id).filter((id) => result.returned.includes(id));
      const wanted = order === 'newest-first' ? newestFirst : newestFirst.reverse();
      const isInOrder = wanted.every((id, n) => id === result.returned[n]);
      return createViolationUnless(isInOrder, 'order-differs', { order });
    }),
  listNeededIds: (_, { allTiers }) => allTiers,
});
