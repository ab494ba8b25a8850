import type { CompositeKind } from '../assertion.js';
import { anyHolds } from '../truth.js';

const anyOf: CompositeKind = {
  key: 'any-of',
  schema: { description: 'At least one of these checks holds.', $ref: '#/$defs/checks', minItems: 2 },
  conjunction: 'or',
  combine: anyHolds,
};

export default anyOf;
