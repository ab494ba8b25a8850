import { getWindowSize } from '../../contract/named-world.js';
import { type AlternativeTiers, defineAssertion, type JudgeContext } from '../assertion.js';
import { type AssertionResult, combineAll, combineAny, holds, violated } from '../assertion-result.js';
import { judgeAllReturned, judgeNoneReturned, judgeResult } from '../judge-result.js';

interface Data {
  readonly compared: string;
  readonly alternatives: readonly AlternativeTiers[];
  readonly ofOther: readonly AlternativeTiers[];
}

/** As in "before the filter". */
const renderWindow = ({ window }: AlternativeTiers) => window.replaceAll('-', ' ');

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
      const here = alternatives.map((alternative) => judgeAlternative(alternative, context));
      const there = ofOther.map((alternative) => judgeAlternative(alternative, { ...context, exchange: compared }));
      const best = combineAny(alternatives.map((_, n) => combineAll([here[n] ?? holds, there[n] ?? holds])));
      if (best.is !== 'violated') return best;
      const findHolding = (results: readonly AssertionResult[]) =>
        alternatives.find((_, n) => results[n]?.is === 'holds');
      const [window, comparedWindow] = [findHolding(here), findHolding(there)];
      if (window !== undefined && comparedWindow !== undefined)
        return violated(
          `Here the newest 150 are taken ${renderWindow(window)}, in '${name}' ${renderWindow(comparedWindow)}. Both are allowed, but not both in one deployment.`,
        );
      const [where, results] = window === undefined ? ['', here] : [`In '${name}': `, there];
      const reasons = results.map((result, n) => {
        const alternative = alternatives[n];
        return alternative === undefined || result.is === 'holds'
          ? ''
          : ` If they are taken ${renderWindow(alternative)}: ${result.explain()}`;
      });
      return violated(
        `${where}The result does not fit the newest 150, neither before nor after the filter.${reasons.join('')}`,
      );
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

/** Judges by the tiers in which the alternative differs from the other one. */
function judgeAlternative({ required, forbidden }: AlternativeTiers, context: JudgeContext): AssertionResult {
  return judgeResult(context, required.length === 0, (result) =>
    combineAll([judgeAllReturned(required, result, context), judgeNoneReturned(forbidden, result, context)]),
  );
}
