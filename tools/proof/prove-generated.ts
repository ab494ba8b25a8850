import { type GeneratedFault, listGeneratedFaults } from '../../reference/faults/generated-faults.js';
import type { Invisibility } from '../../reference/mistakes/find-invisibility.js';
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

const marks = { killed: '✗', open: '?', undetected: '+', 'not-visible': '·', surviving: '**S**' } as const;
const leadIns = { open: 'Open', undetected: 'Undetected', 'not-visible': 'Not visible' } as const;

/** A report: counts by kind and place, reasons, survivors, and a table of places and mistakes for each kind. */
export function renderGenerated(proofs: readonly GeneratedProof[]): string {
  const kinds = [...new Set(proofs.map(({ fault }) => fault.kind))];
  const count = (some: readonly GeneratedProof[], is: GeneratedProof['is']) =>
    some.filter((proof) => proof.is === is).length;
  const counts = (some: readonly GeneratedProof[]) =>
    (Object.keys(marks) as (keyof typeof marks)[]).map((is) => String(count(some, is)));
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
    `${proofs.length} faults. ✗ is killed, ? is left open by a question, + shows in requests that the suite does not send, · is not visible, S survives.`,
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
    ...kinds.flatMap((kind) => [
      '',
      `## ${kind}`,
      '',
      ...renderMatrix(proofs.filter(({ fault }) => fault.kind === kind)),
    ]),
    '',
  ].join('\n');
}

/** The longer of places and mistakes has the rows. */
function renderMatrix(proofs: readonly GeneratedProof[]): string[] {
  const places = [...new Set(proofs.map(({ fault }) => fault.place))];
  const mistakes = [...new Set(proofs.map(({ fault }) => fault.mistake))];
  const byId = new Map(proofs.map((proof) => [proof.fault.id, marks[proof.is]]));
  if (places.length > mistakes.length) {
    const rows = places.map((place) => [place, ...mistakes.map((mistake) => byId.get(`${place}/${mistake}`) ?? '')]);
    return renderTable(['', ...mistakes], rows);
  }
  const rows = mistakes.map((mistake) => [mistake, ...places.map((place) => byId.get(`${place}/${mistake}`) ?? '')]);
  return renderTable(['', ...places], rows);
}
