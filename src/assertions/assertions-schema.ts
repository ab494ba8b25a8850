import { assertionKinds } from './registry.js';

/** What the groups of assertions are about, for those who write cases. */
const groups: Readonly<Record<string, string>> = {
  body: 'The body of the response, as text.',
  returned: 'The promotions that were returned.',
  records: "What stands where this target's responses name promotions, be it of the world or not.",
};

/** `schemas/assertions.schema.json`: what a check of a case file may say, put together from the kinds of assertions. */
export function createAssertionsSchema(): object {
  const properties: Record<string, { readonly properties?: object } & Record<string, unknown>> = {};
  for (const { key, schema } of assertionKinds.values()) {
    const [group = '', member] = key.split('.');
    if (member === undefined) {
      properties[group] = { ...schema };
      continue;
    }
    properties[group] = {
      description: groups[group],
      type: 'object',
      additionalProperties: false,
      minProperties: 1,
      properties: { ...properties[group]?.properties, [member]: schema },
    };
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'assertions.schema.json',
    title: 'Checks of a case file',
    description: 'Written by `npm run schemas` from the kinds of assertions in src/assertions/kinds/.',
    $ref: '#/$defs/checks',
    $defs: {
      checks: { type: 'array', minItems: 1, items: { $ref: '#/$defs/check' } },
      check: {
        description: 'What holds of the response to a request.',
        type: 'object',
        additionalProperties: false,
        minProperties: 1,
        properties: {
          of: {
            description: 'The request whose response is meant, or several. May be left out where there is only one.',
            type: ['string', 'array'],
            items: { type: 'string' },
            minItems: 1,
          },
          ...properties,
        },
      },
    },
  };
}
