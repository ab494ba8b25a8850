import { defineAssertion } from '../assertion.js';
import { type ExcludedTiers, exclusionKind } from '../exclusion.js';
import { selectionSchema, type TierSelection } from '../tier-selection.js';

export default defineAssertion<TierSelection, ExcludedTiers>({
  ...exclusionKind,
  key: 'returned.exclude',
  schema: {
    ...selectionSchema,
    description: `None of these was returned. Where none is meant in a row, nothing is checked. ${selectionSchema.description}`,
  },
  read(selection, { selectTiers: select }) {
    const tiers = select(selection);
    return tiers.length === 0 ? undefined : { tiers };
  },
});
