import { createExclusionKind } from '../exclusion.js';

export default createExclusionKind(
  'returned.only',
  'Only these were returned, and perhaps tiers that the documentation leaves open.',
  (selection, { selectOtherTiers }) => selectOtherTiers(selection),
);
