import { createTierListKind } from '../tier-list.js';

export default createTierListKind(
  'returned.only',
  'Only these were returned, and perhaps tiers that the documentation leaves open.',
  'forbidden',
  (selection, { selectOtherTiers }) => selectOtherTiers(selection),
);
