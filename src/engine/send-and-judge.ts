import type { TestCase } from '../cases/test-case.js';
import { type CaseJudgement, judgeCase, type TargetContext } from '../judge/judge-case.js';
import type { CaseExchanges } from './case-exchanges.js';
import type { CaseSender } from './case-sender.js';
import { confirmUnderConditions } from './confirm-under-conditions.js';

/** The judgement of a case with all exchanges. */
export interface CaseAttempts {
  readonly judgement: CaseJudgement;
  readonly first: CaseExchanges;
  /** The exchanges of each repetition of the whole case. */
  readonly repeats: readonly CaseExchanges[];
  /** The exchanges of single rows that were repeated under the conditions of the first time. */
  readonly confirmations: readonly CaseExchanges[];
}

/**
 * Sends a case and judges it. A failing case is repeated: each request alone and on a new connection, so that an answer
 * that was damaged on its way fails nothing. A single failing row is repeated twice, because by chance one row of hundreds
 * fails twice. A case that passes alone is repeated under the conditions of the first time.
 */
export async function sendAndJudge(
  testCase: TestCase,
  sender: CaseSender,
  background: TargetContext,
): Promise<CaseAttempts> {
  const first = await sender.send(testCase);
  const once = judgeCase(testCase, first.exchanges, background);
  if (once.verdict !== 'fail' || testCase.kind === 'question')
    return { judgement: once, first, repeats: [], confirmations: [] };
  const repeats = [await sender.sendSerially(testCase)];
  const judgeAll = () => judgeCase(testCase, first.exchanges, background, ...repeats.map(({ exchanges }) => exchanges));
  let repeated = judgeAll();
  if (repeated.rows.filter(({ verdict }) => verdict === 'fail').length === 1) {
    repeats.push(await sender.sendSerially(testCase));
    repeated = judgeAll();
  }
  if (repeated.verdict === 'fail') return { judgement: repeated, first, repeats, confirmations: [] };
  const confirmation = await confirmUnderConditions(testCase, sender, background, first, once, repeated);
  return { judgement: confirmation.judgement, first, repeats, confirmations: confirmation.attempts };
}
