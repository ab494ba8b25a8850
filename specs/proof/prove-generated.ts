import { type GeneratedFault, listGeneratedFaults } from '../../reference/faults/generated-faults.js';
import type { Invisibility } from '../../reference/mistakes/find-invisibility.js';
import { renderTable } from './proof.js';
import { proveFaults } from './prove-faults.js';

/** What became of a generated fault. It is killed if some requirement fails. */
export interface GeneratedProof {
  readonly fault: GeneratedFault;
  readonly is: 'killed' | 'surviving' | Invisibility['is'];
}

/** Proves all generated faults, except those that no request can show. */
export async function proveGenerated(): Promise<GeneratedProof[]> {
  const faults = listGeneratedFaults();
  const visible = faults.filter(({ invisibility }) => invisibility === undefined);
  const proofs = await proveFaults(visible.map(({ id }) => id));
  const killed = new Set(proofs.flatMap(({ id, failedRows }) => (Object.keys(failedRows).length > 0 ? [id] : [])));
  return faults.map((fault) => ({
    fault,
    is: fault.invisibility?.is ?? (killed.has(fault.id) ? 'killed' : 'surviving'),
  }));
}

/** A report: counts by kind, and what became of each fault. */
export function renderGenerated(proofs: readonly GeneratedProof[]): string {
  const outcomes = ['killed', 'open', 'thorough-only', 'not-visible', 'surviving'] as const;
  const countAll = (name: string, some: readonly GeneratedProof[]) => [
    name,
    ...outcomes.map((outcome) => String(some.filter(({ is }) => is === outcome).length)),
  ];
  const kinds = [...new Set(proofs.map(({ fault }) => fault.kind))];
  const describe = (invisibility: Invisibility) =>
    invisibility.is === 'open' ? invisibility.question : invisibility.reason;
  return [
    '# Generated faults: places × mistakes',
    '',
    ...renderTable(
      ['kind', ...outcomes],
      [
        ...kinds.map((kind) =>
          countAll(
            kind,
            proofs.filter(({ fault }) => fault.kind === kind),
          ),
        ),
        countAll('all', proofs),
      ],
    ),
    '',
    'No request of a default run shows faults that are open, thorough-only or not visible, for the reason beside them.',
    '',
    ...renderTable(
      ['fault', 'result', 'reason'],
      proofs.map(({ fault, is }) => [
        fault.id,
        is,
        fault.invisibility === undefined ? '' : describe(fault.invisibility),
      ]),
    ),
    '',
  ].join('\n');
}
