/**
 * Finds out whether results are empty from some request on, whatever is asked. In: what was observed. Out: a cause, with what was new
 * in the requests before. Pure.
 */

import type { CauseWithRows } from './cause-with-rows.js';
import { type ComparableObservation, maxOverlap, type Observations } from './observation.js';
import { listRequestFeatures } from './refused-features.js';

/** How many requests before the first empty result may have brought it about. */
const maxBefore = 16;
/** Fewer empty results at the end may have another reason. */
const minEmpty = 20;
/** A result that is right once may be right by chance. */
const minRight = 2;
/** Requests at the same time, or over another connection of a pool, may have another result. */
const leastShare = 0.8;

/** A response that must name promotions: when it was asked for, and whether it names any. */
interface TimedResponse {
  readonly number: number;
  readonly isEmpty: boolean;
  readonly observation: ComparableObservation;
}

export function findEmptyFrom({ compared }: Pick<Observations, 'compared'>): CauseWithRows | undefined {
  const timed = listTimed(compared);
  const start = findStart(timed);
  const [before, after] = [timed.slice(0, start), timed.slice(start)];
  const full = before.filter(({ isEmpty }) => !isEmpty);
  const empty = after.filter(({ isEmpty }) => isEmpty);
  const isMost = full.length >= leastShare * before.length && empty.length >= leastShare * after.length;
  const isShown = full.length >= minRight && empty.length >= minEmpty;
  const first = after[0]?.number;
  if (first === undefined || !isMost || !isShown || !isSameRequestEmptied(full, empty)) return undefined;
  return {
    id: 'empty-from',
    sentence: `From request ${first} of the run on, results are empty: ${empty.length} of ${after.length} are. Before it, ${before.length - full.length} of ${before.length} were.`,
    evidence: listNewFeatures(compared, first),
    rows: new Set(empty.flatMap(({ observation: { rows } }) => [...rows].filter((row) => row.isFailing))),
  };
}

/** Finds the place that parts full results from empty ones best. */
function findStart(timed: readonly TimedResponse[]): number {
  let [best, start, score] = [0, 0, 0];
  for (const [n, { isEmpty }] of timed.entries()) {
    score += isEmpty ? -1 : 1;
    if (score > best) [best, start] = [score, n + 1];
  }
  return start;
}

/** Without an equal request, what is asked may decide, and not when. */
function isSameRequestEmptied(full: readonly TimedResponse[], empty: readonly TimedResponse[]): boolean {
  const keys = new Set(full.map(({ observation: { key } }) => key));
  return empty.some(({ observation: { key } }) => keys.has(key));
}

function listTimed(compared: readonly ComparableObservation[]): TimedResponse[] {
  const timed = compared
    .filter(({ documented }) => documented.includes('required'))
    .flatMap((observation) => {
      const isEmpty = !observation.returned.some(Boolean);
      return observation.numbers.map((number) => ({ number, isEmpty, observation }));
    });
  return timed.toSorted((left, right) => left.number - right.number);
}

/** Says what was first sent in one of the requests before: it may have brought it about. */
function listNewFeatures(compared: readonly ComparableObservation[], until: number): string[] {
  const firstNumbers = new Map<string, number>();
  for (const { request, numbers } of compared) {
    const number = Math.min(...numbers);
    for (const words of listRequestFeatures(request))
      firstNumbers.set(words, Math.min(number, firstNumbers.get(words) ?? Number.POSITIVE_INFINITY));
  }
  const fresh = [...firstNumbers].filter(([, number]) => number < until + maxOverlap && number >= until - maxBefore);
  const listed = fresh
    .toSorted(([, left], [, right]) => right - left)
    .map(([words, number]) => `${words} (request ${number})`);
  return listed.length === 0 ? [] : [`First sent shortly before: ${listed.join(', ')}.`];
}
