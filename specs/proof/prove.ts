import { mkdirSync, writeFileSync } from 'node:fs';
import { faults } from '../../reference/faults/index.js';
import { discriminatingRowsFile } from '../../src/cases/discriminating-rows.js';
import { loadSuite } from '../../src/cases/suite.js';
import { chooseDiscriminatingRows, renderDiscriminatingRows } from './choose-rows.js';
import { listFlaws, prove, renderProof } from './proof.js';

/**
 * Writes what the suite catches to `results/proof.json` and `results/proof.md`, and the rows that catch it with the
 * fewest requests to `cases/telling-rows.yaml`; fails where it should catch more.
 */
const suite = loadSuite();
const proof = await prove(suite, faults);
const flaws = listFlaws(proof);
mkdirSync('results', { recursive: true });
writeFileSync('results/proof.json', `${JSON.stringify(proof, null, 2)}\n`);
writeFileSync('results/proof.md', renderProof(proof));
writeFileSync(discriminatingRowsFile, renderDiscriminatingRows(await chooseDiscriminatingRows(suite, faults, proof)));
process.stdout.write(
  [`${proof.faults.length} faults, ${proof.expectations.length} expectations: results/proof.md`, ...flaws, ''].join(
    '\n',
  ),
);
process.exitCode = flaws.length === 0 ? 0 : 1;
