/**
 * Finds out which earlier request changes the answer to a later one. In: an exchange that was wrong once, and is right when it
 * is sent again, or with an entry that no request had. Out: the two requests that have to follow each other, and the smallest
 * difference between them that was found. Pure (see `symptom-inquiry.ts`).
 */

import { distance } from 'fastest-levenshtein';
import { createNameLookup, describeRequest } from '../contract/describe-request.js';
import { createOracle } from '../contract/oracle.js';
import type { TargetWorld } from '../contract/world.js';
import { parseRequest } from '../http/decoded-request.js';
import { type Exchange, type HttpRequest, serializeRequestIgnoringRepetition } from '../http/exchange.js';
import { shorten } from '../support/untrusted-text.js';
import { listDifferingParts, nameDifference, partNames } from './differing-parts.js';
import { type EarlierParts, findEarlierParts } from './earlier-parts.js';
import { type FreshRequest, findRightMark, type Mark, markWithMetadata } from './fresh-requests.js';
import { narrowOverlap } from './narrow-overlap.js';
import {
  describeRightResult,
  describeSymptom,
  type NarrowedFailure,
  type NarrowingContext,
  quoteTierName,
  reproducedStateShape,
} from './narrowed-failure.js';
import {
  type DecomposedRequest,
  describeRequestComponent,
  type RequestComponent,
  takeRequestApart,
} from './request-components.js';
import { type Correctness, listSymptoms } from './symptom.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** The shape of a request that is now right, now wrong, without others. */
export const repeatedShape = 'repeated';
/** The shape of a request that is now right, now wrong, and always right without a part of it. */
export const repeatedWithPartShape = 'repeated-with-a-part';
/** The shape of what the responses of the run alone show. */
export const seenStateShape = 'state-of-the-run';
/** The shape of what they show of few promotions: it may be a coincidence. */
export const perhapsStateShape = 'perhaps-state-of-the-run';
/** The same, if the whole answer is that to an earlier request. */
export const perhapsEarlierAnswerShape = 'perhaps-an-earlier-answer';
/** How many promotions are no coincidence. */
const minTelling = 5;
/** How many earlier requests are tried. */
const maxEarlier = 4;
/** Longer descriptions of a request say nothing at a glance. */
const maxDescription = 160;

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
  const suspects = listSuspects(start, listBefore(start, around.sent), lent, inquiry);
  const right = yield* findRightAlone(start.request, later, inquiry);
  if (right !== undefined) return yield* narrowFromRight({ start, suspects, lent, right }, inquiry, around);
  // Without an earlier request it has to be right, or something else decides.
  const fresh = { later, mark: markWithMetadata, alone: markWithMetadata(later, 'alone') };
  return around.isUnstable ? yield* tryRepeating(inquiry, fresh, lent) : undefined;
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
  const repeated = yield* tryRepeating(inquiry, right, lent);
  if (repeated !== undefined) return repeated;
  const found = yield* tryPairs(inquiry, suspects, right, { lent, plain: around.plain });
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

