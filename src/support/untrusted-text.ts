/**
 * Makes text from a deployment or a file safe to print in lines. CI systems obey lines that begin with `::error`, even
 * after white space. So untrusted text never begins a line: it follows other text, or the prefix `| `.
 */

import { escapeControlCharacters } from './escape-control-characters.js';

/** Escapes control characters and line breaks. */
export function toOneLine(text: string): string {
  return escapeControlCharacters(text).replaceAll('\r', '\\r').replaceAll('\n', '\\n');
}

/** Joins lines into one text. Line breaks inside a line are escaped, and so is the beginning of a command. */
export function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${toOneLine(line).replace(/^\s*:(?=:)/, escapeColon)}\n`).join('');
}

function escapeColon(begin: string): string {
  return `${begin.slice(0, -1)}\\u003a`;
}

/** Cuts a text without splitting a surrogate pair. @param max in UTF-16 code units */
export function truncate(text: string, max: number): string {
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

const prefix = '| ';

/** Splits a text into lines and prefixes each line that has no prefix yet. */
export function quoteLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => toOneLine(line.startsWith(prefix) ? line : prefix + line));
}
