import { createTierListKind } from '../tier-list.js';

export default createTierListKind(
  'returned.include',
  'All of these were returned. Checks nothing in a row that selects no tiers.',
  'required',
  (selection, { selectReturnedTiers }) => selectReturnedTiers(selection),
);
