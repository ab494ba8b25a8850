import { Option } from 'commander';
import { findCasesByName } from '../../cases/case-selection.js';
import { renderExplanation } from '../../cases/explanation.js';
import { loadSuite, suiteFolder } from '../../cases/suite.js';
import type { TestCase } from '../../cases/test-case.js';
import { refuse } from '../../support/problem.js';
import { type ConfigureCommand, parseCount } from '../flags.js';

interface ExplainFlags {
  readonly row?: number;
  readonly cases?: string;
}

export default ((command) => {
  command
    .description('explain what a case sends, what the documentation says about that, and what is expected')
    .argument('<name>', 'the id of a case, or of a requirement or question with a single case')
    .addOption(new Option('--row <number>', 'show this row of the case in full').argParser(parseCount))
    .option('--cases <folder>', 'a folder of your own cases')
    .action((name: string, flags: ExplainFlags) => {
      process.stdout.write(explainCase(name, flags));
    });
}) satisfies ConfigureCommand;

function explainCase(name: string, { row, cases }: ExplainFlags): string {
  const suite = loadSuite(suiteFolder, {}, cases);
  const ids = suite.cases.some(({ id }) => id === name) ? [name] : findCasesByName([name], suite, 'explain');
  if (ids.length > 1) throw refuse(name, 'is not one case', `Name a case of npx conformance list cases ${name}`);
  const testCase = suite.cases.find(({ id }) => id === ids[0]) as TestCase;
  const { length } = testCase.rows;
  if (row !== undefined && row > length)
    throw refuse('--row', `the case '${testCase.id}' has no row ${row}`, `Use a number from 1 to ${length}.`);
  return renderExplanation(testCase, suite, row);
}
