import path from 'node:path';
import type { Fault } from '../../reference/faults/fault.js';
import { discriminatingRowsFile } from '../../src/config/selection.js';
import { loadSuite, type Suite } from '../../src/suite/suite.js';
import { packageRoot } from '../../src/support/package-root.js';
import { chooseDiscriminatingRows, renderDiscriminatingRows } from './choose-rows.js';
import { combineAll } from './generated-faults.js';
import { faultsWithStories } from './list-faults.js';
import type { FaultProof } from './proof.js';
import { runInWorkers } from './run-in-workers.js';
import { isStructuralDouble } from './structural-doubles.js';

/** The committed snapshot of the kill matrix. */
const killMatrixFile = path.join(packageRoot, 'tools', 'proof', 'kill-matrix.md');

/** The faults by which the rows for `--quick` are chosen: those with a story of their own, and a sample of the others. */
export const knownFaults: readonly Fault[] = [
  ...faultsWithStories,
  // Doubles go last, so that what counts as one does not draw another sample.
  ...combineAll()
    .filter(({ invisibility, hasState }) => invisibility === undefined && !hasState)
    .filter(({ id }, n) => n % 20 === 0 && !isStructuralDouble(id)),
];

/** Finds out how the suite sees each fault, on all cores. */
export function proveFaults(ids: readonly string[] = faultsWithStories.map(({ id }) => id)): Promise<FaultProof[]> {
  return runInWorkers('prove', ids);
}

/** The contents of the files that are made from the kill matrix, by path. */
export async function renderKillMatrixFiles(
  suite: Suite = loadSuite(),
  proofs?: readonly FaultProof[],
): Promise<Map<string, string>> {
  const known = proofs ?? (await proveFaults(knownFaults.map(({ id }) => id)));
  const rows = await chooseDiscriminatingRows(suite, knownFaults, known);
  return new Map([
    [killMatrixFile, renderKillMatrix(known.slice(0, faultsWithStories.length))],
    [discriminatingRowsFile, renderDiscriminatingRows(rows)],
  ]);
}

/** One line for each fault: the requirement that it breaks, and the other requirements that do not pass. */
function renderKillMatrix(proofs: readonly FaultProof[]): string {
  const lines = proofs.map(({ id, breaks, verdicts }) => {
    const others = Object.keys(verdicts).filter((requirement) => requirement !== breaks);
    const having = (verdict: string) => others.filter((requirement) => verdicts[requirement] === verdict).sort();
    const cells = [
      id,
      `${breaks}: ${verdicts[breaks] ?? 'pass'}`,
      having('fail').join(' '),
      having('inconclusive').join(' '),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [
    '# Kill matrix',
    '',
    'Which requirements do not pass on the reference deployment with each fault. `npm run update` writes this file.',
    '',
    '| fault | breaks | fails too | is inconclusive |',
    '| --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}
