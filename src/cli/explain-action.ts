import { loadSuite, suiteFolder } from '../cases/suite.js';
import { renderExplanation } from '../engine/explanation.js';
import { UnusableInput } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import { readAvailability } from '../targets/availability.js';
import { completeRunOptions } from '../targets/run-options.js';

/**
 * Prints what a case sends and expects, and why.
 *
 * @param id of a case, or of a question
 * @throws UnusableInput where there is no such case, or no such row
 */
export function explainCase(
  id: string,
  { row, target, cases }: { row?: number; target?: string; cases?: string },
): void {
  const options = completeRunOptions(target === undefined ? {} : { target }, process.env);
  const suite = loadSuite(suiteFolder, readAvailability(options).availability, cases);
  const testCase = suite.cases.find((each) => each.id === id);
  if (testCase === undefined) {
    const ids = suite.cases.map((each) => each.id);
    throw new UnusableInput([{ at: { setting: id }, message: 'is no case', hint: suggest(id, ids) }]);
  }
  const { length } = testCase.rows;
  if (row !== undefined && row > length) {
    const hint = `It has ${length === 1 ? 'one row' : `${length} rows`}.`;
    throw new UnusableInput([{ at: { setting: '--row' }, message: `${id} has no row ${row}`, hint }]);
  }
  process.stdout.write(renderExplanation(testCase, suite, row));
}
