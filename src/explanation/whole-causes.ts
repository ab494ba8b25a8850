/**
 * Finds what explains every failure of a run at once. In: what was observed. Out: a cause, or undefined. Pure.
 */

import { bodyOfTheFirstRequest } from '../../reference/faults/request.js';
import { nameData } from '../contract/world.js';
import { groupBy } from '../support/collections.js';
import type { CauseWithRows } from './cause-with-rows.js';
import { findEmptyFrom } from './empty-from.js';
import { findLostInTime } from './lost-in-time.js';
import { type ComparableObservation, maxOverlap } from './observation.js';
import { nothingReturnedSentence } from './observed-mistakes.js';
import type { ObservationsWithPredictor } from './prediction.js';
import { listWrongResponses, minMendedResponses } from './wrong-results.js';

/** Finds what explains everything. */
export function findWhole(run: ObservationsWithPredictor): CauseWithRows | undefined {
  return findNothingReturned(run) ?? findLostInTime(run) ?? findIgnoredBody(run) ?? findEmptyFrom(run);
}

/** Finds out whether nothing was ever returned, while no row fails: then it is not certain that the test data is loaded. */
function findNothingReturned({ all, compared, rows, world }: ObservationsWithPredictor): CauseWithRows | undefined {
  const isReturned = compared.some(({ returned }) => returned.some(Boolean)) || all.some(({ isUnclear }) => isUnclear);
  if (isReturned || compared.length < minMendedResponses || rows.some((row) => row.isFailing)) return undefined;
  const evidence = [`${compared.length} responses name no promotion of ${nameData(world)}.`];
  return { id: 'nothing-returned', sentence: nothingReturnedSentence, evidence, rows: new Set(rows) };
}

/** Finds a cache whose key is the URL alone. It is not known which request fills it. */
function findIgnoredBody({ compared, predict, tiers, rows }: ObservationsWithPredictor): CauseWithRows | undefined {
  // A deployment that names all promotions and marks the valid ones is no cache.
  if (rows.some(({ reason }) => reason?.code === 'named-or-returned')) return undefined;
  const ofUrl = takeLargestGroup(compared, ({ request }) => request.path);
  const equal = takeLargestGroup(ofUrl, ({ returned }) => JSON.stringify(returned));
  const returned = equal[0]?.returned ?? [];
  const bodies = new Set(equal.map(({ request }) => request.body)).size;
  // Requests at the same time are answered before a cache is filled.
  const inOrder = ofUrl.toSorted((left, right) => Math.min(...left.numbers) - Math.min(...right.numbers));
  const isLate = inOrder.findIndex((shown) => equal.includes(shown)) > maxOverlap;
  if (bodies < minMendedResponses || equal.length < 0.8 * ofUrl.length || isLate) return undefined;
  // Promotions without rules are valid for requests without a body, too. Where everything is returned, nothing is cached.
  const hasRules = tiers.some(({ rules }, position) => returned[position] && rules.length > 0);
  const isAnyRight = listWrongResponses(equal, predict([])).length < equal.length;
  if (!hasRules || returned.every(Boolean) || !isAnyRight) return undefined;
  const { id, sentence } = bodyOfTheFirstRequest;
  const evidence = `${equal.length} of ${ofUrl.length} requests to one URL have the same result, although they have ${bodies} different bodies.`;
  return { id, sentence, evidence: [evidence], rows: new Set(rows) };
}

function takeLargestGroup(
  shown: readonly ComparableObservation[],
  getKey: (shown: ComparableObservation) => string,
): readonly ComparableObservation[] {
  const groups = [...groupBy(shown, getKey).values()];
  return groups.toSorted((left, right) => right.length - left.length)[0] ?? [];
}
