/**
 * Sends a failing case again: a failure counts only if it is seen again. In: a case with its exchanges and its judgement. Out:
 * the judgement that counts, and what came back each time.
 */

import { confirmAlone } from './confirm-alone.js';
import { confirmBrokenResponses } from './confirm-broken-responses.js';
import { confirmInBatches } from './confirm-in-batches.js';
import { confirmInSeries } from './confirm-in-series.js';
import { type Confirmation, type FailedCase, listFailingRows } from './failed-case.js';

/**
 * A response that does not arrive is sent for again beside others that do. Other failing rows are sent alone; one that then
 * passes may fail every other time, so it is sent several times, or only among other requests, so it is sent in its batch, too.
 * All that is not seen again is inconclusive.
 *
 * Only the first failing case of a requirement is confirmed: then the verdict of the requirement is certain. That rule and its
 * exceptions are in `run.ts` (`needsConfirmation`).
 */
export async function confirmFailure(failed: FailedCase): Promise<Confirmation> {
  const arrived = await confirmBrokenResponses(failed);
  if (arrived.isConfirmed || listFailingRows(arrived.judgement).length === 0) return arrived;
  const remaining = { ...failed, firstJudgement: arrived.judgement };
  const alone = await confirmAlone(remaining);
  const repetitions = [...arrived.repetitions, ...alone.repetitions];
  if (alone.isConfirmed) return { ...alone, repetitions };
  const series = await confirmInSeries(remaining, alone);
  const sent = [...repetitions, ...series.repetitions];
  if (series.isConfirmed) return { ...series, repetitions: sent };
  const batch = await confirmInBatches(remaining, alone);
  return { ...batch, repetitions: [...sent, ...batch.repetitions] };
}
