/**
 * Finds out whether equal requests have different results: then a single response proves nothing. In: what was observed. Out: a
 * cause, which a contrast may replace. Pure.
 */

import { groupBy } from '../support/collections.js';
import type { CauseWithRows } from './cause-with-rows.js';
import { type ComparableObservation, minChanging } from './observation.js';
import type { ObservationsWithPredictor } from './prediction.js';
import { listWrongResponses } from './wrong-results.js';

export const changingResultsId = 'changing-results';

/** Finds out whether equal requests have different results. Then that is what is to be explained, and not each failure. */
export function findChanging(run: ObservationsWithPredictor): CauseWithRows | undefined {
  const changing = listChanging(run);
  if (changing.length < minChanging) return undefined;
  return {
    id: changingResultsId,
    sentence: 'Equal requests have different results.',
    evidence: [`${changing.length} requests that were sent more than once had different results.`],
    rows: new Set([...changing.flat().flatMap(({ rows }) => [...rows]), ...run.rows.filter((row) => row.isFailing)]),
  };
}

/** Lists the requests that were sent more than once and had different results, each with all of its results. */
function listChanging({ compared }: ObservationsWithPredictor): ComparableObservation[][] {
  return [...groupBy(compared, ({ key }) => key).values()].filter((group) => group.length > 1);
}

/**
 * Lists the responses that show something where results change: right ones, which contradict what would make them wrong each time,
 * and wrong ones that were the same each time.
 */
export function listConfirmed(run: ObservationsWithPredictor): ComparableObservation[] {
  const changing = new Set(listChanging(run).flat());
  const wrong = new Set(listWrongResponses(run.compared, run.predict([])).map(([shown]) => shown));
  return run.compared.filter((shown) => !wrong.has(shown) || (!changing.has(shown) && shown.numbers.length > 1));
}

/** A contrast says what the different results of equal requests depend on: then they are a fact beside it. */
export function mergeChanging(proved: readonly CauseWithRows[], contrasts: readonly CauseWithRows[]): CauseWithRows[] {
  const changing = proved.find(({ id }) => id === changingResultsId);
  const others = proved.filter((cause) => cause !== changing);
  const [first, ...rest] = contrasts;
  if (changing === undefined || first?.shown?.right === undefined) return [...proved, ...contrasts];
  return [...others, { ...first, evidence: [...changing.evidence, ...first.evidence] }, ...rest];
}
