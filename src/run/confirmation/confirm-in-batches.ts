/** Confirms that a row is wrong among the requests that were sent next to it, or among any that overlap. */

import { collectRowEvidence, type ExchangesByRow } from '../../judge/collect-row-evidence.js';
import { judgeCaseByRows } from '../../judge/judge-case.js';
import type { RowJudgement } from '../../judge/judgement.js';
import { createReason } from '../../support/reason.js';
import type { CaseExchanges } from '../case-result.js';
import { isSerial, maxInBatches, maxInBatchesAfterFailure, type SuspectRequest } from '../case-sender.js';
import { confirmAnyRequest } from './confirm-among-overlapping.js';
import {
  type BatchResult,
  type Confirmation,
  type FailedCase,
  findSuspect,
  judgeRepeatedRow,
  listFailingRows,
  maxTurns,
  type SuspectRow,
  selectRow,
} from './failed-case.js';

/** Looks for a row that is wrong in batches and passes alone. */
export async function confirmInBatches(
  failed: FailedCase,
  { judgement, repetitions: alone }: Confirmation,
): Promise<Confirmation> {
  const repetitions: CaseExchanges[] = [];
  for (const row of listFailingRows(failed.firstJudgement)) {
    const suspect = findSuspect(failed, alone, row);
    if (suspect === undefined) continue;
    const result = await confirmInBatch(failed, suspect);
    repetitions.push(...result.repetitions);
    if (result.judgement !== undefined)
      return { judgement: judgeCaseByRows(judgement.rows.with(row, result.judgement), failed.testCase), repetitions };
  }
  return { judgement, repetitions };
}

/** Sends a suspect in order first: that takes the fewest requests. */
async function confirmInBatch(failed: FailedCase, { suspect, alone }: SuspectRow): Promise<BatchResult> {
  // To find out more than whether the same row is wrong takes many requests.
  const isSmall = isSerial(failed.testCase) || failed.isRunFailing;
  const stages = isSmall ? [confirmSameRow] : [confirmInOrder, confirmSameRow, confirmAnyRequest];
  const repetitions: CaseExchanges[] = [];
  for (const confirm of stages) {
    const result = await confirm(failed, suspect, alone);
    repetitions.push(...result.repetitions);
    if (result.judgement !== undefined) return { ...result, repetitions };
  }
  return { repetitions };
}

/** Confirms that a row is wrong after the requests before it, each of three times: a deployment may keep something of a connection. */
async function confirmInOrder(
  failed: FailedCase,
  suspect: SuspectRequest,
  alone: ExchangesByRow[number],
): Promise<BatchResult> {
  const send = () => failed.sender.sendInOrder(suspect, maxInBatches);
  return await confirmEachTime({ failed, suspect, alone, send, code: 'after-others' });
}

/** Confirms that the same row is wrong in each of three batches. */
async function confirmSameRow(
  failed: FailedCase,
  suspect: SuspectRequest,
  alone: ExchangesByRow[number],
): Promise<BatchResult> {
  const maxOfRun = failed.isRunFailing ? maxInBatchesAfterFailure : maxInBatches;
  const send = (turn: number) => failed.sender.sendInBatch(suspect, turn, maxOfRun);
  return await confirmEachTime({ failed, suspect, alone, send, code: 'only-among-others' });
}

/** How a suspect is sent again among other requests. */
interface RepeatedSuspect extends SuspectRow {
  readonly failed: FailedCase;
  /** @param turn from 1 @returns undefined if it may not be sent */
  readonly send: (turn: number) => Promise<CaseExchanges | undefined>;
  /** The code of the reason, if it is wrong each time. */
  readonly code: 'only-among-others' | 'after-others';
}

async function confirmEachTime({ failed, suspect, alone, send, code }: RepeatedSuspect): Promise<BatchResult> {
  const { testCase, target, evidence } = failed;
  const { row } = suspect;
  const repetitions: CaseExchanges[] = [];
  let judgement: RowJudgement | undefined;
  for (let turn = 1; turn <= maxTurns; turn += 1) {
    const sent = await send(turn);
    if (sent === undefined) return { repetitions };
    repetitions.push(sent);
    const received = collectRowEvidence([new Map([...alone, ...(sent.exchanges[row] ?? [])])], target);
    judgement = judgeRepeatedRow(selectRow(testCase, row), evidence.slice(row, row + 1), [received]);
    if (judgement.verdict !== 'fail') return { repetitions };
  }
  const { reason } = judgement ?? {};
  if (judgement === undefined || reason === undefined) return { repetitions };
  return { judgement: { ...judgement, reason: createReason(code, { reason }) }, repetitions };
}
