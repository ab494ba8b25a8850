/**
 * How the quantities of a product add up that is in several items is open. A mistake about quantities may so explain a response
 * in one reading, and not in another one. In: what was observed, and the mistakes. Out: responses that another reading explains.
 * Pure.
 */

import type { RepeatedQuantities, StructuralMistake } from '../../reference/faults/model.js';
import type { ComparableObservation } from './observation.js';
import { createMistakePredictor, type ObservationsWithPredictor } from './prediction.js';
import { listWrongResponses } from './wrong-results.js';

/** Predictions sum up. */
const otherReadings: readonly RepeatedQuantities[] = ['each-item-alone', 'first-item', 'last-item'];

/** Lists the responses that the mistakes explain fully if quantities add up in another way, the same one for all. */
export function listExplainedByOtherSums(
  run: ObservationsWithPredictor,
  assumed: readonly StructuralMistake[],
): ReadonlySet<ComparableObservation> {
  const { compared, predict } = run;
  const wrong = assumed.length === 0 ? [] : listWrongResponses(compared, predict(assumed)).map(([shown]) => shown);
  if (wrong.length === 0) return new Set();
  const explained = otherReadings.map((reading) => {
    const predictOtherwise = createMistakePredictor(run, reading)(assumed);
    const stillWrong = new Set(listWrongResponses(wrong, predictOtherwise).map(([shown]) => shown));
    return new Set(wrong.filter((shown) => !stillWrong.has(shown)));
  });
  return explained.reduce((most, next) => (next.size > most.size ? next : most));
}
