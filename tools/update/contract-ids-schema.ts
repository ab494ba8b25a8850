import type { Contract } from '../../src/contract/contract.js';

/**
 * Creates the content of `schemas/contract-ids.schema.json`: the ids that editors complete in case files. The schema also
 * accepts any other text, because the reader of case files checks ids and suggests similar ones.
 */
export function createContractIdsSchema({ requirements, questions }: Contract): object {
  const idsOf = (entries: readonly { readonly id: string }[]) => ({
    anyOf: [{ enum: entries.map(({ id }) => id) }, { type: 'string' }],
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'contract-ids.schema.json',
    title: 'Ids of the contract',
    description: 'Written by `npm run update` from cases/contract.yaml.',
    $defs: { requirement: idsOf(requirements), question: idsOf(questions) },
  };
}
