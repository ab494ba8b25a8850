/**
 * Finds out whether a request is wrong only among requests at the same time. In: an exchange that was wrong in the run, and the
 * same request as it is right when it is sent alone. Out: how often it is wrong among others, and that it is right as often
 * alone. Pure (see `symptom-inquiry.ts`).
 */

import type { Exchange, HttpRequest } from '../http/exchange.js';
import type { FreshRequest, Mark } from './fresh-requests.js';
import {
  describeRightResult,
  describeSymptom,
  type NarrowedFailure,
  type NarrowingContext,
} from './narrowed-failure.js';
import { listSimultaneous } from './overlap.js';
import { takeRequestApart } from './request-components.js';
import { judgeSymptom, listSymptoms } from './symptom.js';
import { type RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** How often the request is sent among others, and with as many of these. */
const overlaps = 6;
/** How often this is done: what goes wrong seldom need not show at once. */
const maxRounds = 2;

/** @param companion what is sent beside it, if nothing was at the same time in the run */
export function* narrowOverlap(
  inquiry: SymptomInquiry,
  start: Exchange,
  companion: Exchange,
  fresh: FreshRequest,
  around: NarrowingContext,
): RequestGenerator<NarrowedFailure | undefined> {
  const simultaneous = listSimultaneous(start, around.sent);
  const others = simultaneous.length === 0 ? [companion] : simultaneous.slice(0, overlaps);
  for (let round = 1; round <= maxRounds; round += 1) {
    const found = yield* narrowOverlapOnce(inquiry, { start, others, fresh, round }, around);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What is sent at the same time, in a round from 1. */
interface OverlapRound {
  readonly start: Exchange;
  readonly others: readonly Exchange[];
  readonly fresh: FreshRequest;
  readonly round: number;
}

function* narrowOverlapOnce(
  inquiry: SymptomInquiry,
  { start, others, fresh, round }: OverlapRound,
  around: NarrowingContext,
): RequestGenerator<NarrowedFailure | undefined> {
  const wanted = listFresh(start, fresh, 'together', round);
  const exchanges = yield* inquiry.sendTogether(
    wanted.flatMap((request, n) => {
      const companion = others[n % others.length] ?? start;
      return [writeCompanion(companion, fresh.mark, `other ${round} ${n + 1}`, around), request];
    }),
  );
  const ofRequest = exchanges.filter(
    (exchange, n) => n % 2 === 1 && judgeSymptom(inquiry.symptom, exchange, inquiry.target) === 'wrong',
  );
  const [first] = ofRequest;
  if (first === undefined) return yield* verifyCompanion(exchanges, fresh.mark, inquiry, around);
  // Alone, it has to be right as often.
  const right = yield* askAllAlone(inquiry, listFresh(start, fresh, 'alone', round));
  const times = `${overlaps} times at the same time as other requests, ${sayWrong(ofRequest, ' of the answers')}`;
  return right && describeOverlapping(inquiry, `Sent ${times}`, first, right);
}

/** Takes another request that was wrong, if it is right as often alone. */
function* verifyCompanion(
  together: readonly Exchange[],
  mark: Mark,
  { target, allowance }: SymptomInquiry,
  { plain }: Pick<NarrowingContext, 'plain'>,
): RequestGenerator<NarrowedFailure | undefined> {
  const wrong = together.filter((exchange) => listSymptoms(exchange, target).length > 0);
  const [first] = wrong;
  const apart = first && takeRequestApart(first.request, plain);
  const [symptom] = first === undefined ? [] : listSymptoms(first, target);
  if (first === undefined || apart === undefined || symptom === undefined) return undefined;
  const inquiry = new SymptomInquiry(symptom, target, allowance);
  const alone = Array.from({ length: overlaps }, (_, n) => mark(apart, `alone ${n + 1}`));
  const right = yield* askAllAlone(inquiry, alone);
  const times = `Of ${together.length} requests that were sent at the same time, ${sayWrong(wrong)}`;
  return right && describeOverlapping(inquiry, times, first, right);
}

/** Sends requests one after another. Returns the first, if all are right. */
function* askAllAlone(
  inquiry: SymptomInquiry,
  requests: readonly HttpRequest[],
): RequestGenerator<Exchange | undefined> {
  for (const request of requests) {
    if ((yield* inquiry.ask(request)) !== 'right') return undefined;
  }
  const [first] = requests;
  return first && inquiry.getExchange(first);
}

function sayWrong({ length }: readonly Exchange[], ofWhat = ''): string {
  return `${length}${ofWhat} ${length === 1 ? 'is' : 'are'} wrong`;
}

function describeOverlapping(
  inquiry: SymptomInquiry,
  times: string,
  wrong: Exchange,
  right: Exchange,
): NarrowedFailure {
  const sentence = `${times}: ${describeSymptom(inquiry, wrong.request)}. Sent ${overlaps} times, one after the other, ${describeRightResult(inquiry)}.`;
  return { kind: 'reproduced-race', sentence, wrong: [wrong], right };
}

/**
 * Writes the request several times. Where it is right alone, no cache has a wrong answer to it: it is sent as it was, since it may
 * matter how long its body takes.
 */
function listFresh(
  start: Exchange,
  { later, mark, alone }: FreshRequest,
  turn: 'together' | 'alone',
  round: number,
): HttpRequest[] {
  const isRightAsItIs = alone === start.request;
  const first = overlaps * (2 * (round - 1) + (turn === 'alone' ? 1 : 0));
  return Array.from({ length: overlaps }, (_, n) =>
    isRightAsItIs && start.request.sent !== undefined
      ? { ...start.request, again: n + first }
      : mark(later, `${turn} ${round} ${n + 1}`),
  );
}

function writeCompanion(
  { request }: Exchange,
  mark: Mark,
  turn: string,
  { plain }: Pick<NarrowingContext, 'plain'>,
): HttpRequest {
  const apart = takeRequestApart(request, plain);
  return apart === undefined ? request : mark(apart, turn);
}
