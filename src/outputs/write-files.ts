import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { refuse } from '../support/problem.js';
import { describeFileError } from '../support/read-input-file.js';

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
  let current = '';
  try {
    for (const { file, text } of files) {
      current = file;
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(getDraft(file), text);
    }
    for (const { file } of files) {
      current = file;
      renameSync(getDraft(file), file);
    }
  } catch (error) {
    const drafts = files.map(({ file }) => getDraft(file));
    for (const draft of drafts) if (lstatSync(draft, { throwIfNoEntry: false })?.isFile()) rmSync(draft);
    throw refuse(current, describeFileError(error, 'cannot be written'), 'Free some space, or name another folder.');
  }
}

/** Returns where a file is until all of it is there. */
export function getDraft(file: string): string {
  return `${file}.tmp`;
}
