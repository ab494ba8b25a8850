import { Argument } from 'commander';
import { closedQuestions, openQuestions, shapeQuestions } from '../../../reference/deployment/behaviours.js';
import { faults } from '../../../reference/faults/index.js';
import { getRequirementOrQuestionId } from '../../cases/test-case.js';
import { loadSuite, packageCasesFolder, type Suite } from '../../suite/suite.js';
import { createInputError } from '../../support/problem.js';
import { joinAndEscapeLines } from '../../support/untrusted-text.js';
import type { ConfigureCommand } from '../flags.js';

/** A name, what it means, and lines below it. */
type Entry = readonly [id: string, text: string, ...details: string[]];

/** Questions whose outcome the reference deployment cannot choose. */
const fixed: readonly string[] = Object.values(shapeQuestions);

const lists: Readonly<Record<string, (suite: Suite) => readonly Entry[]>> = {
  requirements: ({ contract }) => contract.requirements.map(({ id, statement }) => [id, statement]),
  questions: ({ contract }) =>
    contract.questions.map(({ id, open, answer }) => {
      const outcomes = answer.kind === 'outcomes' ? [...answer.outcomes] : [['(a value)', answer.describes]];
      return [id, open, ...outcomes.map(([outcome, meaning]) => `  ${outcome}: ${meaning}`)];
    }),
  groups: ({ contract }) => contract.groups.map(({ name, asks }) => [name, asks]),
  cases: ({ cases }) =>
    cases.map((testCase) => {
      const { id, title, kind, tags } = testCase;
      const subject = `${kind === 'requirement' ? 'verifies' : 'answers'} ${getRequirementOrQuestionId(testCase)}`;
      return [id, title, `  ${[subject, ...tags.map((name) => `@${name}`)].join(' ')}`];
    }),
  behaviours: () => [
    ...Object.entries(closedQuestions).flatMap(([question, outcomes]) =>
      outcomes.map((outcome, n): Entry => [`${question}=${outcome}`, n === 0 ? 'default' : '']),
    ),
    ...Object.entries(openQuestions).map(
      ([question, { default: usual, form }]): Entry => [
        `${question}=${usual}`,
        fixed.includes(question) ? 'the only value' : `default; may be ${form}`,
      ],
    ),
  ],
  faults: () => faults.map(({ id, breaks, story }) => [id, `breaks ${breaks}: ${story}`]),
};

export const listableKinds = Object.keys(lists);

export default ((command) => {
  command
    .description('list requirements, questions with their outcomes, cases with their tags, behaviours or faults')
    .addArgument(new Argument('<kind>', 'what to list').choices(listableKinds))
    .argument('[text]', 'only entries with this text, such as the cases with the id of a requirement')
    .option('--cases <folder>', 'a folder of your own cases')
    .action((kind: string, text = '', { cases }: { cases?: string }) => {
      const entries = lists[kind]?.(loadSuite(packageCasesFolder, {}, cases)) ?? [];
      const shown = entries.filter((entry) => entry.join('\n').toLowerCase().includes(text.toLowerCase()));
      if (shown.length === 0)
        throw createInputError(
          text,
          `no entry of '${kind}' has this text`,
          `All entries: npx conformance list ${kind}`,
        );
      const width = Math.min(40, Math.max(...shown.map(([id]) => id.length)));
      const lines = shown.flatMap(([id, says, ...details]) => [`${id.padEnd(width)}  ${says}`.trimEnd(), ...details]);
      process.stdout.write(joinAndEscapeLines(lines));
    });
}) satisfies ConfigureCommand;
