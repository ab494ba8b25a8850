import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { notSelectedReason } from '../engine/case-result.js';
import type { Certificate } from './certificate.js';
import { readCertificate } from './read-certificate.js';
import { partialFolder } from './result-files.js';

/**
 * Returns the file with the ids of the cases that did not pass in the last run that had them, a line each. Runs of some
 * cases write it: each of them knows nothing of the cases that an earlier one ran.
 *
 * @param out the folder of the results
 */
export function getUnpassedFile(out: string): string {
  return path.join(out, partialFolder, 'unpassed-cases.txt');
}

/** Reads the ids of the cases that did not pass in their last run. @returns undefined if nothing ran yet */
export function readUnpassedCases(out: string): ReadonlySet<string> | undefined {
  const whole = path.join(out, 'certificate.json');
  const file = getUnpassedFile(out);
  const [wholeTime, fileTime] = [whole, file].map((each) => statSync(each, { throwIfNoEntry: false })?.mtimeMs);
  if (fileTime !== undefined && fileTime >= (wholeTime ?? 0)) {
    const lines = readFileSync(file, 'utf8').split('\n');
    return new Set(lines.filter((id) => id !== ''));
  }
  return wholeTime === undefined ? undefined : listUnpassedCases(readCertificate(whole));
}

/**
 * Lists the cases that did not pass, and questions that drifted or have no answer.
 *
 * @param before those of earlier runs, for the cases that this run says nothing about
 */
export function listUnpassedCases(
  { requirements, questions, own_cases: own, drift, profile }: Certificate,
  before: ReadonlySet<string> = new Set(),
): ReadonlySet<string> {
  const unpassed = new Set(before);
  const set = (id: string, isUnpassed: boolean) => (isUnpassed ? unpassed.add(id) : unpassed.delete(id));
  const drifted = new Set(drift.map((entry) => entry.case));
  const added = own?.cases ?? [];
  const cases = [...requirements.flatMap((each) => each.cases), ...added.filter((each) => 'verifies' in each)];
  for (const { id, verdict, reason } of cases) {
    // A profile sends some rows of a case, which say nothing about the others.
    if (reason === notSelectedReason || (profile !== undefined && verdict === 'pass')) continue;
    // A case that does not apply to the target will not apply next time.
    set(id, (verdict !== 'pass' && verdict !== 'not-applicable') || drifted.has(id));
  }
  for (const { id, outcome, reason } of [...questions, ...added.filter((each) => 'answers' in each)])
    if (reason !== notSelectedReason) set(id, outcome === null || drifted.has(id));
  return unpassed;
}
