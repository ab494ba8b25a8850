import { closedQuestions } from '../../reference/behaviours.js';
import { listGeneratedFaults } from '../../reference/faults/generated-faults.js';
import { faults } from '../../reference/faults/index.js';
import { loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import { getSubjectId } from '../cases/test-case.js';
import { listOutputFiles } from '../report/output.js';
import { formatLocation } from '../support/problem.js';
import { joinLines } from '../support/untrusted-text.js';
import { type ListedKind, listedKinds } from './listed-kinds.js';

/** An entry: its name, what it means, and further members that only JSON shows, except outcomes. */
interface Entry {
  readonly id: string;
  readonly text?: string;
  readonly outcomes?: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

/** Prints what there is of a kind, or how many of each kind. @throws UnusableInput for unusable own cases */
export function printList(kind: ListedKind | undefined, { json, cases }: { json?: true; cases?: string }): void {
  const suite = loadSuite(suiteFolder, {}, cases);
  if (json) {
    const all =
      kind === undefined
        ? Object.fromEntries(listedKinds.map((each) => [each, lists[each](suite)]))
        : lists[kind](suite);
    process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
  } else if (kind === undefined) {
    const counts = listedKinds.map((each) => `${each.padEnd(13)} ${lists[each](suite).length}`);
    process.stdout.write(joinLines([...counts, '', 'One kind: npx conformance list cases']));
  } else {
    const entries = lists[kind](suite);
    const width = Math.min(40, Math.max(...entries.map(({ id }) => id.length)));
    process.stdout.write(joinLines(entries.flatMap((entry) => renderEntry(entry, width))));
  }
}

function renderEntry({ id, text = '', outcomes = {} }: Entry, width: number): string[] {
  return [
    `${id.padEnd(width)}  ${text}`.trimEnd(),
    ...Object.entries(outcomes).map(([outcome, meaning]) => `  ${outcome}: ${meaning}`),
  ];
}

const lists: Readonly<Record<ListedKind, (suite: Suite) => readonly Entry[]>> = {
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
    const tags = [...new Set(cases.flatMap((each) => each.tags))].sort();
    return tags.map((id) => {
      const tagged = cases.filter((each) => each.tags.includes(id)).map((each) => each.id);
      return { id, text: `${tagged.length} case${tagged.length === 1 ? '' : 's'}`, cases: tagged };
    });
  },
  behaviours: () =>
    Object.entries(closedQuestions).flatMap(([question, outcomes]) =>
      outcomes.map((outcome, n) => ({
        id: `${question}=${outcome}`,
        ...(n === 0 ? { text: 'default' } : {}),
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
