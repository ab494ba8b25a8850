import { type CompositeKind, combineAny } from '../assertion.js';

export default {
  key: 'any-of',
  schema: { description: 'At least one of these checks holds.', $ref: '#/$defs/checks', minItems: 2 },
  conjunction: 'or',
  combine: combineAny,
} satisfies CompositeKind;
