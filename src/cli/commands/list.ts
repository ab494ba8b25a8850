import { Argument } from 'commander';
import { closedQuestions } from '../../../reference/behaviours.js';
import { listGeneratedFaults } from '../../../reference/faults/generated-faults.js';
import { faults } from '../../../reference/faults/index.js';
import { loadSuite, type Suite, suiteFolder } from '../../cases/suite.js';
import { getSubjectId } from '../../cases/test-case.js';
import { groupBy } from '../../support/collections.js';
import { joinLines } from '../../support/untrusted-text.js';
import type { ConfigureCommand } from '../flags.js';

/** A name, what it means, and lines below it. */
type Entry = readonly [id: string, text: string, ...details: string[]];

const lists: Readonly<Record<string, (suite: Suite) => readonly Entry[]>> = {
  requirements: ({ contract }) => contract.requirements.map(({ id, statement }) => [id, statement]),
  questions: ({ contract }) =>
    contract.questions.map(({ id, open, answer }) => {
      const outcomes = answer.kind === 'outcomes' ? [...answer.outcomes] : [['(a value)', answer.describes]];
      return [id, open, ...outcomes.map(([outcome, meaning]) => `${outcome}: ${meaning}`)];
    }),
  groups: ({ contract }) => contract.groups.map(({ name, asks }) => [name, asks]),
  cases: ({ cases }) =>
    cases.map((testCase) => {
      const { id, title, kind, tags } = testCase;
      const subject = `${kind === 'requirement' ? 'verifies' : 'answers'} ${getSubjectId(testCase)}`;
      return [id, title, [subject, ...tags.map((name) => `@${name}`)].join(' ')];
    }),
  tags: ({ cases }) => {
    const tagged = groupBy(cases.flatMap(({ tags }) => tags).sort(), (name) => name);
    return [...tagged].map(([name, { length }]) => [name, `${length} case${length === 1 ? '' : 's'}`]);
  },
  behaviours: () =>
    Object.entries(closedQuestions).flatMap(([question, outcomes]) =>
      outcomes.map((outcome, n): Entry => [`${question}=${outcome}`, n === 0 ? 'default' : '']),
    ),
  faults: () =>
    [...faults, ...listGeneratedFaults()].map(({ id, breaks, story }) => [id, `breaks ${breaks}: ${story}`]),
};

export const listedKinds = Object.keys(lists);

export default ((command) => {
  command
    .description('list requirements, questions with their outcomes, cases, tags, behaviours or faults')
    .addArgument(new Argument('[kind]', 'what to list (default: how many there are of each kind)').choices(listedKinds))
    .argument('[text]', 'only entries with this text, such as the cases with the id of a requirement')
    .option('--cases <folder>', 'a folder of your own cases')
    .action((kind: string | undefined, text = '', { cases }: { cases?: string }) => {
      const suite = loadSuite(suiteFolder, {}, cases);
      process.stdout.write(joinLines(kind === undefined ? renderCounts(suite) : renderEntries(suite, kind, text)));
    });
}) satisfies ConfigureCommand;

function renderCounts(suite: Suite): string[] {
  const counts = Object.entries(lists).map(([kind, list]) => `${kind.padEnd(13)} ${list(suite).length}`);
  return [...counts, '', 'One kind: npx conformance list cases'];
}

function renderEntries(suite: Suite, kind: string, wanted: string): string[] {
  const entries = lists[kind]?.(suite) ?? [];
  const shown = entries.filter((entry) => entry.join('\n').toLowerCase().includes(wanted.toLowerCase()));
  const width = Math.min(40, Math.max(...shown.map(([id]) => id.length)));
  return shown.flatMap(([id, text, ...details]) => [
    `${id.padEnd(width)}  ${text}`.trimEnd(),
    ...details.map((line) => `  ${line}`),
  ]);
}
