import { markdownTable } from 'markdown-table';
import { truncate } from '../../support/untrusted-text.js';
import type { Certificate } from '../certificate.js';
import { escapeMarkdown, inlineCode } from '../markdown.js';
import { agreementText, type ComparedRow } from './compare-certificates.js';

/** Of a text in a cell, in characters. */
const maxText = 160;
/** So many rows a pull request can carry; the page has all of them. */
const maxRows = 40;

/** The differences for a pull request: how many there are, and a table of them with what each means. */
export function renderComparisonMarkdown(
  certificates: readonly Certificate[],
  compared: readonly ComparedRow[],
): string {
  const verdicts = certificates.map(({ target, verdict }) => `${cell(target.name)}: ${verdict}`);
  const differing = compared.filter(({ differs }) => differs);
  const summary = verdicts.join(' · ');
  if (differing.length === 0) return `${summary}\n\n${agreementText}\n`;
  const counts = (['requirement', 'question'] as const).map((kind) => {
    const all = compared.filter((row) => row.kind === kind);
    return `${all.filter(({ differs }) => differs).length} of ${all.length} ${kind}s`;
  });
  const rows = differing.slice(0, maxRows).map(({ id, cells }) => [
    cell(id),
    ...cells.map(({ text, explanation, isOther }, n) => {
      const answer = isOther ? `**${cell(text)}**` : cell(text);
      return explanation === '' || !(isOther || n === 0) ? answer : `${answer} ${explained(explanation)}`;
    }),
  ]);
  const more = differing.length - rows.length;
  return [
    summary,
    `They differ in ${counts.join(' and ')}; what differs from the first is bold.`,
    markdownTable([['', ...certificates.map(({ target }) => cell(target.name))], ...rows], { alignDelimiters: false }),
    ...(more > 0 ? [`And ${more} more.`] : []),
  ]
    .join('\n\n')
    .concat('\n');
}

/** A text of a stranger in a cell of a table, as it is. */
function cell(text: string): string {
  return inlineCode(shortened(text)).replaceAll('|', '\\|');
}

/** A sentence in which a stranger may have a word; whoever it names after an at sign is not notified. */
function explained(text: string): string {
  return escapeMarkdown(shortened(text)).replaceAll('@', '@\u200b');
}

function shortened(text: string): string {
  return text.length > maxText ? `${truncate(text, maxText)}…` : text;
}
