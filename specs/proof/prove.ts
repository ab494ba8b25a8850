import { mkdirSync, writeFileSync } from 'node:fs';
import { faults } from '../../reference/faults/index.js';
import { loadSuite } from '../../src/cases/suite.js';
import { tellingRowsFile } from '../../src/cases/telling-rows.js';
import { flawsOf, proofTable, prove } from './proof.js';
import { tellingRows, tellingRowsText } from './telling.js';

/**
 * Writes what the suite catches to `results/proof.json` and `results/proof.md`, and the rows that catch it with the
 * fewest requests to `cases/telling-rows.yaml`; fails where it should catch more.
 */
const suite = loadSuite();
const proof = await prove(suite, faults);
const flaws = flawsOf(proof);
mkdirSync('results', { recursive: true });
writeFileSync('results/proof.json', `${JSON.stringify(proof, null, 2)}\n`);
writeFileSync('results/proof.md', proofTable(proof));
writeFileSync(tellingRowsFile, tellingRowsText(await tellingRows(suite, faults, proof)));
process.stdout.write(
  [`${proof.faults.length} faults, ${proof.expectations.length} expectations: results/proof.md`, ...flaws, ''].join(
    '\n',
  ),
);
process.exitCode = flaws.length === 0 ? 0 : 1;
