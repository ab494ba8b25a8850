import { readFileSync } from 'node:fs';
import type { Location } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';

/** The number of lines before and after the marked one. */
const around = 2;

/** Renders the lines of a file around a location, with a mark at it; empty if the file cannot be read. */
export function renderCodeFrame({ file, line, column }: Location): string[] {
  const lines = readLines(file);
  const from = Math.max(0, line - 1 - around);
  const shown = lines.slice(from, line + around);
  const width = String(from + shown.length).length;
  return shown.flatMap((text, n) => {
    const number = from + n + 1;
    const numbered = `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${toOneLine(text)}`;
    return number === line ? [numbered, `  ${' '.repeat(width)} | ${' '.repeat(column - 1)}^`] : [numbered];
  });
}

/** Reads the lines of a text file; none if it cannot be read. */
function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
