import { createDeployment } from '../../reference/deployment/deployment.js';
import type { Fault } from '../../reference/faults/fault.js';
import type { RequirementCase } from '../../src/cases/test-case.js';
import { type Exchange, type HttpRequest, type HttpResponse, serializeRequest } from '../../src/http/exchange.js';
import { collectRowEvidence, type ExchangesByRow, type TargetContext } from '../../src/judge/collect-row-evidence.js';
import { judgeCase } from '../../src/judge/judge-case.js';
import type { CaseJudgement } from '../../src/judge/judgement.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { listRequestsOfCase } from '../../src/run/case-sender.js';
import { startRun } from '../../src/run/run.js';
import type { Suite } from '../../src/suite/suite.js';
import { type Answer, createChannel, inProcessCredentials, judgeDeployment } from './judge-deployment.js';

/** A case that was judged on a deployment with a fault. */
export interface FaultyCase {
  readonly testCase: RequirementCase;
  readonly judgement: CaseJudgement;
  readonly exchanges: ExchangesByRow;
  readonly target: TargetContext;
}

/**
 * Judges deployments with one fault each.
 *
 * A fault without state changes few responses. So each deployment answers equal requests once, and only the cases with
 * a changed response are judged. A fault with state goes through the engine, because the order of requests matters.
 */
export interface FaultJudge {
  /** The cases whose responses a fault changes. All others pass. */
  judge(fault: Fault): Promise<readonly FaultyCase[]>;
  /** The first case that fails; undefined when the fault survives. */
  findFailure(fault: Fault): Promise<RequirementCase | undefined>;
  /** The first case that fails on a deployment without state. */
  findFailureOf(respond: Answer): Promise<RequirementCase | undefined>;
  /** The titles of the rows of a case that fail when nothing else is sent. */
  listRowsThatFailAlone(fault: Fault, judged: FaultyCase): Promise<string[]>;
}

export function createFaultJudge(suite: Suite): FaultJudge {
  const { world } = suite;
  const options = { isWorldLoaded: true, recognizer: createRecognizer(world) };
  const cases = suite.cases.filter((testCase) => testCase.kind === 'requirement');
  const requests = new Map(cases.map((testCase) => [testCase, listRequestsOfCase(testCase)]));
  const deploy = (...faults: Fault[]) => createDeployment({ world, credentials: inProcessCredentials, faults });
  const respondWithoutFault = createCachedDeployment(deploy());
  /** How often each case has failed. Cases that often fail are judged first. */
  const failures = new Map<RequirementCase, number>();

  async function* judgeWithoutState(deployment: Answer): AsyncGenerator<FaultyCase> {
    const respond = createCachedDeployment(deployment);
    const { target } = await startRun(suite, createChannel(respond), options);
    const isChanged = (request: HttpRequest) => {
      const [right, wrong] = [respondWithoutFault(request), respond(request)];
      return right.status !== wrong.status || right.body !== wrong.body;
    };
    const likely = cases.toSorted((a, b) => (failures.get(b) ?? 0) - (failures.get(a) ?? 0));
    for (const testCase of likely) {
      if (!requests.get(testCase)?.some(isChanged)) continue;
      const exchanges = testCase.rows.map((row) => {
        const named = [...row.requests].map(
          ([name, request]) => [name, { request, response: respond(request) }] as const,
        );
        return new Map<string, Exchange>(named);
      });
      yield { testCase, judgement: judgeCase(testCase, collectRowEvidence(exchanges, target)), exchanges, target };
    }
  }

  async function judgeWithState(fault: Fault, tested = suite): Promise<FaultyCase[]> {
    const { target, cases: judged } = await judgeDeployment(tested, deploy(fault), options);
    return judged.map(({ testCase, sent: { judgement, first } }) => ({
      testCase,
      judgement,
      exchanges: first.exchanges,
      target,
    }));
  }

  async function findFirstFailure(
    judged: AsyncIterable<FaultyCase> | Iterable<FaultyCase>,
  ): Promise<RequirementCase | undefined> {
    for await (const { testCase, judgement } of judged) {
      if (judgement.verdict !== 'fail') continue;
      failures.set(testCase, (failures.get(testCase) ?? 0) + 1);
      return testCase;
    }
    return undefined;
  }

  return {
    judge: (fault) => (fault.hasState ? judgeWithState(fault) : collect(judgeWithoutState(deploy(fault)))),

    findFailure: async (fault) =>
      findFirstFailure(fault.hasState ? await judgeWithState(fault) : judgeWithoutState(deploy(fault))),

    findFailureOf: (respond) => findFirstFailure(judgeWithoutState(respond)),

    async listRowsThatFailAlone(fault, { testCase, judgement, exchanges, target }) {
      const titles: string[] = [];
      for (const [n, row] of testCase.rows.entries()) {
        if (judgement.rows[n]?.verdict !== 'fail') continue;
        const alone: RequirementCase = { ...testCase, rows: [row] };
        const [verdict] = fault.hasState
          ? (await judgeWithState(fault, { ...suite, cases: [alone] })).map(({ judgement }) => judgement.verdict)
          : [judgeCase(alone, collectRowEvidence(exchanges.slice(n, n + 1), target)).verdict];
        if (verdict === 'fail') titles.push(row.title);
      }
      return titles;
    },
  };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** A deployment that answers equal requests once. */
function createCachedDeployment(respond: Answer) {
  const responses = new Map<string, HttpResponse>();
  return (request: HttpRequest): HttpResponse => {
    const key = serializeRequest(request);
    const response = responses.get(key) ?? respond(request);
    responses.set(key, response);
    return response;
  };
}
