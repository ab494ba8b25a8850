import { Option } from 'commander';
import { findCasesByName, selectCases } from '../../cases/case-selection.js';
import { renderExplanation } from '../../cases/explanation.js';
import { loadSuite, type Suite, suiteFolder } from '../../cases/suite.js';
import type { TestCase } from '../../cases/test-case.js';
import { refuse } from '../../support/problem.js';
import { type ConfigureCommand, parseCount } from '../flags.js';

export default ((command) => {
  command
    .description('explain what a case sends, what the documentation says about that, and what is expected')
    .argument('<name>', 'the id of a case, or of a requirement or question with a single case')
    .addOption(new Option('--row <number>', 'show this row of the case in full').argParser(parseCount))
    .option('--cases <folder>', 'a folder of your own cases')
    .action((name: string, { row, cases }: { row?: number; cases?: string }) => {
      const suite = loadSuite(suiteFolder, {}, cases);
      const [testCase, ...others] = findCases(name, suite);
      if (testCase === undefined || others.length > 0)
        throw refuse(name, 'is not one case', `Name a case of npx conformance list cases ${name}`);
      const { length } = testCase.rows;
      if (row !== undefined && (row < 1 || row > length))
        throw refuse('--row', `the case '${testCase.id}' has no row ${row}`, `Use a number from 1 to ${length}.`);
      process.stdout.write(renderExplanation(testCase, suite, row));
    });
}) satisfies ConfigureCommand;

function findCases(name: string, suite: Suite): readonly TestCase[] {
  const named = suite.cases.filter(({ id }) => id === name);
  return named.length > 0 ? named : selectCases(suite, { only: findCasesByName([name], suite, 'explain') });
}
