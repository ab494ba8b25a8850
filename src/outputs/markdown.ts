import { toOneLine } from '../support/untrusted-text.js';

/** The text begins no heading, list or rule; nothing in it becomes a link or a formula, ends a cell or notifies a person. */
export function escapeMarkdown(text: string): string {
  return toOneLine(text.replaceAll(/\s+/g, ' '))
    .replaceAll(/[\\`*_~<>&[\]]|:(?=\/\/)|(?<=www)\./gi, '\\$&')
    .replace(/^ ?\d*(?=[#+=.)-])/, '$&\\')
    .replaceAll(/[|$]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`)
    .replaceAll(/@|#(?=\d)/g, '\u200b$&\u200b');
}

export function renderInlineCode(text: string): string {
  if (text === '') return '';
  const fence = '`'.repeat(findLongestRun(text) + 1);
  const space = /^`|`$/.test(text) ? ' ' : '';
  return `${fence}${space}${toOneLine(text.replaceAll(/\s+/g, ' '))}${space}${fence}`;
}

/** A pipe in code would end the cell: no escape is the same for all renderers. */
export function renderCodeInTableCell(text: string): string {
  return /[|\\]/.test(text) ? escapeMarkdown(text) : renderInlineCode(text);
}

/** Renders lines as a block of code. @param text no untrusted text begins a line of it */
export function renderCodeBlock(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(2, findLongestRun(text)) + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** The length of the longest run of backticks: a fence has to be longer. */
function findLongestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
