import { truncate } from '../../support/untrusted-text.js';
import { joinMarkdown, type Markdown, markdown, renderMarkdownTable, tableCode } from '../markdown.js';
import { type Comparison, describeAgreement } from './compare-certificates.js';

/** Characters of a text in a cell. */
const maxText = 160;
/** A comment of a pull request has room for so many rows. The page shows all. */
const maxRows = 40;

/** Renders the differences for a pull request: causes, their number, and a table with their meaning. */
export function renderComparisonMarkdown(comparison: Comparison): string {
  const { certificates, headings, rows: compared, times, notices, changes, isOverTime } = comparison;
  const differing = compared.filter(({ differs }) => differs);
  const summary = joinMarkdown(
    certificates.map(({ verdict }, n) => markdown`${cell(headings[n] ?? '')}: ${verdict}`),
    ' · ',
  );
  const head = [markdown``, ...headings.map(cell)];
  const above = [markdown`Compared: ${summary}`, ...[...notices, ...changes].map((each) => markdown`${each}`)];
  const below =
    times === undefined
      ? []
      : [
          markdown`${times.title}:`,
          renderMarkdownTable(
            head,
            times.rows.map((row) => row.map((text) => markdown`${text}`)),
          ),
        ];
  if (differing.length === 0)
    return markdown`${joinMarkdown([...above, markdown`${describeAgreement(comparison)}`, ...below])}\n`.text;
  const rows = differing.slice(0, maxRows).map(({ id, cells }) => [
    cell(id),
    ...cells.map(({ text, explanation, isOther }, n) => {
      const answer = isOther ? markdown`**${cell(text)}**` : cell(text);
      const isExplained = explanation !== '' && (isOther || n === 0);
      return isExplained ? markdown`${answer} ${shorten(explanation)}` : answer;
    }),
  ]);
  const more = differing.length - rows.length;
  const blocks = [
    ...above,
    markdown`What differs from ${isOverTime ? 'the run before' : 'the first'} is bold.`,
    renderMarkdownTable(head, rows),
    ...(more > 0 ? [markdown`And ${more} more.`] : []),
    ...below,
  ];
  return markdown`${joinMarkdown(blocks)}\n`.text;
}

function cell(text: string): Markdown {
  return tableCode(shorten(text));
}

function shorten(text: string): string {
  return text.length > maxText ? `${truncate(text, maxText)}…` : text;
}
