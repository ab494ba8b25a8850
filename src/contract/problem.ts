/** A place in a file that somebody wrote. `line` and `column` count from 1. */
export interface Location {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong with an input, and how to mend it. */
export interface Problem {
  /** In a file, or in a variable of the environment. */
  readonly at: Location | { readonly variable: string };
  readonly message: string;
  readonly mend?: string;
}

/** The input cannot be used. Holds every problem that was found, not just the first. */
export class UnusableInput extends Error {
  override readonly name = 'UnusableInput';

  constructor(readonly problems: readonly Problem[]) {
    super(problems.map(formatProblem).join('\n'));
  }
}

export function formatLocation({ file, line, column }: Location): string {
  return `${file}:${line}:${column}`;
}

export function formatProblem({ at, message, mend }: Problem): string {
  const where = 'variable' in at ? at.variable : formatLocation(at);
  return `${where}: ${message}${mend === undefined ? '' : `\n    ${mend}`}`;
}
