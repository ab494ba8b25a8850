import { findExclusionReason, type RunScope, selectFromSuite } from '../cases/case-selection.js';
import type { DiscriminatingRows } from '../cases/discriminating-rows.js';
import type { Suite } from '../cases/suite.js';
import { countPlannedRequests, createPlan } from './plan.js';

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
  const isSent = ({ case: id, row: title = '' }: DiscriminatingRows['rows'][number]): boolean => {
    const testCase = suite.cases.find((candidate) => candidate.id === id);
    const row = testCase?.rows.find((candidate) => candidate.title === title);
    return (
      testCase !== undefined && row?.unavailable.length === 0 && findExclusionReason(testCase, scope) === undefined
    );
  };
  const rows = new Map<string, Set<string>>();
  let caught = 0;
  let before = 0;
  for (const discriminatingRow of discriminating.rows) {
    const { case: id, row = '', faults } = discriminatingRow;
    if (isSent(discriminatingRow)) {
      rows.set(id, (rows.get(id) ?? new Set()).add(row));
      caught += faults - before;
    }
    before = faults;
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
