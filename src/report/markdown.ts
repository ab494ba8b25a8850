import { toOneLine } from '../support/untrusted-text.js';
import { createTemplate, type TaggedText } from './markup.js';

export type Markdown = TaggedText<'markdown'>;

/** Escapes a text for Markdown, and puts it on one line. After an at sign, no name is notified. */
export function escapeMarkdown(text: string): string {
  return toOneLine(text.replaceAll(/\s+/g, ' '))
    .replaceAll(/[\\`*_~|<>&[\]]/g, '\\$&')
    .replaceAll('@', '@\u200b');
}

export const markdown = createTemplate('markdown', escapeMarkdown);

/** Marks a text that this suite wrote as Markdown, such as a sentence of the contract. */
export function rawMarkdown(text: string): Markdown {
  return { language: 'markdown', text };
}

/** Renders a text as code within a line. */
export function inlineCode(text: string): Markdown {
  const fence = '`'.repeat(findLongestRun(text) + 1);
  const space = /^`|`$/.test(text) ? ' ' : '';
  return rawMarkdown(`${fence}${space}${toOneLine(text.replaceAll(/\s+/g, ' '))}${space}${fence}`);
}

/** Renders lines as a block of code. @param text no untrusted text begins a line of it */
export function codeBlock(language: string, text: string): Markdown {
  const fence = '`'.repeat(Math.max(2, findLongestRun(text)) + 1);
  return rawMarkdown(`${fence}${language}\n${text}\n${fence}`);
}

/** Joins texts. @param separator a line end for lists and tables; an empty line for blocks, unless given */
export function joinMarkdown(parts: readonly Markdown[], separator = '\n\n'): Markdown {
  return rawMarkdown(parts.map(({ text }) => text).join(separator));
}

/** The length of the longest run of backticks: a fence has to be longer. */
function findLongestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
