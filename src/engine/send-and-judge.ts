import type { TestCase } from '../cases/test-case.js';
import { type CaseJudgement, judgeCase, type TargetContext } from '../judge/judge-case.js';
import type { CaseExchanges, CaseSender } from './case-sender.js';

/** The judgement of a case with all exchanges. */
export interface CaseAttempts {
  readonly judgement: CaseJudgement;
  readonly first: CaseExchanges;
  /** The exchanges of each repetition. */
  readonly repeats: readonly CaseExchanges[];
}

/**
 * Sends and judges a case. A failing case is sent again, one request after another on new connections, so that a mixed-up
 * response does not count as a failure. If only one row failed twice, it is sent a third time: among hundreds of rows,
 * one may fail twice by accident.
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
  const failingRows = twice.rows.filter(({ verdict }) => verdict === 'fail');
  if (failingRows.length !== 1) return { judgement: twice, first, repeats: [second] };
  const third = await sender.sendSerially(testCase);
  const thrice = judgeCase(testCase, first.exchanges, background, second.exchanges, third.exchanges);
  return { judgement: thrice, first, repeats: [second, third] };
}
