/**
 * How the quantities of a product add up that is in several items is open. A mistake about quantities may so explain a response
 * in one reading, and not in another one. In: what was observed, and the mistakes. Out: responses that another reading explains,
 * and predictions that leave open what the readings decide. Pure.
 */

import type { RepeatedQuantities, StructuralMistake } from '../../reference/faults/model.js';
import { parseRequest } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { cacheByObject } from '../support/caches.js';
import { getMember } from '../support/json.js';
import type { ComparableObservation } from './observation.js';
import { createMistakePredictor, type ObservationsWithPredictor, type Predict } from './prediction.js';
import { listWrongResponses } from './wrong-results.js';

/** Predictions sum up. */
const otherReadings: readonly RepeatedQuantities[] = ['each-item-alone', 'first-item', 'last-item'];

/** Creates predictions that are open for a repeated product if they depend on how its quantities add up. */
export function createPredictorOfAnySum(
  facts: Parameters<typeof createMistakePredictor>[0],
): ReturnType<typeof createMistakePredictor> {
  const predictors = [undefined, ...otherReadings].map((reading) => createMistakePredictor(facts, reading));
  return (mistakes) => {
    const [predictSummed, ...others] = predictors.map((predict) => predict(mistakes)) as [Predict, ...Predict[]];
    return (asked) => {
      const summed = predictSummed(asked);
      if (!repeatsProduct(asked.request)) return summed;
      const otherwise = others.map((predict) => predict(asked));
      return (position) => {
        const first = summed(position);
        return otherwise.every((prediction) => prediction(position) === first) ? first : 'open';
      };
    };
  };
}

/** Whether a product is in several items of the order. */
export const repeatsProduct = cacheByObject((request: HttpRequest): boolean => {
  const items = getMember(getMember(parseRequest(request).body, 'order'), 'items');
  const products = (Array.isArray(items) ? items : []).flatMap((item) => getMember(item, 'product_id') ?? []);
  return new Set(products).size < products.length;
});

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
  const [most] = explained.toSorted((left, right) => right.size - left.size);
  return most ?? new Set();
}
