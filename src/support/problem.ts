import { joinLines } from './untrusted-text.js';

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
    super(problems.map(formatProblem).join('\n'));
    // Playwright prints the stack. The location of the throw helps no user.
    this.stack = this.message;
  }
}

/** Creates the error for one problem. @param at a location, or the name of a flag, an argument or a variable */
export function refuse(at: Location | string, message: string, hint: string): UnusableInput {
  return new UnusableInput([{ at: typeof at === 'string' ? { setting: at } : at, message, hint }]);
}

export function formatLocation({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}

/** Renders a problem as one line, and a second one for the hint. Both may quote untrusted text. */
export function formatProblem({ at, message, hint }: Problem): string {
  const where = 'setting' in at ? at.setting : formatLocation(at);
  return joinLines([`${where}: ${message}`, ...(hint === undefined ? [] : [`    ${hint}`])]).trimEnd();
}
