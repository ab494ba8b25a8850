/**
 * Finds out which earlier request changes the answer to a later one. In: an exchange that was wrong once, and is right when it
 * is sent again, or with an entry that no request had. Out: the two requests that have to follow each other, and the smallest
 * difference between them that was found. Pure (see `symptom-inquiry.ts`).
 */

import { distance } from 'fastest-levenshtein';
import { describeRequest } from '../contract/describe-request.js';
import { createOracle } from '../contract/oracle.js';
import { parseRequest } from '../http/decoded-request.js';
import { type Exchange, type HttpRequest, serializeRequestIgnoringRepetition } from '../http/exchange.js';
import { type EarlierParts, findEarlierParts } from './earlier-parts.js';
import { type FreshRequest, findRightMark, markWithMetadata } from './fresh-requests.js';
import { narrowEarlierRequest } from './narrow-earlier-request.js';
import { narrowOverlap } from './narrow-overlap.js';
import { areAllRight, narrowRepetition } from './narrow-repetition.js';
import {
  describeRightResult,
  describeSymptom,
  maxDescription,
  type NarrowedFailure,
  type NarrowingContext,
} from './narrowed-failure.js';
import { type DecomposedRequest, takeRequestApart } from './request-components.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** How many promotions are no coincidence. */
const minTelling = 5;
/** How many earlier requests are tried. */
const maxEarlier = 4;

/**
 * @param lent what {@link findLentParts} found
 * @returns undefined if it was not found out that an earlier request decides
 */
export function* narrowState(
  start: Exchange,
  lent: EarlierParts | undefined,
  inquiry: SymptomInquiry,
  around: NarrowingContext,
): RequestGenerator<NarrowedFailure | undefined> {
  const later = takeRequestApart(start.request, around.plain);
  if (later === undefined) return undefined;
  const before = listBefore(start, around.sent);
  const suspects = listSuspects(start, before, lent, inquiry);
  const right = yield* findRightAlone(start.request, later, inquiry);
  if (right !== undefined) return yield* narrowFromRight({ start, suspects, lent, right }, inquiry, around);
  // Without an earlier request it has to be right, or something else decides.
  const fresh = { later, mark: markWithMetadata, alone: markWithMetadata(later, 'alone') };
  return around.isUnstable ? yield* narrowRepetition(inquiry, fresh, lent) : undefined;
}

/** A request that was wrong in the run and is right alone, and what may have made it wrong. */
interface SuspectState {
  readonly start: Exchange;
  readonly suspects: readonly Exchange[];
  readonly lent: EarlierParts | undefined;
  readonly right: FreshRequest;
}

/** Looks for what makes a request wrong that is right alone: others at the same time, itself, or an earlier one. */
function* narrowFromRight(
  { start, suspects, lent, right }: SuspectState,
  inquiry: SymptomInquiry,
  around: NarrowingContext,
): RequestGenerator<NarrowedFailure | undefined> {
  const companion = suspects[0] ?? start;
  const isRace = around.isWrongAmongOthersOnly;
  const first = isRace ? yield* narrowOverlap(inquiry, start, companion, right, around) : undefined;
  if (first !== undefined) return first;
  const repeated = yield* narrowRepetition(inquiry, right, lent);
  if (repeated !== undefined) return repeated;
  const found = yield* narrowEarlierRequest(inquiry, start, listEarlierRequests(suspects, lent), right, {
    lent,
    plain: around.plain,
  });
  if (found !== undefined) return (yield* isByChance(inquiry, right, around)) ? undefined : found;
  const last = isRace ? undefined : yield* narrowOverlap(inquiry, start, companion, right, around);
  return last ?? (lent && describeLent(start, lent, inquiry, right.alone));
}

/** Whether a request may have been right by chance: where results change, it may be right twice. */
function* isByChance(
  inquiry: SymptomInquiry,
  right: FreshRequest,
  { isUnstable }: NarrowingContext,
): RequestGenerator<boolean> {
  return isUnstable && !(yield* isAlwaysRight(inquiry, right));
}

/** Finds out how the request is right on its own: as it is, or with a part that no request had. A key of a cache may lack some parts. */
function* findRightAlone(
  request: HttpRequest,
  later: DecomposedRequest,
  inquiry: SymptomInquiry,
): RequestGenerator<FreshRequest | undefined> {
  if ((yield* inquiry.ask(request)) === 'right') return { later, mark: markWithMetadata, alone: request };
  return yield* findRightMark(later, inquiry);
}

/** How often a request is sent to find out whether it is right without the earlier one. */
const controls = 4;

