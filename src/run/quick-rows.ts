import path from 'node:path';
import { findExclusionReason, type RunScope } from '../cases/case-selection.js';
import { type Suite, suiteFolder } from '../cases/suite.js';
import { validateFile } from '../support/schema-validation.js';
import { readYaml } from '../support/yaml-file.js';

/** The rows that catch the known faults. See `schemas/discriminating-rows.schema.json`. */
export interface DiscriminatingRows {
  readonly chosen_from: string;
  readonly faults: number;
  readonly caught: number;
  readonly rows: readonly { readonly case: string; readonly row?: string; readonly faults: number }[];
}

/** `npm run update` writes it. */
export const discriminatingRowsFile = path.join(suiteFolder, 'discriminating-rows.yaml');

/** @throws UnusableInput if the file does not match its schema */
export function readDiscriminatingRows(): DiscriminatingRows {
  return validateFile('discriminating-rows', readYaml(discriminatingRowsFile)) as DiscriminatingRows;
}

/** The titles of rows of requirement cases, by case id. */
export interface QuickRows {
  readonly rows: Readonly<Record<string, readonly string[]>>;
}

export function selectQuickRows({ cases }: Suite, discriminating: DiscriminatingRows, scope: RunScope): QuickRows {
  const rows: Record<string, string[]> = {};
  for (const { case: id, row: title = '' } of discriminating.rows) {
    const testCase = cases.find((candidate) => candidate.id === id);
    if (testCase === undefined || findExclusionReason(testCase, scope) !== undefined) continue;
    const isSent = testCase.rows.find((row) => row.title === title)?.unavailable.length === 0;
    if (isSent) rows[id] = [...(rows[id] ?? []), title];
  }
  return { rows };
}
