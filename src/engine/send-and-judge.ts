import type { TestCase } from '../cases/test-case.js';
import { type CaseJudgement, judgeCase, type TargetContext } from '../judge/judge-case.js';
import type { CaseExchanges, CaseSender } from './case-sender.js';

/** A judged case with the exchanges that it rests on. */
export interface CaseAttempts {
  readonly judgement: CaseJudgement;
  readonly first: CaseExchanges;
  /** What came back each time that it was sent again. */
  readonly repeats: readonly CaseExchanges[];
}

/**
 * Sends a case and judges it. One that is about to fail is sent once more as a whole, each request by itself and on a
 * connection of its own: what was refuted by chance, by an answer meant for another request say, is not refuted again.
 * A single row may by chance be refuted twice, among hundreds of a run, so it has to be refuted a third time.
 */
export async function sendAndJudge(
  testCase: TestCase,
  sender: CaseSender,
  background: TargetContext,
): Promise<CaseAttempts> {
  const first = await sender.send(testCase);
  const once = judgeCase(testCase, first.exchanges, background);
  if (once.verdict !== 'fail') return { judgement: once, first, repeats: [] };
  const second = await sender.sendSerially(testCase);
  const twice = judgeCase(testCase, first.exchanges, background, second.exchanges);
  const refuted = twice.rows.filter(({ verdict }) => verdict === 'fail');
  if (refuted.length !== 1) return { judgement: twice, first, repeats: [second] };
  const third = await sender.sendSerially(testCase);
  const thrice = judgeCase(testCase, first.exchanges, background, second.exchanges, third.exchanges);
  return { judgement: thrice, first, repeats: [second, third] };
}
