/**
 * Finds out what makes a request go wrong. In: a wrong exchange, its symptom, and what was sent before. Out: two requests that
 * differ in little, one wrong and one right, and a sentence that says in what they differ. Everything in the sentence was
 * seen. Pure: it yields what is to be sent (see `symptom-inquiry.ts`).
 */

import { createNameLookup, describeRequest } from '../contract/describe-request.js';
import { parseFilterParameter } from '../contract/operation.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import type { EarlierParts } from './earlier-parts.js';
import { narrowQuantity, narrowReturnedCount, narrowSize } from './narrow-amounts.js';
import { type ComponentContrast, listWrongOnlyComponents, narrowComponents } from './narrow-components.js';
import { narrowCustomer } from './narrow-customer.js';
import { narrowBrackets, narrowForm, narrowLettersBeyondAscii, narrowOrderOfParts } from './narrow-form.js';
import { narrowIds } from './narrow-ids.js';
import { narrowInjection } from './narrow-injection.js';
import { narrowItem, narrowItemOrder, narrowItemPlace } from './narrow-item.js';
import { narrowKnownTexts } from './narrow-known-texts.js';
import { narrowPlainMemberOrder } from './narrow-member-order.js';
import { narrowRuleTexts } from './narrow-rule-texts.js';
import { describeLent, findLentParts, hasSameAnswer, narrowState } from './narrow-state.js';
import { narrowStoredKeys, narrowStoredTexts } from './narrow-stored-texts.js';
import { narrowOtherKey, narrowTextPair } from './narrow-text-pair.js';
import { narrowTexts } from './narrow-texts.js';
import {
  createNarrowedContrast,
  describeRightResult,
  describeSymptom,
  type FindingKind,
  type NarrowedFailure,
  type NarrowingContext,
} from './narrowed-failure.js';
import { findNearestRightExample } from './nearest-right-example.js';
import {
  type DecomposedRequest,
  describeRequestComponent,
  haveSameContent,
  omittableBodyMembers,
  type RequestComponent,
  takeRequestApart,
} from './request-components.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';
import { requestsOfVerification, verifyContrast } from './verify-contrast.js';

/** How many promotions an earlier answer has to explain: one may be so by coincidence. */
const minKept = 2;

export function* narrow(
  start: Exchange,
  inquiry: SymptomInquiry,
  around: NarrowingContext,
): RequestGenerator<NarrowedFailure> {
  const { allowance } = inquiry;
  const reserved = Math.max(0, Math.min(requestsOfVerification, allowance.left - minSearching));
  allowance.left -= reserved;
  const found = yield* narrowUnverified(start, inquiry, around);
  allowance.left += reserved;
  return ofSeveralAnswers.includes(found.kind) ? found : yield* verifyContrast(found, inquiry, around);
}

/** How many requests are left for the search, before some are reserved for the verification. */
const minSearching = 2;

/** What was seen several times, or says itself that results change. */
const ofSeveralAnswers: readonly FindingKind[] = [
  'earlier-request',
  'reproduced-race',
  'repeated',
  'repeated-with-part',
  'earlier-parts',
  'perhaps-earlier-parts',
  'perhaps-earlier-answer',
  'unstable',
];

