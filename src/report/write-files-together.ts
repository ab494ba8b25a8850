/**
 * Writes files that belong together, such as the results of a run: all of them are of one run, and each is whole.
 *
 * They are written aside and renamed when all are there, by one process at a time. A link in the place of a file is
 * replaced, not followed. (write-file-atomic does this for one file; it neither renames several together nor takes turns.)
 */

import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UnusableInput } from '../support/problem.js';
import { describeFileError } from '../support/read-input-file.js';

export interface FileToWrite {
  readonly file: string;
  readonly text: string | Buffer;
}

/** The folder for drafts, in the folder of the results. While it exists, one process writes. */
const draftsFolder = '.being-written';

/** Writing takes a fraction of a second. A process that takes longer was killed. */
const maxWritingMs = 20_000;

/**
 * Writes files that belong together.
 *
 * @param folder their folder, which is created; some files may be elsewhere
 * @param compose returns the files while no other process writes into the folder
 * @throws UnusableInput if one of them cannot be written; then all files stay as they were
 */
export function writeFilesTogether(folder: string, compose: () => readonly FileToWrite[]): void {
  takeTurn(folder, (drafts) => {
    const written: { readonly file: string; readonly draft: string }[] = [];
    try {
      for (const { file, text } of compose()) {
        const isInFolder = path.resolve(path.dirname(file)) === path.resolve(folder);
        const draft = isInFolder ? path.join(drafts, path.basename(file)) : `${file}.${process.pid}.tmp`;
        written.push({ file, draft });
        explainErrors(file, () => {
          refuseFolder(file);
          writeFileSync(draft, text, { flag: 'wx' });
        });
      }
      for (const { file, draft } of written) explainErrors(file, () => renameSync(draft, file));
    } finally {
      for (const { draft } of written) discard(draft);
    }
  });
}

/** Checks that files could be written together. @throws UnusableInput if one of them could not */
export function checkFilesWritable(folder: string, files: readonly string[]): void {
  takeTurn(folder, () => {
    for (const file of files) explainErrors(file, () => refuseFolder(file));
  });
}

/** Acts while no other process does so in the same folder. */
function takeTurn(folder: string, act: (drafts: string) => void): void {
  const drafts = path.join(folder, draftsFolder);
  try {
    mkdirSync(folder, { recursive: true });
    while (!createDrafts(drafts));
  } catch (error) {
    const message = describeFileError(error, `cannot write into ${folder}`);
    throw new UnusableInput([{ at: { setting: '--out' }, message, hint: 'Name another folder.' }]);
  }
  try {
    act(drafts);
  } finally {
    discard(drafts);
  }
}

/** Begins a turn. If another process has its turn, waits a moment, or ends it if that process was killed. */
function createDrafts(drafts: string): boolean {
  try {
    mkdirSync(drafts);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const began = lstatSync(drafts, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  // In either direction: clocks are set back.
  if (Math.abs(Date.now() - began) > maxWritingMs) rmSync(drafts, { recursive: true, force: true });
  else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  return false;
}

function discard(draft: string): void {
  try {
    rmSync(draft, { recursive: true, force: true });
  } catch {
    // The next process that writes here tries again. The error before this one is worse.
  }
}

function explainErrors(file: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const hint = 'No file was written. Free some space, or name another folder.';
    throw new UnusableInput([{ at: { setting: file }, message: `cannot be written (${code})`, hint }]);
  }
}

function refuseFolder(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    throw Object.assign(new Error(`${file} is a folder.`), { code: 'EISDIR' });
}
