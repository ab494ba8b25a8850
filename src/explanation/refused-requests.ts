/**
 * Lists the documented requests of a run that were refused, and finds what all of them share. In: what was observed. Out: requests,
 * or causes. Pure.
 */

import type { StructuralMistake } from '../../reference/faults/model.js';
import { groupBy } from '../support/collections.js';
import { createReason, renderReason } from '../support/reason.js';
import type { CauseWithRows } from './cause-with-rows.js';
import type { Observation } from './observation.js';
import type { ObservationsWithPredictor } from './prediction.js';
import { findRefusedFeature, isKnownRefusal, type RefusedFeature } from './refused-features.js';

/** Lists the requests that were refused, apart from some refusals. */
export function listRefused(
  { all }: Pick<ObservationsWithPredictor, 'all'>,
  apart: readonly RefusedFeature[],
): Observation[] {
  return all.filter(({ request, refusedWith }) => {
    return refusedWith !== undefined && !isKnownRefusal(apart, request, refusedWith);
  });
}

/**
 * Lists the refusals that are empty results: the assumed mistakes may leave nothing to return, and an empty result has their
 * status. With a filter, a mistake about the window may do so in one of two readings: then tiers are open.
 */
export function listEmptied(
  { predict, emptyStatuses }: ObservationsWithPredictor,
  refused: readonly Observation[],
  assumed: readonly StructuralMistake[],
): Observation[] {
  const predictAssumed = predict(assumed);
  return refused.filter((shown) => {
    const prediction = predictAssumed(shown);
    const mayBeEmpty = emptyStatuses.includes(shown.refusedWith ?? 0);
    return mayBeEmpty && shown.documented.every((_, position) => prediction(position) !== 'required');
  });
}

/** Finds a status that answers every documented request, or all with some part. What else is refused is narrowed. */
export function findRefusals(
  refused: readonly Observation[],
  { all }: ObservationsWithPredictor,
  isThroughTransport: boolean,
): CauseWithRows[] {
  const accepted = all.filter(({ isDocumented, isAccepted }) => isDocumented && isAccepted);
  const byStatus = [...groupBy(refused, ({ refusedWith = 0 }) => refusedWith)];
  if (accepted.length > 0)
    return byStatus.flatMap(([status, group]) => findRefusedFeature(status, group, accepted) ?? []);
  return byStatus.map(([status, group]) => ({
    id: `every-status/${status}`,
    sentence: describeRefusal(status, group, isThroughTransport),
    evidence: [`${group.length} requests got ${status}, and none was accepted.`],
    rows: new Set(group.flatMap(({ rows }) => [...rows])),
  }));
}

function describeRefusal(status: number, refused: readonly Observation[], isThroughTransport: boolean): string {
  const sentence = `The deployment answers ${status} to every request.`;
  if (!refused.every(({ allowsPostAlone }) => allowsPostAlone)) return sentence;
  const wayOut = createReason('allows-post-alone', { throughTransport: isThroughTransport ? 1 : 0 });
  return `${sentence} ${renderReason(wayOut)}`;
}
