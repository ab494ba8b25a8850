import type { AlternativesAssertionDefinition } from '../assertion.js';

export default {
  key: 'any-of',
  schema: {
    description: 'At least one of these alternatives holds: checks of the same response.',
    type: 'array',
    items: { $ref: '#/$defs/check' },
    minItems: 2,
  },
  hasAlternatives: true,
} satisfies AlternativesAssertionDefinition;
