import type { Location, Problem } from '../../../src/support/problem.js';

/**
 * A text in which `▸` marks a place: the text without the mark, and where it stood. Several marks give several places.
 * So a test shows the place of a problem in the text itself, rather than as numbers that somebody has to count.
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

/** Where a problem of a file is. */
export function getLocation({ at }: Problem): Location {
  if ('setting' in at) throw new Error(`The problem is in ${at.setting}, not in a file.`);
  return at;
}
