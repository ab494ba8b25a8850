import { defineAssertion } from '../assertion.js';
import { type Excluded, exclusion } from '../exclusion.js';
import { type Selection, selectionSchema } from '../selection.js';

export default defineAssertion<Selection, Excluded>({
  ...exclusion,
  key: 'returned.only',
  schema: {
    ...selectionSchema,
    description: `Nothing but these was returned, save for tiers of which the documentation leaves it open. ${selectionSchema.description}`,
  },
  read(selection, { selectOthers }) {
    const tiers = selectOthers(selection);
    return tiers.length === 0 ? undefined : { tiers };
  },
});
