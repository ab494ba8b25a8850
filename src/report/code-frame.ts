import { readFileSync } from 'node:fs';
import type { Location } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';

/** So many lines are shown before and after the marked one. */
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

/**
 * Extracts an entry of a YAML list, without its indentation. It ends where a line is indented less; in JSON, with the
 * line that closes its brace.
 *
 * @param lines of the whole file
 * @param at the first key of the entry, behind its hyphen, or its brace
 */
export function extractEntryLines(
  lines: readonly string[],
  { line, column }: Pick<Location, 'line' | 'column'>,
): string[] {
  const first = lines[line - 1] ?? '';
  const indentation = ' '.repeat(column - 1);
  const rest = lines.slice(line);
  // An entry in braces that no later line closes is on one line.
  const isInBraces = first.trimStart().startsWith('{');
  const end = isInBraces
    ? rest.findIndex((text) => text.startsWith(`${indentation}}`)) + 1
    : rest.findIndex((text) => text.trim() !== '' && !text.startsWith(indentation));
  const entry = [first, ...(end < 0 ? rest : rest.slice(0, end))];
  while (entry.at(-1)?.trim() === '') entry.pop();
  const common = first.search(/\S/);
  return entry.map((text) => text.slice(common));
}

/** Reads the lines of a text file; none if it cannot be read. */
export function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
