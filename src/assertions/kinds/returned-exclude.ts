import { defineAssertion } from '../assertion.js';
import { type ExcludedTiers, exclusionKind } from '../exclusion.js';
import { selectionSchema, type TierSelection } from '../tier-selection.js';

export default defineAssertion<TierSelection, ExcludedTiers>({
  ...exclusionKind,
  key: 'returned.exclude',
  schema: {
    ...selectionSchema,
    description: `None of these was returned. Checks nothing in a row that selects no tiers. ${selectionSchema.description}`,
  },
  read(selection, { selectTiers }) {
    const tiers = selectTiers(selection);
    return tiers.length === 0 ? undefined : { tiers };
  },
});
