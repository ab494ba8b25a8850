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
  return lines.map((line) => `${toOneLine(line).replace(/^(\s*):(?=:)/, '$1\\u003a')}\n`).join('');
}

/** Cuts a text without splitting a surrogate pair. @param max in UTF-16 code units */
export function truncate(text: string, max: number): string {
  return text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
}

/** Cuts a long text like {@link truncate}, and shows that it was cut. */
export function shorten(text: string, max: number): string {
  return text.length > max ? `${truncate(text, max)}…` : text;
}

/** The length in UTF-16 code units from which texts are shortened, and how many units before a difference stay. */
const [maxCompared, shownBefore] = [80, 20];

/** Shortens two long texts so that both show their first difference. */
export function shortenPair(left: string, right: string): [string, string] {
  if (Math.max(left.length, right.length) <= maxCompared) return [left, right];
  const length = Math.min(left.length, right.length);
  let at = 0;
  while (at < length && left[at] === right[at]) at += 1;
  const from = Math.max(0, at - shownBefore);
  const excerpt = (text: string) => {
    const shown = truncate(text.slice(from), maxCompared).replace(/^[\udc00-\udfff]/, '');
    return `${from > 0 ? '…' : ''}${shown}${text.length > from + maxCompared ? '…' : ''}`;
  };
  return [excerpt(left), excerpt(right)];
}

const prefix = '| ';

/** Splits a text into lines and prefixes each line that has no prefix yet. */
export function quoteLines(text: string): string[] {
  return text.split(/\r?\n/).map((line) => toOneLine(line.startsWith(prefix) ? line : prefix + line));
}