/** Tries one earlier request after another. */
function* tryPairs(
  inquiry: SymptomInquiry,
  suspects: readonly Exchange[],
  fresh: FreshRequest,
  { lent, plain }: Pick<NarrowingContext, 'plain'> & { readonly lent: EarlierParts | undefined },
): RequestGenerator<NarrowedFailure | undefined> {
  for (const earlier of suspects) {
    const apart = takeRequestApart(earlier.request, plain);
    const found = apart && (yield* tryPair(inquiry, apart, fresh, lent));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** How often a request is sent to find out whether it is right without the earlier one. */
const controls = 4;

function* isAlwaysRight(inquiry: SymptomInquiry, { later, mark }: FreshRequest): RequestGenerator<boolean> {
  const sent = Array.from({ length: controls }, (_, n) => mark(later, `control ${n + 1}`));
  return yield* areAllRight(inquiry, sent);
}

/** Sends one request after another, until one is not right. */
function* areAllRight(inquiry: SymptomInquiry, sent: readonly HttpRequest[]): RequestGenerator<boolean> {
  for (const request of sent) {
    if ((yield* inquiry.ask(request)) !== 'right') return false;
  }
  return true;
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

/** How often a request is sent, one after the other. */
const repetitions = 6;

/** The same request, so often that a result that changes is seen. */
function listRepetitions(request: HttpRequest): HttpRequest[] {
  return Array.from({ length: repetitions }, (_, n) => ({ ...request, again: n }));
}

/** Sends a request several times, one after the other, as no request was sent before. */
function* tryRepeating(
  inquiry: SymptomInquiry,
  { later, mark, alone }: FreshRequest,
  lent: EarlierParts | undefined,
): RequestGenerator<NarrowedFailure | undefined> {
  const sent = listRepetitions(mark(later, 'repeated'));
  const answers: Correctness[] = [];
  for (const request of sent) answers.push(yield* inquiry.ask(request));
  const firstWrong = answers.indexOf('wrong');
  if (firstWrong === -1 || !answers.includes('right')) return undefined;
  const isOnceRight = answers.every((answer, n) => answer === (n === 0 ? 'right' : 'wrong'));
  const decisive = isOnceRight ? undefined : yield* findDecisivePart(inquiry, later, mark);
  const shown = sent.slice(isOnceRight ? 0 : firstWrong, firstWrong + 1) as [HttpRequest, ...HttpRequest[]];
  const symptom = describeSymptom(inquiry, sent[firstWrong] ?? shown[0]);
  const sentence = isOnceRight
    ? `When a request is sent again, the answer is wrong: ${symptom}. The first time, ${describeRightResult(inquiry)}.`
    : `The same request, sent ${repetitions} times, one after the other: ${answers.join(', ')}. When it is wrong, ${symptom}.${describeTurns(sent, inquiry)}${decisive === undefined ? describeLender(lent, inquiry) : ` Without ${partNames[decisive.part]}, sent as often, it is right each time.`}`;
  const wrong = shown.flatMap((request) => inquiry.getExchange(request) ?? []);
  const right = isOnceRight ? alone : (decisive?.request ?? sent[answers.indexOf('right')]);
  const shapeOfSeveral = decisive === undefined ? repeatedShape : repeatedWithPartShape;
  const shape = isOnceRight ? reproducedStateShape : shapeOfSeveral;
  return { shape, sentence, wrong, right: right && inquiry.getExchange(right) };
}

/** A part that a request may lack, and the request without it. */
interface DecisivePart {
  readonly part: RequestComponent['kind'];
  readonly request: HttpRequest;
}

/** Finds a part without which a request that is now right, now wrong is right each time. */
function* findDecisivePart(
  inquiry: SymptomInquiry,
  { components, compose }: DecomposedRequest,
  mark: Mark,
): RequestGenerator<DecisivePart | undefined> {
  for (const part of new Set(components.map(({ kind }) => kind))) {
    const rest = components.filter(({ kind }) => kind !== part);
    const without = mark({ components: rest, compose }, 'without a part');
    if (!inquiry.isWorthAsking(without)) continue;
    const sent = listRepetitions(without);
    const [request] = sent;
    if (request !== undefined && (yield* areAllRight(inquiry, sent))) return { part, request };
  }
  return undefined;
}

/** How many tiers of a wrong result are named. */
const maxNamed = 3;

/** Says which tiers are wrong each time, if they are others. */
function describeTurns(sent: readonly HttpRequest[], inquiry: SymptomInquiry): string {
  const turns = sent.flatMap((request) => {
    const exchange = inquiry.getExchange(request);
    const symptoms = exchange === undefined ? [] : listSymptoms(exchange, inquiry.target);
    const names = symptoms.flatMap((symptom) => (symptom.kind === 'refused' ? [] : [quoteTierName(symptom.tier)]));
    const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
    return names.length === 0 ? [] : [names.slice(0, maxNamed).join(', ') + more];
  });
  return new Set(turns).size < 2 ? '' : ` The wrong ones were each time: ${turns.join('; ')}.`;
}

/** Says for which other request a wrong result of the run is right. */
function describeLender(lent: EarlierParts | undefined, { target: { world } }: SymptomInquiry): string {
  if (lent === undefined) return '';
  const description = shorten(describeRequest(lent.earlier.request, world), maxDescription);
  return ` In the run, the result would have been right if this request had had ${lent.words}: ${description}.`;
}

/** Two requests, sent one after the other. */
type SentPair = readonly [first: HttpRequest, second: HttpRequest];

function measureBody({ body = '' }: HttpRequest): number {
  return Buffer.byteLength(body);
}

/** Whether two different bodies have as many bytes: this may be all that a cache knows of them. */
function haveEqualLength(first: HttpRequest, second: HttpRequest): boolean {
  return first.body !== second.body && measureBody(first) === measureBody(second);
}

/** So long that a body with it has as many bytes as no other. */
const longTurn = 'x'.repeat(997);

/**
 * Finds out whether all that counts is that two bodies have as many bytes: with different texts of one length, the second request is
 * as wrong, and with a longer one, it is right.
 */
function* isOnlyLengthDeciding(
  inquiry: SymptomInquiry,
  first: DecomposedRequest,
  { later, mark }: FreshRequest,
): RequestGenerator<boolean> {
  const [one, two] = [mark(first, 'length A'), mark(later, 'length B')];
  const longer = mark(later, longTurn);
  if (!haveEqualLength(one, two) || haveEqualLength(one, longer)) return false;
  yield* inquiry.send(one);
  return (yield* inquiry.ask(two)) === 'wrong' && (yield* inquiry.ask(longer)) === 'right';
}

/** Sends two requests, one after the other. Both are new, so that no cache can have them. */
function* tryPair(
  inquiry: SymptomInquiry,
  before: DecomposedRequest,
  fresh: FreshRequest,
  lent: EarlierParts | undefined,
): RequestGenerator<NarrowedFailure | undefined> {
  const { later: after, mark, alone } = fresh;
  let turn = 0;
  /** @returns undefined if the second request is not wrong */
  const askAfter = function* (
    first: DecomposedRequest,
    isOnOneConnection: boolean,
  ): RequestGenerator<SentPair | undefined> {
    turn += 1;
    const [one, marked] = [mark(first, String(turn)), mark(after, String(turn))];
    const two: HttpRequest = isOnOneConnection ? { ...marked, sent: 'on-the-connection-before' } : marked;
    const answered = yield* inquiry.send(one);
    if (answered === undefined) return undefined;
    return (yield* inquiry.ask(two)) === 'wrong' ? [one, two] : undefined;
  };
  const apart = yield* askAfter(before, false);
  const whole = apart ?? (yield* askAfter(before, true));
  const isOnOneConnection = apart === undefined;
  // By chance, it may have been so once.
  const isChance = whole === undefined || (yield* askAfter(before, isOnOneConnection)) === undefined;
  if (isChance || (yield* inquiry.ask(mark(after, 'alone again'))) !== 'right') return undefined;
  let shown = whole;
  let nearest = before;
  const { world } = inquiry.target;
  let difference = describeDifference(before, after, world);
  // Then the difference says for which request the result is right.
  let isOnePart = listDifferingParts(before, after).length === 1;
  for (const first of listNearer(before, after)) {
    const nearer = yield* askAfter(first, isOnOneConnection);
    if (nearer === undefined) continue;
    shown = nearer;
    nearest = first;
    difference = describeDifference(first, after, world);
    isOnePart = true;
    break;
  }
  const [first, second] = shown;
  const isOfLength = yield* isOnlyLengthDeciding(inquiry, nearest, fresh);
  const length = isOfLength
    ? ` Both bodies have ${measureBody(second)} bytes: with other metadata of one length in each, the second one is wrong, too; with longer metadata in it, ${describeRightResult(inquiry)}.`
    : '';
  const how = lent === undefined || isOnePart ? '' : ` The result would be right if the second one had ${lent.words}.`;
  const where = isOnOneConnection ? ', sent on the same connection,' : '';
  const separately = isOnOneConnection ? 'On a connection of its own' : 'Alone';
  const sentence = `After the first of these two requests, the second one${where} is wrong: ${describeSymptom(inquiry, second)}. ${separately}, ${describeRightResult(inquiry)}. They differ in ${difference}.${length}${how}`;
  const wrong = [first, second].flatMap((request) => inquiry.getExchange(request) ?? []);
  return { shape: reproducedStateShape, sentence, wrong, right: inquiry.getExchange(alone) };
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
  const perhapsShape = isSameAnswer ? perhapsEarlierAnswerShape : perhapsStateShape;
  const shape = countWrong >= minTelling ? seenStateShape : perhapsShape;
  return { shape, sentence: `${seen} ${cause}${rightly}`, wrong: [earlier, start], right };
}

/** More components are named by their parts alone. */
const maxDifferingComponents = 4;
/** A longer list of them hides the rest of a sentence. */
const maxDifference = 240;

function describeDifference(first: DecomposedRequest, second: DecomposedRequest, world: TargetWorld): string {
  const parts = listDifferingParts(first, second);
  if (parts.length === 0) return 'nothing';
  const names = parts.map((part) => nameDifference(part, first, second)).join(', ');
  const ofFirst = listOwnComponents(first, second, world);
  const ofSecond = listOwnComponents(second, first, world);
  const list = (words: readonly string[]) => (words.length === 0 ? 'nothing' : words.join(', '));
  const details = ` (the first has ${list(ofFirst)}; the second ${list(ofSecond)})`;
  const count = ofFirst.length + ofSecond.length;
  return count === 0 || count > maxDifferingComponents || details.length > maxDifference ? names : names + details;
}

/** Describes what a request has and another has not. */
function listOwnComponents(request: DecomposedRequest, other: DecomposedRequest, world: TargetWorld): string[] {
  const known = new Set(other.components.map((component) => JSON.stringify(component)));
  const nameOf = createNameLookup(world);
  return request.components
    .filter((component) => !known.has(JSON.stringify(component)))
    .map((component) => describeRequestComponent(component, nameOf));
}

/** Lists requests that differ from the later one in one part alone, which they have from the earlier one. */
function* listNearer(before: DecomposedRequest, after: DecomposedRequest): Generator<DecomposedRequest> {
  for (const part of listDifferingParts(before, after)) {
    if (part === 'customer') yield { ...before, components: after.components };
    const kept = after.components.filter(({ kind }) => kind !== part);
    const ofEarlier = before.components.filter(({ kind }) => kind === part);
    if (part !== 'customer') yield { ...after, components: [...kept, ...ofEarlier] };
  }
}
