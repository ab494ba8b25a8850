/**
 * Finds out whether results depend on other requests at the same time. In: the exchanges of a run with their times. Out: how often
 * equal requests were answered wrongly while others were being answered, and how often alone. Pure, sends nothing.
 */

import { type Exchange, type HttpRequest, serializeRequestIgnoringRepetition } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { TargetContext } from '../judge/collect-row-evidence.js';
import { groupBy } from '../support/collections.js';
import { type PlainRequestHead, serializeParts } from './request-components.js';
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
  const equal = groupSuccessful(exchanges, serializeRequestIgnoringRepetition);
  const repeated = equal.filter((group) => group.length > 1);
  const time = createTimer(exchanges, target);
  return countResults(repeated.map((group) => group.map(time)).filter(hasBothResults));
}

/**
 * Counts requests by how each was sent for the first time. Where a cache keeps wrong results, equal requests have equal ones.
 *
 * @returns undefined if no result is wrong
 */
export function countFirstResults(
  exchanges: readonly Exchange[],
  plain: PlainRequestHead,
  target: TargetContext,
): OverlapCounts | undefined {
  const equal = groupSuccessful(exchanges, (request) => serializeParts(request, plain));
  const first = equal.map((group) => group.slice(0, 1));
  return countResults(first.map((group) => group.map(createTimer(exchanges, target))));
}

function groupSuccessful(exchanges: readonly Exchange[], serialize: (request: HttpRequest) => string): Exchange[][] {
  const succeeding = exchanges.filter((exchange) => 'response' in exchange && isSuccessful(exchange.response));
  return [...groupBy(succeeding, ({ request }) => serialize(request)).values()];
}

function createTimer(exchanges: readonly Exchange[], target: TargetContext): (exchange: Exchange) => TimedExchange {
  const isOverlapping = createOverlapTest(exchanges);
  return (exchange) => ({
    exchange,
    isWrong: listSymptoms(exchange, target).length > 0,
    isOverlapping: isOverlapping(exchange),
  });
}

function countResults(groups: readonly (readonly TimedExchange[])[]): OverlapCounts | undefined {
  const all = groups.flat();
  const count = (wanted: boolean): SendingCount => {
    const sent = all.filter(({ isOverlapping: isAmongOthers }) => isAmongOthers === wanted);
    return { sent: sent.length, wrong: sent.filter(({ isWrong }) => isWrong).length };
  };
  const wrong = groups.flatMap((group): ChangingExchange[] => {
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
  return (exchange) => exchanges.some((other) => other !== exchange && isSimultaneous(exchange, other));
}

/** Whether two requests were being answered at the same time. */
function isSimultaneous({ timing: left }: Exchange, { timing: right }: Exchange): boolean {
  if (left === undefined || right === undefined) return false;
  return left.startedAt < right.startedAt + right.durationMs && right.startedAt < left.startedAt + left.durationMs;
}

/** Lists the requests that were being answered at the same time, each once, in the order of sending. */
export function listSimultaneous(exchange: Exchange, sent: readonly Exchange[]): Exchange[] {
  const key = serializeRequestIgnoringRepetition(exchange.request);
  const others = groupBy(
    sent.filter((other) => isSimultaneous(exchange, other)),
    ({ request }) => serializeRequestIgnoringRepetition(request),
  );
  return [...others].flatMap(([content, [first]]) => (content === key ? [] : [first]));
}

/** Fewer say nothing. */
const minSent = 4;
/** How likely it may be that none of those that were sent alone is wrong by chance. */
const maxChance = 0.02;

/** Whether equal requests may be wrong only while others are being answered: alone, none was. */
export function isPerhapsOnlyWrongAmongOthers({ overlapping, alone }: OverlapCounts): boolean {
  return overlapping.wrong > 0 && alone.sent > 0 && alone.wrong === 0;
}

/** Whether requests are wrong only while others are being answered. */
export function isOnlyWrongAmongOthers({ overlapping, alone }: OverlapCounts): boolean {
  const isEnough = overlapping.wrong >= minSent && alone.sent >= minSent && alone.wrong === 0;
  const shareOfRight = 1 - overlapping.wrong / overlapping.sent;
  return isEnough && shareOfRight ** alone.sent <= maxChance;
}

function renderCount({ wrong, sent }: SendingCount): string {
  return `${wrong} of ${sent}`;
}

export function describeFirstResults({ overlapping, alone }: OverlapCounts): string {
  return `Of all different requests, ${renderCount(overlapping)} that were first sent while others were being answered are wrong, and ${renderCount(alone)} that were first sent alone.`;
}

export function describeOverlap({ overlapping, alone }: OverlapCounts): string {
  return `Of the requests with different results, ${renderCount(overlapping)} were wrong while others were being answered, and ${renderCount(alone)} that were sent alone.`;
}
