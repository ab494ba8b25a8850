import { Argument } from 'commander';
import { closedQuestions } from '../../../reference/behaviours.js';
import { listGeneratedFaults } from '../../../reference/faults/generated-faults.js';
import { faults } from '../../../reference/faults/index.js';
import { loadSuite, type Suite, suiteFolder } from '../../cases/suite.js';
import { getSubjectId } from '../../cases/test-case.js';
import { listOutputFiles } from '../../outputs/result-files.js';
import { formatLocation } from '../../support/problem.js';
import { joinLines } from '../../support/untrusted-text.js';
import type { ConfigureCommand } from '../flags.js';

/** An entry: its name, what it means, and further members that only JSON shows, except outcomes. */
interface Entry {
  readonly id: string;
  readonly text?: string | undefined;
  readonly outcomes?: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

const lists: Readonly<Record<string, (suite: Suite) => readonly Entry[]>> = {
  requirements: ({ contract }) =>
    contract.requirements.map(({ id, statement, part }) => ({ id, text: statement, part })),
  questions: ({ contract }) =>
    contract.questions.map(({ id, open, part, group, answer }) => ({
      id,
      text: open,
      part,
      group,
      outcomes: answer.kind === 'outcomes' ? Object.fromEntries(answer.outcomes) : { '(a value)': answer.describes },
    })),
  groups: ({ contract }) => contract.groups.map(({ name, asks }) => ({ id: name, text: asks })),
  cases: ({ cases }) =>
    cases.map((testCase) => {
      const { id, title, kind, tags, at } = testCase;
      const subject = { [kind === 'requirement' ? 'verifies' : 'answers']: getSubjectId(testCase) };
      return { id, text: title, ...subject, tags, at: formatLocation(at) };
    }),
  tags: ({ cases }) => {
    const tags = [...new Set(cases.flatMap((testCase) => testCase.tags))].sort();
    return tags.map((id) => {
      const tagged = cases.filter((testCase) => testCase.tags.includes(id)).map((testCase) => testCase.id);
      return { id, text: `${tagged.length} case${tagged.length === 1 ? '' : 's'}`, cases: tagged };
    });
  },
  behaviours: () =>
    Object.entries(closedQuestions).flatMap(([question, outcomes]) =>
      outcomes.map((outcome, n) => ({
        id: `${question}=${outcome}`,
        text: n === 0 ? 'default' : undefined,
        question,
        outcome,
      })),
    ),
  faults: () =>
    [...faults, ...listGeneratedFaults()].map(({ id, breaks, story }) => ({
      id,
      text: `breaks ${breaks}: ${story}`,
      breaks,
      story,
    })),
  outputs: () => listOutputFiles().map((id) => ({ id })),
};

export const listedKinds = Object.keys(lists);

export default ((command) => {
  command
    .description('list requirements, questions with their outcomes, cases, tags, behaviours, faults or outputs')
    .addArgument(new Argument('[kind]', 'what to list (default: how many there are of each kind)').choices(listedKinds))
    .argument('[text]', 'only entries with this text, such as the cases with the id of a requirement')
    .option('--json', 'print JSON; without a kind, of all kinds')
    .option('--cases <folder>', 'a folder of your own cases')
    .action((kind: string | undefined, text: string | undefined, { json, cases }: { json?: true; cases?: string }) => {
      const suite = loadSuite(suiteFolder, {}, cases);
      const all = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list(suite)]));
      const wanted = text?.toLowerCase() ?? '';
      const entries = all[kind ?? '']?.filter((entry) => JSON.stringify(entry).toLowerCase().includes(wanted));
      const lines = () => (entries === undefined ? renderCounts(all) : renderEntries(entries));
      process.stdout.write(json ? `${JSON.stringify(entries ?? all, null, 2)}\n` : joinLines(lines()));
    });
}) satisfies ConfigureCommand;

function renderCounts(all: Readonly<Record<string, readonly Entry[]>>): string[] {
  const counts = Object.entries(all).map(([kind, entries]) => `${kind.padEnd(13)} ${entries.length}`);
  return [...counts, '', 'One kind: npx conformance list cases'];
}

function renderEntries(entries: readonly Entry[]): string[] {
  const width = Math.min(40, Math.max(...entries.map(({ id }) => id.length)));
  return entries.flatMap(({ id, text = '', outcomes = {} }) => [
    `${id.padEnd(width)}  ${text}`.trimEnd(),
    ...Object.entries(outcomes).map(([outcome, meaning]) => `  ${outcome}: ${meaning}`),
  ]);
}
