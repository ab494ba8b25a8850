import { createDeployment } from '../../reference/deployment.js';
import type { TestCase } from '../../src/cases/test-case.js';
import { credentialPlaceholders } from '../../src/contract/operation.js';
import type { Exchange, HttpRequest } from '../../src/http/exchange.js';
import { judgeCase } from '../../src/judge/judge-case.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { suite } from '../self-test/support/in-process.js';
import { findMedian } from './measure-cost.js';

/** Time of processors for an exchange, in milliseconds. */
export interface JudgeTime {
  readonly judge: number;
  /** For `JSON.parse` alone, the least that a reader of bodies needs. */
  readonly parse: number;
}

/**
 * How long the judge takes: the medians over rounds of all requirement cases, each response of which is another, so that
 * nothing of it was read before.
 *
 * @param records that each response has, unless it has more: what is returned, and promotions that are not of the world
 */
export function measureJudgeTime(records: number, rounds: number): JudgeTime {
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
    const background = { world, recognizer: createRecognizer(world), calibration: [], isWorldSeen: true };
    const sent = cases.map((testCase) => ({ testCase, exchanges: exchangesFor(testCase) }));
    const all = sent.flatMap(({ exchanges }) => exchanges.flatMap((row) => [...row.values()]));
    const bodies = all.flatMap((exchange) => ('response' in exchange ? exchange.response.body : [])).filter(isJson);
    return {
      judge: msOf(() => {
        for (const { testCase, exchanges } of sent) judgeCase(testCase, exchanges, background);
      }, all.length),
      parse: msOf(() => {
        for (const body of bodies) JSON.parse(body);
      }, all.length),
    };
  };
  // The first is for the compiler.
  round();
  const times = Array.from({ length: rounds }, round);
  const of = (key: keyof JudgeTime) => findMedian(times.map((time) => time[key])) ?? 0;
  return { judge: of('judge'), parse: of('parse') };
}

function isJson(body: string): boolean {
  return body.startsWith('{');
}

/** Processor time in milliseconds for each of several. */
function msOf(act: () => void, count: number): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / count;
}
