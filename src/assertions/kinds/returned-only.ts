import { defineAssertion } from '../assertion.js';
import { type ExcludedTiers, exclusionKind } from '../exclusion.js';
import { selectionSchema, type TierSelection } from '../tier-selection.js';

export default defineAssertion<TierSelection, ExcludedTiers>({
  ...exclusionKind,
  key: 'returned.only',
  schema: {
    ...selectionSchema,
    description: `Only these were returned, and perhaps tiers that the documentation leaves open. ${selectionSchema.description}`,
  },
  read(selection, { selectOtherTiers }) {
    const tiers = selectOtherTiers(selection);
    return tiers.length === 0 ? undefined : { tiers };
  },
});
