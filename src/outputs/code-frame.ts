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

/** Extracts an entry of a list in YAML or JSON, without its indentation. @param at its first key, or its brace */
export function extractEntry(lines: readonly string[], at: Pick<Location, 'line' | 'column'>): string {
  const [first = '', ...rest] = lines.slice(at.line - 1);
  const indentation = ' '.repeat(at.column - 1);
  const inner = first.startsWith('{', at.column - 1) ? `${indentation} ` : indentation;
  const end = [...rest, '}'].findIndex((text) => text.trim() !== '' && !text.startsWith(inner));
  const length = rest[end]?.startsWith(`${indentation}}`) ? end + 1 : end;
  const common = first.search(/\S/);
  const entry = [first, ...rest.slice(0, length)].map((text) => text.slice(common));
  return entry.join('\n').trimEnd();
}

/** Reads the lines of a text file; none if it cannot be read. */
export function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return [];
  }
}
