/** The derived files are up to date. `proof.spec.ts` compares the kill matrix and the rows for --quick. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { readDiscriminatingRows } from '../../src/cases/discriminating-rows.js';
import { packageRoot } from '../../src/support/package-root.js';
import { readSchema } from '../../src/support/schema-validation.js';
import { knownFaults } from '../../tools/proof/kill-matrix.js';
import { computeRowsDigest } from '../../tools/proof/rows-digest.js';
import { createAssertionsSchema } from '../../tools/update/assertions-schema.js';
import { commandsPageFile, renderCommandsPage } from '../../tools/update/commands-page.js';
import { createContractIdsSchema } from '../../tools/update/contract-ids-schema.js';
import { idsFile, listIds, readRetiredIds, renderIds } from '../../tools/update/ids.js';
import { renderSampleRunFile, sampleRunFile } from '../../tools/update/sample-run.js';
import { renderSpecs } from '../../tools/update/specs.js';
import { suite } from '../support/in-process.js';

const outOfDate = 'Out of date: run `npm run update` and review the diff.';

test('The schemas of assertions and ids are up to date', () => {
  expect(readSchema('assertions'), outOfDate).toEqual(createAssertionsSchema());
  expect(readSchema('contract-ids'), outOfDate).toEqual(createContractIdsSchema(suite.contract));
});

test('The rows for --quick were chosen from the present rows and faults', () => {
  const digest = computeRowsDigest(
    suite,
    knownFaults.map(({ id }) => id),
  );
  expect(readDiscriminatingRows().chosen_from, outOfDate).toBe(digest);
});

for (const [file, render] of [
  [idsFile, () => renderIds(suite)],
  ...[...renderSpecs(suite)].map(([file, text]) => [path.join(packageRoot, file), () => text] as const),
  [sampleRunFile, renderSampleRunFile],
  [commandsPageFile, renderCommandsPage],
] as const) {
  test(`${path.relative(packageRoot, file)} is up to date`, async () => {
    expect(readFileSync(file, 'utf8'), outOfDate).toBe(await render());
  });
}

test('A retired id is not used again', () => {
  const ids = listIds(renderIds(suite));
  expect(ids).toContain('question empty-result: no-content');
  expect(ids).toContain('requirement order.quantity: integer-quantity');
  expect(ids.filter((id) => readRetiredIds().includes(id))).toEqual([]);
});
