import { findCasesByName } from '../cases/case-selection.js';
import { loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import type { TestCase } from '../cases/test-case.js';
import { renderExplanation } from '../engine/explanation.js';
import { joinLines } from '../support/untrusted-text.js';
import { readAvailability } from '../targets/availability.js';
import { completeRunOptions } from '../targets/run-options.js';
import { refuse } from './flags.js';

/**
 * Prints what a case sends and expects, and why. If a name stands for several cases, prints what they have in common, and
 * lists them.
 *
 * @param name the id of a case, requirement or question, a tag or a group
 * @throws UnusableInput if there is no such case or row
 */
export function explainName(
  name: string,
  { row, target, cases }: { row?: number; target?: string; cases?: string },
): void {
  const options = completeRunOptions(target === undefined ? {} : { target }, process.env);
  const suite = loadSuite(suiteFolder, readAvailability(options).availability, cases);
  const ids = suite.cases.some(({ id }) => id === name) ? [name] : findCasesByName([name], suite, 'explain');
  const [testCase, ...others] = suite.cases.filter(({ id }) => ids.includes(id));
  if (testCase === undefined) return;
  const length = testCase.rows.length;
  if (row !== undefined && others.length > 0) throw refuse('--row', `'${name}' is not one case`, 'Name one case.');
  if (row !== undefined && row > length)
    throw refuse('--row', `the case '${testCase.id}' has no row ${row}`, `Use a number from 1 to ${length}.`);
  process.stdout.write(
    others.length === 0
      ? renderExplanation(testCase, suite, row)
      : joinLines([...describeName(name, suite), ...listCases([testCase, ...others])]),
  );
}

/** Describes a requirement, a question or a group; nothing for a tag. */
function describeName(name: string, { contract }: Suite): string[] {
  const requirement = contract.requirements.find(({ id }) => id === name);
  const question = contract.questions.find(({ id }) => id === name);
  const group = contract.groups.find((each) => each.name.toLowerCase() === name.toLowerCase());
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
