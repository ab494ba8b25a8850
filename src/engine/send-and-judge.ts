import type { TestCase } from '../cases/case.js';
import type { Channel } from '../http/exchange.js';
import { type Background, type CaseJudgement, judgeCase } from '../judge/judge-case.js';
import { type CaseExchanges, sendCase } from './send-case.js';

/** A judged case with the exchanges that it rests on. */
export interface SentCase {
  readonly judgement: CaseJudgement;
  readonly first: CaseExchanges;
  /** Where it was sent a second time. */
  readonly again?: CaseExchanges;
}

/**
 * Sends a case and judges it. One that is about to fail is sent once more as a whole, on fresh connections: what was
 * refuted by chance, by an answer meant for another request say, is not refuted again.
 */
export async function sendAndJudge(testCase: TestCase, channel: Channel, background: Background): Promise<SentCase> {
  const first = await sendCase(testCase, channel);
  const judgement = judgeCase(testCase, first.exchanges, background);
  if (judgement.verdict !== 'fail') return { judgement, first };
  channel.renew();
  const again = await sendCase(testCase, channel);
  return { judgement: judgeCase(testCase, first.exchanges, background, again.exchanges), first, again };
}
