import path from 'node:path';
import { findExclusionReason, type RunScope, selectFromSuite } from '../cases/case-selection.js';
import { type Suite, suiteFolder } from '../cases/suite.js';
import { validateFile } from '../support/schema-validation.js';
import { readYaml } from '../support/yaml-file.js';
import { countPlannedRequests, createPlan } from './plan.js';

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

export type QuickRows = ReturnType<typeof selectQuickRows>;

export interface QuickFigures {
  /** The number of requests if nothing fails and nothing is retried. */
  readonly requests: number;
  readonly rows: number;
  readonly rows_of: number;
  /** How many known faults the rows detect at least: a requirement fails. */
  readonly faults_caught: number;
  readonly faults_known: number;
}

export function selectQuickRows(suite: Suite, discriminating: DiscriminatingRows, scope: RunScope) {
  const isSent = ({ case: id, row: title = '' }: DiscriminatingRows['rows'][number]): boolean => {
    const testCase = suite.cases.find((candidate) => candidate.id === id);
    if (testCase === undefined || findExclusionReason(testCase, scope) !== undefined) return false;
    return testCase.rows.find((candidate) => candidate.title === title)?.unavailable.length === 0;
  };
  const rows: Record<string, string[]> = {};
  let caught = 0;
  for (const [n, discriminatingRow] of discriminating.rows.entries()) {
    if (!isSent(discriminatingRow)) continue;
    const { case: id, row = '', faults } = discriminatingRow;
    rows[id] = [...(rows[id] ?? []), row];
    caught += faults - (discriminating.rows[n - 1]?.faults ?? 0);
  }
  const selected = selectFromSuite(suite, { quick: { rows } });
  const figures: QuickFigures = {
    requests: countPlannedRequests(createPlan(selected, scope)),
    rows: countRows(selected),
    rows_of: countRows(suite),
    // Some faults show only in state that one row leaves for another.
    faults_caught: discriminating.rows.every(isSent) ? discriminating.caught : caught,
    faults_known: discriminating.faults,
  };
  return { rows, figures };
}

function countRows({ cases }: Suite): number {
  return cases.filter(({ kind }) => kind === 'requirement').reduce((sum, { rows }) => sum + rows.length, 0);
}
