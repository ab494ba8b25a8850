import { assertionKinds } from '../../src/assertions/registry.js';

/** Descriptions of the groups of assertions, for authors of cases. */
const groups: Readonly<Record<string, string>> = {
  body: 'The body of the response, as text.',
  returned: 'The promotions that were returned.',
};

/** Creates the content of `schemas/assertions.schema.json` from the kinds of assertions. */
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
    description: 'Written by `npm run update` from the kinds of assertions in src/assertions/kinds/.',
    $ref: '#/$defs/checks',
    $defs: {
      checks: { type: 'array', minItems: 1, items: { $ref: '#/$defs/check' } },
      check: {
        description: 'Assertions about the response to a request. All of them must hold.',
        type: 'object',
        additionalProperties: false,
        minProperties: 1,
        properties: {
          of: {
            description: 'The name of the request, or several names. Optional if there is only one request.',
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
