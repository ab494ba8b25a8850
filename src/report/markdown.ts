import { toOneLine } from '../support/untrusted-text.js';

/** A text that a deployment may have written, in one line and without what it might mean in Markdown. */
export function escapeMarkdown(text: string): string {
  return toOneLine(text.replaceAll(/\s+/g, ' ')).replaceAll(/[\\`*_~|<>&[\]]/g, '\\$&');
}

/** A text within a line, as it is. */
export function inlineCode(text: string): string {
  const fence = '`'.repeat(longestRun(text) + 1);
  const space = /^`|`$/.test(text) ? ' ' : '';
  return `${fence}${space}${toOneLine(text.replaceAll(/\s+/g, ' '))}${space}${fence}`;
}

/** Lines as they are. @param text has no line that a stranger began */
export function codeBlock(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(2, longestRun(text)) + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Of backticks: a fence has to be longer. */
function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
