/**
 * Finds out whether a wrong result is right for a request of which some parts are those of an earlier one: that of a cache whose
 * key lacks them, or of something that is kept between requests. In: a wrong exchange, and those before it. Out: the earlier
 * exchange, and which parts it lends. Pure, sends nothing.
 */

import type { AnsweredExchange } from '../assertions/row-evidence.js';
import { createOracle, type Obligation } from '../contract/oracle.js';
import { listAvailableTiers, type Tier } from '../contract/world.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import { isSuccessful } from '../http/response-status.js';
import type { TargetContext } from '../judge/collect-row-evidence.js';
import { listDifferingParts, nameDifference, partNames, type RequestPart } from './differing-parts.js';
import type { NarrowingContext } from './narrowed-failure.js';
import { type DecomposedRequest, type RequestComponent, takeRequestApart } from './request-components.js';
import { readReturnedTiersForTarget } from './symptom.js';

export interface EarlierParts {
  readonly earlier: Exchange;
  /** The wrong request, with the parts that the earlier one lends: its result would be that. */
  readonly mixed: HttpRequest;
  /** The parts that it lends. */
  readonly parts: readonly RequestPart[];
  /** What the result is right with, as the end of a sentence: "the items of an earlier request in place of its own". */
  readonly words: string;
  /** Whether the response is the same as that to the earlier request, which was right there. */
  readonly isSameAnswer: boolean;
  /** How many promotions are wrong in the result, and right for the parts that are lent: few may be so by coincidence. */
  readonly countWrong: number;
}

/** Parts that are taken from an earlier request together. */
interface Lending {
  readonly parts: readonly RequestPart[];
  /** Whether those of the later request count, too. */
  readonly isInAddition: boolean;
}

const bodyParts: readonly RequestPart[] = ['customer', 'item', 'metadata', 'order-metadata', 'option'];

/** One part first: it says most. Options change no result. */
const lendings: readonly Lending[] = [
  ...(['customer', 'parameter', 'item', 'metadata', 'order-metadata'] as const).map((part) => ({
    parts: [part],
    isInAddition: false,
  })),
  ...(['item', 'metadata', 'order-metadata', 'parameter'] as const).map((part) => ({
    parts: [part],
    isInAddition: true,
  })),
  { parts: ['item', 'order-metadata'], isInAddition: false },
  { parts: ['item', 'metadata', 'order-metadata'], isInAddition: false },
  { parts: bodyParts, isInAddition: false },
  { parts: [...bodyParts, 'parameter'], isInAddition: false },
];

/** How many promotions have to be wrong before the filter of an earlier request that explains all of them is no coincidence. */
const minFilteredOutEarlier = 5;
/** The same among the few requests at the same time. */
const minFilteredOutAtOnce = 2;
/** How many different requests are put together: what they should get is computed for each. */
const maxTried = 800;

/** An earlier exchange, with its request in parts. */
interface EarlierExchange {
  readonly exchange: Exchange;
  readonly apart: DecomposedRequest;
}

/** @param before what was sent before the wrong exchange, in the order of sending */
export function findEarlierParts(
  wrong: Exchange,
  before: readonly Exchange[],
  { plain, isUnstable }: Pick<NarrowingContext, 'plain' | 'isUnstable'>,
  target: TargetContext,
): EarlierParts | undefined {
  const later = takeRequestApart(wrong.request, plain);
  if (later === undefined || !('response' in wrong) || !isSuccessful(wrong.response)) return undefined;
  const earlierOnes = takeAllApart(before.toReversed(), plain);
  const terms = {
    lender: 'an earlier request',
    minFilteredOut: isUnstable ? minFilteredOutEarlier : Number.POSITIVE_INFINITY,
  };
  return (
    findLendingRequest(wrong, later, earlierOnes, terms, target) ??
    findCollectedParts(wrong, later, earlierOnes, target)
  );
}

/**
 * Finds parts of a request at the same time with which a wrong result is right.
 *
 * @param simultaneous what was being answered at the same time
 */
