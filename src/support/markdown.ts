import { markdownTable } from 'markdown-table';
import { createTemplateTag, type TaggedText } from './markup.js';
import { toOneLine } from './untrusted-text.js';

export type Markdown = TaggedText<'markdown'>;

/** The text begins no heading, list or rule; nothing in it becomes a link or a formula, ends a cell or notifies a person. */
function escapeMarkdown(text: string): string {
  return toOneLine(text.replaceAll(/\s+/g, ' '))
    .replaceAll(/[\\`*_~<>&[\]]|:(?=\/\/)|(?<=www)\./gi, '\\$&')
    .replace(/^ ?\d*(?=[#+=.)-])/, '$&\\')
    .replaceAll(/[|$]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`)
    .replaceAll(/@|#(?=\d)/g, '\u200b$&\u200b');
}

export const markdown = createTemplateTag('markdown', escapeMarkdown);

/** Marks a text that this suite wrote as Markdown, such as a sentence of the contract. */
export function rawMarkdown(text: string): Markdown {
  return { language: 'markdown', text };
}

export function inlineCode(text: string): Markdown {
  if (text === '') return rawMarkdown('');
  const fence = '`'.repeat(findLongestRun(text) + 1);
  const space = /^`|`$/.test(text) ? ' ' : '';
  return rawMarkdown(`${fence}${space}${toOneLine(text.replaceAll(/\s+/g, ' '))}${space}${fence}`);
}

/** Renders lines as a block of code. @param text no untrusted text begins a line of it */
export function renderCodeBlock(language: string, text: string): Markdown {
  const fence = '`'.repeat(Math.max(2, findLongestRun(text)) + 1);
  return rawMarkdown(`${fence}${language}\n${text}\n${fence}`);
}

/** A pipe in code would end the cell: no escape is the same for all renderers. */
export function tableCode(text: string): Markdown {
  return /[|\\]/.test(text) ? markdown`${text}` : inlineCode(text);
}

/** A cell of a table. One that is rendered already has no pipes: it is of {@link tableCode} or of a template. */
type MarkdownCell = string | number | Markdown;

export function renderMarkdownTable(
  head: readonly MarkdownCell[],
  rows: readonly (readonly MarkdownCell[])[],
): Markdown {
  const texts = [head, ...rows].map((cells) => cells.map((cell) => markdown`${cell}`.text));
  return rawMarkdown(markdownTable(texts, { alignDelimiters: false }));
}

/** @param separator a line end for lists and tables; an empty line for blocks, unless given */
export function joinMarkdown(parts: readonly Markdown[], separator = '\n\n'): Markdown {
  return rawMarkdown(parts.map(({ text }) => text).join(separator));
}

/** The length of the longest run of backticks: a fence has to be longer. */
function findLongestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
