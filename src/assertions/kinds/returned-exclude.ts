import { defineAssertion } from '../assertion.js';
import { type Excluded, exclusion } from '../exclusion.js';
import { type Selection, selectionSchema } from '../selection.js';

export default defineAssertion<Selection, Excluded>({
  ...exclusion,
  key: 'returned.exclude',
  schema: {
    ...selectionSchema,
    description: `None of these was returned. Where none is meant in a row, nothing is checked. ${selectionSchema.description}`,
  },
  read(selection, { select }) {
    const tiers = select(selection);
    return tiers.length === 0 ? undefined : { tiers };
  },
});
