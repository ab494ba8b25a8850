import { readFileSync } from 'node:fs';
import { type Problem, UnusableInput } from './problem.js';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it is not a folder',
  ELOOP: 'it is a link to itself',
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

/** Describes a system error in words, such as `cannot be read: it is a folder`. @param failure what cannot be done */
export function describeFileError(error: unknown, failure = 'cannot be read'): string {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return `${failure}: ${reasons[code] ?? code}`;
}

/**
 * Reads a file that a user names.
 *
 * @param at where a problem is: in the file, or where another file names it
 * @param name of the file, for a problem of another file
 * @throws UnusableInput if it cannot be read
 */
export function readInputFile(
  file: string,
  hint: string,
  { at = { setting: file }, name }: { at?: Problem['at']; name?: string } = {},
): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const message = describeFileError(error, `${name === undefined ? '' : `'${name}' `}cannot be read`);
    throw new UnusableInput([{ at, message, hint }]);
  }
}
