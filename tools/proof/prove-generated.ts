import { type GeneratedFault, listGeneratedFaults } from './generated-faults.js';
import type { Invisibility } from './mistakes/find-invisibility.js';
import { renderTable } from './proof.js';
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

const outcomes = ['killed', 'open', 'undetected', 'not-visible', 'surviving'] as const;
const leadIns = { open: 'Open', undetected: 'Undetected', 'not-visible': 'Not visible' } as const;

/** A report: counts by kind, reasons and survivors. */
export function renderGenerated(proofs: readonly GeneratedProof[]): string {
  const kinds = [...new Set(proofs.map(({ fault }) => fault.kind))];
  const counts = (some: readonly GeneratedProof[]) =>
    outcomes.map((is) => String(some.filter((proof) => proof.is === is).length));
  const reasons = new Map<string, number>();
  for (const { fault } of proofs) {
    const { invisibility } = fault;
    if (invisibility === undefined) continue;
    const why = `${leadIns[invisibility.is]}: ${invisibility.is === 'open' ? invisibility.question : invisibility.reason}`;
    reasons.set(why, (reasons.get(why) ?? 0) + 1);
  }
  const survivors = proofs.filter(({ is }) => is === 'surviving').map(({ fault }) => `- ${fault.id}`);
  return [
    '# Generated faults: places × mistakes',
    '',
    `${proofs.length} faults.`,
    '',
    ...renderTable(
      ['kind', 'killed', 'open', 'undetected by design', 'not visible', 'surviving'],
      [
        ...kinds.map((kind) => [kind, ...counts(proofs.filter(({ fault }) => fault.kind === kind))]),
        ['all', ...counts(proofs)],
      ],
    ),
    '',
    '## Why no run shows them',
    '',
    ...renderTable(
      ['reason', 'faults'],
      [...reasons].map(([why, number]) => [why, String(number)]),
    ),
    '',
    '## Survivors',
    '',
    ...(survivors.length === 0 ? ['None.'] : survivors),
    '',
  ].join('\n');
}
