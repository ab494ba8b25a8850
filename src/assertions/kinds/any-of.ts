import type { AlternativesAssertionDefinition } from '../assertion.js';

const alternative = { anyOf: [{ $ref: '#/$defs/check' }, { $ref: '#/$defs/checks' }] };

export default {
  key: 'any-of',
  schema: {
    description: 'At least one of these alternatives holds: a check, or a list of checks that all hold.',
    type: 'array',
    items: alternative,
    minItems: 2,
  },
  hasAlternatives: true,
} satisfies AlternativesAssertionDefinition;
