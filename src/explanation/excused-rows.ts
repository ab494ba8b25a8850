/**
 * Says which findings are known deviations, which cases these excuse, and which of them a run no longer shows. In: what was observed,
 * and findings. Out: answers, and ids of cases. Pure.
 */

import type { StructuralMistake } from '../../reference/faults/model.js';
import { groupBy } from '../support/collections.js';
import type { CauseWithRows } from './cause-with-rows.js';
import type { Observation, UnpassedRow } from './observation.js';
import type { ObservationsWithPredictor } from './prediction.js';
import type { RefusedFeature } from './refused-features.js';
import { unexplainedId } from './unexplained-rows.js';
import { listWrongResponses } from './wrong-results.js';

/** Whether a finding explains failures, and all of them are known. */
export function isKnownFinding({ rows }: CauseWithRows): boolean {
  const failures = [...rows].filter((row) => row.isFailing);
  return failures.length > 0 && failures.every((row) => row.isKnown);
}

/**
 * Whether a finding shows that something new is wrong: it was proved, or a row fails that is not known. A contrast of rows that
 * are inconclusive alone may have the reason of what is known, like these rows.
 */
export function isNewFinding({ id, shown, rows }: CauseWithRows): boolean {
  const isProved = shown === undefined && id !== unexplainedId;
  return isProved || [...rows].some((row) => row.isFailing && !row.isKnown);
}

export function isExcusedFinding({ rows }: CauseWithRows, excused: readonly string[]): boolean {
  return [...rows].every((row) => row.isKnown || excused.includes(row.case));
}

interface ExcuseTerms {
  readonly seeds: readonly StructuralMistake[];
  readonly refused: readonly Observation[];
  readonly unknown: readonly CauseWithRows[];
}

/**
 * Lists the inconclusive cases that a known failure may explain. An entry without a cause does not say what is wrong, so
 * any wrong response may be wrong for its reason. A row that passed when it was sent again is another matter.
 */
export function listExcused(
  { rows, compared, predict }: ObservationsWithPredictor,
  { seeds, refused, unknown }: ExcuseTerms,
): string[] {
  if (!rows.some((row) => row.isKnown)) return [];
  const blamed = new Set(unknown.flatMap((finding) => [...finding.rows]));
  const wrong = [...refused, ...listWrongResponses(compared, predict(seeds)).map(([shown]) => shown)];
  const explained = new Set(wrong.flatMap((shown) => [...shown.rows]));
  const isRowExcused = (row: UnpassedRow) => explained.has(row) && !blamed.has(row) && row.reason?.code !== 'unstable';
  const unjudged = groupBy(
    rows.filter((row) => !row.isFailing),
    (row) => row.case,
  );
  return [...unjudged].flatMap(([id, ofCase]) => (ofCase.every(isRowExcused) ? id : []));
}

/** Whether the responses do not show a known cause: it explains no more of them than contradict it. */
export function isGone(
  cause: StructuralMistake,
  assumed: readonly StructuralMistake[],
  run: ObservationsWithPredictor,
): boolean {
  const { compared, predict } = run;
  const before = predict(assumed.filter((mistake) => mistake !== cause));
  const after = predict(assumed);
  const contradicting = new Set(listWrongResponses(compared, after, before).map(([shown]) => shown));
  const explained = listWrongResponses(compared, before, after).filter(([shown]) => !contradicting.has(shown));
  return explained.length <= contradicting.size;
}

export function isRefusalShown({ status, feature }: RefusedFeature, { request, refusedWith }: Observation): boolean {
  return refusedWith === status && feature.isMet(request);
}
