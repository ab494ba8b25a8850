import { createTierListKind } from '../tier-list.js';

export default createTierListKind(
  'returned.exclude',
  'None of these was returned. Checks nothing in a row that selects no tiers.',
  'forbidden',
  (selection, { selectTiers }) => selectTiers(selection),
);
