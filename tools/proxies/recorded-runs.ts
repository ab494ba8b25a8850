import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../src/support/package-root.js';

/** How a run through software ended, on the machine that had it. */
export interface RecordedRun {
  readonly software: string;
  readonly variant: string;
  /** The verdict of a right run: `conforms` unless the software itself changes what arrives. */
  readonly expected: string;
  readonly verdict: string;
  /** Whether the verdict and its cause are the right ones. */
  readonly isRight: boolean;
  /** The day of the run. */
  readonly measured: string;
}

/** Committed, since few machines have all the software. */
const recordFile = path.join(packageRoot, 'tools', 'proxies', 'recorded-runs.json');

export function readRecordedRuns(): RecordedRun[] {
  return existsSync(recordFile) ? JSON.parse(readFileSync(recordFile, 'utf8')) : [];
}

/** Puts a run in the place of an earlier one through the same software. */
export function recordRun(run: RecordedRun): void {
  const titleOf = ({ software, variant }: RecordedRun) => `${software}, ${variant}`;
  const others = readRecordedRuns().filter((recorded) => titleOf(recorded) !== titleOf(run));
  const runs = [...others, run].toSorted((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));
  writeFileSync(recordFile, `${JSON.stringify(runs, null, 2)}\n`);
}
