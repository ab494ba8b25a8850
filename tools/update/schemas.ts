import { assertionDefinitions } from '../../src/assertions/registry.js';
import type { Contract } from '../../src/contract/contract.js';

/** Descriptions of the groups of assertions, for authors of cases. */
const groups: Readonly<Record<string, string>> = {
  body: 'The body of the response, as text.',
  returned: 'The promotions that were returned.',
};

/** Creates the content of `schemas/assertions.schema.json` from the kinds of assertions. */
export function createAssertionsSchema(): object {
  const properties: Record<string, { readonly properties?: object } & Record<string, unknown>> = {};
  for (const { key, schema } of assertionDefinitions.values()) {
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
      checks: {
        description: 'Checks by the names of the requests whose responses they are about. All of them must hold.',
        type: 'object',
        minProperties: 1,
        propertyNames: {
          description: 'The name of a request; several names with `and` between them: `one and two`; or `every`.',
          pattern: '^[a-z0-9-]+( and [a-z0-9-]+)*$',
        },
        properties: {
          'any-of': {
            description: 'At least one of these alternatives holds: checks by the names of requests.',
            type: 'array',
            items: { $ref: '#/$defs/checks' },
            minItems: 2,
          },
        },
        additionalProperties: { $ref: '#/$defs/check' },
      },
      check: {
        description: 'Assertions about the response to a request. All of them must hold.',
        type: 'object',
        additionalProperties: false,
        minProperties: 1,
        properties,
      },
    },
  };
}

/**
 * Creates the content of `schemas/contract-ids.schema.json`: the ids that editors complete in case files, and the outcomes
 * of each question. As an id it also accepts any other text, because the reader of case files suggests similar ones.
 */
export function createContractIdsSchema({ requirements, questions }: Contract): object {
  const idsOf = (entries: readonly { readonly id: string }[]) => ({
    anyOf: [{ enum: entries.map(({ id }) => id) }, { type: 'string' }],
  });
  const outcomes = questions.map(({ id, answer }) => [
    id,
    { type: 'string', ...(answer.kind === 'outcomes' && { enum: [...answer.outcomes.keys()] }) },
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'contract-ids.schema.json',
    title: 'Ids of the contract',
    description: 'Written by `npm run update` from cases/contract.yaml.',
    $defs: {
      requirement: idsOf(requirements),
      question: idsOf(questions),
      outcomes: { type: 'object', additionalProperties: false, properties: Object.fromEntries(outcomes) },
    },
  };
}