export function findSimultaneousParts(
  wrong: Exchange,
  simultaneous: readonly Exchange[],
  { plain }: Pick<NarrowingContext, 'plain'>,
  target: TargetContext,
): EarlierParts | undefined {
  const later = takeRequestApart(wrong.request, plain);
  if (later === undefined || !('response' in wrong) || !isSuccessful(wrong.response)) return undefined;
  const others = takeAllApart(simultaneous, plain);
  const terms = { lender: 'a request at the same time', minFilteredOut: minFilteredOutAtOnce };
  return findLendingRequest(wrong, later, others, terms, target);
}

function takeAllApart(exchanges: readonly Exchange[], plain: NarrowingContext['plain']): EarlierExchange[] {
  return exchanges.flatMap((exchange): EarlierExchange[] => {
    const apart = takeRequestApart(exchange.request, plain);
    return apart === undefined ? [] : [{ exchange, apart }];
  });
}

/** Which requests may lend parts. */
interface LendingTerms {
  /** What they are in a sentence. */
  readonly lender: string;
  /** How many promotions have to be wrong before another filter tells something. */
  readonly minFilteredOut: number;
}

/** Finds one request that lends parts. */
function findLendingRequest(
  wrong: AnsweredExchange,
  later: DecomposedRequest,
  earlierOnes: readonly EarlierExchange[],
  { lender, minFilteredOut }: LendingTerms,
  target: TargetContext,
): EarlierParts | undefined {
  const { isRightFor, countWrong } = createResultTest(wrong, target);
  // That another filter fits may be a coincidence, unless results change by themselves, and it leaves out many promotions.
  const doOtherFiltersTell = countWrong >= minFilteredOut;
  const hasSameAnswer = (exchange: Exchange) =>
    'response' in exchange && exchange.response.body === wrong.response.body;
  // Several requests may lend the same: that with the same answer says most, and of those, that which differs in little else.
  const countDifferences = ({ apart }: EarlierExchange) => listDifferingParts(apart, later).length;
  const alike = earlierOnes
    .filter(({ exchange }) => hasSameAnswer(exchange))
    .toSorted((left, right) => countDifferences(left) - countDifferences(right));
  const others = earlierOnes.filter(({ exchange }) => !hasSameAnswer(exchange));
  let first: EarlierParts | undefined;
  for (const { lending, earlier, mixed } of listMixedRequests(later, [...alike, ...others])) {
    const { exchange, apart } = earlier;
    const isSameAnswer = hasSameAnswer(exchange);
    const isTelling =
      isSameAnswer || (first === undefined && (!lending.parts.includes('parameter') || doOtherFiltersTell));
    if (!isTelling || !isRightFor(mixed)) continue;
    const added = { ...lending, isInAddition: true };
    const mayBeAdded = !lending.isInAddition && isRightFor(lend(apart, later, added));
    const words = describeLending(lending, lender, { earlier: apart, later, mayBeAdded });
    const found = { earlier: exchange, mixed, parts: lending.parts, words, isSameAnswer, countWrong };
    if (isSameAnswer) return found;
    first ??= found;
  }
  return first;
}

/** A request that has some parts from an earlier one. */
interface MixedRequest {
  readonly lending: Lending;
  readonly earlier: EarlierExchange;
  readonly mixed: HttpRequest;
}

/** Puts requests together, each once. */
function* listMixedRequests(
  later: DecomposedRequest,
  earlierOnes: readonly EarlierExchange[],
): Generator<MixedRequest> {
  const tried = new Set([serializeContent(later.compose(later.components))]);
  for (const lending of lendings) {
    for (const earlier of earlierOnes) {
      const mixed = lend(earlier.apart, later, lending);
      const key = serializeContent(mixed);
      if (tried.has(key) || tried.size > maxTried) continue;
      tried.add(key);
      yield { lending, earlier, mixed };
    }
  }
}

