import type { HttpResponse } from '../../src/http/exchange.js';
import type { Suite } from '../../src/suite/suite.js';
import { certifyInProcess, createReference } from '../../test/support/in-process.js';
import type { Answer } from '../proof/judge-deployment.js';

/** A server that does not look at its requests. A suite that such a server passes tests nothing. */
interface ConstantServer {
  /** What it answers to every request. */
  readonly answers: string;
  create(suite: Suite): Answer;
}

/** How many of the cases that verify requirements such a server passes. */
export interface ConstantServerResult {
  readonly answers: string;
  readonly verdict: string;
  readonly passed: number;
  readonly cases: number;
  readonly requirementsPassed: number;
  readonly requirements: number;
}

const json = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: [['content-type', 'application/json']],
  body: JSON.stringify(body),
});

const always =
  (response: HttpResponse): Answer =>
  () =>
    response;

const list = (ids: readonly string[]): Answer => always(json(200, { promotions: ids.map((id) => ({ id })) }));

const checkedTiers = ({ world }: Suite) => world.tiers.slice(0, 150);

/** Answers every request as the first one that gets promotions. */
function repeatFirstResult(): Answer {
  const respond = createReference();
  let first: HttpResponse | undefined;
  return (request) => {
    if (first !== undefined) return first;
    const response = respond(request);
    if (response.body.includes('"promotion_tier"')) first = response;
    return response;
  };
}

export const constantServers: readonly ConstantServer[] = [
  { answers: 'an empty list', create: () => list([]) },
  { answers: 'no content, 204', create: () => always({ status: 204, headers: [], body: '' }) },
  { answers: 'all promotions', create: ({ world }) => list(world.tiers.map(({ id }) => id)) },
  { answers: 'the newest 150 promotions', create: (suite) => list(checkedTiers(suite).map(({ id }) => id)) },
  {
    answers: 'the promotions without rules among the newest 150',
    create: (suite) => list(checkedTiers(suite).flatMap(({ id, rules }) => (rules.length === 0 ? id : []))),
  },
  { answers: 'the result of the first request', create: repeatFirstResult },
  {
    answers: 'what the request says',
    create:
      () =>
      ({ body = '' }) => ({ ...json(200, {}), body }),
  },
  {
    answers: 'a web page',
    create: () => always({ status: 200, headers: [['content-type', 'text/html']], body: '<h1>Shop</h1>' }),
  },
  { answers: '404', create: () => always(json(404, { message: 'Not Found' })) },
  { answers: '500', create: () => always(json(500, { message: 'Internal Server Error' })) },
];

/** Certifies servers that do not look at their requests. */
export async function measureConstantServers(suite: Suite, servers = constantServers): Promise<ConstantServerResult[]> {
  const ids = new Set(suite.cases.flatMap(({ kind, id }) => (kind === 'requirement' ? id : [])));
  const results: ConstantServerResult[] = [];
  for (const { answers, create } of servers) {
    const { certificate, results: judged } = await certifyInProcess(create(suite), { suite });
    const { requirements, verdict } = certificate;
    results.push({
      answers,
      verdict,
      passed: judged.filter((result) => ids.has(result.id) && result.verdict === 'pass').length,
      cases: ids.size,
      requirementsPassed: requirements.filter((requirement) => requirement.verdict === 'pass').length,
      requirements: requirements.length,
    });
  }
  return results;
}
