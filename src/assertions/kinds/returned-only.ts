import { defineAssertion } from '../assertion.js';
import { type ExcludedTiers, exclusionKind } from '../exclusion.js';
import { selectionSchema, type TierSelection } from '../tier-selection.js';

export default defineAssertion<TierSelection, ExcludedTiers>({
  ...exclusionKind,
  key: 'returned.only',
  schema: {
    ...selectionSchema,
    description: `Nothing but these was returned, save for tiers of which the documentation leaves it open. ${selectionSchema.description}`,
  },
  read(selection, { selectOtherTiers: selectOthers }) {
    const tiers = selectOthers(selection);
    return tiers.length === 0 ? undefined : { tiers };
  },
});
