import { type Behaviours, closedQuestions, openQuestions } from '../../reference/behaviours.js';
import { createDeployment } from '../../reference/deployment.js';
import { loadSuite } from '../../src/cases/suite.js';
import type { QuestionCase, RequirementCase } from '../../src/cases/test-case.js';
import { createCaseSender } from '../../src/engine/case-sender.js';
import { startRun } from '../../src/engine/run.js';
import { sendAndJudge } from '../../src/engine/send-and-judge.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import type { CaseJudgement } from '../../src/judge/judge-case.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { createChannel, inProcessCredentials } from '../proof/judge-deployment.js';
import { type MutationTest, renderQuestionTestName } from './mutation-test.js';

const suite = loadSuite();
const recognizer = createRecognizer(suite.world);

/**
 * The requirement cases, which are to notice every mutant of the reference deployment; then the questions, each where
 * the deployment is to give each of its answers: a mutant that only they notice changes what the documentation leaves
 * open.
 */
export async function mutationTests(): Promise<readonly MutationTest[]> {
  const requirementTests = suite.cases.flatMap((each) => (each.kind === 'requirement' ? [requirementTest(each)] : []));
  const questionTests = suite.cases.flatMap((each) => (each.kind === 'question' ? testsOfQuestion(each) : []));
  return [...requirementTests, ...questionTests];
}

function requirementTest(testCase: RequirementCase): MutationTest {
  return {
    name: `requirement ${testCase.verifies}: ${testCase.id}`,
    async run() {
      const { verdict, reason } = await judged(testCase, {});
      if (verdict === 'fail') throw new Error(reason);
    },
  };
}

/** Further values of open questions, beside those that the deployment gives of itself. */
const otherValues: Readonly<Record<string, readonly string[]>> = {
  'response-status': ['203'],
  'response-media-type': ['text/json', 'none'],
  'deprecation-headers': ['deprecation: true | sunset: Sat, 01 Jan 2028 00:00:00 GMT'],
  'rate-limit-headers': ['none'],
  'caching-headers': ['cache-control: no-store | etag | vary: Origin'],
  'cors-headers': ['access-control-allow-origin: https://shop.example'],
};

function testsOfQuestion(testCase: QuestionCase): MutationTest[] {
  const question = testCase.answers;
  return outcomesOf(question).map((outcome) => ({
    name: renderQuestionTestName(question, outcome),
    async run() {
      const { outcome: observed, reason } = await judged(testCase, { [question]: outcome });
      if (observed !== outcome) throw new Error(`${observed ?? 'no answer'}, not ${outcome}. ${reason}`);
    },
  }));
}

function outcomesOf(question: string): readonly string[] {
  const closed: Readonly<Record<string, readonly string[]>> = closedQuestions;
  const open: Readonly<Record<string, { readonly default: string }>> = openQuestions;
  const known = closed[question] ?? [open[question]?.default ?? ''];
  return [...known, ...(otherValues[question] ?? [])];
}

/** Judges a case by a deployment of its own, so that no test leaves a trace in another. */
async function judged(testCase: QuestionCase | RequirementCase, behaviours: Behaviours): Promise<CaseJudgement> {
  const deployment = createDeployment({ world: suite.world, credentials: inProcessCredentials, behaviours });
  const channel = createChannel(surviving(deployment));
  const { background } = await startRun(suite, channel, { isWorldLoaded: true, recognizer });
  const { judgement } = await sendAndJudge(testCase, createCaseSender(channel), background);
  return judgement;
}

/** A defect of a deployment ends one request, as it does on the wire. */
function surviving(respond: (request: HttpRequest) => HttpResponse): (request: HttpRequest) => HttpResponse {
  return (request) => {
    try {
      return respond(request);
    } catch {
      return { status: 500, headers: [], body: '' };
    }
  };
}
