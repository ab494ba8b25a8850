import { createOracle, listWindowDependentTiers, type WindowAlternative } from '../../contract/oracle.js';
import { countWindowPlaces } from '../../contract/world.js';
import {
  type AssertionJudgeContext,
  type AssertionResult,
  combineResultsWithAnd,
  combineResultsWithOr,
  createViolation,
  defineAssertion,
} from '../assertion.js';
import { judgeAllReturned, judgeNoneReturned, judgeReturnedTiers } from '../judge-returned-tiers.js';

export default defineAssertion<string, { readonly compared: string }>({
  key: 'returned.window-as',
  schema: {
    description:
      'The deployment takes the newest 150 tiers before it filters or after it filters, and does the same for this other request, which has a filter of the same kind.',
    type: 'string',
  },
  read: (name, { resolveRequest }) => ({ compared: resolveRequest(name) }),
  describe: ({ compared }) => `takes the newest 150 before or after the filter, as for '${compared}'`,
  judge: ({ compared: name }, context) =>
    context.compareWith(name, (compared) => {
      const judge = (window: WindowAlternative['window']) =>
        combineResultsWithAnd([
          judgeReading(window, context),
          judgeReading(window, { ...context, exchange: compared }),
        ]);
      const before = judge('before-the-filter');
      // One of both is enough, and to prove that promotions were not returned takes long.
      if (before.is === 'holds') return before;
      const after = judge('after-the-filter');
      if (before.is !== 'violated' || after.is !== 'violated') return combineResultsWithOr([before, after]);
      return createViolation('windows-differ', { name, before: before.reason, after: after.reason });
    }),
  // If one of the newest is missing in the deployment, an older one is among the newest 150.
  listNeededIds({ compared }, { world, oracle, getOracle }) {
    const newest = world.tiers.slice(0, countWindowPlaces(world));
    return [...newest, ...listWindowDependentTiers(oracle), ...listWindowDependentTiers(getOracle(compared))].map(
      ({ id }) => id,
    );
  },
  findFlaw({ compared }, { name, oracle, ...context }) {
    const others = context.getRequest(compared).oracle;
    const isSameKind = oracle.alternatives.length > 0 && oracle.filteredOn === others.filteredOn;
    if (isSameKind && others.alternatives.length > 0) return undefined;
    return {
      message: `'${name}' and '${compared}' must have one filter each, of the same kind`,
      hint: 'Give both requests one filter of the same kind, and change nothing else.',
    };
  },
});

function judgeReading(window: WindowAlternative['window'], context: AssertionJudgeContext): AssertionResult {
  const stated = createOracle(context.exchange.request, context.evidence.world);
  // A request without a member that the deployment refuses returns what it returns with it.
  const oracle = stated.whenReturning ?? stated;
  const reading = oracle.alternatives.find((alternative) => alternative.window === window);
  const [required = [], forbidden = []] = (['required', 'forbidden'] as const).map((obligation) =>
    listWindowDependentTiers(oracle).flatMap((tier) => (reading?.returned(tier) === obligation ? tier.id : [])),
  );
  return judgeReturnedTiers(context, required.length === 0, (result) =>
    combineResultsWithAnd([judgeAllReturned(required, result, context), judgeNoneReturned(forbidden, result, context)]),
  );
}
