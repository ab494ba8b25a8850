import { mkdirSync, writeFileSync } from 'node:fs';
import { faults } from '../../reference/faults/index.js';
import { loadSuite } from '../../src/cases/suite.js';
import { flawsOf, proofTable, prove } from './proof.js';

/** Writes what the suite catches to `results/proof.json` and `results/proof.md`; fails where it should catch more. */
const proof = await prove(loadSuite(), faults);
const flaws = flawsOf(proof);
mkdirSync('results', { recursive: true });
writeFileSync('results/proof.json', `${JSON.stringify(proof, null, 2)}\n`);
writeFileSync('results/proof.md', proofTable(proof));
process.stdout.write(
  [`${proof.faults.length} faults, ${proof.expectations.length} expectations: results/proof.md`, ...flaws, ''].join(
    '\n',
  ),
);
process.exitCode = flaws.length === 0 ? 0 : 1;
