import { joinLines } from './untrusted-text.js';

/** A place in a file that somebody wrote. `line` and `column` count from 1. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong with an input, and how to correct it. */
export interface Problem {
  /** In a file, or in a setting: a flag, or a variable of the environment. */
  readonly at: Location | { readonly setting: string };
  readonly message: string;
  readonly hint?: string;
}

/** `inspect.custom` of Node.js, in a form that needs no types of Node.js where the package is imported. */
const custom: unique symbol = Symbol.for('nodejs.util.inspect.custom');

/** The input cannot be used. Holds every problem that was found, not just the first. */
export class UnusableInput extends Error {
  override readonly name = 'UnusableInput';

  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'));
    // Where it was thrown tells nobody anything, and Playwright would print it.
    this.stack = this.message;
  }

  /** As it prints whoever does not know it, such as Playwright. */
  [custom](): string {
    return this.message;
  }
}

export function formatLocation({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}

/** A problem in words: a line, and one for the hint. Either may quote what a stranger wrote. */
export function formatProblem({ at, message, hint }: Problem): string {
  const where = 'setting' in at ? at.setting : formatLocation(at);
  return joinLines([`${where}: ${message}`, ...(hint === undefined ? [] : [`    ${hint}`])]).trimEnd();
}
