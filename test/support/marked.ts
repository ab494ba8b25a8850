import { type Location, type Problem, UnusableInput } from '../../src/support/problem.js';

/**
 * Parses a text in which `▸` marks places: returns the text without the marks, and their lines and columns. So a test
 * shows the location of a problem in the text itself.
 */
export function parseMarked(text: string): { text: string; places: { line: number; column: number }[] } {
  const lines = text.split('\n');
  const places = lines.flatMap((line, n) =>
    line
      .split('▸')
      .slice(0, -1)
      .map((_, m, pieces) => ({ line: n + 1, column: pieces.slice(0, m + 1).join('').length + 1 })),
  );
  return { text: text.replaceAll('▸', ''), places };
}

/** Returns the location of a problem. */
export function getLocation({ at }: Problem): Location {
  if ('setting' in at) throw new Error(`The problem is in the setting '${at.setting}', not in a file.`);
  return at;
}

/** Lists the problems for which input is refused. */
export function listProblems(load: () => unknown): readonly Problem[] {
  try {
    load();
  } catch (error) {
    if (error instanceof UnusableInput) return error.problems;
    throw error;
  }
  return [];
}
