import { readFileSync } from 'node:fs';
import type { Location } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';

/** So many lines are shown before the one that is meant, and after it. */
const around = 2;

/** The lines of a file around a place, with a mark at it; none where the file cannot be read. */
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
 * The lines of an entry of a YAML list, without the indentation that they have in common: from the one where it begins to
 * the last that is indented as it is; within brackets, as in JSON, to the one that closes its brace.
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
  // Without a hyphen before it, the next entry is indented as much. One that no line closes is on one line.
  const isInBrackets = first.trimStart().startsWith('{');
  const end = isInBrackets
    ? rest.findIndex((text) => text.startsWith(`${indentation}}`)) + 1
    : rest.findIndex((text) => text.trim() !== '' && !text.startsWith(indentation));
  const entry = [first, ...(end < 0 ? rest : rest.slice(0, end))];
  while (entry.at(-1)?.trim() === '') entry.pop();
  const common = first.search(/\S/);
  return entry.map((text) => text.slice(common));
}

/** The lines of a text file; none where it cannot be read. */
export function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
