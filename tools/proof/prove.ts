import { mkdirSync, writeFileSync } from 'node:fs';
import { proveFaults } from './kill-matrix.js';
import { isKilled, renderProof } from './proof.js';
import { proveCauses, renderCauses } from './prove-causes.js';
import { proveGenerated, renderGenerated } from './prove-generated.js';

/** Writes what the suite catches to `results/proof.md`. Fails when a fault survives. */
const proofs = await proveFaults();
const generated = await proveGenerated();
const causes = await proveCauses();
const survivors = [
  ...proofs.filter((proof) => !isKilled(proof)).map(({ id }) => id),
  ...generated.filter(({ is }) => is === 'surviving').map(({ fault }) => fault.id),
];
mkdirSync('results', { recursive: true });
writeFileSync('results/proof.md', [renderGenerated(generated), renderCauses(causes), renderProof(proofs)].join('\n'));
const all = proofs.length + generated.length;
process.stdout.write(
  `${[`${all} faults, ${survivors.length} of them survive: results/proof.md`, ...survivors].join('\n')}\n`,
);
process.exitCode = survivors.length === 0 ? 0 : 1;
