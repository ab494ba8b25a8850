import { type Behaviours, closedQuestions, openQuestions } from '../../reference/behaviours.js';
import type { QuestionCase, RequirementCase } from '../../src/cases/test-case.js';
import type { CaseJudgement } from '../../src/judge/judge-case.js';
import { createCaseSender } from '../../src/run/case-sender.js';
import { startRun } from '../../src/run/run.js';
import { sendAndJudge } from '../../src/run/run-case.js';
import { type Answer, channelTo, createReference, recognizer, suite } from '../../test/support/in-process.js';
import type { MutationTest } from './runner.js';

/**
 * Creates a test of each requirement case, and a test of each outcome of each question: the deployment must show the
 * outcome that is chosen as its behaviour.
 */
export async function createMutationTests(): Promise<readonly MutationTest[]> {
  const requirementTests = suite.cases.flatMap((each) =>
    each.kind === 'requirement' ? [createRequirementTest(each)] : [],
  );
  const questionTests = suite.cases.flatMap((each) => (each.kind === 'question' ? createQuestionTests(each) : []));
  return [...requirementTests, ...questionTests];
}

function createRequirementTest(testCase: RequirementCase): MutationTest {
  return {
    name: `requirement ${testCase.verifies}: ${testCase.id}`,
    async run() {
      const { verdict, reason } = await judgeAlone(testCase, {});
      if (verdict === 'fail') throw new Error(reason);
    },
  };
}

/** Values of open questions to choose, in addition to the default. */
const furtherValues: Readonly<Record<string, readonly string[]>> = {
  'response-status': ['203'],
  'response-media-type': ['text/json', 'none'],
  'deprecation-headers': ['deprecation: true | sunset: Sat, 01 Jan 2028 00:00:00 GMT'],
  'rate-limit-headers': ['none'],
  'caching-headers': ['cache-control: no-store | etag | vary: Origin'],
  'cors-headers': ['access-control-allow-origin: https://shop.example'],
};

function createQuestionTests(testCase: QuestionCase): MutationTest[] {
  const question = testCase.answers;
  return listOutcomes(question).map((outcome) => ({
    name: `question ${question}: ${outcome}`,
    async run() {
      const { outcome: observed, reason } = await judgeAlone(testCase, { [question]: outcome });
      if (observed !== outcome) throw new Error(`${observed ?? 'no answer'}, not ${outcome}. ${reason}`);
    },
  }));
}

function listOutcomes(question: string): readonly string[] {
  const closed: Readonly<Record<string, readonly string[]>> = closedQuestions;
  const open: Readonly<Record<string, { readonly default: string }>> = openQuestions;
  const known = closed[question] ?? [open[question]?.default ?? ''];
  return [...known, ...(furtherValues[question] ?? [])];
}

/** Judges a case on a new deployment, so that tests do not influence each other. */
async function judgeAlone(testCase: QuestionCase | RequirementCase, behaviours: Behaviours): Promise<CaseJudgement> {
  const channel = channelTo(catchErrors(createReference({ behaviours })));
  const { background } = await startRun(suite, channel, { isWorldLoaded: true, recognizer });
  const { judgement } = await sendAndJudge(testCase, createCaseSender(channel), background);
  return judgement;
}

/** Answers 500 if the deployment throws, like a server. */
function catchErrors(respond: Answer): Answer {
  return (request) => {
    try {
      return respond(request);
    } catch {
      return { status: 500, headers: [], body: '' };
    }
  };
}
