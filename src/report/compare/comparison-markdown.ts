import { truncate } from '../../support/untrusted-text.js';
import type { Certificate } from '../certificate.js';
import { joinMarkdown, type Markdown, markdown, renderTable, tableCode } from '../markdown.js';
import { agreementText, type ComparedRow } from './compare-certificates.js';

/** Characters of a text in a cell. */
const maxText = 160;
/** A comment of a pull request has room for so many rows. The page shows all. */
const maxRows = 40;

/** Renders the differences for a pull request: their number, and a table with their meaning. */
export function renderComparisonMarkdown(
  certificates: readonly Certificate[],
  compared: readonly ComparedRow[],
): string {
  const differing = compared.filter(({ differs }) => differs);
  const summary = joinMarkdown(
    certificates.map(({ target, verdict }) => markdown`${cell(target.name)}: ${verdict}`),
    ' · ',
  );
  if (differing.length === 0) return markdown`Compared: ${summary}\n\n${agreementText}\n`.text;
  const counts = (['requirement', 'question'] as const).map((kind) => {
    const all = compared.filter((row) => row.kind === kind);
    return `${all.filter(({ differs }) => differs).length} of ${all.length} ${kind}s`;
  });
  const rows = differing.slice(0, maxRows).map(({ id, cells }) => [
    cell(id),
    ...cells.map(({ text, explanation, isOther }, n) => {
      const answer = isOther ? markdown`**${cell(text)}**` : cell(text);
      const isExplained = explanation !== '' && (isOther || n === 0);
      return isExplained ? markdown`${answer} ${shorten(explanation)}` : answer;
    }),
  ]);
  const head = [markdown``, ...certificates.map(({ target }) => cell(target.name))];
  const more = differing.length - rows.length;
  const blocks = [
    markdown`Compared: ${summary}`,
    markdown`They differ in ${counts.join(' and ')}; what differs from the first is bold.`,
    renderTable(head, rows),
    ...(more > 0 ? [markdown`And ${more} more.`] : []),
  ];
  return markdown`${joinMarkdown(blocks)}\n`.text;
}

function cell(text: string): Markdown {
  return tableCode(shorten(text));
}

function shorten(text: string): string {
  return text.length > maxText ? `${truncate(text, maxText)}…` : text;
}
