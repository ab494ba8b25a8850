import { createTierListKind } from './returned-include.js';

export default createTierListKind(
  'returned.exclude',
  'None of these was returned. Checks nothing in a row that selects no tiers.',
  'forbidden',
  ({ selectTiers }) => selectTiers,
);
