import { readFileSync, statSync } from 'node:fs';
import { type Problem, UnusableInput } from './problem.js';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it is not a folder',
  EEXIST: 'there is a file of that name',
  ELOOP: 'it is a link to itself',
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EFBIG: 'it has more than 512 MB',
};

/** Describes a system error in words, such as `cannot be read: it is a folder`. @param failure what cannot be done */
export function describeFileError(error: unknown, failure = 'cannot be read'): string {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return `${failure}: ${reasons[code] ?? code}`;
}

/** More than any file that a run writes. */
const maxBytes = 512 * 1024 * 1024;

/**
 * Reads a file that a user names.
 *
 * @param at where a problem is: in the file, or where another file names it
 * @param name of the file, for a problem of another file
 * @throws UnusableInput if it cannot be read or is too large
 */
export function readInputFile(
  file: string,
  hint: string,
  { at = { setting: file }, name }: { at?: Problem['at']; name?: string } = {},
): Buffer {
  try {
    if (statSync(file).size > maxBytes) throw Object.assign(new Error(), { code: 'EFBIG' });
    return readFileSync(file);
  } catch (error) {
    const message = describeFileError(error, `${name === undefined ? '' : `'${name}' `}cannot be read`);
    throw new UnusableInput([{ at, message, hint }]);
  }
}
