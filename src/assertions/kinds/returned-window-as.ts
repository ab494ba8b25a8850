import { getWindowSize } from '../../contract/named-world.js';
import {
  type AlternativeTiers,
  type AssertionResult,
  combineAll,
  combineAny,
  defineAssertion,
  type JudgeContext,
  violated,
} from '../assertion.js';
import { judgeAllReturned, judgeNoneReturned, judgeResult } from '../judge-result.js';

interface Data {
  readonly compared: string;
  readonly alternatives: readonly AlternativeTiers[];
  readonly ofOther: readonly AlternativeTiers[];
}

export default defineAssertion<string, Data>({
  key: 'returned.window-as',
  schema: {
    description:
      'The deployment takes the newest 150 tiers before it filters or after it filters, and does the same for this other request, which has a filter of the same kind.',
    type: 'string',
  },
  read(name, { resolveRequest, listAlternatives }) {
    const compared = resolveRequest(name);
    return { compared, alternatives: listAlternatives(), ofOther: listAlternatives(compared) };
  },
  describe: ({ compared }) => `takes the newest 150 before or after the filter, as for '${compared}'`,
  judge: ({ compared: name, alternatives, ofOther }, context) =>
    context.compareWith(name, (compared) => {
      const results = alternatives.map((alternative, n) => {
        const there = ofOther[n] ?? alternative;
        return combineAll([
          judgeAlternative(alternative, context),
          judgeAlternative(there, { ...context, exchange: compared }),
        ]);
      });
      const best = combineAny(results);
      if (best.is !== 'violated') return best;
      const reasons = results.map((result, n) => {
        const window = alternatives[n]?.window.replaceAll('-', ' ');
        return `If they are taken ${window}: ${result.is === 'violated' ? result.explain() : ''}`;
      });
      return violated(`Here and in '${name}', the newest 150 must be taken in one way. ${reasons.join(' ')}`);
    }),
  // If one of the newest is missing in the deployment, an older one is among the newest 150.
  listNeededIds: ({ alternatives, ofOther }, { world }) => [
    ...world.tiers.slice(0, getWindowSize(world)).map(({ id }) => id),
    ...[...alternatives, ...ofOther].flatMap(({ required, forbidden }) => [...required, ...forbidden]),
  ],
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

function judgeAlternative({ required, forbidden }: AlternativeTiers, context: JudgeContext): AssertionResult {
  return judgeResult(context, required.length === 0, (result) =>
    combineAll([judgeAllReturned(required, result, context), judgeNoneReturned(forbidden, result, context)]),
  );
}
