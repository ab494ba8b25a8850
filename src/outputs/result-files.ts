import { accessSync, constants, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { refuse } from '../support/problem.js';
import { describeFileError } from '../support/read-input-file.js';
import { listOutputFiles } from './output.js';
import { getDraft } from './write-files.js';

/** Returns a file of a run. @param named the file, or the folder of the run; a file that does not exist stays as it is */
export function findRunFile(named: string, name: string): string {
  return statSync(named, { throwIfNoEntry: false })?.isDirectory() === true ? path.join(named, name) : named;
}

/** Checks that the results of a run can be written: at its end it would be too late. @throws UnusableInput */
export function checkResultsFolder(out: string): void {
  try {
    mkdirSync(out, { recursive: true });
    accessSync(out, constants.W_OK);
    const folders = readdirSync(out, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const occupied = folders.find(({ name }) => listOutputFiles().includes(name))?.name;
    if (occupied === undefined) return;
    throw refuse(path.join(out, occupied), 'is a folder in the place of a result', 'Remove it, or use --out.');
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw refuse('--out', describeFileError(error, `cannot write into ${out}`), 'Name another folder.');
  }
}

/**
 * Removes the results of the run before, so that none of them can be taken for one of a run that ends early.
 *
 * @throws UnusableInput if the results of this run could not be written; then nothing is removed
 */
export function removeResults(out: string): void {
  checkResultsFolder(out);
  for (const name of listOutputFiles()) {
    const file = path.join(out, name);
    for (const stale of [file, getDraft(file)]) rmSync(stale, { force: true });
  }
}
