import fs from 'node:fs';
import path from 'node:path';
import { describeFileError, refuse } from '../support/problem.js';

/** Has a module for each file, named after it. */
export const outputFolder = path.join(import.meta.dirname, 'files');

export function listOutputFiles(): string[] {
  // The build leaves declarations and source maps beside the modules.
  return fs.readdirSync(outputFolder).flatMap((name) => /^(.+\.[a-z]+)(?<!\.d)\.[jt]s$/.exec(name)?.slice(1) ?? []);
}

export interface ResultsDestination {
  readonly out: string;
  readonly recordTo?: string;
  readonly recordKnownTo?: string;
}

/** Returns a file of a run. @param named the file, or the folder of the run; a file that does not exist stays as it is */
export function findRunFile(named: string, name: string): string {
  return fs.statSync(named, { throwIfNoEntry: false })?.isDirectory() === true ? path.join(named, name) : named;
}

/** Checks that the results of a run can be written: at its end it would be too late. @throws UnusableInput */
export function checkResultsFolder(out: string): void {
  try {
    fs.mkdirSync(out, { recursive: true });
    fs.accessSync(out, fs.constants.W_OK);
  } catch (error) {
    throw refuse('--out', describeFileError(error, `cannot write into ${out}`), 'Name another folder.');
  }
}

/** Removes the results of the run before: a run that ends early must not seem to have them. @throws UnusableInput */
export function removeResults(out: string): void {
  checkResultsFolder(out);
  for (const name of listOutputFiles()) fs.rmSync(path.join(out, name), { force: true });
}

export interface FileToWrite {
  readonly file: string;
  readonly text: string | Buffer;
}

/**
 * Writes files. Each is written beside its place and renamed when all are there, so that nobody reads half a file. A link
 * in the place of a file is replaced, not followed.
 *
 * @throws UnusableInput if one of them cannot be written
 */
export function writeFiles(files: readonly FileToWrite[]): void {
  const drafts = files.map(({ file, text }) => ({ file, text, draft: `${file}.tmp` }));
  let current = '';
  try {
    for (const { file, text, draft } of drafts) {
      current = file;
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(draft, text);
    }
    for (const { file, draft } of drafts) {
      current = file;
      fs.renameSync(draft, file);
    }
  } catch (error) {
    for (const { draft } of drafts) if (fs.lstatSync(draft, { throwIfNoEntry: false })?.isFile()) fs.rmSync(draft);
    throw refuse(current, describeFileError(error, 'cannot be written'), 'Free some space, or name another folder.');
  }
}
