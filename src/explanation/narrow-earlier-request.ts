/**
 * Sends two requests, one after the other, to find out whether the first one makes the second one wrong. In: a request that is right
 * alone, and earlier ones. Out: the two requests, and the smallest difference between them that was found. Pure (see
 * `symptom-inquiry.ts`).
 */

import { createNameLookup } from '../contract/describe-request.js';
import type { TargetWorld } from '../contract/world.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import { listDifferingParts, listOwn, nameDifference } from './differing-parts.js';
import type { EarlierParts } from './earlier-parts.js';
import { describeEqualHash } from './equal-hash.js';
import type { FreshRequest, Mark } from './fresh-requests.js';
import {
  describeRightResult,
  describeSymptom,
  type NarrowedFailure,
  type NarrowingContext,
} from './narrowed-failure.js';
import { type DecomposedRequest, describeRequestComponent, takeRequestApart } from './request-components.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** Two requests, sent one after the other. */
type SentPair = readonly [first: HttpRequest, second: HttpRequest];

/** How two requests are sent. */
interface PairSending {
  readonly mark: Mark;
  readonly isOnOneConnection: boolean;
}

/** Tries one earlier request after another. @param start the request that was wrong in the run */
export function* narrowEarlierRequest(
  inquiry: SymptomInquiry,
  start: Exchange,
  suspects: readonly HttpRequest[],
  fresh: FreshRequest,
  { lent, plain }: Pick<NarrowingContext, 'plain'> & { readonly lent: EarlierParts | undefined },
): RequestGenerator<NarrowedFailure | undefined> {
  // Each keeps its marks for all suspects: a request that was sent before is not sent again.
  const pairs = listSendings(start, fresh).map((sending) => new PairInquiry(inquiry, fresh, sending));
  for (const earlier of suspects) {
    const before = takeRequestApart(earlier, plain);
    if (before === undefined) continue;
    for (const pair of pairs) {
      const found = yield* narrowPair(pair, before, lent);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/**
 * Lists the ways to send two requests. With a part that no request had, no cache has them. Where a request is right as it is, they are
 * sent without one, too: what a deployment keeps may show only where a request lacks this part.
 */
function listSendings({ request }: Exchange, { mark, alone }: FreshRequest): PairSending[] {
  const repeat = alone === request ? createRepetition() : undefined;
  return [
    { mark, isOnOneConnection: false },
    ...(repeat === undefined ? [] : [{ mark: repeat, isOnOneConnection: false }]),
    { mark: repeat ?? mark, isOnOneConnection: true },
  ];
}

/** Tells these repetitions from others. */
const firstRepetition = 2_000;

/** Creates a mark that changes nothing: the request is sent again. */
function createRepetition(): Mark {
  let again = firstRepetition;
  return ({ components, compose }) => {
    again += 1;
    return { ...compose(components), again };
  };
}

/** Sends pairs of requests in one way, each pair with marks of its own. */
class PairInquiry {
  #turn = 0;

  constructor(
    readonly inquiry: SymptomInquiry,
    readonly fresh: FreshRequest,
    readonly sending: PairSending,
  ) {}

  /** @returns undefined if the second request is not wrong after the first one */
  *askAfter(first: DecomposedRequest): RequestGenerator<SentPair | undefined> {
    const { mark, isOnOneConnection } = this.sending;
    this.#turn += 1;
    const turn = String(this.#turn);
    const earlier = mark(first, turn);
    const marked = mark(this.fresh.later, turn);
    const later: HttpRequest = isOnOneConnection ? { ...marked, sent: 'on-the-connection-before' } : marked;
    const answered = yield* this.inquiry.send(earlier);
    if (answered === undefined) return undefined;
    return (yield* this.inquiry.ask(later)) === 'wrong' ? [earlier, later] : undefined;
  }

  /** Sends the second request alone, on a connection of its own. */
  *isRightAlone(): RequestGenerator<boolean> {
    return (yield* this.inquiry.ask(this.sending.mark(this.fresh.later, 'alone again'))) === 'right';
  }
}

/** Two requests that were sent: after the first one, the second one was wrong. */
interface WrongPair {
  /** The first request, in parts. */
  readonly before: DecomposedRequest;
  readonly sent: SentPair;
}

function* narrowPair(
  pair: PairInquiry,
  before: DecomposedRequest,
  lent: EarlierParts | undefined,
): RequestGenerator<NarrowedFailure | undefined> {
  const sent = yield* pair.askAfter(before);
  // By chance, it may have been so once.
  const isChance = sent === undefined || (yield* pair.askAfter(before)) === undefined;
  if (isChance || !(yield* pair.isRightAlone())) return undefined;
  return yield* describePair(pair, yield* findNearest(pair, { before, sent }), lent);
}

/** Finds an earlier request that differs from the later one in one part alone. */
function* findNearest(pair: PairInquiry, whole: WrongPair): RequestGenerator<WrongPair> {
  for (const before of listNearer(whole.before, pair.fresh.later)) {
    const sent = yield* pair.askAfter(before);
    if (sent !== undefined) return { before, sent };
  }
  return whole;
}

function* describePair(
  { inquiry, fresh, sending }: PairInquiry,
  { before, sent }: WrongPair,
  lent: EarlierParts | undefined,
): RequestGenerator<NarrowedFailure> {
  const { isOnOneConnection } = sending;
  const [, second] = sent;
  const rightly = describeRightResult(inquiry);
  const length = (yield* isOnlyLengthDeciding(inquiry, before, fresh))
    ? ` Both bodies have ${measureBody(second)} bytes: with other metadata of one length in each, the second one is wrong, too; with longer metadata in it, ${rightly}.`
    : '';
  // The only difference says for which request the result is right.
  const isOnePart = listDifferingParts(before, fresh.later).length === 1;
  const how = lent === undefined || isOnePart ? '' : ` The result would be right if the second one had ${lent.words}.`;
  const where = isOnOneConnection ? ', sent on the same connection,' : '';
  const separately = isOnOneConnection ? 'On a connection of its own' : 'Alone';
  const difference = describeDifference(before, fresh.later, inquiry.target.world);
  const hash = describeEqualHash(before, fresh.later);
  const sentence = `After the first of these two requests, the second one${where} is wrong: ${describeSymptom(inquiry, second)}. ${separately}, ${rightly}. They differ in ${difference}.${hash}${length}${how}`;
  const wrong = sent.flatMap((request) => inquiry.getExchange(request) ?? []);
  return { kind: 'earlier-request', sentence, wrong, right: inquiry.getExchange(fresh.alone) };
}

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
  const [again, longer] = [mark(first, 'length C'), mark(later, longTurn)];
  if (!haveEqualLength(one, two) || haveEqualLength(one, longer)) return false;
  yield* inquiry.send(one);
  if ((yield* inquiry.ask(two)) !== 'wrong') return false;
  // Each is sent directly after the first request: what is kept may be that of the one before.
  yield* inquiry.send(again);
  return (yield* inquiry.ask(longer)) === 'right';
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
  const nameOf = createNameLookup(world);
  return listOwn(request.components, other.components).map((component) => describeRequestComponent(component, nameOf));
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
