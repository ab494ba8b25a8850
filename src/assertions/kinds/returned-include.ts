import { defineAssertion } from '../assertion.js';
import { judgeAllReturned, judgeResult } from '../judge-result.js';
import { findUndocumented } from '../requirement-flaws.js';
import { selectionSchema, type TierSelection } from '../tier-selection.js';

export default defineAssertion<TierSelection, { readonly tiers: readonly string[] }>({
  key: 'returned.include',
  schema: {
    ...selectionSchema,
    description: `All of these were returned. Where none is meant in a row, nothing is checked. ${selectionSchema.description}`,
  },
  shows: 'presence',
  read(selection, { selectTiers: select }) {
    const tiers = select(selection);
    return tiers.length === 0 ? undefined : { tiers };
  },
  describe: ({ tiers }, namesOf) => `returns ${namesOf(tiers)}`,
  judge: ({ tiers }, context) => judgeResult(context, false, (result) => judgeAllReturned(tiers, result, context)),
  listNeededIds: ({ tiers }, { addWindow: withWindow }) => withWindow(tiers),
  findFlaw: ({ tiers }, context) => findUndocumented(tiers, 'required', context),
});
