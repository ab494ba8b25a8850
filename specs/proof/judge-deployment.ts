import type { RequirementCase } from '../../src/cases/case.js';
import type { Suite } from '../../src/cases/suite.js';
import { type RunOptions, startRun } from '../../src/engine/run.js';
import { type SentCase, sendAndJudge } from '../../src/engine/send-and-judge.js';
import { senderFor } from '../../src/engine/send-case.js';
import { type Credentials, credentialPlaceholders } from '../../src/http/credentials.js';
import type { Channel, HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import type { Background } from '../../src/judge/judge-case.js';
import { type Verdict, worst } from '../../src/judge/verdict.js';

/** The credentials of a deployment in this process: those of a case as it is, before a client replaces them. */
export const inProcessCredentials: Credentials = credentialPlaceholders;

/** A channel to a deployment that is a function in this process. */
export function channelTo(respond: (request: HttpRequest) => HttpResponse): Channel {
  return {
    send: async (request) => ({ request, response: respond(request) }),
    redact: (text) => text,
    renew: () => undefined,
    maxOfCase: Number.POSITIVE_INFINITY,
    maxAtOnce: 8,
  };
}

/** What the requirement cases of a suite find out about a deployment. */
export interface DeploymentJudgement {
  readonly background: Background;
  readonly cases: readonly JudgedCase[];
}

export interface JudgedCase {
  readonly testCase: RequirementCase;
  readonly sent: SentCase;
}

/**
 * Puts a deployment that has the world to the requirement cases of a suite, in this process.
 *
 * @param respond takes {@link inProcessCredentials}
 */
export async function judgeDeployment(
  suite: Suite,
  respond: (request: HttpRequest) => HttpResponse,
  options: RunOptions = {},
): Promise<DeploymentJudgement> {
  const channel = channelTo(respond);
  const { background } = await startRun(suite, channel, { isWorldLoaded: true, ...options });
  const testCases = suite.cases.filter((testCase) => testCase.kind === 'requirement');
  const sender = senderFor(channel, testCases);
  const cases: JudgedCase[] = [];
  for (const testCase of testCases) cases.push({ testCase, sent: await sendAndJudge(testCase, sender, background) });
  return { background, cases };
}

/** The verdict of each requirement: the worst of its cases'. */
export function verdictsOf({ cases }: DeploymentJudgement): Map<string, Verdict> {
  const verdicts = new Map<string, Verdict>();
  for (const { testCase, sent } of cases) {
    verdicts.set(testCase.verifies, worst([verdicts.get(testCase.verifies) ?? 'pass', sent.judgement.verdict]));
  }
  return verdicts;
}
