/** A case that failed, and what all stages of its confirmation read of it. */

import type { RequirementCase } from '../../cases/test-case.js';
import type { Exchange } from '../../http/exchange.js';
import { hasTransientStatus, isSuccessful } from '../../http/response-status.js';
import {
  collectRowEvidence,
  type ExchangesByRow,
  type RowEvidenceWithReadings,
  type TargetContext,
} from '../../judge/collect-row-evidence.js';
import { judgeCase } from '../../judge/judge-case.js';
import { type CaseJudgement, isNewFailure, type RowJudgement } from '../../judge/judgement.js';
import { parseJson } from '../../support/json.js';
import type { CaseExchanges } from '../case-result.js';
import type { CaseSender, SuspectRequest } from '../case-sender.js';

/** A case that failed when it was sent first. */
export interface FailedCase {
  readonly testCase: RequirementCase;
  readonly sender: CaseSender;
  readonly target: TargetContext;
  readonly first: CaseExchanges;
  readonly evidence: readonly RowEvidenceWithReadings[];
  readonly firstJudgement: CaseJudgement;
  /** Whether another requirement failed before, so that the verdict of the run is certain. */
  readonly isRunFailing: boolean;
  /** Whether a failure was confirmed that shows only among requests at the same time. */
  readonly isRaceConfirmed: boolean;
}

/** The judgement that counts, and what came back each time that something was sent again. */
export interface Confirmation {
  readonly judgement: CaseJudgement;
  readonly repetitions: readonly CaseExchanges[];
}

/**
 * How often a suspect is sent again. A proxy that damages one response in twenty damages the same one three times once in 200 runs.
 */
export const maxTurns = 3;

/** What one stage finds out. If nothing is confirmed, the next one tries. */
export interface StageResult extends Confirmation {
  readonly isConfirmed: boolean;
}

/** Lists the rows that fail. If there are new failures, these are to be confirmed, and not what is known. */
export function listFailingRows({ rows }: CaseJudgement): number[] {
  const list = (isMeant: (row: RowJudgement) => boolean) => rows.flatMap((row, n) => (isMeant(row) ? [n] : []));
  const unknown = list(isNewFailure);
  return unknown.length > 0 ? unknown : list(({ verdict }) => verdict === 'fail');
}

/** @param ofRow a case with the row alone @param again what came back each time */
export function judgeRepeatedRow(
  ofRow: RequirementCase,
  first: readonly RowEvidenceWithReadings[],
  again: readonly (readonly RowEvidenceWithReadings[])[],
): RowJudgement {
  return judgeCase(ofRow, first, again).rows[0] as RowJudgement;
}

/** The case with one of its rows alone. */
export const selectRow = (testCase: RequirementCase, row: number): RequirementCase => ({
  ...testCase,
  rows: testCase.rows.slice(row, row + 1),
});

/** What one repetition in a batch shows. Without a judgement, nothing is confirmed. */
export interface BatchResult {
  readonly judgement?: RowJudgement;
  readonly repetitions: readonly CaseExchanges[];
}

/** A row that was wrong among other requests and passes alone. */
export interface SuspectRow {
  readonly suspect: SuspectRequest;
  readonly alone: ExchangesByRow[number];
}

/** Finds the request that makes a row wrong, if the row passes when its requests are sent alone. */
export function findSuspect(
  failed: FailedCase,
  sentAlone: readonly CaseExchanges[],
  row: number,
): SuspectRow | undefined {
  const { testCase, first, firstJudgement, target } = failed;
  const ofRow = selectRow(testCase, row);
  const passes = (exchanges: ExchangesByRow[number]) =>
    judgeCase(ofRow, collectRowEvidence([exchanges], target)).verdict === 'pass';
  const inRun = first.exchanges[row] ?? new Map<string, Exchange>();
  const alone = sentAlone.flatMap(({ exchanges }) => exchanges[row] ?? []).find(({ size }) => size > 0);
  if (alone === undefined || !passes(alone)) return undefined;
  // Of several responses, the wrong one is that without which the row passes.
  const isWrong = (request: string) => passes(new Map([...inRun, [request, alone.get(request) as Exchange]]));
  const name = [...inRun.keys()].find(isWrong) ?? firstJudgement.rows[row]?.exchange ?? '';
  const wrong = inRun.get(name);
  return wrong && { alone, suspect: { testCase, row, name, first: wrong } };
}

/** Whether a response did not arrive, or not as JSON: the network or a proxy may have changed others, too. */
export function isDamaged(exchange: Exchange): boolean {
  if (!('response' in exchange) || hasTransientStatus(exchange.response)) return true;
  const { body } = exchange.response;
  return isSuccessful(exchange.response) && body.trim() !== '' && parseJson(body) === undefined;
}
