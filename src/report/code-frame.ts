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

/**
 * The lines of an entry of a YAML list: from the one where it begins to the last that is indented as it is, without the
 * indentation that they have in common.
 *
 * @param lines of the whole file
 * @param at the first key of the entry, behind its hyphen
 */
export function entryLines(lines: readonly string[], { line, column }: Pick<Location, 'line' | 'column'>): string[] {
  const indentation = ' '.repeat(column - 1);
  const rest = lines.slice(line);
  const end = rest.findIndex((text) => text.trim() !== '' && !text.startsWith(indentation));
  const entry = [lines[line - 1] ?? '', ...(end < 0 ? rest : rest.slice(0, end))];
  while (entry.at(-1)?.trim() === '') entry.pop();
  const common = (lines[line - 1] ?? '').search(/\S/);
  return entry.map((text) => text.slice(common));
}

/** The lines of a text file; none where it cannot be read. */
export function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
