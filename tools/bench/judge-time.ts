import type { Exchange, HttpRequest } from '../../src/http/exchange.js';
import { collectRowEvidence } from '../../src/judge/collect-row-evidence.js';
import { judgeCase } from '../../src/judge/judge-case.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { createReference, suite } from '../../test/support/in-process.js';
import { findMedian } from './measure-cost.js';

/** Processor time per exchange, in milliseconds. */
export interface JudgeTime {
  readonly judge: number;
  /** `JSON.parse` alone, the minimum for reading a body. */
  readonly parse: number;
}

/**
 * Measures the judge: medians over rounds of all requirement cases. All responses differ, so that no cache helps.
 *
 * @param records the least number of records in each response: the returned tiers, and promotions outside the world
 */
export function measureJudgeTime(records: number, rounds: number): JudgeTime {
  const { world } = suite;
  const cases = suite.cases.filter(({ kind }) => kind === 'requirement');
  const deployment = createReference();
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
    // V8 keeps a concatenated string in pieces until it is read. A client receives a flat string.
    const body = Buffer.from(
      JSON.stringify({ ...rest, request: count, promotions: [...promotions, ...others] }),
    ).toString();
    return { request, response: { ...response, body } };
  };
  const round = () => {
    const target = { world, recognizer: createRecognizer(world), calibration: [], isWorldSeen: true };
    const sent = cases.map((testCase) => ({
      testCase,
      exchanges: testCase.rows.map(
        ({ requests }) => new Map([...requests].map(([name, request]) => [name, exchangeFor(request)])),
      ),
    }));
    const all = sent.flatMap(({ exchanges }) => exchanges.flatMap((row) => [...row.values()]));
    const bodies = all.flatMap((exchange) => ('response' in exchange ? exchange.response.body : []));
    const json = bodies.filter((body) => body.startsWith('{'));
    const parseAll = () => {
      for (const body of json) JSON.parse(body);
    };
    // Not timed: the garbage collector moves the new exchanges once, which is the work of neither.
    parseAll();
    return {
      judge: msOf(() => {
        for (const { testCase, exchanges } of sent) judgeCase(testCase, collectRowEvidence(exchanges, target));
      }, all.length),
      parse: msOf(parseAll, all.length),
    };
  };
  // The first round warms the compiler up.
  round();
  const times = Array.from({ length: rounds }, round);
  const of = (key: keyof JudgeTime) => findMedian(times.map((time) => time[key]));
  return { judge: of('judge'), parse: of('parse') };
}

/** Returns the processor time per item, in milliseconds. */
function msOf(act: () => void, count: number): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / count;
}