/** Finds out what makes the difference, from one answer to each request. */
function* narrowUnverified(
  start: Exchange,
  inquiry: SymptomInquiry,
  around: NarrowingContext,
): RequestGenerator<NarrowedFailure> {
  const { request } = start;
  const lent = findLentParts(start, inquiry, around);
  const again = yield* inquiry.ask(request);
  if (again === 'right') return (yield* narrowState(start, lent, inquiry, around)) ?? describeUnstable(start, inquiry);
  const apart = takeRequestApart(request, around.plain);
  if (again === 'unclear' || apart === undefined) return describeSmallest(start, inquiry, around);
  const plainly = apart.compose(apart.components);
  const answer = yield* inquiry.ask(plainly);
  const ofForm = answer === 'right' ? yield* narrowForm(inquiry, request, plainly) : undefined;
  if (ofForm !== undefined) return ofForm;
  const ofState = yield* narrowStateOf(start, lent, inquiry, around);
  if (ofState !== undefined) return ofState;
  if (answer === 'right') return describeForm(start, plainly, inquiry);
  if (answer === 'unclear') return describeSmallest(start, inquiry, around);
  const contrast = yield* narrowComponents(inquiry, apart);
  const narrowed = yield* narrowValues(inquiry, apart, contrast, around);
  if (narrowed !== undefined) return narrowed;
  const kept = describeKept(start, lent, inquiry, contrast, around);
  if (kept !== undefined) return kept;
  const neighbour = yield* narrowNeighbours(inquiry, apart, contrast, around);
  if (neighbour !== undefined) return neighbour;
  if (contrast.right !== undefined) return yield* describeDifference(inquiry, apart, contrast.wrong, contrast.right);
  const ofRules = yield* narrowRules(inquiry.allowUnmetRules(), apart);
  if (ofRules !== undefined) return ofRules;
  const smallest = inquiry.getExchange(apart.compose(contrast.wrong)) ?? start;
  return describeSmallest(smallest, inquiry, around);
}

/** Finds out which rules are enough for a promotion that must not be returned because another one of its rules does not hold. */
function* narrowRules(
  inquiry: SymptomInquiry,
  apart: DecomposedRequest,
): RequestGenerator<NarrowedFailure | undefined> {
  if (inquiry.symptom.kind !== 'extra' || inquiry.symptom.tier.rules.length < 2) return undefined;
  const contrast = yield* narrowComponents(inquiry, apart);
  const { wrong, right } = contrast;
  if (right !== undefined) return yield* describeDifference(inquiry, apart, wrong, right);
  return yield* narrowItem(inquiry, apart, contrast);
}

/** Says for which earlier request an answer is right. No other request may show it again: nothing in the key of a cache can be changed. */
function describeKept(
  start: Exchange,
  lent: EarlierParts | undefined,
  inquiry: SymptomInquiry,
  { right }: ComponentContrast,
  around: NarrowingContext,
): NarrowedFailure | undefined {
  const isTelling = lent?.isSameAnswer === true && lent.countWrong >= minKept;
  if (!isTelling || right !== undefined || !around.isSometimesRight(inquiry.symptom)) return undefined;
  return describeLent(start, lent, inquiry, undefined);
}

/** Looks for an earlier request that decides, if the result is right for parts of another one. */
function* narrowStateOf(
  start: Exchange,
  lent: EarlierParts | undefined,
  inquiry: SymptomInquiry,
  around: NarrowingContext,
): RequestGenerator<NarrowedFailure | undefined> {
  const isSuspect = lent !== undefined || hasSameAnswer(start, around);
  const kept = isSuspect ? yield* narrowState(start, lent, inquiry, around) : undefined;
  if (kept !== undefined || !around.isUnstable) return kept;
  // Where equal requests have different results, one right request shows nothing.
  return lent ? describeLent(start, lent, inquiry, undefined) : describeSmallest(start, inquiry, around);
}

