/**
 * Makes text from a deployment or a file safe to print in lines. CI systems obey lines that begin with `::error`, even
 * after white space. So untrusted text never begins a line: it follows other text, or the prefix `| `.
 */

import { escapeControlCharacters } from './escape-control-characters.js';

export function toOneLine(text: string): string {
  return escapeControlCharacters(text).replaceAll('\r', '\\r').replaceAll('\n', '\\n');
}

/** Joins lines into one text. Line breaks inside a line are escaped, and so is the beginning of a command. */
export function joinLines(lines: readonly string[]): string {
  return lines.map((line) => `${toOneLine(line).replace(/^(\s*):(?=:)/, '$1\\u003a')}\n`).join('');
}

/** Cuts a text without splitting a surrogate pair. @param max in UTF-16 code units */
export function truncate(text: string, max: number): string {
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

export function shorten(text: string, max: number): string {
  return text.length > max ? `${truncate(text, max)}…` : text;
}

const shownBefore = 40;

/** Shortens two texts so that both show their first difference. */
export function shortenPair(left: string, right: string): [string, string] {
  const isSame = (at: number) => left.slice(at, at + shownBefore) === right.slice(at, at + shownBefore);
  let from = 0;
  while (from + shownBefore <= left.length && isSame(from)) from += 1;
  const excerpt = (text: string) => `${from === 0 ? '' : '…'}${shorten(text.slice(from), 80)}`;
  return [excerpt(left), excerpt(right)];
}

const prefix = '| ';

export function quoteLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => toOneLine(line.startsWith(prefix) ? line : prefix + line));
}
