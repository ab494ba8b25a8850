import { defineAssertion } from '../assertion.js';
import { notSaid } from '../requirement-flaws.js';
import { allReturned, withResult } from '../result-claim.js';
import { type Selection, selectionSchema } from '../selection.js';

export default defineAssertion<Selection, { readonly tiers: readonly string[] }>({
  key: 'returned.include',
  schema: {
    ...selectionSchema,
    description: `All of these were returned. Where none is meant in a row, nothing is checked. ${selectionSchema.description}`,
  },
  shows: 'presence',
  read(selection, { select }) {
    const tiers = select(selection);
    return tiers.length === 0 ? undefined : { tiers };
  },
  words: ({ tiers }, namesOf) => `returns ${namesOf(tiers)}`,
  judge: ({ tiers }, context) => withResult(context, false, (result) => allReturned(tiers, result, context)),
  needs: ({ tiers }, { withWindow }) => withWindow(tiers),
  flaw: ({ tiers }, context) => notSaid(tiers, 'required', context),
});
