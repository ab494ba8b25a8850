import { createTierListKind } from './returned-include.js';

export default createTierListKind(
  'returned.only',
  'Only these were returned, and perhaps tiers that the documentation leaves open.',
  'forbidden',
  ({ selectOtherTiers }) => selectOtherTiers,
);
