import { shorten } from '../../support/untrusted-text.js';
import { joinMarkdown, type Markdown, markdown, renderMarkdownTable, tableCode } from '../markdown.js';
import type { ComparedRow, Comparison } from './compare-certificates.js';

/** Characters of a text in a cell. */
const maxText = 160;
/** A comment of a pull request has room for so many rows. The page shows all. */
const maxRows = 40;

/** Renders the differences for a pull request: causes, their number, and a table with their meaning. */
export function renderComparisonMarkdown(comparison: Comparison): string {
  const { certificates, headings, rows, times, remarks, isOverTime } = comparison;
  const differing = rows.filter(({ differs }) => differs);
  const more = differing.length - maxRows;
  const verdicts = certificates.map(({ verdict }, n) => markdown`${cell(headings[n] ?? '')}: ${verdict}`);
  const head = ['', ...headings.map(cell)];
  const blocks = [markdown`Compared: ${joinMarkdown(verdicts, ' · ')}`, ...remarks.map((each) => markdown`${each}`)];
  if (differing.length > 0) {
    blocks.push(markdown`What differs from ${isOverTime ? 'the run before' : 'the first'} is bold.`);
    blocks.push(renderMarkdownTable(head, differing.slice(0, maxRows).map(renderRow)));
  }
  if (more > 0) blocks.push(markdown`And ${more} more.`);
  if (times !== undefined) blocks.push(markdown`${times.title}:`, renderMarkdownTable(head, times.rows));
  return markdown`${joinMarkdown(blocks)}\n`.text;
}

function renderRow({ id, cells }: ComparedRow): Markdown[] {
  const answers = cells.map(({ text, explanation, isOther }, n) => {
    const answer = isOther ? markdown`**${cell(text)}**` : cell(text);
    const isExplained = explanation !== '' && (isOther || n === 0);
    return isExplained ? markdown`${answer} ${shorten(explanation, maxText)}` : answer;
  });
  return [cell(id), ...answers];
}

function cell(text: string): Markdown {
  return tableCode(shorten(text, maxText));
}
