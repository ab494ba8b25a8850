import { type CompositeKind, combineAll } from '../assertion.js';

export default {
  key: 'all-of',
  schema: {
    description: 'All of these checks hold. For an alternative of `any-of` that has several checks.',
    $ref: '#/$defs/checks',
    minItems: 2,
  },
  conjunction: 'and',
  combine: combineAll,
} satisfies CompositeKind;
