import { type CompositeKind, combineAny } from '../assertion.js';

const anyOf: CompositeKind = {
  key: 'any-of',
  schema: { description: 'At least one of these checks holds.', $ref: '#/$defs/checks', minItems: 2 },
  conjunction: 'or',
  combine: combineAny,
};

export default anyOf;
