import { readFileSync } from 'node:fs';
import { getSystemErrorMap } from 'node:util';
import { type Problem, UnusableInput } from './problem.js';

/** Describes a system error in words, such as `cannot be read: no such file or directory`. @param failure what cannot be done */
export function describeFileError(error: unknown, failure = 'cannot be read'): string {
  const { errno = 0, code = 'unknown error' } = error as NodeJS.ErrnoException;
  return `${failure}: ${getSystemErrorMap().get(errno)?.[1] ?? code}`;
}

/** Reads a file that a user names. @param at where another file names it, by this name @throws UnusableInput */
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
