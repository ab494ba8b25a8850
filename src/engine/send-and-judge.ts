import type { TestCase } from '../cases/case.js';
import { type Background, type CaseJudgement, judgeCase } from '../judge/judge-case.js';
import type { CaseExchanges, CaseSender } from './send-case.js';

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
export async function sendAndJudge(testCase: TestCase, sender: CaseSender, background: Background): Promise<SentCase> {
  const first = await sender.send(testCase);
  const once = judgeCase(testCase, first.exchanges, background);
  if (once.verdict !== 'fail') return { judgement: once, first, again: [] };
  const second = await sender.sendSlowly(testCase);
  const twice = judgeCase(testCase, first.exchanges, background, second.exchanges);
  const refuted = twice.rows.filter(({ verdict }) => verdict === 'fail');
  if (refuted.length !== 1) return { judgement: twice, first, again: [second] };
  const third = await sender.sendSlowly(testCase);
  const thrice = judgeCase(testCase, first.exchanges, background, second.exchanges, third.exchanges);
  return { judgement: thrice, first, again: [second, third] };
}
