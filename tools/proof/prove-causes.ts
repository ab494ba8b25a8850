import type { Fault } from '../../reference/faults/fault.js';
import { type CauseGrade, gradeCause } from './expected-causes.js';
import { type GeneratedFault, listGeneratedFaults } from './generated-faults.js';
import { faultsWithStories } from './list-faults.js';
import { renderTable } from './proof.js';
import { runInWorkers } from './run-in-workers.js';

/** The first cause of the run of a deployment with one fault. */
export interface CauseProof {
  readonly fault: Fault;
  /** Undefined if the run has none. */
  readonly cause: string | undefined;
  readonly grade: CauseGrade;
}

/** A run takes more than a second, so few of the generated faults are diagnosed. */
const sampleStep = 60;

/** The faults by which causes are measured: those with a story of their own, and a sample of the others. */
export const diagnosedFaults: readonly Fault[] = [
  ...faultsWithStories,
  ...listGeneratedFaults()
    .filter(({ invisibility }) => invisibility === undefined)
    .filter((_, n) => n % sampleStep === 0),
];

/** Diagnoses a run of each fault, on all cores. */
export async function proveCauses(some: readonly Fault[] = diagnosedFaults): Promise<CauseProof[]> {
  const causes = await runInWorkers(
    'find the cause',
    some.map(({ id }) => id),
  );
  return some.map((fault, n) => ({ fault, cause: causes[n], grade: gradeCause(fault, causes[n]) }));
}

/** The share of the proofs with one of some grades, in percent. */
export function computeShare(proofs: readonly CauseProof[], ...wanted: readonly CauseGrade[]): number {
  return (100 * proofs.filter(({ grade }) => wanted.includes(grade)).length) / proofs.length;
}

/** A report: how often the first cause is the fault, its requirement, absent and wrong, by the kind of the fault. */
export function renderCauses(proofs: readonly CauseProof[]): string {
  const kindOf = ({ fault }: CauseProof) => (fault as Partial<GeneratedFault>).kind ?? `of ${fault.breaks}`;
  const grades: readonly CauseGrade[] = ['exact', 'requirement', 'absent', 'wrong'];
  const createRow = (kind: string, some: readonly CauseProof[]) => [
    kind,
    ...grades.map((wanted) => `${some.filter(({ grade }) => grade === wanted).length}`),
  ];
  const kinds = [...new Set(proofs.map(kindOf))];
  const unnamed = proofs.filter(({ grade }) => grade !== 'exact');
  return [
    '# Causes',
    '',
    `The first cause of ${proofs.length} runs: ${grades.map((grade) => `${grade} ${computeShare(proofs, grade).toFixed(1)} %`).join(', ')}.`,
    '',
    ...renderTable(
      ['fault', ...grades],
      [
        ...kinds.map((kind) =>
          createRow(
            kind,
            proofs.filter((proof) => kindOf(proof) === kind),
          ),
        ),
        createRow('all', proofs),
      ],
    ),
    '',
    ...unnamed.map(({ fault, cause = 'none', grade }) => `- ${grade}: ${fault.id}, ${cause}`),
    '',
  ].join('\n');
}
