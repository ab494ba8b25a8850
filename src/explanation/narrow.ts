/**
 * Finds out what makes a request go wrong. In: a wrong exchange, its symptom, and what was sent before. Out: two requests that
 * differ in little, one wrong and one right, and a sentence that says in what they differ. Everything in the sentence was
 * seen. Pure: it yields what is to be sent (see `inquiry.ts`).
 */

import { createNameLookup, describeRequest } from '../contract/describe-request.js';
import { parseFilterParameter } from '../contract/operation.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import type { Asking, Inquiry } from './inquiry.js';
import { narrowCount, narrowQuantity, narrowSize } from './narrow-amounts.js';
import { type ComponentContrast, listDifference, narrowComponents } from './narrow-components.js';
import { narrowState } from './narrow-state.js';
import { narrowTexts, tryStoredTexts } from './narrow-texts.js';
import { describeContrast, describeRight, describeWrong, type Narrowed, type Surroundings } from './narrowed.js';
import {
  type Component,
  describeComponent,
  haveSameContent,
  omittableMembers,
  type TakenApart,
  takeApart,
} from './request-components.js';
import { findReturnedTierAlike } from './returned-tier-alike.js';

export function* narrow(start: Exchange, inquiry: Inquiry, around: Surroundings): Asking<Narrowed> {
  const { request } = start;
  const again = yield* inquiry.ask(request);
  if (again === 'right') return (yield* narrowState(start, inquiry, around)) ?? describeUnstable(start, inquiry);
  const apart = takeApart(request, around.plain);
  if (again === 'unclear' || apart === undefined) return describeSmallest(start, inquiry, around);
  const plainly = apart.compose(apart.components);
  const answer = yield* inquiry.ask(plainly);
  if (answer === 'right') return describeForm(start, plainly, inquiry);
  if (answer === 'unclear') return describeSmallest(start, inquiry, around);
  const contrast = yield* narrowComponents(inquiry, apart);
  const narrowed = yield* narrowValues(inquiry, apart, contrast, around);
  if (narrowed !== undefined) return narrowed;
  if (contrast.right !== undefined) return describeDifference(inquiry, apart, contrast.wrong, contrast.right);
  const smallest = inquiry.getExchange(apart.compose(contrast.wrong)) ?? start;
  return describeSmallest(smallest, inquiry, around);
}

/** Tries what says more than the part that makes the difference. */
function* narrowValues(
  inquiry: Inquiry,
  apart: TakenApart,
  contrast: ComponentContrast,
  around: Surroundings,
): Asking<Narrowed | undefined> {
  return (
    narrowCount(inquiry, apart, contrast, around) ??
    (yield* narrowSize(inquiry, apart, contrast)) ??
    (yield* narrowQuantity(inquiry, apart, contrast)) ??
    (yield* narrowTexts(inquiry, apart, contrast)) ??
    (yield* tryStoredTexts(inquiry, apart, contrast)) ??
    (yield* narrowMembers(inquiry, apart, contrast))
  );
}

/** Leaves out whole members, empty ones too, if nothing smaller makes a wrong request right. */
function* narrowMembers(
  inquiry: Inquiry,
  { compose }: TakenApart,
  { wrong, right }: ComponentContrast,
): Asking<Narrowed | undefined> {
  if (right !== undefined) return undefined;
  for (const member of omittableMembers) {
    const rightly = compose(wrong, member);
    if ((yield* inquiry.ask(rightly)) !== 'right') continue;
    return describeContrast(inquiry, {
      wrongly: compose(wrong),
      rightly,
      wronglyWhen: `With the member '${member}' in the body`,
      rightlyWhen: 'Without it',
      shape: member,
    });
  }
  return undefined;
}

function describeForm(start: Exchange, plainly: HttpRequest, inquiry: Inquiry): Narrowed {
  const { request } = start;
  const how = haveSameContent(request, plainly) ? 'the same content, written or sent in another way' : 'all members';
  const sentence = `With the request as it is here, ${describeWrong(inquiry, request)}. With ${how}, ${describeRight(inquiry)}.`;
  const wrong = [inquiry.getExchange(request) ?? start];
  return { shape: 'form', sentence, wrong, right: inquiry.getExchange(plainly) };
}

function describeUnstable(start: Exchange, inquiry: Inquiry): Narrowed {
  const sentence = `In the run, ${describeWrong(inquiry, start.request)}. When the same request was sent again, alone and at the end, ${describeRight(inquiry)}. What made the difference was not found.`;
  return { shape: 'unstable', sentence, wrong: [start], right: inquiry.getExchange(start.request) };
}

/** What no request that was sent makes right. */
function describeSmallest(shown: Exchange, inquiry: Inquiry, { sent }: Surroundings): Narrowed {
  const { world } = inquiry.target;
  const wrong = `To ${describeRequest(shown.request, world)}: ${describeWrong(inquiry, shown.request)}.`;
  const neighbour = findReturnedTierAlike(inquiry, shown.request, sent);
  const shape = 'smallest';
  if (neighbour === undefined) return { shape, sentence: wrong, wrong: [shown], right: undefined };
  return { shape, sentence: `${wrong} ${neighbour.sentence}`, wrong: [shown], right: neighbour.exchange };
}

function describeDifference(
  inquiry: Inquiry,
  { compose }: TakenApart,
  wrong: readonly Component[],
  right: readonly Component[],
): Narrowed {
  const nameOf = createNameLookup(inquiry.target.world);
  const differing = listDifference({ wrong, right });
  const words = differing.map((component) => describeComponent(component, nameOf));
  return describeContrast(inquiry, {
    wrongly: compose(wrong),
    rightly: compose(right),
    wronglyWhen: `With ${joinWords(words)}`,
    rightlyWhen: `Without ${words.length === 1 ? 'it' : 'them'}`,
    shape: differing.map(describeShape).join(),
  });
}

/** What differing parts are, apart from their values. */
function describeShape(component: Component): string {
  if (component.kind === 'parameter') return parseFilterParameter(component.name)?.on ?? component.name;
  return component.kind === 'option' ? component.key : component.kind;
}

function joinWords(words: readonly string[]): string {
  return words.length <= 1 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
