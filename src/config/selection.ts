/** Which cases and rows flags select. */

import path from 'node:path';
import type { TestCase } from '../cases/test-case.js';
import {
  type CaseExclusionSettings,
  type CaseSelection,
  findCasesByName,
  findExclusionReason,
  matchCases,
  selectCases,
  selectFromSuite,
} from '../suite/case-selection.js';
import { packageCasesFolder, type Suite } from '../suite/suite.js';
import { createInputError } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { readYaml } from '../support/yaml-file.js';
import type { RunOptions } from './run-options.js';

/** The rows that catch the known faults. See `schemas/internal/discriminating-rows.schema.json`. */
export interface FaultCatchingRows {
  readonly chosen_from: string;
  readonly faults: number;
  readonly caught: number;
  readonly rows: readonly { readonly case: string; readonly row?: string; readonly faults: number }[];
}

/** `npm run update` writes it. */
export const discriminatingRowsFile = path.join(packageCasesFolder, 'discriminating-rows.yaml');

/** @throws UnusableInput if the file does not match its schema */
export function readDiscriminatingRows(): FaultCatchingRows {
  return validateFile('discriminating-rows', readYaml(discriminatingRowsFile)) as FaultCatchingRows;
}

/** Selects cases and rows. @throws UnusableInput for unknown names, and if `--quick` has no row of them */
export function readSelection(
  options: Pick<RunOptions, 'only' | 'quick'>,
  suite: Suite,
  scope: CaseExclusionSettings,
): CaseSelection {
  const only = options.only && findCasesByName(options.only, suite, '--only');
  if (!options.quick) return { only };
  if (suite.data !== undefined)
    throw createInputError('--quick', 'needs the test data of the suite', "Set 'requests' in the target file.");
  const quick = selectQuickRows(selectFromSuite(suite, { only }), scope);
  if (Object.keys(quick.rows).length === 0)
    throw createInputError(
      '--quick',
      'sends no row of the selected cases',
      'Select other cases, or leave out --quick.',
    );
  return { quick, only };
}

export function selectQuickRows({ cases }: Suite, scope: CaseExclusionSettings): NonNullable<CaseSelection['quick']> {
  const rows: Record<string, string[]> = {};
  for (const { case: id, row: title = '' } of readDiscriminatingRows().rows) {
    const testCase = cases.find((candidate) => candidate.id === id);
    if (testCase === undefined || findExclusionReason(testCase, scope) !== undefined) continue;
    const isSent = testCase.rows.find((row) => row.title === title)?.unavailable.length === 0;
    if (isSent) rows[id] = [...(rows[id] ?? []), title];
  }
  return { rows };
}

/** The cases that flags select. Which of them a target has the data for is known in its worker. */
export function selectCasesByFlags({ only, quick }: RunOptions, whole: Suite): readonly TestCase[] {
  const selection = {
    // An unknown name is a case of another folder, or a mistake that was reported before.
    only: only && matchCases(only, whole).ids,
    quick: quick ? selectQuickRows(whole, { excludesIntrusive: false }) : undefined,
  };
  return selectCases(whole, selection);
}
