/**
 * Finds promotion tiers that are returned at first and never again, or left out at first and returned later: what one request
 * does to the data that a deployment keeps stays. In: what was observed. Out: a cause. Pure.
 */

import { renderShortList } from '../support/collections.js';
import type { Observations } from './observation.js';
import { type CauseWithRows, minMendedResponses } from './prove-causes.js';

/** Requests that are sent at the same time have no order. */
const maxOverlap = 8;

/** When a tier had which result, where the documentation says that it must have one of them. */
interface TimedResults {
  readonly name: string;
  /** The numbers of the requests with the right result, and of those with the wrong one. */
  readonly right: readonly number[];
  readonly wrong: readonly number[];
}

export function findLostInTime({
  compared,
  tiers,
}: Pick<Observations, 'compared' | 'tiers'>): CauseWithRows | undefined {
  for (const wanted of ['required', 'forbidden'] as const) {
    const timed = tiers.map(({ name }, n): TimedResults => {
      const asked = compared.filter(({ documented }) => documented[n] === wanted);
      const isRight = (returned: boolean | undefined) => returned === (wanted === 'required');
      const list = (wantedResult: boolean) =>
        asked.filter(({ returned }) => isRight(returned[n]) === wantedResult).flatMap(({ numbers }) => numbers);
      return { name, right: list(true), wrong: list(false) };
    });
    const changing = timed.filter(({ right, wrong }) => right.length > 0 && wrong.length > 0);
    const isOnce = ({ right, wrong }: TimedResults) => Math.max(...right) <= Math.min(...wrong) + maxOverlap;
    const first = Math.min(...changing.flatMap(({ wrong }) => wrong));
    const isLost = changing.length >= minMendedResponses && changing.every(isOnce);
    if (!isLost) continue;
    const names = renderShortList(changing.map(({ name }) => `'${name}'`));
    const what =
      wanted === 'required'
        ? 'are returned at first and never again'
        : 'are left out at first, as they must be, and returned ever after';
    return {
      id: `${wanted === 'required' ? 'lost' : 'added'}-in-time`,
      sentence: `${changing.length} promotion tiers ${what}: the first one changes with request ${first} of the run. An earlier request changes what later ones get.`,
      evidence: [`They are ${names}. No promotion tier changes back.`],
      rows: new Set(compared.flatMap(({ rows }) => [...rows].filter((row) => row.isFailing))),
    };
  }
  return undefined;
}
