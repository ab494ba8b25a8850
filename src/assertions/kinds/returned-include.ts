import { defineAssertion } from '../assertion.js';
import { judgeAllReturned, judgeResult } from '../judge-result.js';
import { findUndocumentedId } from '../requirement-flaws.js';
import { selectionSchema, type TierSelection } from '../tier-selection.js';

export default defineAssertion<TierSelection, { readonly tiers: readonly string[] }>({
  key: 'returned.include',
  schema: {
    ...selectionSchema,
    description: `All of these were returned. Checks nothing in a row that selects no tiers. ${selectionSchema.description}`,
  },
  shows: 'presence',
  read(selection, { selectReturnedTiers }) {
    const tiers = selectReturnedTiers(selection);
    return tiers.length === 0 ? undefined : { tiers };
  },
  describe: ({ tiers }, namesOf) => `returns ${namesOf(tiers)}`,
  judge: ({ tiers }, context) => judgeResult(context, false, (result) => judgeAllReturned(tiers, result, context)),
  listNeededIds: ({ tiers }, { addWindow }) => addWindow(tiers),
  findFlaw: ({ tiers }, context) => findUndocumentedId(tiers, 'required', context),
});
