import { createDeployment } from '../../reference/deployment.js';
import type { TestCase } from '../../src/cases/case.js';
import { credentialPlaceholders } from '../../src/http/credentials.js';
import type { Exchange, HttpRequest } from '../../src/http/exchange.js';
import { judgeCase } from '../../src/judge/judge-case.js';
import { recognizerFor } from '../../src/recognition/recognizer.js';
import { suite } from '../self-test/support/in-process.js';
import { median } from './cost.js';

/**
 * How much time of processors the judge takes for an exchange, in milliseconds: the median over rounds of all requirement cases, each
 * response of which is another, so that nothing of it was read before.
 *
 * @param records that each response has, unless it has more: what is returned, and promotions that are not of the world
 */
export function judgeMs(records: number, rounds: number): number {
  const { world } = suite;
  const cases = suite.cases.filter(({ kind }) => kind === 'requirement');
  const deployment = createDeployment({ world, credentials: credentialPlaceholders });
  let count = 0;
  const exchangeFor = (request: HttpRequest): Exchange => {
    const response = deployment(request);
    if (response.status !== 200) return { request, response };
    const { promotions = [], ...rest } = JSON.parse(response.body);
    const others = Array.from({ length: Math.max(0, records - promotions.length) }, () => {
      count += 1;
      return { ...promotions[0], id: `promo_${count.toString(16).padStart(24, '0')}`, name: `other-${count}` };
    });
    count += 1;
    // What is put together is kept in pieces until it is first read: a client has its text as a whole.
    const body = Buffer.from(
      JSON.stringify({ ...rest, request: count, promotions: [...promotions, ...others] }),
    ).toString();
    return { request, response: { ...response, body } };
  };
  const exchangesFor = ({ rows }: TestCase) =>
    rows.map(({ requests }) => new Map([...requests].map(([name, request]) => [name, exchangeFor(request)] as const)));
  const round = () => {
    const background = { world, recognizer: recognizerFor(world), calibration: [], isWorldSeen: true };
    const sent = cases.map((testCase) => ({ testCase, exchanges: exchangesFor(testCase) }));
    const all = sent.flatMap(({ exchanges }) => exchanges.flatMap((row) => [...row.values()]));
    const before = process.cpuUsage();
    for (const { testCase, exchanges } of sent) judgeCase(testCase, exchanges, background);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / all.length;
  };
  // The first is for the compiler.
  round();
  return median(Array.from({ length: rounds }, round)) ?? 0;
}
