/** Confirms that a response does not arrive whole, while others do. */

import { listWholeResponses } from '../../assertions/judge-broken-response.js';
import type { RequirementCase, RequirementRow } from '../../cases/test-case.js';
import type { Exchange } from '../../http/exchange.js';
import { findResponseBreakage } from '../../http/response-breakage.js';
import {
  collectRowEvidence,
  type ExchangesByRow,
  type RowEvidenceWithReadings,
} from '../../judge/collect-row-evidence.js';
import { judgeCaseByRows } from '../../judge/judge-case.js';
import type { RowJudgement } from '../../judge/judgement.js';
import { createReason } from '../../support/reason.js';
import type { CaseExchanges } from '../case-result.js';
import { type FailedCase, judgeRepeatedRow, listFailingRows, type StageResult } from './failed-case.js';

/**
 * The number of times that a request with a broken response is sent alone, and of other requests beside it each time. Where a
 * network breaks a share p of all responses, a request is broken each time and all others are whole with the probability
 * p·(p·(1-p)^6)^4, at most once in 600,000 (p = 0.17). With a hundred requests, that is once in 6,000 runs without retries.
 */
const [brokenTurns, controlCount] = [4, 6];

/** Looks for a row whose response is broken in the same way each time. */
export async function confirmBrokenResponses(failed: FailedCase): Promise<StageResult> {
  const { testCase, firstJudgement } = failed;
  let rows = firstJudgement.rows;
  const repetitions: CaseExchanges[] = [];
  for (const row of listFailingRows(firstJudgement)) {
    if (firstJudgement.rows[row]?.expected?.kind !== 'answered') continue;
    const repeated = await repeatBrokenRow(failed, row);
    rows = rows.with(row, repeated.judgement);
    repetitions.push(...repeated.repetitions);
    if (repeated.judgement.verdict === 'fail')
      return { judgement: judgeCaseByRows(rows, testCase), repetitions, isConfirmed: true };
  }
  return { judgement: judgeCaseByRows(rows, testCase), repetitions, isConfirmed: false };
}

/** Sends a row whose response is broken again, alone, with requests that got whole responses beside it. */
async function repeatBrokenRow({ testCase, sender, target, first, evidence, firstJudgement }: FailedCase, row: number) {
  const { title, exchange: name = '' } = firstJudgement.rows[row] as RowJudgement;
  const broken = first.exchanges[row]?.get(name) as Exchange;
  const whole = listWholeResponses({
    ofCase: first.exchanges.flatMap(listExchanges),
    calibration: target.calibration,
  });
  const controls = whole.slice(0, controlCount).map(({ request }, n) => [`control-${n + 1}`, request] as const);
  const judged = testCase.rows[row] as RequirementRow;
  const beside = { ...judged, requests: new Map([...judged.requests, ...controls]) };
  const watched: RequirementCase = { ...testCase, rows: testCase.rows.with(row, beside) };
  const ofRow: RequirementCase = { ...testCase, rows: [judged] };
  const firstEvidence = evidence.slice(row, row + 1);
  const repetitions: CaseExchanges[] = [];
  const again: RowEvidenceWithReadings[][] = [];
  for (let turn = 1; turn <= brokenTurns; turn += 1) {
    const sent = await sender.sendAlone(watched, [row], turn);
    repetitions.push(sent);
    again.push(collectRowEvidence(sent.exchanges, target).slice(row, row + 1));
    const judgement = { ...judgeRepeatedRow(ofRow, firstEvidence, again), title };
    if (judgement.verdict !== 'fail') return { judgement, repetitions };
    const received = sent.exchanges[row];
    const isAlike = findResponseBreakage(received?.get(name) as Exchange)?.kind === findResponseBreakage(broken)?.kind;
    const isEachWhole = controls.every(([control]) => isWhole(received?.get(control)));
    if (!isAlike || !isEachWhole) return { judgement: leaveOpen(judgement, broken), repetitions };
  }
  return { judgement: { ...judgeRepeatedRow(ofRow, firstEvidence, again), title }, repetitions };
}

const listExchanges = (row: ExchangesByRow[number]): Exchange[] => [...row.values()];

const isWhole = (exchange: Exchange | undefined) =>
  exchange !== undefined && 'response' in exchange && findResponseBreakage(exchange) === undefined;

/** If responses to other requests break, too, or this one breaks in another way, the network may be the reason. */
function leaveOpen({ title, at, exchange, reason }: RowJudgement, broken: Exchange): RowJudgement {
  const why = findResponseBreakage(broken)?.reason ?? reason ?? createReason('passed');
  return { title, verdict: 'inconclusive', at, reason: why, ...(exchange !== undefined && { exchange }) };
}