/** Tries what says more than the part that makes the difference. */
function* narrowValues(
  inquiry: SymptomInquiry,
  apart: DecomposedRequest,
  contrast: ComponentContrast,
  around: NarrowingContext,
): RequestGenerator<NarrowedFailure | undefined> {
  return (
    (yield* narrowReturnedCount(inquiry, apart, contrast, around)) ??
    (yield* narrowIds(inquiry, apart, contrast)) ??
    (yield* narrowOrderOfParts(inquiry, apart, contrast)) ??
    (yield* narrowItemPlace(inquiry, apart, contrast)) ??
    (yield* narrowItemOrder(inquiry, apart, contrast)) ??
    (yield* narrowSize(inquiry, apart, contrast)) ??
    (yield* narrowQuantity(inquiry, apart, contrast)) ??
    (yield* narrowTextPair(inquiry, apart, contrast)) ??
    (yield* narrowStoredKeys(inquiry, apart, contrast)) ??
    (yield* narrowOtherKey(inquiry, apart, contrast)) ??
    (yield* narrowKnownTexts(inquiry, apart, contrast)) ??
    (yield* narrowTexts(inquiry, apart, contrast)) ??
    (yield* narrowStoredTexts(inquiry, apart, contrast)) ??
    (yield* narrowBrackets(inquiry, apart.compose(contrast.wrong))) ??
    (yield* narrowLettersBeyondAscii(inquiry, apart.compose(contrast.wrong))) ??
    (yield* narrowRuleTexts(inquiry, apart, contrast, around)) ??
    (yield* narrowPlainMemberOrder(inquiry, apart.compose(contrast.wrong))) ??
    (yield* narrowInjection(inquiry, apart, around)) ??
    (yield* narrowRuleTexts(inquiry, apart, contrast, around, 'long'))
  );
}

/** Tries what makes a request right that no part can be left out of: another item, another customer, other texts. */
function* narrowNeighbours(
  inquiry: SymptomInquiry,
  apart: DecomposedRequest,
  contrast: ComponentContrast,
  around: NarrowingContext,
): RequestGenerator<NarrowedFailure | undefined> {
  return (
    (yield* narrowItem(inquiry, apart, contrast)) ??
    (yield* narrowCustomer(inquiry, apart, contrast, around)) ??
    (yield* narrowMembers(inquiry, apart, contrast))
  );
}

/** Leaves out whole members, empty ones too, if nothing smaller makes a wrong request right. */
function* narrowMembers(
  inquiry: SymptomInquiry,
  { compose }: DecomposedRequest,
  { wrong, right }: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  if (right !== undefined) return undefined;
  for (const member of omittableBodyMembers) {
    const rightly = compose(wrong, member);
    if ((yield* inquiry.ask(rightly)) !== 'right') continue;
    return createNarrowedContrast(inquiry, {
      wrongly: compose(wrong),
      rightly,
      wronglyWhen: `With the member '${member}' in the body`,
      rightlyWhen: 'Without it',
      part: member,
    });
  }
  return undefined;
}

function describeForm(start: Exchange, plainly: HttpRequest, inquiry: SymptomInquiry): NarrowedFailure {
  const { request } = start;
  const how = haveSameContent(request, plainly) ? 'the same content, written or sent in another way' : 'all members';
  const sentence = `With the request as it is here, ${describeSymptom(inquiry, request)}. With ${how}, ${describeRightResult(inquiry)}.`;
  const wrong = [inquiry.getExchange(request) ?? start];
  return { kind: 'contrast', part: 'form', sentence, wrong, right: inquiry.getExchange(plainly) };
}

function describeUnstable(start: Exchange, inquiry: SymptomInquiry): NarrowedFailure {
  const sentence = `In the run, ${describeSymptom(inquiry, start.request)}. When the same request was sent again, alone and at the end, ${describeRightResult(inquiry)}. What made the difference was not found.`;
  return { kind: 'unstable', sentence, wrong: [start], right: inquiry.getExchange(start.request) };
}

/** What no request that was sent makes right. */
function describeSmallest(shown: Exchange, inquiry: SymptomInquiry, { sent }: NarrowingContext): NarrowedFailure {
  const { world } = inquiry.target;
  const wrong = `For the request ${describeRequest(shown.request, world)}, ${describeSymptom(inquiry, shown.request)}.`;
  const neighbour = findNearestRightExample(inquiry, shown.request, sent);
  const kind = 'smallest';
  if (neighbour === undefined) return { kind, sentence: wrong, wrong: [shown], right: undefined };
  return { kind, sentence: `${wrong} ${neighbour.sentence}`, wrong: [shown], right: neighbour.exchange };
}

