import { Option } from 'commander';
import { findCasesByName } from '../../cases/case-selection.js';
import { renderExplanation } from '../../cases/explanation.js';
import { loadSuite, type Suite, suiteFolder } from '../../cases/suite.js';
import type { TestCase } from '../../cases/test-case.js';
import { refuse } from '../../support/problem.js';
import { joinLines } from '../../support/untrusted-text.js';
import { completeRunOptions } from '../../target/run-options.js';
import { readAvailability, readTargetFile } from '../../target/target-file.js';
import { type ConfigureCommand, parseCount } from '../flags.js';

interface ExplainFlags {
  readonly row?: number;
  readonly target?: string;
  readonly cases?: string;
}

export default ((command) => {
  command
    .description('explain what a case sends, what the documentation says about that, and what is expected')
    .argument('<name>', 'the id of a case, requirement or question, a tag or a group')
    .addOption(new Option('--row <number>', 'show this row of the matrix in full').argParser(parseCount))
    .option('--target <file>', 'a target file, whose ids are shown (environment: TARGET)')
    .option('--cases <folder>', 'a folder of your own cases')
    .action((name: string, flags: ExplainFlags) => {
      process.stdout.write(explainName(name, flags));
    });
}) satisfies ConfigureCommand;

/** Explains a case. If a name stands for several cases, says what they have in common, and lists them. */
function explainName(name: string, { row, target, cases }: ExplainFlags): string {
  const options = completeRunOptions(target === undefined ? {} : { target }, process.env);
  const suite = loadSuite(suiteFolder, readAvailability(readTargetFile(options)), cases);
  const ids = suite.cases.some(({ id }) => id === name) ? [name] : findCasesByName([name], suite, 'explain');
  const found = suite.cases.filter(({ id }) => ids.includes(id));
  const [testCase, another] = found;
  if (testCase === undefined || another !== undefined) {
    if (row !== undefined) throw refuse('--row', `'${name}' is not one case`, 'Name one case.');
    return joinLines([...describeName(name, suite), ...listCases(found)]);
  }
  const { length } = testCase.rows;
  if (row !== undefined && row > length)
    throw refuse('--row', `the case '${testCase.id}' has no row ${row}`, `Use a number from 1 to ${length}.`);
  return renderExplanation(testCase, suite, row);
}

/** Describes a requirement, a question or a group; nothing for a tag. */
function describeName(name: string, { contract }: Suite): string[] {
  const requirement = contract.requirements.find(({ id }) => id === name);
  const question = contract.questions.find(({ id }) => id === name);
  const group = contract.groups.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  const statement = requirement?.statement ?? question?.open ?? group?.asks;
  if (statement === undefined) return [];
  const { part } = requirement ?? question ?? {};
  return [statement, ...(part === undefined ? [] : [`In the documentation: ${part}`]), ''];
}

function listCases(cases: readonly TestCase[]): string[] {
  const width = Math.max(...cases.map(({ id }) => id.length));
  const lines = cases.map(({ id, title }) => `  ${id.padEnd(width)}  ${title}`);
  return [`${cases.length} cases:`, ...lines, '', 'One case with its requests: npx conformance explain CASE'];
}
