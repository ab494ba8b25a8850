/**
 * Finds promotion tiers that are returned at first and never again, or left out at first and returned later: what one request
 * does to the data that a deployment keeps stays. In: what was observed. Out: a cause. Pure.
 */

import { describeRequest } from '../contract/describe-request.js';
import { createOracle } from '../contract/oracle.js';
import { renderShortList } from '../support/collections.js';
import { shorten } from '../support/untrusted-text.js';
import type { CauseWithRows } from './cause-with-rows.js';
import { maxDescription } from './narrowed-failure.js';
import { type ComparableObservation, maxOverlap, type Observations } from './observation.js';
import { minMendedResponses } from './wrong-results.js';

/** A response: when it was asked for, and whether it has the tier, rightly or wrongly. */
interface TimedResult {
  readonly number: number;
  readonly isReturned: boolean;
  readonly isWrong: boolean;
  /** Whether a filter of the request leaves the tier out. */
  readonly isFilteredOut: boolean;
}

/** What the responses of a run show of one tier, in the order of sending. */
interface TimedTier {
  readonly name: string;
  readonly results: readonly TimedResult[];
}

/** How the results of tiers may change for good. */
interface Direction {
  readonly id: string;
  /** What changes a tier for good: any response without it, a filter that leaves it out, or the rules of the tier. */
  readonly changedBy: 'any-response' | 'filter' | 'rules';
  /** Whether a tier is returned after the change. */
  readonly isReturnedAfter: boolean;
  /** How many tiers have to have both results: fewer may change in this order by coincidence. */
  readonly minTiers: number;
  readonly words: string;
}

const directions: readonly Direction[] = [
  {
    id: 'lost-in-time',
    changedBy: 'any-response',
    isReturnedAfter: false,
    // No tier of the run, right or wrong, contradicts it.
    minTiers: 1,
    words: 'are missing in every response after the first one that lacks them, even if that one was right',
  },
  {
    id: 'lost-in-time',
    changedBy: 'filter',
    isReturnedAfter: false,
    minTiers: 1,
    words: 'are missing in every response after the first request with a filter that they do not match',
  },
  {
    id: 'lost-in-time',
    changedBy: 'rules',
    isReturnedAfter: false,
    minTiers: 6,
    words: 'are missing in every response after the first one for which they were not valid',
  },
  {
    id: 'added-in-time',
    changedBy: 'rules',
    isReturnedAfter: true,
    minTiers: 6,
    words:
      'are returned to every request after the first one that got them, even to those for which they are not valid',
  },
];

/** How many responses have to show a tier after its change. */
const minAfter = 3;

type TimedRun = Pick<Observations, 'compared' | 'tiers' | 'world'>;

export function findLostInTime(run: TimedRun): CauseWithRows | undefined {
  for (const direction of directions) {
    // To read all responses in the order of sending takes long.
    if (!isEverWrong(run, direction)) continue;
    const timed = listTimedTiers(run, direction);
    const wrong = timed.filter(({ results }) => results.some(({ isWrong }) => isWrong));
    const obeying = direction.changedBy === 'rules' ? wrong : timed;
    const changed = obeying.filter((tier) => hasBothResults(tier) && listAfter(tier, direction).length >= minAfter);
    const isShown = changed.length >= direction.minTiers && countWrongResponses(wrong) >= minMendedResponses;
    if (!isShown || !obeying.every((tier) => staysChanged(tier, direction))) continue;
    return describeLoss(run, direction, wrong, changed);
  }
  return undefined;
}

/** Whether a result is wrong in the way in which the results after the change are. */
function isEverWrong({ compared }: TimedRun, { isReturnedAfter }: Direction): boolean {
  const documentedOtherwise = isReturnedAfter ? 'forbidden' : 'required';
  return compared.some(({ documented, returned }) =>
    returned.some((isReturned, n) => isReturned === isReturnedAfter && documented[n] === documentedOtherwise),
  );
}

function listTimedTiers({ compared, tiers, world }: TimedRun, { changedBy }: Direction): TimedTier[] {
  const asked = compared.map((observation) => ({ ...observation, oracle: createOracle(observation.request, world) }));
  return tiers.map((tier, n): TimedTier => {
    const results = asked.flatMap(({ numbers, documented, returned, oracle }) => {
      const stated = documented[n];
      const isLeftToRules = oracle.matching(tier) === 'required' && oracle.checked(tier) === 'required';
      if (stated === 'open' || (changedBy === 'rules' && !isLeftToRules)) return [];
      const isReturned = returned[n] === true;
      const isWrong = isReturned !== (stated === 'required');
      const isFilteredOut = oracle.matching(tier) === 'forbidden';
      return numbers.map((number) => ({ number, isReturned, isWrong, isFilteredOut }));
    });
    return { name: tier.name, results: results.toSorted((left, right) => left.number - right.number) };
  });
}

/** The number of the request with which a tier changes. */
function findChange({ results }: TimedTier, { changedBy, isReturnedAfter }: Direction): number {
  const change = results.find(({ isReturned, isFilteredOut }) =>
    changedBy === 'filter' ? isFilteredOut : isReturned === isReturnedAfter,
  );
  return change?.number ?? Number.POSITIVE_INFINITY;
}

function hasBothResults({ results }: TimedTier): boolean {
  return new Set(results.map(({ isReturned }) => isReturned)).size === 2;
}

/** Lists the results of a tier after its change. */
function listAfter(tier: TimedTier, direction: Direction): TimedResult[] {
  const change = findChange(tier, direction);
  return tier.results.filter(({ number }) => number > change + maxOverlap);
}

function staysChanged(tier: TimedTier, direction: Direction): boolean {
  return listAfter(tier, direction).every(({ isReturned }) => isReturned === direction.isReturnedAfter);
}

function countWrongResponses(timed: readonly TimedTier[]): number {
  const wrong = timed.flatMap(({ results }) => results.filter(({ isWrong }) => isWrong));
  return new Set(wrong.map(({ number }) => number)).size;
}

function describeLoss(
  { compared, world }: TimedRun,
  direction: Direction,
  wrong: readonly TimedTier[],
  changed: readonly TimedTier[],
): CauseWithRows {
  const change = Math.min(...[...wrong, ...changed].map((tier) => findChange(tier, direction)));
  const first = compared.find(({ numbers }) => numbers.includes(change));
  const what = first === undefined ? '' : `: ${describeResponse(first, world)}`;
  const names = renderShortList(wrong.map(({ name }) => `'${name}'`));
  return {
    id: direction.id,
    sentence: `${wrong.length} promotion tiers ${direction.words}. An earlier request changes what later ones get.`,
    evidence: [`They are ${names}. The first ones change with request ${change} of the run${what}. None changes back.`],
    rows: new Set(compared.flatMap(({ rows }) => [...rows].filter((row) => row.isFailing))),
  };
}

function describeResponse({ request, returned }: ComparableObservation, world: TimedRun['world']): string {
  const count = returned.filter(Boolean).length;
  return `${shorten(describeRequest(request, world), maxDescription)}, which got ${count}`;
}
