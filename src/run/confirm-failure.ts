import type { RequirementCase } from '../cases/test-case.js';
import type { Exchange } from '../http/exchange.js';
import {
  type CaseJudgement,
  judgeCase,
  type RowExchanges,
  type RowJudgement,
  replaceRow,
  type TargetContext,
} from '../judge/judge-case.js';
import type { CaseExchanges } from './case-result.js';
import type { CaseSender } from './case-sender.js';

/** A race may need luck; what is damaged by accident is not damaged each time. */
const batchTurns = 3;

/**
 * Sends a failing case again: a failure counts only if it is seen again.
 *
 * 1. The failing rows are sent again, each request alone on a new connection. A row that violates the same expectation
 *    again fails. If all of them show one response, they are sent once more: a bad proxy damages one response in twenty,
 *    and of the hundreds of a run, one twice.
 * 2. A row that passes alone may fail only among other requests. The batch in which its wrong response came is sent again
 *    three times. If the row violates the same expectation each time, it fails, and the reason says so.
 * 3. All other rows are inconclusive and unstable.
 *
 * @param first what was sent the first time, and judged `once`
 */
export async function confirmFailure(
  testCase: RequirementCase,
  sender: CaseSender,
  background: TargetContext,
  first: CaseExchanges,
  once: CaseJudgement,
): Promise<{ readonly judgement: CaseJudgement; readonly repetitions: readonly CaseExchanges[] }> {
  const repetitions: CaseExchanges[] = [];
  const judge = (...again: RowExchanges[]) => judgeCase(testCase, first.exchanges, background, ...again);
  const judgeRow = (row: number, ...again: RowExchanges[number][]) => {
    const ofRow = again.map((exchanges) => testCase.rows.map((_, n) => (n === row ? exchanges : new Map())));
    return judge(...ofRow).rows[row] as RowJudgement;
  };

  let judgement = once;
  for (let turn = 1; turn === 1 || (turn === 2 && showsOneResponse(judgement, first)); turn += 1) {
    repetitions.push(await sender.sendAlone(testCase, listFailingRows(judgement), turn));
    judgement = judge(...repetitions.map(({ exchanges }) => exchanges));
  }
  if (judgement.verdict === 'fail') return { judgement, repetitions };

  for (const row of listFailingRows(once)) {
    const alone = repetitions[0]?.exchanges[row] ?? new Map<string, Exchange>();
    const own = first.exchanges[row] ?? new Map<string, Exchange>();
    // Of several requests, the response is wrong without which the row does not fail.
    const isWrong = (name: string) =>
      judgeRow(row, new Map([...own, [name, alone.get(name) as Exchange]])).verdict !== 'fail';
    const name = [...own.keys()].find(isWrong) ?? once.rows[row]?.exchange ?? '';
    const wrong = own.get(name);
    const inBatches: RowExchanges[number][] = [];
    for (let turn = 1; wrong !== undefined && turn <= batchTurns; turn += 1) {
      const sent = await sender.sendInBatch(testCase, row, name, wrong, turn);
      if (sent === undefined) break;
      repetitions.push(sent);
      inBatches.push(new Map([...alone, ...(sent.exchanges[row] ?? [])]));
      const judged = judgeRow(row, ...inBatches);
      if (process.env.B_TRACE) console.error('TRACE', testCase.id, row, name, 'turn', turn, judged.verdict);
      if (judged.verdict !== 'fail') break;
      if (turn < batchTurns) continue;
      const reason = `Only among other requests: ${judged.reason}`;
      return {
        judgement: replaceRow(judgement, testCase, row, { ...judged, reason }),
        repetitions,
      };
    }
  }
  return { judgement, repetitions };
}

function listFailingRows({ rows }: CaseJudgement): number[] {
  return rows.flatMap(({ verdict }, n) => (verdict === 'fail' ? [n] : []));
}

/** Whether one response shows all failures of a case. */
function showsOneResponse(judgement: CaseJudgement, { exchanges }: CaseExchanges): boolean {
  const shown = listFailingRows(judgement).map((row) => exchanges[row]?.get(judgement.rows[row]?.exchange ?? ''));
  return new Set(shown).size === 1;
}
