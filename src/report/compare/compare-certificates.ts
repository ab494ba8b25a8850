import { undetermined } from '../../cases/test-case.js';
import type { Contract } from '../../contract/contract.js';
import { joinLines, toOneLine } from '../../support/untrusted-text.js';
import type { Certificate, QuestionEntry, RequirementEntry } from '../certificate.js';
import { renderAnswer } from '../render-answer.js';

/** The verdicts or outcomes of one requirement or question. */
export interface ComparedRow {
  readonly kind: 'requirement' | 'question';
  readonly id: string;
  /** What must hold, or what is left open; empty if the contract does not have it. */
  readonly statement: string;
  /** One for each certificate. */
  readonly cells: readonly ComparedCell[];
  readonly differs: boolean;
}

export interface ComparedCell {
  /** A verdict or an outcome, or the words for none. */
  readonly text: string;
  /** The reason of a verdict, or an outcome as a sentence; may be empty. */
  readonly explanation: string;
  /** Whether it differs from the first certificate. */
  readonly isOther: boolean;
}

const missing = { text: 'not in this certificate', explanation: '' };

/** Compares certificates with the first one. @returns a row for each requirement, then for each question */
export function compareCertificates(certificates: readonly Certificate[], { questions }: Contract): ComparedRow[] {
  const known = new Map(questions.map((question) => [question.id, question]));
  const cellOf = ({ id, outcome, reason = '' }: QuestionEntry) => {
    if (outcome === null || outcome === undetermined) return { text: outcome ?? 'no answer', explanation: reason };
    const question = known.get(id);
    // An open value needs no explanation.
    if (question?.answer.kind !== 'outcomes') return { text: outcome, explanation: '' };
    return { text: outcome, explanation: renderAnswer(question, outcome) };
  };
  const requirements = rows(
    'requirement',
    certificates.map((each) => each.requirements),
    verdictCell,
    (entry) => entry.statement,
  );
  const open = rows(
    'question',
    certificates.map((each) => each.questions),
    cellOf,
    ({ id }) => known.get(id)?.open ?? '',
  );
  return [...requirements, ...open];
}

function verdictCell({ verdict, cases }: RequirementEntry): Omit<ComparedCell, 'isOther'> {
  const decisive = verdict === 'pass' ? undefined : cases.find((each) => each.verdict === verdict);
  return { text: verdict, explanation: decisive?.reason ?? '' };
}

function rows<T extends { readonly id: string }>(
  kind: ComparedRow['kind'],
  columns: readonly (readonly T[])[],
  cellOf: (entry: T) => Omit<ComparedCell, 'isOther'>,
  statementOf: (entry: T) => string,
): ComparedRow[] {
  const byId = columns.map((entries) => new Map(entries.map((entry) => [entry.id, entry])));
  const first = new Map(columns.flat().map((entry) => [entry.id, entry]));
  return [...first].map(([id, some]) => {
    const cells = byId.map((column) => {
      const entry = column.get(id);
      return entry === undefined ? missing : cellOf(entry);
    });
    const marked = cells.map((cell) => ({ ...cell, isOther: cell.text !== cells[0]?.text }));
    return { kind, id, statement: statementOf(some), cells: marked, differs: marked.some(({ isOther }) => isOther) };
  });
}

export const agreementText = 'The certificates agree in every requirement and every question.';

/** Renders the differences as a table for the terminal, one column per certificate. */
export function renderComparisonTable(certificates: readonly Certificate[], compared: readonly ComparedRow[]): string {
  const differing = compared.filter(({ differs }) => differs);
  if (differing.length === 0) return `${agreementText}\n`;
  const cells = differing.map((row) => [row.id, ...row.cells.map(({ text }) => text)]);
  const table = [['Id', ...certificates.map(({ target }) => target.name)], ...cells].map((row) => row.map(toOneLine));
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const renderRow = (row: readonly string[]) => row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join('  ');
  return joinLines(table.map((row) => renderRow(row).trimEnd()));
}
