/**
 * Narrows texts that may be any. In: a wrong request in parts. Out: the text, shrunk to the letters or to the length that decide,
 * and a right one. Pure (see `symptom-inquiry.ts`).
 */

import { createNameLookup } from '../contract/describe-request.js';
import { parseFilterParameter, renderFilterParameter } from '../contract/operation.js';
import type { HttpRequest } from '../http/exchange.js';
import { shortenAroundDifference, truncate } from '../support/untrusted-text.js';
import { type ComponentContrast, listWrongOnlyComponents } from './narrow-components.js';
import { bisect, plainLetter, shrinkText, type TextContrast } from './narrow-values.js';
import { createNarrowedContrast, isOfAsciiSigns, type NarrowedFailure } from './narrowed-failure.js';
import {
  type DecomposedRequest,
  describeRequestComponent,
  type RequestComponent,
  replaceComponent,
} from './request-components.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** A text of a request, and how to put another one in its place: undefined if none can be. */
interface TextPlace {
  readonly text: string;
  readonly isFilterValue?: boolean;
  readonly replace: (text: string) => RequestComponent | undefined;
}

function listTextPlaces(component: RequestComponent): TextPlace[] {
  if (component.kind === 'parameter') {
    const isFilterValue = parseFilterParameter(component.name)?.on === 'metadata';
    const replace = (value: string) => ({ ...component, value });
    return [{ text: component.value, ...(isFilterValue && { isFilterValue }), replace }];
  }
  if (component.kind !== 'metadata' && component.kind !== 'order-metadata') return [];
  const { key, value } = component;
  const ofKey = { text: key, replace: (text: string) => (text === '' ? undefined : { ...component, key: text }) };
  const [text] = Array.isArray(value) ? value : [value];
  if (typeof text !== 'string') return [ofKey];
  const ofValue = {
    text,
    replace: (changed: string) => ({ ...component, value: Array.isArray(value) ? [changed] : changed }),
  };
  return [ofValue, ofKey];
}

/** How many parts are looked at: more than one differs only if no request between them was right or wrong. */
const maxParts = 2;

/** Narrows the texts of a request whose symptom does not need them as they are. */
export function* narrowTexts(
  inquiry: SymptomInquiry,
  { compose }: DecomposedRequest,
  contrast: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  if (inquiry.symptom.kind === 'missing') return undefined;
  for (const component of listWrongOnlyComponents(contrast).slice(0, maxParts)) {
    const build = (changed: RequestComponent) => compose(replaceComponent(contrast.wrong, component, changed));
    const narrowed = yield* narrowTextsOf(inquiry, component, build);
    if (narrowed !== undefined) return narrowed;
  }
  return undefined;
}

/** Narrows one text after another, each with the plainest other ones with which the request is wrong. */
function* narrowTextsOf(
  inquiry: SymptomInquiry,
  component: RequestComponent,
  build: (component: RequestComponent) => HttpRequest,
): RequestGenerator<NarrowedFailure | undefined> {
  let current = yield* tryPlainKey(inquiry, component, build);
  for (const isKey of [false, true]) {
    const place = listTextPlaces(current)[isKey ? 1 : 0];
    if (place === undefined) continue;
    const plain = place.replace(plainLetter);
    const isDecisive = plain === undefined || (yield* inquiry.ask(build(plain))) !== 'wrong';
    if (!isDecisive) {
      current = plain;
      continue;
    }
    const narrowed = yield* narrowText(inquiry, place, build);
    if (narrowed !== undefined) return narrowed;
  }
  return undefined;
}

function* narrowText(
  inquiry: SymptomInquiry,
  place: TextPlace,
  build: (component: RequestComponent) => HttpRequest,
): RequestGenerator<NarrowedFailure | undefined> {
  const buildText = (text: string) => {
    const changed = place.replace(text);
    return changed && build(changed);
  };
  const found =
    (yield* narrowLength(inquiry, place.text, buildText)) ?? (yield* shrinkText(inquiry, place.text, buildText));
  return describeTexts(inquiry, place, found, buildText);
}

/** How many letters are shown of a text that repeats one letter. */
const shownOfLong = 8;
/** Shorter texts are shrunk letter by letter. */
const minLength = 17;

/** Finds out whether the length of a text decides: then one letter, as many times, is as wrong. */
function* narrowLength(
  inquiry: SymptomInquiry,
  text: string,
  build: (text: string) => HttpRequest | undefined,
): RequestGenerator<TextContrast | undefined> {
  const bytes = Buffer.byteLength(text);
  const repeat = (length: number) => plainLetter.repeat(length);
  const buildLength = (length: number) => build(repeat(length));
  const [longest, shortest] = [buildLength(bytes), buildLength(1)];
  if (bytes < minLength || longest === undefined || shortest === undefined) return undefined;
  if ((yield* inquiry.ask(longest)) !== 'wrong' || (yield* inquiry.ask(shortest)) !== 'right') return undefined;
  const found = yield* bisect(inquiry, { wrong: bytes, right: 1 }, (length) => buildLength(length) ?? longest);
  return { wrong: repeat(found.wrong), right: repeat(found.right) };
}

/** A key of metadata that is easy to read, and that promotion tiers have. */
const plainKey = 'level';

/** Asks for the same value under a plain key: an awkward key may be as wrong, and an unknown one in its place is open. */
function* tryPlainKey(
  inquiry: SymptomInquiry,
  component: RequestComponent,
  build: (component: RequestComponent) => HttpRequest,
): RequestGenerator<RequestComponent> {
  if (component.kind !== 'parameter') return component;
  const subject = parseFilterParameter(component.name);
  if (subject?.on !== 'metadata' || subject.key === plainKey) return component;
  const plain = { ...component, name: renderFilterParameter({ on: 'metadata', key: plainKey }) };
  return (yield* inquiry.ask(build(plain))) === 'wrong' ? plain : component;
}

function describeTexts(
  inquiry: SymptomInquiry,
  { replace, isFilterValue = false }: Pick<TextPlace, 'replace' | 'isFilterValue'>,
  { wrong, right }: TextContrast,
  build: (text: string) => HttpRequest | undefined,
): NarrowedFailure | undefined {
  if (right === undefined) return undefined;
  const nameOf = createNameLookup(inquiry.target.world);
  const [wrongly, rightly] = [build(wrong), build(right)];
  if (wrongly === undefined || rightly === undefined) return undefined;
  const isLength = isRepeatedLetter(wrong) && isRepeatedLetter(right);
  const shown = isLength ? [wrong, right].map(describeLength) : shortenAroundDifference(wrong, right);
  const [shownWrong, shownRight] = shown.map((text) => {
    const component = replace(text);
    return component === undefined ? '' : `With ${describeRequestComponent(component, nameOf)}`;
  });
  const narrowed = createNarrowedContrast(inquiry, {
    wrongly,
    rightly,
    wronglyWhen: shownWrong ?? '',
    rightlyWhen: shownRight ?? '',
    kind: 'letters',
  });
  return { ...narrowed, isOfSigns: isFilterValue && isOfAsciiSigns(wrong) };
}

function isRepeatedLetter(text: string): boolean {
  return text.length >= minLength && text === (text[0] ?? '').repeat(text.length);
}

function describeLength(text: string): string {
  return `${truncate(text, shownOfLong)}… (${text.length} letters)`;
}
