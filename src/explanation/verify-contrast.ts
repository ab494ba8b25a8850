/**
 * Verifies a contrast before it is said: its wrong request and its right one are sent once more, alone. In: what narrowing found
 * out from one answer to each. Out: the same, if the answers are the same again; otherwise what decides instead, or that it was
 * not found. A result that was wrong by chance, or among requests at the same time, may come back from a cache each time, and nobody
 * knows which requests are equal to a cache. So the wrong request is sent with a part that no rule asks for. Pure (see `symptom-inquiry.ts`).
 */

import { type Exchange, type HttpRequest, serializeRequestIgnoringRepetition } from '../http/exchange.js';
import { type FreshRequest, findRightWithAnyMark } from './fresh-requests.js';
import { narrowOverlap } from './narrow-overlap.js';
import { findLentParts, narrowState } from './narrow-state.js';
import {
  describeRightResult,
  describeSymptom,
  type NarrowedFailure,
  type NarrowingContext,
} from './narrowed-failure.js';
import { listSimultaneous } from './overlap.js';
import { serializeParts, takeRequestApart } from './request-components.js';
import { type Correctness, judgeSymptom } from './symptom.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** How many requests a verification takes, if the answers are the same again. */
export const requestsOfVerification = 2;

/** Why a contrast may be due to something else than the difference between its requests. */
type Doubt =
  | { readonly kind: 'changing'; readonly wrong: Exchange; readonly right: Exchange }
  | { readonly kind: 'kept'; readonly wrong: Exchange; readonly fresh: FreshRequest };

/** @param found has one wrong exchange, of which narrowing says in what it differs from a right one */
export function* verifyContrast(
  found: NarrowedFailure,
  inquiry: SymptomInquiry,
  around: NarrowingContext,
): RequestGenerator<NarrowedFailure> {
  const [wrong] = found.wrong;
  if (wrong === undefined) return found;
  if (around.isDoubtful && inquiry.allowance.left < requestsOfVerification) return describeUnverified(wrong, inquiry);
  const doubt =
    (yield* doubtWrong(found, inquiry, around)) ??
    (found.right === undefined ? undefined : yield* doubtRight(found.right, inquiry, around));
  if (doubt === undefined) return found;
  const start = findWithSameParts(doubt.wrong, around) ?? doubt.wrong;
  if (doubt.kind === 'changing')
    return (
      (yield* narrowState(start, findLentParts(start, inquiry, around), inquiry, around)) ??
      describeDoubt(doubt, inquiry)
    );
  return (yield* narrowKept(start, doubt.fresh, inquiry, around)) ?? describeDoubt(doubt, inquiry);
}

/** Looks for what made a result wrong that was kept: requests at the same time, or else an earlier one. */
function* narrowKept(
  start: Exchange,
  fresh: FreshRequest,
  inquiry: SymptomInquiry,
  around: NarrowingContext,
): RequestGenerator<NarrowedFailure | undefined> {
  const [other] = listSimultaneous(start, around.sent);
  return other === undefined
    ? yield* narrowState(start, undefined, inquiry, around)
    : yield* narrowOverlap(inquiry, start, other, fresh, around);
}

/** Any further part changes the size of a request. */
const ofSize: readonly string[] = ['size', 'bytes'];

/** Finds out whether a wrong request is right now, or is right with any further part. */
function* doubtWrong(
  { wrong: [wrong], part }: NarrowedFailure,
  inquiry: SymptomInquiry,
  around: NarrowingContext,
): RequestGenerator<Doubt | undefined> {
  if (wrong === undefined || judge(wrong, inquiry) !== 'wrong') return undefined;
  const equal = findEqual(wrong.request, around.sent);
  const rightInRun = equal.find((exchange) => judge(exchange, inquiry) === 'right');
  if (rightInRun !== undefined) return { kind: 'changing', wrong, right: rightInRun };
  const apart = takeRequestApart(wrong.request, around.plain);
  // How a request is written may decide, too, and it is written plainly with a further part.
  const isPlain = apart !== undefined && isEqual(apart.compose(apart.components), wrong.request);
  const isMarkable = isPlain && (around.isDoubtful || !ofSize.includes(part ?? ''));
  const fresh = isMarkable ? yield* findRightWithAnyMark(apart, inquiry) : undefined;
  if (isMarkable && fresh === undefined) return undefined;
  const right = equal.length === 0 ? yield* findOther(wrong, 'right', inquiry) : undefined;
  if (right !== undefined) return { kind: 'changing', wrong, right };
  return fresh && { kind: 'kept', wrong, fresh };
}

/** Finds out whether a right request is wrong now, or was wrong in the run. */
function* doubtRight(
  right: Exchange,
  inquiry: SymptomInquiry,
  { sent }: NarrowingContext,
): RequestGenerator<Doubt | undefined> {
  if (judge(right, inquiry) !== 'right') return undefined;
  const wrongInRun = findEqual(right.request, sent).find((exchange) => judge(exchange, inquiry) === 'wrong');
  const wrong = wrongInRun ?? (yield* findOther(right, 'wrong', inquiry));
  return wrong && { kind: 'changing', wrong, right };
}

/** Tells this repetition from those of the run. */
const again = 1_000;

/** Sends a request once more. Undefined if its answer is not the other one. */
function* findOther(
  { request }: Exchange,
  other: Correctness,
  inquiry: SymptomInquiry,
): RequestGenerator<Exchange | undefined> {
  const repeated: HttpRequest = { ...request, again };
  return (yield* inquiry.ask(repeated)) === other ? inquiry.getExchange(repeated) : undefined;
}

/** Finds the first exchange of the run whose request has the same parts. */
function findWithSameParts({ request }: Exchange, { sent, plain }: NarrowingContext): Exchange | undefined {
  const parts = serializeParts(request, plain);
  return sent.find((exchange) => serializeParts(exchange.request, plain) === parts);
}

function findEqual(request: HttpRequest, sent: readonly Exchange[]): Exchange[] {
  return sent.filter((exchange) => isEqual(exchange.request, request));
}

function isEqual(left: HttpRequest, right: HttpRequest): boolean {
  return serializeRequestIgnoringRepetition(left) === serializeRequestIgnoringRepetition(right);
}

function judge(exchange: Exchange, inquiry: SymptomInquiry): Correctness {
  return inquiry.isWorthAsking(exchange.request) ? judgeSymptom(inquiry.symptom, exchange, inquiry.target) : 'unclear';
}

function describeUnverified(wrong: Exchange, inquiry: SymptomInquiry): NarrowedFailure {
  const sentence = `In the run, ${describeSymptom(inquiry, wrong.request)}. What made the difference was not found.`;
  return { kind: 'unstable', sentence, wrong: [wrong], right: undefined };
}

function describeDoubt(doubt: Doubt, inquiry: SymptomInquiry): NarrowedFailure {
  const symptom = describeSymptom(inquiry, doubt.wrong.request);
  const rightly = describeRightResult(inquiry);
  const wrong = [doubt.wrong];
  if (doubt.kind === 'changing') {
    const sentence = `The same request has different results: ${symptom}, and another time, ${rightly}. What made the difference was not found.`;
    return { kind: 'unstable', sentence, wrong, right: doubt.right };
  }
  const sentence = `This request is wrong each time: ${symptom}. With any further part that no rule asks for, sent for the first time and alone, ${rightly}.`;
  return { kind: 'kept-result', sentence, wrong, right: inquiry.getExchange(doubt.fresh.alone) };
}