function* isAlwaysRight(inquiry: SymptomInquiry, { later, mark }: FreshRequest): RequestGenerator<boolean> {
  const sent = Array.from({ length: controls }, (_, n) => mark(later, `control ${n + 1}`));
  return yield* areAllRight(inquiry, sent);
}

/** Finds parts of earlier requests with which a wrong result is right. */
export function findLentParts(
  start: Exchange,
  inquiry: SymptomInquiry,
  context: NarrowingContext,
): EarlierParts | undefined {
  return findEarlierParts(start, listBefore(start, context.sent), context, inquiry.target);
}

/** Whether a request before had the same answer: a cache may have kept it. */
export function hasSameAnswer(start: Exchange, { sent }: NarrowingContext): boolean {
  const body = getBody(start);
  return listBefore(start, sent).some(
    (exchange) =>
      getBody(exchange) === body &&
      serializeRequestIgnoringRepetition(exchange.request) !== serializeRequestIgnoringRepetition(start.request),
  );
}

function listBefore(start: Exchange, sent: readonly Exchange[]): readonly Exchange[] {
  const place = sent.indexOf(start);
  return sent.slice(0, place === -1 ? sent.length : place);
}

/** Lists earlier requests that may have left something behind, the most suspicious one first. */
function listSuspects(
  start: Exchange,
  before: readonly Exchange[],
  lent: EarlierParts | undefined,
  { symptom, target }: SymptomInquiry,
): Exchange[] {
  const latest = before
    .toReversed()
    .filter(({ request }) => request.body !== start.request.body || request.path !== start.request.path);
  const body = getBody(start);
  const measure = ({ request }: Exchange) => distance(serializeStart(request), serializeStart(start.request));
  const alike = latest
    .filter((exchange) => getBody(exchange) === body)
    .toSorted((left, right) => measure(left) - measure(right));
  const wanted = symptom.kind === 'extra' ? 'required' : 'forbidden';
  // For it, what is wrong here is right.
  const expecting = latest.find(
    ({ request }) =>
      symptom.kind !== 'refused' && createOracle(request, target.world).returned(symptom.tier) === wanted,
  );
  const suspects = [lent?.earlier, findSameNames(start, latest), alike[0], expecting, latest[0], alike[1]];
  return [...new Set(suspects.flatMap((exchange) => exchange ?? []))].slice(0, maxEarlier);
}

/** Lists the requests that are sent before. That which differs in nothing but the parts that an earlier one lends says most. */
function listEarlierRequests(suspects: readonly Exchange[], lent: EarlierParts | undefined): HttpRequest[] {
  const requests = suspects.map(({ request }) => request);
  return lent === undefined ? requests : [lent.mixed, ...requests];
}

/** Finds an earlier request that differs in the values of its parameters alone: the key of a cache may lack them. */
function findSameNames({ request }: Exchange, earlier: readonly Exchange[]): Exchange | undefined {
  const readNames = (asked: HttpRequest) => JSON.stringify(parseRequest(asked).query.map(([name]) => name));
  const names = readNames(request);
  return earlier.find((exchange) => exchange.request.body === request.body && readNames(exchange.request) === names);
}

/** How much of a request is compared: long texts take long. */
const maxCompared = 1_000;

function serializeStart({ path, body = '' }: HttpRequest): string {
  return `${body} ${path}`.slice(0, maxCompared);
}

function getBody(exchange: Exchange): string | undefined {
  return 'response' in exchange ? exchange.response.body : undefined;
}

/** What the responses of the run show, if no two requests did it again. @param alone a request that is right, if there is one */
export function describeLent(
  start: Exchange,
  { earlier, words, isSameAnswer, countWrong }: EarlierParts,
  inquiry: SymptomInquiry,
  alone: HttpRequest | undefined,
): NarrowedFailure {
  const { world } = inquiry.target;
  const symptom = describeSymptom(inquiry, start.request);
  const seen = isSameAnswer
    ? `The answer is that to an earlier request, byte for byte: ${symptom}.`
    : `In the run, ${symptom}.`;
  const description = describeRequest(earlier.request, world);
  // It is shown as a command, too.
  const which = description.length > maxDescription ? '' : `, for example those of ${description}`;
  const cause = `The result would be right if this request had ${words}${which}.`;
  const rightly = alone === undefined ? '' : ` Sent again alone, ${describeRightResult(inquiry)}.`;
  const right = alone === undefined ? earlier : inquiry.getExchange(alone);
  const perhapsKind = isSameAnswer ? 'perhaps-earlier-answer' : 'perhaps-earlier-parts';
  const kind = countWrong >= minTelling ? 'earlier-parts' : perhapsKind;
  return { kind, sentence: `${seen} ${cause}${rightly}`, wrong: [earlier, start], right };
}
