/**
 * Finds out whether results depend on other requests at the same time. In: the exchanges of a run with their times. Out: how often
 * equal requests were answered wrongly while others were being answered, and how often alone. Pure, sends nothing.
 */

import { type Exchange, serializeRequestIgnoringRepetition } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { TargetContext } from '../judge/judge-case.js';
import { groupBy } from '../support/collections.js';
import { listSymptoms } from './symptom.js';

/** How often requests whose results differ were sent, and how often the result was wrong. */
interface SendingCount {
  readonly sent: number;
  readonly wrong: number;
}

export interface OverlapCounts {
  /** While another request was being answered. */
  readonly overlapping: SendingCount;
  readonly alone: SendingCount;
  /** Wrong exchanges, each with a right one of the same request. Those that were right alone come first. */
  readonly wrong: readonly [ChangingExchange, ...ChangingExchange[]];
}

interface ChangingExchange {
  readonly exchange: Exchange;
  readonly right: Exchange | undefined;
}

/** An exchange, and what its times and its response show. */
interface TimedExchange {
  readonly exchange: Exchange;
  readonly isWrong: boolean;
  readonly isOverlapping: boolean;
}

/** @returns undefined if no equal requests have different results */
export function countOverlap(exchanges: readonly Exchange[], target: TargetContext): OverlapCounts | undefined {
  const succeeding = exchanges.filter((exchange) => 'response' in exchange && isSuccessful(exchange.response));
  const isOverlapping = createOverlapTest(exchanges);
  const equal = [...groupBy(succeeding, ({ request }) => serializeRequestIgnoringRepetition(request)).values()];
  const repeated = equal.filter((group) => group.length > 1);
  const timed = repeated.map((group) =>
    group.map((exchange): TimedExchange => {
      const isWrong = listSymptoms(exchange, target).length > 0;
      return { exchange, isWrong, isOverlapping: isOverlapping(exchange) };
    }),
  );
  const changing = timed.filter((group) => hasBothResults(group));
  const all = changing.flat();
  const count = (wanted: boolean): SendingCount => {
    const sent = all.filter(({ isOverlapping: isAmongOthers }) => isAmongOthers === wanted);
    return { sent: sent.length, wrong: sent.filter(({ isWrong }) => isWrong).length };
  };
  const wrong = changing.flatMap((group): ChangingExchange[] => {
    const right = group.find(isRightAlone)?.exchange;
    return group.filter(({ isWrong }) => isWrong).map(({ exchange }) => ({ exchange, right }));
  });
  const [first, ...others] = wrong.toSorted(
    (left, right) => Number(right.right !== undefined) - Number(left.right !== undefined),
  );
  return first && { overlapping: count(true), alone: count(false), wrong: [first, ...others] };
}

function hasBothResults(group: readonly TimedExchange[]): boolean {
  return new Set(group.map(({ isWrong }) => isWrong)).size === 2;
}

function isRightAlone({ isWrong, isOverlapping }: TimedExchange): boolean {
  return !isWrong && !isOverlapping;
}

/** Creates a test whether another request was being answered at the same time. */
function createOverlapTest(exchanges: readonly Exchange[]): (exchange: Exchange) => boolean {
  const spans = exchanges.flatMap(({ timing }) =>
    timing === undefined ? [] : [{ start: timing.startedAt, end: timing.startedAt + timing.durationMs }],
  );
  return ({ timing }) => {
    if (timing === undefined) return false;
    const [start, end] = [timing.startedAt, timing.startedAt + timing.durationMs];
    // It is among the spans itself.
    return spans.filter((span) => span.start < end && span.end > start).length > 1;
  };
}

/** Fewer say nothing. */
const minSent = 4;
/** How likely it may be that none of those that were sent alone is wrong by chance. */
const maxChance = 0.02;

/** Whether requests are wrong only while others are being answered. */
export function isOnlyWrongAmongOthers({ overlapping, alone }: OverlapCounts): boolean {
  const isEnough = overlapping.wrong >= minSent && alone.sent >= minSent && alone.wrong === 0;
  const shareOfRight = 1 - overlapping.wrong / overlapping.sent;
  return isEnough && shareOfRight ** alone.sent <= maxChance;
}

export function describeOverlap({ overlapping, alone }: OverlapCounts): string {
  const render = ({ wrong, sent }: SendingCount) => `${wrong} of ${sent}`;
  return `Of the requests with different results, ${render(overlapping)} were wrong while others were being answered, and ${render(alone)} that were sent alone.`;
}