function* describeDifference(
  inquiry: SymptomInquiry,
  { compose }: DecomposedRequest,
  wrong: readonly RequestComponent[],
  right: readonly RequestComponent[],
): RequestGenerator<NarrowedFailure> {
  const nameOf = createNameLookup(inquiry.target.world);
  const differing = listWrongOnlyComponents({ wrong, right });
  const needed = yield* findNeededParts(inquiry, compose, wrong, differing);
  return createNarrowedContrast(inquiry, {
    wrongly: compose(wrong),
    rightly: compose(right),
    ...(describeRepetition(differing, wrong, nameOf) ?? describeParts(differing, needed, nameOf)),
    kind: differing.every(isMetadataFilter) ? 'tier-metadata' : 'contrast',
    part: differing.map(namePart).join(),
  });
}

type NameOfId = ReturnType<typeof createNameLookup>;

/** The beginnings of two sentences about a wrong request and a right one. */
interface ContrastWords {
  readonly wronglyWhen: string;
  readonly rightlyWhen: string;
}

function describeParts(
  differing: readonly RequestComponent[],
  needed: readonly RequestComponent[],
  nameOf: NameOfId,
): ContrastWords {
  const [words, others] = [differing, needed].map((list) =>
    list.map((component) => describeRequestComponent(component, nameOf)),
  ) as [string[], string[]];
  const pronoun = words.length === 1 ? 'it' : 'them';
  if (others.length === 0) return { wronglyWhen: `With ${joinWords(words)}`, rightlyWhen: `Without ${pronoun}` };
  return {
    wronglyWhen: `With ${joinWords(words)} together with ${joinWords(others)}`,
    rightlyWhen: `Without ${joinWords(words)}`,
  };
}

/** How many parts are left out to see whether they are needed. */
const maxNeeded = 4;

/**
 * Finds parts that a wrong request and a right one share, and without which the wrong one is right, too. Where a result is wrong,
 * this says something of parameters alone: what the rules of a promotion ask for is needed in any case.
 */
function* findNeededParts(
  inquiry: SymptomInquiry,
  compose: DecomposedRequest['compose'],
  wrong: readonly RequestComponent[],
  differing: readonly RequestComponent[],
): RequestGenerator<RequestComponent[]> {
  const needed: RequestComponent[] = [];
  const isTelling = ({ kind }: RequestComponent) => inquiry.symptom.kind === 'refused' || kind === 'parameter';
  const shared = wrong.filter((part) => !differing.includes(part) && isTelling(part));
  for (const component of shared.slice(0, maxNeeded)) {
    const rest = wrong.filter((part) => part !== component);
    if ((yield* inquiry.ask(compose(rest))) === 'right') needed.push(component);
  }
  return needed;
}

/** Says how often the wrong request has a part, if the right one has an equal part. */
function describeRepetition(
  [component, ...others]: readonly RequestComponent[],
  wrong: readonly RequestComponent[],
  nameOf: NameOfId,
): ContrastWords | undefined {
  if (component === undefined || others.length > 0) return undefined;
  const text = JSON.stringify(component);
  const count = wrong.filter((part) => JSON.stringify(part) === text).length;
  if (count < 2) return undefined;
  return {
    wronglyWhen: `With ${describeRequestComponent(component, nameOf)} ${sayTimes(count)}`,
    rightlyWhen: `With it ${sayTimes(count - 1)}`,
  };
}

function sayTimes(count: number): string {
  return ['once', 'twice'][count - 1] ?? `${count} times`;
}

function isMetadataFilter(component: RequestComponent): boolean {
  return component.kind === 'parameter' && parseFilterParameter(component.name)?.on === 'metadata';
}

/** What differing parts are, apart from their values. */
function namePart(component: RequestComponent): string {
  if (component.kind === 'parameter') return parseFilterParameter(component.name)?.on ?? component.name;
  return component.kind === 'option' ? component.key : component.kind;
}

/** More parts are counted: nobody reads a list of them in a sentence. */
const maxListed = 4;

function joinWords(words: readonly string[]): string {
  if (words.length > maxListed) return `${words.slice(0, 2).join(', ')} and ${words.length - 2} more parts`;
  return words.length <= 1 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
