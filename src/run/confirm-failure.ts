import type { RequirementCase } from '../cases/test-case.js';
import type { Exchange } from '../http/exchange.js';
import {
  type CaseEvidence,
  type CaseJudgement,
  collectEvidence,
  isNewFailure,
  judgeAgain,
  judgeCase,
  type RowExchanges,
  type RowJudgement,
  replaceRow,
  type TargetContext,
} from '../judge/judge-case.js';
import type { CaseExchanges } from './case-result.js';
import type { CaseSender } from './case-sender.js';

/** Two responses confirm a failure: more rows would only cost requests. */
const rowsAtOnce = 2;

/** If one response shows the failure: a proxy that damages one in twenty damages one three times once in 200 runs. */
const aloneTurns = 3;

/** A proxy that damages one response in twenty does not damage the same one each time. */
const batchTurns = 3;

/**
 * Sends a failing case again: a failure counts only if it is seen again. Failing rows are sent alone. A row that then passes
 * may fail only among other requests, so it is sent in its batch, too. All other rows are inconclusive and unstable.
 */
export async function confirmFailure(
  testCase: RequirementCase,
  sender: CaseSender,
  background: TargetContext,
  first: CaseExchanges & { readonly evidence: readonly CaseEvidence[] },
  once: CaseJudgement,
): Promise<{ readonly judgement: CaseJudgement; readonly repetitions: readonly CaseExchanges[] }> {
  const repetitions: CaseExchanges[] = [];
  const again: CaseEvidence[][] = [];
  let judgement = once;
  const sendAgain = async (rows: readonly number[], turn: number): Promise<readonly number[]> => {
    const sent = await sender.sendAlone(testCase, rows, turn);
    repetitions.push(sent);
    again.push(collectEvidence(sent.exchanges, background));
    judgement = judgeAgain(once, testCase, first.evidence, again);
    const still = listFailingRows(judgement);
    return rows.filter((row) => still.includes(row));
  };
  const failing = listFailingRows(once);
  while (failing.length > 0) {
    let confirmed = await sendAgain(failing.splice(0, rowsAtOnce), 1);
    for (let turn = 2; turn <= aloneTurns; turn += 1)
      if (confirmed.length > 0 && showsOneResponse(confirmed, judgement, first))
        confirmed = await sendAgain(confirmed, turn);
    if (confirmed.length > 0) return { judgement, repetitions };
  }

  const confirmInBatch = async (row: number): Promise<RowJudgement | undefined> => {
    const ofRow: RequirementCase = { ...testCase, rows: testCase.rows.slice(row, row + 1) };
    const passes = (exchanges: RowExchanges[number]) =>
      judgeCase(ofRow, collectEvidence([exchanges], background)).verdict === 'pass';
    const inRun = first.exchanges[row] ?? new Map<string, Exchange>();
    const alone = repetitions.flatMap(({ exchanges }) => exchanges[row] ?? []).find(({ size }) => size > 0);
    if (alone === undefined || !passes(alone)) return undefined;
    // Of several responses, the wrong one is that without which the row passes.
    const isWrong = (request: string) => passes(new Map([...inRun, [request, alone.get(request) as Exchange]]));
    const name = [...inRun.keys()].find(isWrong) ?? once.rows[row]?.exchange ?? '';
    const wrong = inRun.get(name);
    if (wrong === undefined) return undefined;
    let repeated: RowJudgement | undefined;
    for (let turn = 1; turn <= batchTurns; turn += 1) {
      const sent = await sender.sendInBatch(testCase, row, name, wrong, turn);
      if (sent === undefined) return undefined;
      repetitions.push(sent);
      const received = new Map([...alone, ...(sent.exchanges[row] ?? [])]);
      const evidence = collectEvidence([received], background);
      repeated = judgeAgain(
        { ...once, rows: once.rows.slice(row, row + 1) },
        ofRow,
        first.evidence.slice(row, row + 1),
        [evidence],
      ).rows[0];
      if (repeated?.verdict !== 'fail') return undefined;
    }
    return repeated && { ...repeated, reason: `Only among other requests: ${repeated.reason}` };
  };

  for (const row of listFailingRows(once)) {
    const confirmed = await confirmInBatch(row);
    if (confirmed !== undefined) return { judgement: replaceRow(judgement, testCase, row, confirmed), repetitions };
  }
  return { judgement, repetitions };
}

/** Lists the rows that fail. If there are new failures, these are to be confirmed, and not what is known. */
function listFailingRows({ rows }: CaseJudgement): number[] {
  const list = (isMeant: (row: RowJudgement) => boolean) => rows.flatMap((row, n) => (isMeant(row) ? [n] : []));
  const unknown = list(isNewFailure);
  return unknown.length > 0 ? unknown : list(({ verdict }) => verdict === 'fail');
}

function showsOneResponse(failing: readonly number[], { rows }: CaseJudgement, { exchanges }: CaseExchanges): boolean {
  const shown = failing.flatMap((row) => rows[row]?.shownBy?.map((name) => exchanges[row]?.get(name)) ?? []);
  return new Set(shown).size <= 1;
}
