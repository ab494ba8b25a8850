import type { Baseline } from '../record/drift.js';
import { type CaseResult, notReachedReason } from '../run/case-result.js';
import { createReason, type Reason } from '../support/reason.js';

/** If the data of a deployment changed during the run, or its export is broken, no failure proves anything. */
export function withdrawFailuresOfWrongData(
  results: readonly CaseResult[],
  { lost }: Pick<Baseline, 'lost'>,
): readonly CaseResult[] {
  const changed = results.find(({ hasDataChanged }) => hasDataChanged);
  const doubt = changed === undefined ? lost && explainLostData(lost) : (changed.reason ?? notReachedReason);
  if (doubt === undefined) return results;
  return results.map((result): CaseResult => {
    if (result.verdict !== 'fail') return result;
    const { apart_from_known: _, reason: failure = notReachedReason, ...rest } = result;
    return { ...rest, verdict: 'inconclusive', reason: createReason('withdrawn', { reason: doubt, failure }) };
  });
}

export function explainLostData(lost: readonly string[]): Reason {
  return createReason('data-lost', { names: lost });
}
