/**
 * Files that belong together, such as the results of a run: whoever looks finds those of one run, each of them whole.
 *
 * They are written aside first, and renamed when all are there. One process at a time does so in a folder, so that
 * nobody else's files come between. A link that is in the place of a file is replaced, not followed.
 */

import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UnusableInput } from '../support/problem.js';

/** A file to write. */
export interface FileToWrite {
  readonly file: string;
  readonly text: string | Buffer;
}

/** In the folder of the results, while one process writes there: it holds what is not yet in its place. */
const draftsFolder = '.being-written';

/** Writing takes a fraction of a second: whoever takes longer, in milliseconds, was killed over it. */
const maxWritingMs = 20_000;

/**
 * Writes files that belong together.
 *
 * @param folder in which they are, save for some that may be elsewhere; it is made unless it is there
 * @param compose says what to write, at a time when nobody else writes to the folder
 * @throws UnusableInput where one of them cannot be written: then all that was there before is as it was
 */
export function writeFilesTogether(folder: string, compose: () => readonly FileToWrite[]): void {
  inTurn(folder, (drafts) => {
    const aside: { file: string; draft: string }[] = [];
    try {
      for (const { file, text } of compose()) {
        attempt(file, () => {
          refuseFolder(file);
          const isWithin = path.resolve(path.dirname(file)) === path.resolve(folder);
          const draft = isWithin ? path.join(drafts, path.basename(file)) : `${file}.${process.pid}.tmp`;
          aside.push({ file, draft });
          writeWhole(draft, text);
        });
      }
      for (const { file, draft } of aside) attempt(file, () => renameSync(draft, file));
    } finally {
      for (const { draft } of aside) discard(draft);
    }
  });
}

/**
 * Checks that files that belong together could be written.
 *
 * @throws UnusableInput where one of them could not
 */
export function checkFilesWritable(folder: string, files: readonly string[]): void {
  inTurn(folder, () => {
    for (const file of files) attempt(file, () => refuseFolder(file));
  });
}

/** Does something while no other process does so in the same folder. */
function inTurn(folder: string, act: (drafts: string) => void): void {
  const drafts = path.join(folder, draftsFolder);
  try {
    // Absolute: where the working folder was removed meanwhile, Node.js would look for a relative one for ever.
    mkdirSync(path.resolve(folder), { recursive: true });
    while (!isMade(drafts)) waitFor(drafts);
  } catch (error) {
    const message = `nothing can be written into ${folder} (${(error as NodeJS.ErrnoException).code})`;
    throw new UnusableInput([{ at: { setting: '--out' }, message, hint: 'Name another folder.' }]);
  }
  try {
    act(drafts);
  } finally {
    discard(drafts);
  }
}

function isMade(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Waits a moment for another process to end its turn, or ends it in the place of one that was killed. */
function waitFor(drafts: string): void {
  const began = lstatSync(drafts, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  // In either direction: clocks are set back.
  if (Math.abs(Date.now() - began) > maxWritingMs) rmSync(drafts, { recursive: true, force: true });
  else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}

/** Removes what was written aside. Where that cannot be done there is nothing left to do, and worse to report. */
function discard(draft: string): void {
  try {
    rmSync(draft, { recursive: true, force: true });
  } catch {
    // Whoever writes here next tries again.
  }
}

function attempt(file: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const hint = 'Nothing was written. Make room for it, or name another folder.';
    throw new UnusableInput([{ at: { setting: file }, message: `cannot be written (${code})`, hint }]);
  }
}

function refuseFolder(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true)
    throw Object.assign(new Error(`${file} is a folder.`), { code: 'EISDIR' });
}

/** Writes a file that was not there. @throws an Error where what is read back is something else */
function writeWhole(file: string, text: string | Buffer): void {
  writeFileSync(file, text, { flag: 'wx' });
  if (!readFileSync(file).equals(Buffer.from(text))) throw new Error(`${file} does not read back as it was written.`);
}
