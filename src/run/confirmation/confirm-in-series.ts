/** Confirms that a request has a right result and a wrong one by turns, when it is sent alone several times. */

import { type AnsweredExchange, readReturnedTiersOfExchange } from '../../assertions/row-evidence.js';
import { collectRowEvidence, type TargetContext } from '../../judge/collect-row-evidence.js';
import { judgeCaseByRows } from '../../judge/judge-case.js';
import { judgeExchanges } from '../../judge/judge-exchange.js';
import { groupBy } from '../../support/collections.js';
import { createReason } from '../../support/reason.js';
import type { CaseExchanges } from '../case-result.js';
import { isSerial, type SuspectRequest } from '../case-sender.js';
import {
  type Confirmation,
  type FailedCase,
  findSuspect,
  isDamaged,
  listFailingRows,
  type StageResult,
} from './failed-case.js';

/** How often a request is sent alone, at most; and how often if it is right each time. */
const [maxInSeries, maxRightInSeries] = [12, 4];
/**
 * How often the result must be wrong in the same way, and how often right and wrong must follow each other. Of twelve responses,
 * a proxy that takes one in twenty for another makes three wrong once in 50 times, and seldom in the same way.
 */
const [minAlike, minTurns] = [3, 3];

/**
 * Confirms that a request has a right result and the same wrong one by turns, as where a worker process keeps something for its next
 * request. A change of the data would change the result once.
 */
export async function confirmInSeries(failed: FailedCase, alone: Confirmation): Promise<StageResult> {
  const { testCase, sender, target, firstJudgement } = failed;
  const { judgement } = alone;
  const repetitions: CaseExchanges[] = [];
  const suspect = listFailingRows(firstJudgement)
    .map((row) => findSuspect(failed, alone.repetitions, row)?.suspect)
    .find((found) => found !== undefined);
  const failing = suspect && firstJudgement.rows[suspect.row];
  const isTried = !isSerial(testCase) && !failed.isRunFailing;
  if (suspect === undefined || failing?.reason === undefined || !isTried)
    return { judgement, repetitions, isConfirmed: false };
  while (repetitions.length < maxInSeries) {
    const sent = await sender.sendInSeries(suspect);
    if (sent === undefined) break;
    repetitions.push(sent);
    const series = readSeries(repetitions, suspect, target);
    if (series.isDamaged || (series.wrong === 0 && series.sent >= maxRightInSeries)) break;
    if (!series.isByTurns) continue;
    const { reason } = failing;
    const data = { reason, wrong: series.wrong, sent: series.sent };
    const rows = judgement.rows.with(suspect.row, { ...failing, reason: createReason('by-turns', data) });
    return { judgement: judgeCaseByRows(rows, testCase), repetitions, isConfirmed: true };
  }
  return { judgement, repetitions, isConfirmed: false };
}

/** Reads what came back each time that a suspect was sent. The first response, which is wrong, counts as a turn. */
function readSeries(repetitions: readonly CaseExchanges[], { first }: SuspectRequest, target: TargetContext) {
  const all = [first, ...repetitions.flatMap(({ batch }) => batch?.exchanges ?? [])];
  const whole = all.filter((exchange): exchange is AnsweredExchange => !isDamaged(exchange));
  const judged = judgeExchanges(whole, target);
  const results = whole.map((exchange, n) => (judged[n]?.verdict === 'fail' ? renderResult(exchange, target) : ''));
  const isWrong = results.map((result) => result !== '');
  const again = results.slice(1).filter((result) => result !== '');
  const alike = [...groupBy(again, (result) => result).values()].map((same) => same.length);
  const turns = isWrong.filter((is, n) => n > 0 && is !== isWrong[n - 1]).length;
  return {
    sent: all.length - 1,
    wrong: again.length,
    isDamaged: whole.length < all.length,
    isByTurns: Math.max(0, ...alike) >= minAlike && turns >= minTurns,
  };
}

/** Equal for exchanges that returned the same promotions, and never empty. */
function renderResult(exchange: AnsweredExchange, target: TargetContext): string {
  const evidence = collectRowEvidence([new Map([['request', exchange]])], target);
  const returned = evidence.flatMap((row) => readReturnedTiersOfExchange(exchange, row).returned);
  return JSON.stringify([exchange.response.status, returned.toSorted()]);
}
