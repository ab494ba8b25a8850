import { undetermined } from '../../cases/test-case.js';
import type { Contract } from '../../contract/contract.js';
import { toOneLine } from '../../support/untrusted-text.js';
import type { Certificate, QuestionEntry, RequirementEntry } from '../certificate.js';
import { renderAnswer } from '../render-answer.js';

/** What certificates say of one requirement or question. */
export interface ComparedRow {
  readonly kind: 'requirement' | 'question';
  readonly id: string;
  /** What must hold, or what is left open; empty where this ledger does not know it. */
  readonly statement: string;
  /** One for each certificate. */
  readonly cells: readonly ComparedCell[];
  readonly differs: boolean;
}

export interface ComparedCell {
  /** A verdict or an outcome, or what stands for none. */
  readonly text: string;
  /** The reason of a verdict, or an outcome as a sentence; empty where there is nothing to explain. */
  readonly explanation: string;
  /** Whether it is another than that of the first certificate. */
  readonly isOther: boolean;
}

/** What stands for the entry of a certificate that has none of that id. */
const notInLedger = { text: 'not in this ledger', explanation: '' };

/**
 * Compares certificates, of which the first is what the others are compared with.
 *
 * @returns a row for each requirement and then for each question that one of them has
 */
export function compareCertificates(certificates: readonly Certificate[], { questions }: Contract): ComparedRow[] {
  const known = new Map(questions.map((question) => [question.id, question]));
  const cellOf = ({ id, outcome, reason = '' }: QuestionEntry) => {
    if (outcome === null || outcome === undetermined) return { text: outcome ?? 'no answer', explanation: reason };
    const question = known.get(id);
    // An open value says itself what it is.
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
  const telling = verdict === 'pass' ? undefined : cases.find((each) => each.verdict === verdict);
  return { text: verdict, explanation: telling?.reason ?? '' };
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
      return entry === undefined ? notInLedger : cellOf(entry);
    });
    const marked = cells.map((cell) => ({ ...cell, isOther: cell.text !== cells[0]?.text }));
    return { kind, id, statement: statementOf(some), cells: marked, differs: marked.some(({ isOther }) => isOther) };
  });
}

/** In what certificates agree where they differ in nothing. */
export const agreementText = 'The certificates agree in every requirement and every question.';

/** The differences as a table for people, one column per certificate. */
export function renderComparisonTable(certificates: readonly Certificate[], compared: readonly ComparedRow[]): string {
  const differing = compared.filter(({ differs }) => differs);
  if (differing.length === 0) return `${agreementText}\n`;
  const cells = differing.map((row) => [row.id, ...row.cells.map(({ text }) => text)]);
  const table = [['', ...certificates.map(({ target }) => target.name)], ...cells].map((row) => row.map(toOneLine));
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table
    .map(
      (row) =>
        `${row
          .map((cell, n) => cell.padEnd(widths[n] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
