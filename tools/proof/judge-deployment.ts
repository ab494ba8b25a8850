import type { RequirementCase } from '../../src/cases/test-case.js';
import { credentialPlaceholders } from '../../src/contract/operation.js';
import type { Credentials } from '../../src/http/connection-options.js';
import type { HttpRequest, HttpResponse, RequestChannel } from '../../src/http/exchange.js';
import type { TargetContext } from '../../src/judge/collect-row-evidence.js';
import { findWorstVerdict, type Verdict } from '../../src/judge/verdict.js';
import type { Recognizer } from '../../src/recognition/recognizer.js';
import type { CaseReport, StoredEvidence } from '../../src/run/case-report.js';
import { createCaseSender } from '../../src/run/case-sender.js';
import { createExchangeIndexer, type ExchangeIndex } from '../../src/run/exchange-index.js';
import { type StartRunOptions, startRun } from '../../src/run/run.js';
import { type JudgedCaseAttempts, sendAndJudgeCase } from '../../src/run/run-case.js';
import type { Suite } from '../../src/suite/suite.js';

/** The credentials of a deployment in this process: those of a case as it is, before a client replaces them. */
export const inProcessCredentials: Credentials = credentialPlaceholders;

/** Answers a request in this process. */
export type Answer = (request: HttpRequest) => HttpResponse;

/** A channel to a deployment that is a function in this process. */
export function createChannel(respond: Answer): RequestChannel {
  return {
    send: async (request) => ({ request, response: respond(request) }),
    reconnect: () => undefined,
    maxConcurrency: 8,
  };
}

/** The same channel, whose exchanges tell the order in which they were sent, for causes about state. */
export function createTimedChannel(respond: Answer): RequestChannel {
  const channel = createChannel(respond);
  let turn = 0;
  return {
    ...channel,
    send: async (request) => {
      turn += 1;
      const timing = { startedAt: turn, durationMs: 0 };
      return { ...(await channel.send(request)), timing };
    },
  };
}

/** What the requirement cases of a suite find out about a deployment. */
export interface DeploymentJudgement {
  readonly target: TargetContext;
  readonly cases: readonly JudgedCase[];
}

export interface JudgedCase {
  readonly testCase: RequirementCase;
  readonly sent: JudgedCaseAttempts;
}

/** Puts a deployment that has the world to the requirement cases of a suite. @param respond takes {@link inProcessCredentials} */
export async function judgeDeployment(
  suite: Suite,
  respond: Answer,
  options: StartRunOptions = {},
): Promise<DeploymentJudgement> {
  const channel = createChannel(respond);
  const { target } = await startRun(suite, channel, { isWorldLoaded: true, ...options });
  const testCases = suite.cases.filter((testCase) => testCase.kind === 'requirement');
  const sender = createCaseSender(channel, testCases);
  const cases: JudgedCase[] = [];
  for (const testCase of testCases) cases.push({ testCase, sent: await sendAndJudgeCase(testCase, sender, target) });
  return { target, cases };
}

/** The verdict of each requirement: the worst of its cases'. */
export function listVerdicts({ cases }: DeploymentJudgement): Map<string, Verdict> {
  const verdicts = new Map<string, Verdict>();
  for (const { testCase, sent } of cases) {
    const { verifies: id } = testCase;
    verdicts.set(id, findWorstVerdict([verdicts.get(id) ?? 'pass', sent.judgement.verdict]));
  }
  return verdicts;
}

export type EndedRun = Awaited<ReturnType<typeof runSuite>>;

/** Runs a suite in this process. */
export async function runSuite(suite: Suite, channel: RequestChannel, options: StartRunOptions = {}) {
  const run = await startRun(suite, channel, { ...options, plannedCases: suite.cases.map(({ id }) => id) });
  const reports: CaseReport[] = [];
  for (const testCase of suite.cases) reports.push(await run.reportCase(testCase));
  reports.push(...[(await run.repeatSamples()) ?? []].flat());
  const results = reports.map(({ result }) => result).filter(({ isUncounted }) => !isUncounted);
  return { results, showExchange: run.shown.show, examination: run.examination, evidence: joinEvidence(reports) };
}

/** Joins the evidence of reports. */
export function joinEvidence(reports: readonly CaseReport[]): StoredEvidence {
  return {
    exchanges: reports.flatMap(({ exchanges }) => exchanges),
    uses: reports.flatMap(({ uses }) => uses),
  };
}

export function indexExchanges({ exchanges, uses }: StoredEvidence, recognizer: Recognizer): ExchangeIndex {
  const indexer = createExchangeIndexer(recognizer.ids);
  for (const kept of exchanges) indexer.add(kept);
  return indexer.finish(uses);
}
