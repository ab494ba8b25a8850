import { caseTags, type RequirementCase } from '../cases/test-case.js';
import { type DeviationWithRows, type NamedRows, nameRows, type RowsByCase } from '../record/known-deviations.js';
import { type CaseResult, repetitionCaseId } from '../run/case-result.js';
import { isOwnCase, mayBelongToAnotherRun, type Suite } from '../suite/suite.js';
import { groupBy } from '../support/collections.js';

/** What a run shows of the rows that a known deviation names. Of a row that is nowhere here, it shows nothing. */
export interface NamedRowsJudgement {
  readonly failing: RowsByCase;
  readonly passing: RowsByCase;
  /** Rows and cases that the suite does not have for this requirement. */
  readonly missing: RowsByCase;
}

/** The run that shows what became of named rows. */
export interface JudgedRun {
  readonly suite: Suite;
  readonly results: readonly CaseResult[];
}

/** A row, or a whole case if the title is empty. */
interface JudgedRow {
  readonly case: string;
  readonly title: string;
  readonly is: keyof NamedRowsJudgement;
}

export function judgeNamedRows({ requirement, rows }: DeviationWithRows, run: JudgedRun): NamedRowsJudgement {
  // If the data of a deployment changed during the run, no result proves anything.
  const isDataChanged = run.results.some(({ hasDataChanged }) => hasDataChanged);
  const judged = isDataChanged
    ? []
    : Object.entries(rows).flatMap(([id, named]) => judgeRowsOfCase(id, named, requirement, run));
  const select = (wanted: JudgedRow['is']) => nameRows(judged.filter(({ is }) => is === wanted));
  return { failing: select('failing'), passing: select('passing'), missing: select('missing') };
}

function judgeRowsOfCase(id: string, named: NamedRows, requirement: string, run: JudgedRun): JudgedRow[] {
  const result = run.results.find((judged) => judged.id === id);
  if (id === repetitionCaseId) return judgeRepetition(result, requirement);
  const testCase = run.suite.cases.find(
    (candidate): candidate is RequirementCase =>
      candidate.id === id && candidate.kind === 'requirement' && candidate.verifies === requirement,
  );
  const mark = (titles: readonly string[], is: JudgedRow['is']) => titles.map((title) => ({ case: id, title, is }));
  if (testCase === undefined)
    return mayBelongToAnotherRun({ id }, run.suite) ? [] : mark(named === 'all' ? [''] : named, 'missing');
  const stated = listTitles(testCase, run.suite, result);
  const { failing, passing } = sortTitles(result?.rows ?? []);
  if (named === 'all') {
    const areAllRight = failing.length === 0 && stated?.every((title) => passing.includes(title)) === true;
    return [...mark(failing, 'failing'), ...mark(areAllRight ? [''] : passing, 'passing')];
  }
  return [
    ...mark(intersect(named, failing), 'failing'),
    ...mark(intersect(named, passing), 'passing'),
    ...mark(stated === undefined ? [] : named.filter((title) => !stated.includes(title)), 'missing'),
  ];
}

/** The repetition at the end of a run is no case of the suite: it counts as one more case of the requirement that it refutes. */
function judgeRepetition(result: CaseResult | undefined, requirement: string): JudgedRow[] {
  const whole = { case: repetitionCaseId, title: '' };
  if (result?.verdict === 'pass') return [{ ...whole, is: 'passing' }];
  return result?.verdict === 'fail' && result.subject === requirement ? [{ ...whole, is: 'failing' }] : [];
}

/** Lists the titles of all rows of a case; undefined if a run does not show them. */
function listTitles(
  testCase: RequirementCase,
  { data, world }: Suite,
  result: CaseResult | undefined,
): string[] | undefined {
  if (data !== undefined && !isOwnCase(testCase)) {
    // To draw them from the data file takes long. The process that sends has done it.
    const drawn = result?.rows.map(({ title }) => title) ?? [];
    return drawn.some((title) => title !== '') ? drawn : undefined;
  }
  // It has no rows for requests that the target lacks something for.
  if (testCase.tags.includes(caseTags.everyRequest) && world.unavailable.size > 0) return undefined;
  return testCase.rows.map(({ title }) => title);
}

/** Sorts the titles of rows by what the rows show. Rows that are drawn from a data file may share a title. */
function sortTitles(rows: CaseResult['rows']) {
  const verdicts = [...groupBy(rows, ({ title }) => title)].map(
    ([title, alike]) => [title, alike.map(({ verdict }) => verdict)] as const,
  );
  const failing = verdicts.filter(([, ofTitle]) => ofTitle.includes('fail'));
  const passing = verdicts.filter(([, ofTitle]) => ofTitle.every((verdict) => verdict === 'pass'));
  return { failing: failing.map(([title]) => title), passing: passing.map(([title]) => title) };
}

function intersect(named: readonly string[], titles: readonly string[]): string[] {
  return named.filter((title) => titles.includes(title));
}
