import { findExclusionReason, type RunScope, selectFromSuite } from '../cases/case-selection.js';
import type { DiscriminatingRows } from '../cases/discriminating-rows.js';
import type { Suite } from '../cases/suite.js';
import type { TestCase } from '../cases/test-case.js';
import { countPlannedRequests, createPlan, createRequestTally } from './plan.js';

/** The maximum number of requests that a user allows; `quick` is a preset. */
export type RequestLimit = 'quick' | number;

export const quickRequestLimit = 60;

/** The rows of a run with limited requests. */
export interface Profile {
  /** The titles of the rows, by case id. */
  readonly rows: ReadonlyMap<string, ReadonlySet<string>>;
  readonly figures: ProfileStatistics;
}

/** The coverage of a profile, as the certificate states it. */
export interface ProfileStatistics {
  readonly name: 'quick' | 'budget';
  readonly max_requests: number;
  /** The number of requests if nothing fails and nothing is retried. */
  readonly requests: number;
  /** Rows of requirement cases. */
  readonly rows: number;
  readonly rows_of: number;
  readonly questions: number;
  readonly questions_of: number;
  /** How many known faults the rows detect at least: a requirement fails. */
  readonly faults_caught: number;
  readonly faults_known: number;
}

/**
 * Chooses the rows of a run with limited requests: the discriminating rows, in their order, as long as they fit. If all of
 * them fit, a numeric limit continues with the other rows and the questions. Repetitions of failing cases and retries are
 * not counted.
 *
 * @param suite the selected cases
 * @returns undefined if everything fits; a profile without rows if not even one row fits
 */
export function createProfile(
  suite: Suite,
  limit: RequestLimit,
  discriminating: DiscriminatingRows,
  scope: RunScope,
): Profile | undefined {
  const maxRequests = limit === 'quick' ? quickRequestLimit : limit;
  if (limit !== 'quick' && countPlannedRequests(createPlan(suite, scope)) <= maxRequests) return undefined;
  const rows = new Map<string, Set<string>>();
  const tally = createRequestTally();
  let requests = suite.calibration.length;
  const chooseIfItFits = (id: string, title: string): boolean => {
    if (rows.get(id)?.has(title)) return true;
    const testCase = suite.cases.find((each) => each.id === id);
    const row = testCase && selectRow(testCase, title);
    if (row === undefined || findExclusionReason(row, scope) !== undefined) return false;
    if (requests + tally.listNewRequests(row).length > maxRequests) return false;
    requests += tally.addCase(row).length;
    rows.set(id, (rows.get(id) ?? new Set()).add(title));
    return true;
  };

  let caught = 0;
  let before = 0;
  let haveAllFitted = true;
  for (const { case: id, row = '', faults } of discriminating.rows) {
    if (chooseIfItFits(id, row)) caught += faults - before;
    else haveAllFitted = false;
    before = faults;
  }
  if (limit !== 'quick' && haveAllFitted)
    for (const testCase of suite.cases) for (const { title } of testCase.rows) chooseIfItFits(testCase.id, title);

  const [own, all] = [countRows(selectFromSuite(suite, { profile: { rows } })), countRows(suite)];
  return {
    rows,
    figures: {
      name: limit === 'quick' ? 'quick' : 'budget',
      max_requests: maxRequests,
      requests,
      rows: own.rows,
      rows_of: all.rows,
      questions: own.questions,
      questions_of: all.questions,
      faults_caught: haveAllFitted ? discriminating.caught : caught,
      faults_known: discriminating.faults,
    },
  };
}

/** Returns the limit from which a profile was created. */
export function getRequestLimit({ figures }: Profile): RequestLimit {
  return figures.name === 'quick' ? figures.name : figures.max_requests;
}

/** Reduces a case to one row; undefined if the target lacks test data for it. */
function selectRow(testCase: TestCase, title: string): TestCase | undefined {
  const rows = new Map([[testCase.id, new Set([title])]]);
  const [reduced] = selectFromSuite({ cases: [testCase] }, { profile: { rows } }).cases;
  return reduced?.rows.some(({ unavailable }) => unavailable.length === 0) ? reduced : undefined;
}

function countRows({ cases }: Suite): Pick<ProfileStatistics, 'rows' | 'questions'> {
  const requirements = cases.filter(({ kind }) => kind === 'requirement');
  const rows = requirements.reduce((sum, { rows }) => sum + rows.length, 0);
  return { rows, questions: cases.length - requirements.length };
}
