import { createExclusionKind } from '../exclusion.js';

export default createExclusionKind(
  'returned.exclude',
  'None of these was returned. Checks nothing in a row that selects no tiers.',
  (selection, { selectTiers }) => selectTiers(selection),
);
