import { type GeneratedFault, listGeneratedFaults } from './generated-faults.js';
import type { Invisibility } from './mistakes/find-invisibility.js';
import { runInWorkers } from './run-in-workers.js';

/** What became of a generated fault. */
export interface GeneratedProof {
  readonly fault: GeneratedFault;
  readonly is: 'killed' | 'surviving' | Invisibility['is'];
  /** The first case that fails. */
  readonly caughtBy?: string;
}

/** Runs generated faults in worker threads, except those that no request can show. */
export async function proveGenerated(faults = listGeneratedFaults()): Promise<GeneratedProof[]> {
  const visible = faults.filter(({ invisibility }) => invisibility === undefined);
  const ids = visible.map(({ id }) => id);
  const cases = await runInWorkers('find the case', ids);
  const caughtBy = new Map(ids.map((id, n) => [id, cases[n]]));
  return faults.map((fault): GeneratedProof => {
    if (fault.invisibility !== undefined) return { fault, is: fault.invisibility.is };
    const found = caughtBy.get(fault.id);
    return found === undefined ? { fault, is: 'surviving' } : { fault, is: 'killed', caughtBy: found };
  });
}
