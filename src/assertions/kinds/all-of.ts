import type { CompositeKind } from '../assertion.js';
import { allHold } from '../truth.js';

const allOf: CompositeKind = {
  key: 'all-of',
  schema: { description: 'All of these checks hold: one alternative of any-of.', $ref: '#/$defs/checks', minItems: 2 },
  conjunction: 'and',
  combine: allHold,
};

export default allOf;
