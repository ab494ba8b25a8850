/** Confirms that rows fail when each of their requests is sent alone. */

import { collectRowEvidence } from '../../judge/collect-row-evidence.js';
import { judgeCase } from '../../judge/judge-case.js';
import type { CaseJudgement } from '../../judge/judgement.js';
import type { CaseExchanges } from '../case-result.js';
import { type Confirmation, type FailedCase, listFailingRows, maxTurns, type StageResult } from './failed-case.js';

/** Two responses confirm a failure: more rows would only cost requests. */
const rowsAtOnce = 2;
/** How many failing rows of a case are sent again if the verdict of the run does not depend on them. */
const maxRowsAfterFailure = 2 * rowsAtOnce;
/** The same if requests at the same time are known to be wrong: most failures will not be seen again. */
const maxRowsAfterRace = 1;

/** Sends failing rows alone, two at a time, until one fails again. */
export async function confirmAlone(failed: FailedCase): Promise<StageResult> {
  const failing = listFailingRows(failed.firstJudgement);
  const maxRows = failed.isRaceConfirmed ? maxRowsAfterRace : maxRowsAfterFailure;
  const rows = failed.isRunFailing ? failing.slice(0, maxRows) : failing;
  let result: StageResult = { judgement: failed.firstJudgement, repetitions: [], isConfirmed: false };
  for (let start = 0; start < rows.length && !result.isConfirmed; start += rowsAtOnce)
    result = await repeatAlone(failed, rows.slice(start, start + rowsAtOnce), result.repetitions);
  return result;
}

/**
 * Sends rows alone, up to three times. After the first time, only if a single response shows the failure.
 * @param before the repetitions of other rows
 */
async function repeatAlone(failed: FailedCase, rows: readonly number[], before: Confirmation['repetitions']) {
  const { testCase, sender, target, evidence, firstJudgement, first } = failed;
  const repetitions = [...before];
  let judgement = firstJudgement;
  let failing = rows;
  for (let turn = 1; turn <= maxTurns && failing.length > 0; turn += 1) {
    if (turn > 1 && !showsOneResponse(failing, judgement, first)) break;
    repetitions.push(await sender.sendAlone(testCase, failing, turn));
    const again = repetitions.map((sent) => collectRowEvidence(sent.exchanges, target));
    judgement = judgeCase(testCase, evidence, again, firstJudgement);
    const still = listFailingRows(judgement);
    failing = failing.filter((row) => still.includes(row));
  }
  return { judgement, repetitions, isConfirmed: failing.length > 0 };
}

function showsOneResponse(failing: readonly number[], { rows }: CaseJudgement, { exchanges }: CaseExchanges): boolean {
  const shown = failing.flatMap((row) => rows[row]?.shownBy?.map((name) => exchanges[row]?.get(name)) ?? []);
  return new Set(shown).size <= 1;
}
