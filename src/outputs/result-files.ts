import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { ExtendedFile } from '../record/add-deviations.js';
import { createInputError, describeFileError, type Problem, UnusableInput } from '../support/problem.js';
import { isUnchangedRunOutput } from '../support/written-mark.js';

/** The files of a run. Each has a module of its name in `files/`. */
export const outputFiles = [
  'certificate.html',
  'certificate.json',
  'evidence.har',
  'observed.md',
  'openapi.yaml',
  'summary.md',
] as const;

export type OutputFile = (typeof outputFiles)[number];

export interface ResultsDestination {
  readonly out: string;
  readonly recordTo?: string;
  readonly recordKnownTo?: string;
  /** The target file, if requirements that do not apply are to be added to it. */
  readonly recordScopeTo?: string;
}

export interface WrittenResults {
  readonly certificate: string;
  record?: { readonly file: string; readonly unwritten?: string };
  scope?: { readonly file: string; readonly added: number };
  known?: { readonly file: string } & Pick<ExtendedFile, 'added' | 'extended'>;
}

/** Returns a file of a run. @param named the file, or the folder of the run; a file that does not exist stays as it is */
export function findRunFile(named: string, name: string): string {
  return fs.statSync(named, { throwIfNoEntry: false })?.isDirectory() === true ? path.join(named, name) : named;
}

/** Makes a folder with those around it. The recursive mode of Node.js never ends where nothing can be made, as in /proc. */
export function makeFolder(folder: string): void {
  if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const around = path.dirname(path.resolve(folder));
  if (around !== path.resolve(folder)) makeFolder(around);
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    // Another process may have made it.
    if (!fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/**
 * Checks that the results of a run can be written: at its end it would be too late.
 *
 * @throws UnusableInput also for everything in the place of a result that no run wrote, or that somebody changed since
 */
export function prepareResultsFolder(out: string): void {
  let problems: readonly Problem[];
  try {
    makeFolder(out);
    fs.accessSync(out, fs.constants.W_OK);
    problems = outputFiles.flatMap((name) => findOwner(path.posix.join(out, name)) ?? []);
  } catch (error) {
    throw createInputError('--out', describeFileError(error, `cannot write into ${out}`), 'Name another folder.');
  }
  if (problems.length > 0) throw new UnusableInput(problems);
}

/** Says why something in the place of a result is the user's; undefined if it is not. */
function findOwner(file: string): Problem | undefined {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined || (stat.isFile() && isUnchangedRunOutput(file))) return undefined;
  const message = `is in the place of a result, and ${describeOwn(stat)}`;
  return { at: { setting: file }, message, hint: 'Move or remove it, or name another folder with --out.' };
}

function describeOwn(stat: fs.Stats): string {
  if (stat.isDirectory()) return 'is a folder';
  if (stat.isSymbolicLink()) return 'is a link';
  return 'a run did not write it, or it was changed since';
}

/** Removes the results of the run before: a run that ends early must not seem to have them. @throws UnusableInput */
export function removeResults(out: string): void {
  prepareResultsFolder(out);
  for (const name of outputFiles) fs.rmSync(path.join(out, name), { force: true });
}

export interface FileToWrite {
  readonly file: string;
  readonly text: string | Buffer;
}

/**
 * Writes files. Each is written beside its place, under a name that nothing has, and renamed when all are there, so that
 * nobody reads half a file.
 *
 * @throws UnusableInput if one of them cannot be written
 */
export function writeFiles(files: readonly FileToWrite[]): void {
  const drafts: { readonly file: string; readonly draft: string }[] = [];
  let current = '';
  try {
    for (const { file, text } of files) {
      current = file;
      makeFolder(path.dirname(file));
      const draft = `${file}.${randomUUID()}.tmp`;
      // Fails for a file that exists, and for a link.
      const descriptor = fs.openSync(draft, 'wx');
      drafts.push({ file, draft });
      try {
        fs.writeFileSync(descriptor, text);
      } finally {
        fs.closeSync(descriptor);
      }
    }
    for (const { file, draft } of drafts) {
      current = file;
      fs.renameSync(draft, file);
    }
  } catch (error) {
    for (const { draft } of drafts) fs.rmSync(draft, { force: true });
    throw createInputError(
      current,
      describeFileError(error, 'cannot be written'),
      'Free some space, or name another folder.',
    );
  }
}
