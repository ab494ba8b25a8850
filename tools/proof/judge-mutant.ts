import type { TestCase } from '../../src/cases/test-case.js';
import { createOracle } from '../../src/contract/oracle.js';
import { type HttpRequest, type HttpResponse, serializeRequest } from '../../src/http/exchange.js';
import { isSuccessful } from '../../src/http/response-status.js';
import { drawRequests } from '../../src/own-data/draw-requests.js';
import { listRequestsOfCase } from '../../src/run/case-sender.js';
import type { Suite } from '../../src/suite/suite.js';
import { cacheByObject, computeOnce } from '../../src/support/caches.js';
import { type Answer, judgeDeployment } from './judge-deployment.js';
import { createFaultJudge } from './judge-fault.js';
import { createMutantDeployments } from './mutants.js';

/** What becomes of a mutant in a default run. */
export const mutantFates = {
  found: 'a requirement fails',
  incomplete: 'the run says that it cannot judge',
  open: 'other answers, which the documentation leaves open',
  equal: 'the same answers to all requests',
  unreached: 'no request reaches the code, which is there for other answers to open questions',
  hidden: 'a documented request gets a wrong answer, and the run conforms',
} as const;

export type MutantFate = keyof typeof mutantFates;

/** How many documented requests a mutant is asked beside those of the suite, to find out whether a run overlooks it. */
export const drawnRequestCount = 300;

/** Says what becomes of mutants, by their ids. */
export interface MutantJudge {
  judge(id: string): Promise<MutantFate>;
  end(): void;
}

export async function createMutantJudge(suite: Suite): Promise<MutantJudge> {
  const deployments = await createMutantDeployments(suite);
  const usual = await deployments.deploy();
  const { requests, isDocumented } = listRequests(suite);
  const expected = computeOnce(() => requests.map(usual));
  const oracleOf = cacheByObject((request: HttpRequest) => createOracle(request, suite.world));
  const { findFailureOf } = createFaultJudge(suite);

  /** Whether a response of the reference deployment, in its usual shape, is wrong in any reading of the documentation. */
  function isWrong(request: HttpRequest, response: HttpResponse): boolean {
    // What only a question asks is open, whatever else the documentation says of it: a long body, for example.
    if (!isDocumented(request)) return false;
    const { accepted, returned } = oracleOf(request);
    if (!accepted) return false;
    return suite.world.tiers.some((tier) => {
      const isReturned = isSuccessful(response) && response.body.includes(`"${tier.id}"`);
      return returned(tier) === (isReturned ? 'forbidden' : 'required');
    });
  }

  async function judgeReached(id: string): Promise<MutantFate> {
    const respond = await deployments.deploy(id);
    if ((await findFailureOf(respond)) !== undefined) return 'found';
    let fate: MutantFate = 'equal';
    for (const [at, request] of requests.entries()) {
      const response = respond(request);
      if (isSame(response, expected()[at])) continue;
      if (isWrong(request, response)) return judgeWholeRun(respond);
      fate = 'open';
    }
    return fate;
  }

  async function judgeWholeRun(respond: Answer): Promise<MutantFate> {
    const { cases } = await judgeDeployment(suite, respond);
    const verdicts = new Set(cases.map(({ sent }) => sent.judgement.verdict));
    if (verdicts.has('fail')) return 'found';
    return verdicts.has('inconclusive') ? 'incomplete' : 'hidden';
  }

  return {
    judge: async (id) => (deployments.isReached(id, requests) ? judgeReached(id) : 'unreached'),
    end: deployments.end,
  };
}

/** The requests of all cases, and documented ones that no case sends. */
function listRequests({ cases, world }: Suite) {
  const requestsOf = (wanted: TestCase['kind']) =>
    cases.flatMap((testCase) => (testCase.kind === wanted ? listRequestsOfCase(testCase) : []));
  const drawn = drawRequests(world, drawnRequestCount).map(({ request }) => request);
  const documented = new Map(
    [...requestsOf('requirement'), ...drawn].map((request) => [serializeRequest(request), request]),
  );
  const asked = new Map(requestsOf('question').map((request) => [serializeRequest(request), request]));
  return {
    requests: [...new Map([...asked, ...documented]).values()],
    isDocumented: (request: HttpRequest) => documented.has(serializeRequest(request)),
  };
}

function isSame(left: HttpResponse, right: HttpResponse | undefined): boolean {
  if (left.status !== right?.status || left.body !== right.body) return false;
  return JSON.stringify(left.headers) === JSON.stringify(right.headers);
}