/** Finds out whether a deployment collects parts: what it must not return is right if those of all earlier requests count, too. */
function findCollectedParts(
  wrong: AnsweredExchange,
  later: DecomposedRequest,
  earlierOnes: readonly EarlierExchange[],
  target: TargetContext,
): EarlierParts | undefined {
  const { world } = target;
  const result = readReturnedTiersForTarget(wrong, target);
  const documented = createOracle(wrong.request, world);
  const returned = listAvailableTiers(world).filter(({ id }) => result.returned.includes(id));
  const extra = returned.filter((tier) => documented.returned(tier) === 'forbidden');
  const explaining = (['item', 'metadata', 'order-metadata'] as const).filter((part) => {
    const collected = earlierOnes.flatMap(({ apart }) => apart.components.filter(({ kind }) => kind === part));
    const { returned: judge } = createOracle(later.compose([...later.components, ...collected]), world);
    return extra.every((tier) => judge(tier) !== 'forbidden');
  });
  const [part] = explaining;
  if (extra.length === 0 || part === undefined || explaining.length > 1) return undefined;
  const lending = earlierOnes
    .map(({ exchange, apart }) => ({ exchange, mixed: lend(apart, later, { parts: [part], isInAddition: true }) }))
    .find(({ mixed }) => {
      const { returned: judge } = createOracle(mixed, world);
      return extra.some((tier) => judge(tier) === 'required');
    });
  if (lending === undefined) return undefined;
  const words = `${partNames[part]} of earlier requests in addition to its own`;
  const { exchange: earlier, mixed } = lending;
  return { earlier, mixed, parts: [part], words, isSameAnswer: false, countWrong: extra.length };
}

function serializeContent({ path, body }: HttpRequest): string {
  return JSON.stringify([path, body]);
}

/** Puts a request together that has some parts from an earlier one. */
function lend(earlier: DecomposedRequest, later: DecomposedRequest, { parts, isInAddition }: Lending): HttpRequest {
  const { compose } = parts.includes('customer') ? earlier : later;
  const isLent = ({ kind }: RequestComponent) => parts.includes(kind);
  const kept = later.components.filter((component) => isInAddition || !isLent(component));
  return compose([...earlier.components.filter(isLent), ...kept]);
}

/**
 * Creates a test whether the result would be right for another request. The documentation has to say something about each tier
 * that is wrong here: what is open fits everything.
 */
function createResultTest(wrong: AnsweredExchange, target: TargetContext) {
  const result = readReturnedTiersForTarget(wrong, target);
  const returned = new Set(result.returned);
  const tiers = listAvailableTiers(target.world).filter(({ id }) => !result.unclear.has(id));
  const documented = createOracle(wrong.request, target.world);
  const isAsStated = (tier: Tier, stated: Obligation) => returned.has(tier.id) === (stated === 'required');
  const wrongTiers = new Set(
    tiers.filter((tier) => documented.returned(tier) !== 'open' && !isAsStated(tier, documented.returned(tier))),
  );
  const isRightFor = (request: HttpRequest): boolean => {
    const oracle = createOracle(request, target.world);
    // That nothing is returned is right for many requests.
    if (!oracle.accepted || returned.size === 0) return false;
    return tiers.every((tier) => {
      const stated = oracle.returned(tier);
      return stated === 'open' ? !wrongTiers.has(tier) : isAsStated(tier, stated);
    });
  };
  return { isRightFor, countWrong: wrongTiers.size };
}

/** The two requests whose parts are named, and whether another sentence would be true as well. */
interface LentWords {
  readonly earlier: DecomposedRequest;
  readonly later: DecomposedRequest;
  /** Whether the result would be right in addition to the own parts, too. */
  readonly mayBeAdded: boolean;
}

function describeLending(
  { parts, isInAddition }: Lending,
  lender: string,
  { earlier, later, mayBeAdded }: LentWords,
): string {
  if (parts.length > bodyParts.length) return `all parts of ${lender}`;
  const isWhole = isInAddition || mayBeAdded;
  const nameOf = (part: RequestPart) => (isWhole ? partNames[part] : nameDifference(part, earlier, later));
  const what = parts.length === bodyParts.length ? 'the body' : parts.map(nameOf).join(' and ');
  if (mayBeAdded && hasOwn(later, parts)) return `${what} of ${lender}, in place of its own or in addition to them`;
  return `${what} of ${lender} ${isInAddition ? 'in addition to its own' : 'in place of its own'}`;
}

function hasOwn({ components }: DecomposedRequest, parts: readonly RequestPart[]): boolean {
  return components.some(({ kind }) => parts.includes(kind));
}
