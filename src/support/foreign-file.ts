import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { describeFileError } from './describe-file-error.js';
import { type Problem, UnusableInput } from './problem.js';

/** More than any file that somebody writes by hand, or that a run writes apart from its evidence. */
const maxDefault = 64 * 1024 * 1024;

/**
 * Reads a file that may come from elsewhere. It must be a regular file with a bounded size, and no link to another folder.
 *
 * @param at where a problem is: in the file, or where another file names it
 * @param name of the file, for a problem of another file
 * @throws UnusableInput if it cannot be read
 */
export function readForeignFile(
  file: string,
  hint: string,
  {
    maxBytes = maxDefault,
    at = { setting: file },
    name,
  }: { maxBytes?: number; at?: Problem['at']; name?: string } = {},
): Buffer {
  const failure = `${name === undefined ? '' : `'${name}' `}cannot be read`;
  const refuse = (reason: string): never => {
    throw new UnusableInput([{ at, message: `${failure}: ${reason}`, hint }]);
  };
  let descriptor: number | undefined;
  try {
    if (lstatSync(file).isSymbolicLink() && path.dirname(realpathSync(file)) !== realpathSync(path.dirname(file)))
      return refuse('it is a link to a file in another folder');
    // A named pipe would otherwise wait for a writer.
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const status = fstatSync(descriptor);
    if (status.isDirectory()) return refuse('it is a folder');
    if (!status.isFile()) return refuse('it is not a regular file');
    if (status.size > maxBytes) return refuse(`it has more than ${maxBytes / 1024 / 1024} MB`);
    return readFileSync(descriptor);
  } catch (error) {
    if (error instanceof UnusableInput) throw error;
    throw new UnusableInput([{ at, message: describeFileError(error, failure), hint }]);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
