/**
 * Lists the failing rows that proved causes do not explain, and describes them: by the contrasts that narrowing found, or as not
 * found out. In: what was observed, causes and contrasts. Out: rows, or findings. Pure.
 */

import type { StructuralMistake } from '../../reference/faults/model.js';
import type { Contrast } from '../run/case-report.js';
import { groupBy } from '../support/collections.js';
import { renderReason } from '../support/reason.js';
import type { CauseWithRows } from './cause-with-rows.js';
import type { ComparableObservation, UnpassedRow } from './observation.js';
import type { ObservationsWithPredictor } from './prediction.js';
import { findRefusedFeatureByCauseId, type RefusedFeature } from './refused-features.js';
import { listEmptied, listRefused } from './refused-requests.js';
import { listWrongResponses } from './wrong-results.js';

export const unexplainedId = 'unexplained';

/** Lists the failing rows that no cause explains. If the load of the test data explains a failure, the report says so first. */
export function listUnexplained({ rows }: ObservationsWithPredictor, found: readonly CauseWithRows[]): UnpassedRow[] {
  const needsCause = ({ isFailing, reason }: UnpassedRow) => isFailing && reason?.code !== 'load-explains';
  return rows.filter((row) => needsCause(row) && found.every((cause) => !cause.rows.has(row)));
}

/**
 * Lists failing rows that proved causes do not explain fully: assuming all of them, a response is still wrong. So a cause hides
 * no other mistake. Rows that a cause explains as a whole, such as a body that is ignored, are left out.
 *
 * @param apart responses that they explain in another reading of the documentation
 */
export function listLeftOver(
  run: ObservationsWithPredictor,
  proved: readonly CauseWithRows[],
  assumed: readonly StructuralMistake[],
  refusals: readonly RefusedFeature[],
  apart: ReadonlySet<ComparableObservation>,
): UnpassedRow[] {
  const { compared, predict } = run;
  const whole = proved.filter(
    ({ id, mistake }) => mistake === undefined && findRefusedFeatureByCauseId(id) === undefined,
  );
  // A row that a cause keeps from being judged may show another mistake.
  const responses = listWrongResponses(compared, predict(assumed)).filter(([shown]) => !apart.has(shown));
  const wrong = responses.flatMap(([{ rows }]) => [...rows]);
  const refused = listRefused(run, refusals);
  const empty = new Set(listEmptied(run, refused, assumed));
  const ofRefused = refused.filter((shown) => !empty.has(shown)).flatMap(({ rows }) => [...rows]);
  return [...wrong, ...ofRefused].filter(
    (row) => row.reason?.code !== 'load-explains' && whole.every(({ rows }) => !rows.has(row)),
  );
}

/**
 * Creates a finding for each contrast. What neither a cause nor a contrast explains gets one finding for each requirement.
 *
 * @param leftOver failing rows that no cause explains fully
 * @param unexplained those of them that no cause explains at all
 */
export function describeContrasts(
  leftOver: readonly UnpassedRow[],
  unexplained: readonly UnpassedRow[],
  { contrasts, isDataSuspect }: { readonly contrasts: readonly Contrast[]; readonly isDataSuspect: boolean },
): CauseWithRows[] {
  const narrowed = contrasts.flatMap(({ cause, sentence, evidence, rows, ...shown }, n): CauseWithRows[] => {
    const places = new Set(rows.map(getPlace));
    const explained = leftOver.filter((row) => places.has(getPlace(row)));
    const id = cause ?? `${shown.right === undefined ? 'unexplained' : 'contrast'}/${n + 1}`;
    return explained.length === 0 ? [] : [{ id, sentence, evidence, rows: new Set(explained), shown }];
  });
  const left = unexplained.filter((row) => narrowed.every(({ rows }) => !rows.has(row)));
  if (isDataSuspect && left.length > 0) return [...narrowed, describeOfSuspectData(left)];
  const others = [...groupBy(left, ({ requirement }) => requirement)].map(
    ([requirement, rows]): CauseWithRows => ({
      id: unexplainedId,
      sentence: `Cases of ${requirement} fail, and it was not found out what makes the difference.`,
      evidence: [renderReason(rows[0].reason)],
      rows: new Set(rows),
    }),
  );
  return [...narrowed, ...others];
}

/** Where the data file explains all failures, one finding is enough. */
function describeOfSuspectData(rows: readonly UnpassedRow[]): CauseWithRows {
  const sentence = 'If the data file is right: it was not found out what makes the difference.';
  return { id: unexplainedId, sentence, evidence: [], rows: new Set(rows) };
}

function getPlace({ case: id, row }: Pick<UnpassedRow, 'case' | 'row'>): string {
  return JSON.stringify([id, row]);
}
