import type { TestCase } from '../cases/case.js';
import type { Channel } from '../http/exchange.js';
import { type Background, type CaseJudgement, judgeCase } from '../judge/judge-case.js';
import { type CaseExchanges, sendCase, sendCaseSlowly } from './send-case.js';

/** A judged case with the exchanges that it rests on. */
export interface SentCase {
  readonly judgement: CaseJudgement;
  readonly first: CaseExchanges;
  /** What came back each time that it was sent again. */
  readonly again: readonly CaseExchanges[];
}

/**
 * Sends a case and judges it. One that is about to fail is sent once more as a whole, each request by itself and on a
 * connection of its own: what was refuted by chance, by an answer meant for another request say, is not refuted again.
 * A single row may by chance be refuted twice, among hundreds of a run, so it has to be refuted a third time.
 */
export async function sendAndJudge(testCase: TestCase, channel: Channel, background: Background): Promise<SentCase> {
  const first = await sendCase(testCase, channel);
  const once = judgeCase(testCase, first.exchanges, background);
  if (once.verdict !== 'fail') return { judgement: once, first, again: [] };
  const second = await sendCaseSlowly(testCase, channel);
  const twice = judgeCase(testCase, first.exchanges, background, second.exchanges);
  const refuted = twice.rows.filter(({ verdict }) => verdict === 'fail');
  if (refuted.length !== 1) return { judgement: twice, first, again: [second] };
  const third = await sendCaseSlowly(testCase, channel);
  const thrice = judgeCase(testCase, first.exchanges, background, second.exchanges, third.exchanges);
  return { judgement: thrice, first, again: [second, third] };
}
