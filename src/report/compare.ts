import { oneLine } from '../support/foreign-text.js';
import type { Certificate } from './certificate.js';

/** One row per requirement or question in which certificates differ: its id, then what each certificate says. */
export function differences(certificates: readonly Certificate[]): string[][] {
  const columns = certificates.map(
    ({ requirements, questions }) =>
      new Map<string, string>([
        ...requirements.map(({ id, verdict }) => [id, verdict] as const),
        ...questions.map(({ id, outcome }) => [id, outcome ?? 'no answer'] as const),
      ]),
  );
  const ids = [...new Set(columns.flatMap((column) => [...column.keys()]))];
  return ids
    .map((id) => [id, ...columns.map((column) => column.get(id) ?? 'not in this ledger')])
    .filter(([, ...cells]) => new Set(cells).size > 1);
}

/** The differences as a table for people, one column per certificate. */
export function comparisonTable(certificates: readonly Certificate[]): string {
  const rows = differences(certificates);
  if (rows.length === 0) return 'The certificates agree in every requirement and every question.\n';
  const table = [['', ...certificates.map(({ target }) => target.name)], ...rows].map((row) => row.map(oneLine));
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
