import { defineTierListAssertion } from './returned-include.js';

export default defineTierListAssertion(
  'returned.exclude',
  'None of these was returned. Checks nothing in a row that selects no tiers.',
  'forbidden',
  ({ selectTiers }) => selectTiers,
);
