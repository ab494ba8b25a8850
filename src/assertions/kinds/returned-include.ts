import { type AssertionReadContext, defineAssertion, type TierSelection } from '../assertion.js';
import { judgeAllReturned, judgeNoneReturned, judgeReturnedTiers } from '../judge-returned-tiers.js';
import { findUndocumentedExpectation } from '../requirement-flaws.js';

const selections =
  'Names of tiers, or one keyword: `required` or `forbidden` (the documentation requires or forbids to return them), `valid` (for the customer and the order), `matching` (the filter), `newest-150` (the tiers that are checked).';

/** Creates a kind that lists tiers: those that must be returned, or must not. */
export function defineTierListAssertion(
  key: string,
  description: string,
  wanted: 'required' | 'forbidden',
  select: (context: AssertionReadContext) => (selection: TierSelection) => readonly string[],
) {
  const isRequired = wanted === 'required';
  const judgeTiers = isRequired ? judgeAllReturned : judgeNoneReturned;
  return defineAssertion<TierSelection, { readonly tiers: readonly string[] }>({
    key,
    schema: {
      description: `${description} ${selections}`,
      type: ['string', 'array'],
      items: { type: 'string' },
      minItems: 1,
    },
    shows: isRequired ? 'presence' : 'absence',
    read(selection, context) {
      const tiers = select(context)(selection);
      return tiers.length === 0 ? undefined : { tiers };
    },
    describe: ({ tiers }, namesOf) => `${isRequired ? 'returns' : 'does not return'} ${namesOf(tiers)}`,
    judge: ({ tiers }, context) =>
      judgeReturnedTiers(context, !isRequired, (result) => judgeTiers(tiers, result, context)),
    listNeededIds: ({ tiers }, { addWindow }) => addWindow(tiers),
    findFlaw: ({ tiers }, context) => findUndocumentedExpectation(tiers, wanted, context),
  });
}

export default defineTierListAssertion(
  'returned.include',
  'All of these were returned. Checks nothing in a row that selects no tiers.',
  'required',
  ({ selectReturnedTiers }) => selectReturnedTiers,
);
