import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../src/support/package-root.js';

/** What the suite found of a fleet: deployments with one mistake each, which others wrote. */
export interface FleetRecord {
  /** In which language and with which software it is written. */
  readonly about: string;
  /** The day of the runs. */
  readonly measured: string;
  readonly mistakes: number;
  /** The mistakes on which a run ended with `does-not-conform`. */
  readonly found: number;
  /**
   * The mistakes on which no run did, and why: the run was `incomplete`, a question of the contract leaves it open, or it was
   * `missed`. A reader writes the question, as he grades explanations.
   */
  readonly unfound: Readonly<Record<string, string>>;
  /** The first measurement, before anything was changed because of this fleet. Undefined if nobody kept it. */
  readonly firstSight?: FirstSight;
}

/** How the suite did on a fleet that it was not made with. */
export interface FirstSight {
  readonly measured: string;
  /** The mistakes that a run could find: no question leaves them open. */
  readonly mistakes: number;
  readonly found: number;
  readonly right: number;
  readonly wider: number;
  readonly wrong: number;
  readonly triggers: number;
}

/** The grade of the first explanation of a run: see "a mistake" in CONTRIBUTING.md. */
export interface ExplanationGrade {
  readonly id: string;
  readonly grade: 'right' | 'wider' | 'silent' | 'wrong';
  readonly trigger_shown: boolean;
  readonly note: string;
}

const folder = path.join(packageRoot, 'test', 'grades');
const recordFile = path.join(folder, 'fleets.json');

export function readFleetRecords(): Record<string, FleetRecord> {
  return existsSync(recordFile) ? JSON.parse(readFileSync(recordFile, 'utf8')) : {};
}

export function readGrades(fleet: string): ExplanationGrade[] {
  const text = readFileSync(path.join(folder, `${fleet}.jsonl`), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Records what was found of a whole fleet. What a reader said of mistakes that were not found stays. */
export function recordFleet(
  fleet: string,
  runs: readonly { readonly id: string; readonly legal: boolean; readonly verdict: string }[],
): void {
  const records = readFleetRecords();
  const known = records[fleet];
  const mistakes = runs.filter(({ legal }) => !legal);
  const unfound = mistakes.filter(({ verdict }) => verdict !== 'does-not-conform');
  const record: FleetRecord = {
    about: known?.about ?? '',
    measured: new Date().toISOString().slice(0, 10),
    mistakes: mistakes.length,
    found: mistakes.length - unfound.length,
    ...(known?.firstSight && { firstSight: known.firstSight }),
    unfound: Object.fromEntries(
      unfound.map(({ id, verdict }) => [id, verdict === 'incomplete' ? verdict : (known?.unfound[id] ?? 'missed')]),
    ),
  };
  writeFileSync(recordFile, `${JSON.stringify({ ...records, [fleet]: record }, null, 2)}\n`);
}
