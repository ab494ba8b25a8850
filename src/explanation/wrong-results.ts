/** What is wrong with the results of a run, compared with a prediction. */

import type { ComparableObservation } from './observation.js';
import type { Predict, Prediction } from './prediction.js';

/**
 * How many wrong responses a mistake has to mend. Measured on 144 mistakes that others made: with six or more, 35 of 36 causes
 * were right; with fewer, about every second one.
 */
export const minMendedResponses = 6;
/** A wrong response, and the positions of the tiers that are wrong in it. */
export type WrongResponse = readonly [shown: ComparableObservation, positions: readonly number[]];

/** Whether a row fails because of a wrong response. */
export function makesRowFail([{ rows }]: WrongResponse): boolean {
  return [...rows].some((row) => row.isFailing);
}

/** Whether a tier was returned that must not be, or was not returned although it must be. */
export function isTierWrong(
  { returned }: Pick<ComparableObservation, 'returned'>,
  position: number,
  expected: Prediction,
): boolean {
  return expected(position) === (returned[position] ? 'forbidden' : 'required');
}

/** Lists the responses that differ from a prediction. @param other a prediction that the listed positions agree with */
export function listWrongResponses(
  compared: readonly ComparableObservation[],
  predict: Predict,
  other?: Predict,
): WrongResponse[] {
  return compared.flatMap((shown): WrongResponse[] => {
    const expected = predict(shown);
    const mended = other?.(shown);
    const wrong = [...shown.returned.keys()].filter((position) => isTierWrong(shown, position, expected));
    const positions = wrong.filter((position) => mended === undefined || !isTierWrong(shown, position, mended));
    return positions.length === 0 ? [] : [[shown, positions]];
  });
}
