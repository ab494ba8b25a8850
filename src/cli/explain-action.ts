import { loadSuite, suiteFolder } from '../cases/suite.js';
import { renderExplanation } from '../engine/explanation.js';
import { UnusableInput } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import { readAvailability } from '../targets/availability.js';
import { completeRunOptions } from '../targets/run-options.js';

/**
 * Prints what a case sends and expects, and why.
 *
 * @param id the id of a case or a question
 * @throws UnusableInput if there is no such case or row
 */
export function explainCase(
  id: string,
  { row, target, cases }: { row?: number; target?: string; cases?: string },
): void {
  const options = completeRunOptions(target === undefined ? {} : { target }, process.env);
  const suite = loadSuite(suiteFolder, readAvailability(options).availability, cases);
  const testCase = suite.cases.find((each) => each.id === id);
  if (testCase === undefined) {
    const hint = `${suggest(
      id,
      suite.cases.map((each) => each.id),
    )} \`certify --dry-run\` lists all cases.`;
    throw new UnusableInput([{ at: { setting: 'explain' }, message: `unknown case '${id}'`, hint }]);
  }
  const { length } = testCase.rows;
  if (row !== undefined && row > length) {
    const hint = `Use a number from 1 to ${length}.`;
    throw new UnusableInput([{ at: { setting: '--row' }, message: `the case '${id}' has no row ${row}`, hint }]);
  }
  process.stdout.write(renderExplanation(testCase, suite, row));
}
