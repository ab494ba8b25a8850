import type { Contract } from './contract.js';

/**
 * `schemas/ledger-ids.schema.json`: the ids that editors complete in case files. Any other text fits it, too: what reads
 * a case file goes by the ledger itself, and says which id may have been meant.
 */
export function createContractIdsSchema({ requirements, questions }: Contract): object {
  const idsOf = (entries: readonly { readonly id: string }[]) => ({
    anyOf: [{ enum: entries.map(({ id }) => id) }, { type: 'string' }],
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'ledger-ids.schema.json',
    title: 'Ids of the ledger',
    description: 'Written by `npm run schemas` from cases/contract.yaml.',
    $defs: { requirement: idsOf(requirements), question: idsOf(questions) },
  };
}
