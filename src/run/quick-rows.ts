import path from 'node:path';
import { findExclusionReason, type RunScope, selectFromSuite } from '../cases/case-selection.js';
import { type Suite, suiteFolder } from '../cases/suite.js';
import { validateFile } from '../support/schema-validation.js';
import { readYaml } from '../support/yaml-file.js';
import { countPlannedRequests, createPlan } from './plan.js';

/** The rows that catch the known faults. See `schemas/discriminating-rows.schema.json`. */
export interface DiscriminatingRows {
  /** A digest of the rows and faults from which they were chosen. */
  readonly chosen_from: string;
  /** The number of known faults. */
  readonly faults: number;
  /** How many of them all rows catch together: some show only in state that one request leaves for another. */
  readonly caught: number;
  readonly rows: readonly DiscriminatingRow[];
}

export interface DiscriminatingRow {
  readonly case: string;
  /** The title of the row; none if its case has only one. */
  readonly row?: string;
  /** The number of known faults that this row or one before it catches alone: some requirement fails. */
  readonly faults: number;
}

/** `npm run update` writes it. */
export const discriminatingRowsFile = path.join(suiteFolder, 'discriminating-rows.yaml');

/** @throws UnusableInput if the file does not match its schema */
export function readDiscriminatingRows(): DiscriminatingRows {
  return validateFile('discriminating-rows', readYaml(discriminatingRowsFile)) as DiscriminatingRows;
}

/** The rows of a run with `--quick`. */
export interface QuickRows {
  /** The titles of the rows, by case id. */
  readonly rows: ReadonlyMap<string, ReadonlySet<string>>;
  readonly figures: QuickFigures;
}

/** What the rows cover, as the certificate states it. */
export interface QuickFigures {
  /** The number of requests if nothing fails and nothing is retried. */
  readonly requests: number;
  /** Rows of requirement cases. */
  readonly rows: number;
  readonly rows_of: number;
  /** How many known faults the rows detect at least: a requirement fails. */
  readonly faults_caught: number;
  readonly faults_known: number;
}

/**
 * Selects the discriminating rows that a target has the data for. Repetitions of failing cases and retries are not
 * counted.
 *
 * @param suite the selected cases
 */
export function selectQuickRows(suite: Suite, discriminating: DiscriminatingRows, scope: RunScope): QuickRows {
  const isSent = ({ case: id, row: title = '' }: DiscriminatingRow): boolean => {
    const testCase = suite.cases.find((candidate) => candidate.id === id);
    if (testCase === undefined || findExclusionReason(testCase, scope) !== undefined) return false;
    return testCase.rows.find((candidate) => candidate.title === title)?.unavailable.length === 0;
  };
  const rows = new Map<string, Set<string>>();
  let caught = 0;
  for (const [n, discriminatingRow] of discriminating.rows.entries()) {
    if (!isSent(discriminatingRow)) continue;
    const { case: id, row = '', faults } = discriminatingRow;
    rows.set(id, (rows.get(id) ?? new Set()).add(row));
    caught += faults - (discriminating.rows[n - 1]?.faults ?? 0);
  }
  const selected = selectFromSuite(suite, { quick: { rows } });
  return {
    rows,
    figures: {
      requests: countPlannedRequests(createPlan(selected, scope)),
      rows: countRows(selected),
      rows_of: countRows(suite),
      // Some faults show only in state that one row leaves for another.
      faults_caught: discriminating.rows.every(isSent) ? discriminating.caught : caught,
      faults_known: discriminating.faults,
    },
  };
}

/** Counts the rows of requirement cases. */
function countRows({ cases }: Suite): number {
  return cases.filter(({ kind }) => kind === 'requirement').reduce((sum, { rows }) => sum + rows.length, 0);
}
