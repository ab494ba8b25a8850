import { selectFromSuite } from '../cases/case-selection.js';
import type { DiscriminatingRows } from '../cases/discriminating-rows.js';
import type { Suite } from '../cases/suite.js';
import type { TestCase } from '../cases/test-case.js';
import { findExclusionReason, type RunScope } from './case-exclusion.js';
import { countPlannedRequests, createPlan, createRequestTally } from './plan.js';

/** What a user wants to spend on a run: what `quick` stands for, or so many requests. */
export type RequestLimit = 'quick' | number;

/** What `quick` stands for. */
export const quickRequestLimit = 60;

/** The rows that a run is restricted to, so that it takes few requests. */
export interface Profile {
  /** The titles of the rows, by the id of their case. */
  readonly rows: ReadonlyMap<string, ReadonlySet<string>>;
  readonly figures: ProfileFigures;
}

/** What a profile comes to, as the certificate says it. */
export interface ProfileFigures {
  readonly name: 'quick' | 'budget';
  readonly max_requests: number;
  /** That a run will send to a target where nothing fails and nothing is to be repeated. */
  readonly requests: number;
  /** Of requirements' cases. */
  readonly rows: number;
  readonly rows_of: number;
  readonly questions: number;
  readonly questions_of: number;
  /** How many of the known faults the rows catch, at the least: some requirement fails. */
  readonly faults_caught: number;
  readonly faults_known: number;
}

/**
 * Chooses what a run sends that may send few requests: the telling rows in their order, each that still fits. Once all
 * of them do, a budget goes on with the other rows in the order of the suite, and with the questions.
 *
 * Planned requests are counted. Those by which failures are confirmed, and those that are repeated because the target
 * was busy, come on top.
 *
 * @param suite the cases that may be sent
 * @returns undefined where nothing has to be left out; without rows where not even one fits
 */
export function createProfile(
  suite: Suite,
  spending: RequestLimit,
  telling: DiscriminatingRows,
  scope: RunScope,
): Profile | undefined {
  const maxRequests = spending === 'quick' ? quickRequestLimit : spending;
  if (spending !== 'quick' && countPlannedRequests(createPlan(suite, scope)) <= maxRequests) return undefined;
  const allowed = new Map(suite.cases.map((testCase) => [testCase.id, testCase]));
  const rows = new Map<string, Set<string>>();
  const tally = createRequestTally();
  let requests = suite.calibration.length;
  const isChosen = (id: string, title: string) => rows.get(id)?.has(title) === true;
  const take = (id: string, title: string): void => {
    const testCase = allowed.get(id);
    const row = testCase && withRow(testCase, title);
    if (row === undefined || isChosen(id, title) || findExclusionReason(row, scope) !== undefined) return;
    const added = tally.listNewRequests(row).length;
    if (requests + added > maxRequests) return;
    requests += added;
    tally.addCase(row);
    rows.set(id, (rows.get(id) ?? new Set()).add(title));
  };

  for (const { testCase, row } of telling.rows) take(testCase.id, row.title);
  let caught = 0;
  let before = 0;
  let fitAll = true;
  for (const { testCase, row, faults } of telling.rows) {
    if (isChosen(testCase.id, row.title)) caught += faults - before;
    else fitAll = false;
    before = faults;
  }
  if (spending !== 'quick' && fitAll)
    for (const testCase of suite.cases) for (const { title } of testCase.rows) take(testCase.id, title);

  const own = selectFromSuite(suite, { profile: { rows } });
  return {
    rows,
    figures: {
      name: spending === 'quick' ? 'quick' : 'budget',
      max_requests: maxRequests,
      requests: countPlannedRequests(createPlan(own, scope)),
      rows: countsOf(own).rows,
      rows_of: countsOf(suite).rows,
      questions: countsOf(own).questions,
      questions_of: countsOf(suite).questions,
      faults_caught: fitAll ? telling.faultsCaught : caught,
      faults_known: telling.faultsKnown,
    },
  };
}

/** What a user wanted to spend who got a profile. */
export function getRequestLimit({ figures }: Profile): RequestLimit {
  return figures.name === 'quick' ? figures.name : figures.max_requests;
}

/** A case with one of its rows alone; undefined where the target does not have what that needs. */
function withRow(testCase: TestCase, title: string): TestCase | undefined {
  const [alone] = selectFromSuite(
    { cases: [testCase] },
    { profile: { rows: new Map([[testCase.id, new Set([title])]]) } },
  ).cases;
  return alone?.rows.some(({ unavailable }) => unavailable.length === 0) ? alone : undefined;
}

function countsOf({ cases }: Suite): Pick<ProfileFigures, 'rows' | 'questions'> {
  const requirements = cases.filter(({ kind }) => kind === 'requirement');
  const rows = requirements.reduce((sum, { rows }) => sum + rows.length, 0);
  return { rows, questions: cases.length - requirements.length };
}
