/**
 * Text that a stranger may have written, before somebody reads it line by line: a person, or a pipeline, which
 * obeys lines that begin with `::error`. No such text begins a line: either it is put into one that begins otherwise, or
 * it stands behind a bar. White space before it would not do: pipelines skip that.
 */

import { escapeControlCharacters } from './escape-control-characters.js';

/** A text without line breaks: what was one is written as in JSON. */
export function toOneLine(text: string): string {
  return escapeControlCharacters(text).replaceAll('\r', '\\r').replaceAll('\n', '\\n');
}

/** Lines as one text. Each is one line of it, whatever it holds, and begins as its author meant. */
export function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${toOneLine(line)}\n`).join('');
}

/** The beginning of a text, which never ends in half a character. @param max in UTF-16 units */
export function truncate(text: string, max: number): string {
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

const bar = '| ';

/** The lines of a text, each behind a bar; those that are behind one already stay. */
export function quoteLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => (line.startsWith(bar) ? toOneLine(line) : `${bar}${toOneLine(line)}`));
}
