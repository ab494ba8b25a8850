import { readFileSync } from 'node:fs';
import { oneLine } from '../support/foreign-text.js';
import type { Location } from '../support/problem.js';

/** So many lines are shown before the one that is meant, and after it. */
const around = 2;

/** The lines of a file around a place, with a mark at it; none where the file cannot be read. */
export function codeFrame({ file, line, column }: Location): string[] {
  const lines = linesOf(file);
  const from = Math.max(0, line - 1 - around);
  const shown = lines.slice(from, line + around);
  const width = String(from + shown.length).length;
  return shown.flatMap((text, n) => {
    const number = from + n + 1;
    const numbered = `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${oneLine(text)}`;
    return number === line ? [numbered, `  ${' '.repeat(width)} | ${' '.repeat(column - 1)}^`] : [numbered];
  });
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
