/**
 * Finds a cache whose key lacks parts of a request: all requests that differ in these parts alone get one result, which is right for
 * the first of them. In: what was observed. Out: a cause. Pure.
 */

import { groupBy } from '../support/collections.js';
import type { CauseWithRows } from './cause-with-rows.js';
import { partNames, type RequestPart, serializePart } from './differing-parts.js';
import { type ComparableObservation, maxOverlap } from './observation.js';
import type { ObservationsWithPredictor } from './prediction.js';
import { takeRequestApart } from './request-components.js';
import { listWrongResponses, minMendedResponses } from './wrong-results.js';

/** The parts that a result depends on. */
const parts: readonly RequestPart[] = ['customer', 'parameter', 'item', 'metadata', 'order-metadata'];

/** A response, and its request part by part. */
interface ResponseByParts {
  readonly shown: ComparableObservation;
  readonly number: number;
  readonly isWrong: boolean;
  readonly read: (part: RequestPart) => string | undefined;
}

/** Finds the fewest parts that explain every wrong response. Several sets of as few parts explain nothing. */
export function findKeptResults(run: ObservationsWithPredictor): CauseWithRows | undefined {
  const responses = readResponses(run);
  const countWrong = responses.filter(({ isWrong }) => isWrong).length;
  const isEachRead = responses.length === run.compared.length;
  if (!isEachRead || countWrong < minMendedResponses) return undefined;
  const fitting = listSubsets(parts).filter((lacking) => explainsAll(responses, lacking));
  const least = Math.min(...fitting.map(({ length }) => length));
  const [lacking, ...others] = fitting.filter(({ length }) => length === least);
  return lacking === undefined || others.length > 0 ? undefined : describeKept(responses, lacking, countWrong);
}

function readResponses({ compared, predict }: ObservationsWithPredictor): ResponseByParts[] {
  const wrong = new Set(listWrongResponses(compared, predict([])).map(([shown]) => shown));
  const plain = compared[0]?.request;
  return compared.flatMap((shown): ResponseByParts[] => {
    const apart = plain && takeRequestApart(shown.request, plain);
    if (apart === undefined) return [];
    const read = (part: RequestPart) => serializePart(apart, part);
    return [{ shown, number: Math.min(...shown.numbers), isWrong: wrong.has(shown), read }];
  });
}

/** Lists all sets of some parts, but not of all: then a deployment has one answer to everything. */
function listSubsets(all: readonly RequestPart[]): RequestPart[][] {
  const count = 2 ** all.length - 1;
  return Array.from({ length: count - 1 }, (_, n) => all.filter((_part, place) => ((n + 1) >> place) % 2 === 1));
}

/** Lists the requests that differ in some parts alone, in the order of sending. */
function groupByOtherParts(
  responses: readonly ResponseByParts[],
  lacking: readonly RequestPart[],
): ResponseByParts[][] {
  const kept = parts.filter((part) => !lacking.includes(part));
  const groups = groupBy(responses, ({ read }) => JSON.stringify(kept.map(read)));
  return [...groups.values()].map((group) => group.toSorted((left, right) => left.number - right.number));
}

/** Whether each group has the result of its first request, and that is right. Those at the same time may be answered before it. */
function explainsAll(responses: readonly ResponseByParts[], lacking: readonly RequestPart[]): boolean {
  return groupByOtherParts(responses, lacking).every((group) => {
    const first = group[0]?.number ?? 0;
    const atFirst = group.filter(({ number }) => number <= first + maxOverlap);
    const [kept] = atFirst.filter(({ isWrong }) => !isWrong);
    const isKept = ({ shown }: ResponseByParts) => kept !== undefined && hasResult(shown, kept.shown);
    return group.every((response) => isKept(response) || (!response.isWrong && atFirst.includes(response)));
  });
}

function hasResult({ returned }: ComparableObservation, other: ComparableObservation): boolean {
  return returned.every((isReturned, position) => isReturned === other.returned[position]);
}

function describeKept(
  responses: readonly ResponseByParts[],
  lacking: readonly RequestPart[],
  countWrong: number,
): CauseWithRows {
  const list = (some: readonly RequestPart[]) => some.map((part) => partNames[part]).join(', ');
  const kept = parts.filter((part) => !lacking.includes(part));
  const groups = groupByOtherParts(responses, lacking).filter(({ length }) => length > 1).length;
  const sentence = `Requests that differ in nothing but these parts get one result, that of the first of them: ${list(lacking)}. A cache keeps results under these alone: ${list(kept)}.`;
  const evidence = `It explains ${countWrong} wrong responses, and none of ${responses.length} contradicts it: ${groups} times, several requests differ in these parts alone.`;
  return {
    id: `kept-results/${lacking.join('-')}`,
    sentence,
    evidence: [evidence],
    rows: new Set(responses.flatMap(({ isWrong, shown }) => (isWrong ? [...shown.rows] : []))),
  };
}
