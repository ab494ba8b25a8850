import { defineTierListAssertion } from './returned-include.js';

export default defineTierListAssertion(
  'returned.only',
  'Only these were returned, and perhaps tiers that the documentation leaves open.',
  'forbidden',
  ({ selectOtherTiers }) => selectOtherTiers,
);
