import { getSystemErrorMap, inspect } from 'node:util';
import { closest, distance } from 'fastest-levenshtein';
import { packageRoot } from './package-root.js';
import { fileSizeLimits, RefusedFileError, readBytes } from './read-bytes.js';
import { joinAndEscapeLines, shorten } from './untrusted-text.js';

/** `line` and `column` count from 1. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Problem {
  /** A location in a file, or the name of a flag or of an environment variable. */
  readonly at: Location | { readonly setting: string };
  readonly message: string;
  readonly hint?: string;
}

export class UnusableInput extends Error {
  override readonly name = 'UnusableInput';

  constructor(readonly problems: readonly Problem[]) {
    super(renderProblems(problems));
    // Playwright prints the stack. The location of the throw helps no user.
    this.stack = this.message;
  }

  /** What `console.error` prints: older versions of Playwright print the error itself. */
  [inspect.custom](): string {
    return this.message;
  }
}

/** A reader mends the first ones, and then sees the next. */
export const maxProblems = 20;

function renderProblems(problems: readonly Problem[]): string {
  const more = problems.length - maxProblems;
  const shown = problems.slice(0, maxProblems).map(formatProblem);
  return [...shown, ...(more > 0 ? [`and ${more} more problems`] : [])].join('\n');
}

/** Creates the error for one problem. @param at a location, or the name of a flag, an argument or a variable */
export function createInputError(at: Location | string, message: string, hint: string): UnusableInput {
  return new UnusableInput([{ at: typeof at === 'string' ? { setting: at } : at, message, hint }]);
}

export function formatLocation({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}

/** A message may quote a value of any length. */
const maxMessage = 2_000;

/** Renders a problem as one line, and a second one for the hint. Both may quote untrusted text. */
export function formatProblem({ at, message, hint }: Problem): string {
  const where = 'setting' in at ? at.setting : formatLocation(at);
  return joinAndEscapeLines([
    `${where}: ${shorten(message, maxMessage)}`,
    ...(hint === undefined ? [] : [`    ${hint}`]),
  ]).trimEnd();
}

/** The time to compare two names grows with the product of their lengths. */
const maxName = 200;

export function suggestName(stated: string, known: readonly string[]): string {
  if (known.length === 0) return 'There is none.';
  const unknown = stated.slice(0, maxName);
  const nearest = closest(unknown, [...known]);
  const near = distance(unknown.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, unknown.length / 3);
  if (near) return `Did you mean '${nearest}'?`;
  const byDistance = [...known].sort((name, next) => distance(unknown, name) - distance(unknown, next));
  return `Known: ${byDistance.slice(0, 25).join(', ')}${known.length > 25 ? ', …' : '.'}`;
}

/** Describes a system error in words, such as `cannot be read: no such file or directory`. @param failure what cannot be done */
export function describeFileError(error: unknown, failure = 'cannot be read'): string {
  if (error instanceof RefusedFileError) return `${failure}: ${error.message}`;
  const { errno = 0, code = 'unknown error' } = error as NodeJS.ErrnoException;
  return `${failure}: ${getSystemErrorMap().get(errno)?.[1] ?? code}`;
}

/**
 * Reads a file that a user names. @param at where another file names it, by this name @param limit of its size, in bytes
 * @throws UnusableInput
 */
export function readInputFile(
  file: string,
  hint: string,
  {
    at = { setting: file },
    name,
    limit = fileSizeLimits.text,
  }: { at?: Problem['at']; name?: string; limit?: number } = {},
): Buffer {
  try {
    return readBytes(file, limit);
  } catch (error) {
    const message = describeFileError(error, `${name === undefined ? '' : `'${name}' `}cannot be read`);
    throw new UnusableInput([{ at, message, hint }]);
  }
}

export class InternalError extends Error {
  override readonly name = 'InternalError';

  /** Shows the places of an error, and not its message: that may quote a secret, or what a deployment wrote. */
  constructor(error: unknown) {
    const { name = 'Error', message = '', stack = '' } = error instanceof Error ? error : {};
    const places = listPlaces(stack.slice(stack.indexOf(message) + message.length)).slice(0, 4);
    super(`Internal error, please report it: ${name} at ${places.join(', from ') || 'an unknown location'}.`);
    this.stack = this.message;
  }
}

/**
 * Lists the places of a stack, relative to a folder. A stack names modules by URLs, on Windows such as `file:///D:/a%20b/c.js`,
 * and other files by their paths.
 */
export function listPlaces(stack: string, folder = packageRoot): string[] {
  const root = `${folder.replaceAll('\\', '/')}/`;
  const url = `file://${root.startsWith('/') ? '' : '/'}${encodeURI(root)}`;
  return Array.from(stack.matchAll(/^ {4}at (?:.*\(|async )?(.+:\d+:\d+)\)?$/gm), ([, place = '']) => {
    const shown = place.replaceAll('\\', '/');
    const prefix = [url, root, 'file://'].find((known) => shown.startsWith(known)) ?? '';
    return shown.slice(prefix.length);
  });
}

/**
 * Does something whose error Playwright writes to files, with its message.
 *
 * @throws UnusableInput
 * @throws InternalError in place of any other error
 */
export async function hideMessagesOfErrors<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof UnusableInput ? error : new InternalError(error);
  }
}

/** Lets this process write its results although nobody reads its output any more. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
