import { windowSize } from '../../world/named-world.js';
import { type AlternativeTiers, defineAssertion, type JudgeContext } from '../assertion.js';
import { type AssertionResult, combineAll, holds, unclear, violated } from '../assertion-result.js';
import { judgeAllReturned, judgeNoneReturned, judgeResult } from '../judge-result.js';

interface Data {
  readonly other: string;
  readonly alternatives: readonly AlternativeTiers[];
  readonly ofOther: readonly AlternativeTiers[];
}

const words: Readonly<Record<AlternativeTiers['window'], string>> = {
  'before-the-filter': 'before the filter',
  'after-the-filter': 'after it',
};

export default defineAssertion<string, Data>({
  key: 'returned.window-as',
  schema: {
    description:
      'What was returned fits the newest 150 tiers being taken before the filter, or after it: the same as for this other request, which has a filter of the same kind.',
    type: 'string',
  },
  read(name, { resolveRequest: request, listAlternatives: alternatives }) {
    const other = request(name);
    return { other, alternatives: alternatives(), ofOther: alternatives(other) };
  },
  describe: ({ other }) => `takes the newest 150 before its filter or after it, as in '${other}'`,
  judge({ other: name, alternatives, ofOther }, context) {
    const other = context.findAnswer(name);
    if ('because' in other) return unclear(`'${name}': ${other.because}`);
    const here = alternatives.map((each) => fits(each, context));
    const there = ofOther.map((each) => fits(each, { ...context, exchange: other }));
    const together = alternatives.map((_, n) => combineAll([here[n] ?? holds, there[n] ?? holds]));
    if (together.some(({ is }) => is === 'holds')) return holds;
    const doubt = together.find((truth) => truth.is === 'unclear');
    if (doubt !== undefined) return doubt;
    const fitting = (truths: readonly AssertionResult[]) =>
      alternatives.find((_, n) => truths[n]?.is === 'holds')?.window;
    const [one, another] = [fitting(here), fitting(there)];
    if (one !== undefined && another !== undefined)
      return violated(
        `Here the newest 150 are taken ${words[one]}, in '${name}' ${words[another]}: either will do, but throughout.`,
      );
    const [where, unfit] = one === undefined ? ['', here] : [`In '${name}': `, there];
    const reasons = unfit.map((truth, n) => {
      const window = alternatives[n]?.window;
      return `taken ${window === undefined ? '' : words[window]}: ${truth.is === 'holds' ? '' : truth.because}`;
    });
    return violated(`${where}It fits the newest 150 neither before the filter nor after it. ${reasons.join(' ')}`);
  },
  // Where one of the newest is not there, an older one is among them.
  listNeededIds: ({ alternatives, ofOther }, { world: { tiers } }) => [
    ...tiers.slice(0, windowSize).map(({ id }) => id),
    ...[...alternatives, ...ofOther].flatMap(({ required, forbidden }) => [...required, ...forbidden]),
  ],
  findFlaw({ other }, { name, oracle, ...context }) {
    const others = context.getRequest(other).oracle;
    const isOneMatter = oracle.alternatives.length > 0 && oracle.filteredOn === others.filteredOn;
    if (isOneMatter && others.alternatives.length > 0) return undefined;
    return {
      message: `'${name}' and '${other}' have not one filter each, of the same kind, so nothing is said of a window before or after it`,
      hint: 'Give both one filter of the same kind, and say the rest of the request.',
    };
  },
});

/** Whether what was returned is what an alternative says, as far as it says something of its own. */
function fits({ required, forbidden }: AlternativeTiers, context: JudgeContext): AssertionResult {
  return judgeResult(context, required.length === 0, (result) =>
    combineAll([judgeAllReturned(required, result, context), judgeNoneReturned(forbidden, result, context)]),
  );
}
