import { mkdirSync, writeFileSync } from 'node:fs';
import { loadSuite } from '../../src/cases/suite.js';
import { proveFaults } from './kill-matrix.js';
import { isKilled, renderProof } from './proof.js';

/** Writes what the suite catches to `results/proof.json` and `results/proof.md`. Fails when a fault survives. */
const suite = loadSuite();
const proofs = await proveFaults();
const survivors = proofs.filter((proof) => !isKilled(proof));
mkdirSync('results', { recursive: true });
writeFileSync('results/proof.json', `${JSON.stringify(proofs, null, 2)}\n`);
writeFileSync('results/proof.md', renderProof(suite, proofs));
process.stdout.write(
  [
    `${proofs.length} faults, ${survivors.length} of them survive: results/proof.md`,
    ...survivors.map(({ id }) => id),
    '',
  ].join('\n'),
);
process.exitCode = survivors.length === 0 ? 0 : 1;
