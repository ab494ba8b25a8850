/**
 * Narrows texts. A text that may be any is shrunk to the letters that decide. For a text that a promotion tier has, other stored
 * texts are asked for, each with one of its odd signs. In: a wrong request in parts. Out: a wrong and a right text. Pure (see
 * `symptom-inquiry.ts`).
 */

import { distance } from 'fastest-levenshtein';
import { createNameLookup } from '../contract/describe-request.js';
import { parseFilterParameter, renderFilterParameter } from '../contract/operation.js';
import { listAvailableTiers, type TargetWorld, type Tier, windowSize } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { cacheByObject } from '../support/caches.js';
import { renderShortList } from '../support/collections.js';
import { shortenAroundDifference, truncate } from '../support/untrusted-text.js';
import { type ComponentContrast, listWrongOnlyComponents } from './narrow-components.js';
import { shrinkText, type TextContrast } from './narrow-values.js';
import {
  createNarrowedContrast,
  describeRightResult,
  describeSymptom,
  type NarrowedFailure,
} from './narrowed-failure.js';
import {
  type DecomposedRequest,
  describeRequestComponent,
  quoteText,
  type RequestComponent,
} from './request-components.js';
import { judgeSymptom } from './symptom.js';
import { type RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** A text of a request, and how to put another one in its place: undefined if none can be. */
interface TextPlace {
  readonly text: string;
  readonly replace: (text: string) => RequestComponent | undefined;
}

function listTextPlaces(component: RequestComponent): TextPlace[] {
  if (component.kind === 'parameter') return [{ text: component.value, replace: (value) => ({ ...component, value }) }];
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

/** Shrinks the texts of a request whose symptom does not need them as they are. */
export function* narrowTexts(
  inquiry: SymptomInquiry,
  { compose }: DecomposedRequest,
  contrast: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  if (inquiry.symptom.kind === 'missing') return undefined;
  for (const component of listWrongOnlyComponents(contrast).slice(0, maxParts)) {
    const buildWith = (changed: RequestComponent) =>
      compose(contrast.wrong.map((kept) => (kept === component ? changed : kept)));
    for (const place of listTextPlaces(component)) {
      const build = (text: string) => {
        const changed = place.replace(text);
        return changed && buildWith(changed);
      };
      const found = yield* shrinkText(inquiry, place.text, build);
      const narrowed =
        (yield* tryPlainKey(inquiry, component, found, buildWith)) ?? describeTexts(inquiry, place, found, build);
      if (narrowed !== undefined) return narrowed;
    }
  }
  return undefined;
}

/** A key of metadata that is easy to read, and that promotion tiers have. */
const plainKey = 'level';

/** Asks for the same values under a plain key: the request is easier to read, and the key does not matter. */
function* tryPlainKey(
  inquiry: SymptomInquiry,
  component: RequestComponent,
  { wrong, right }: TextContrast,
  build: (component: RequestComponent) => HttpRequest,
): RequestGenerator<NarrowedFailure | undefined> {
  if (right === undefined || component.kind !== 'parameter') return undefined;
  const subject = parseFilterParameter(component.name);
  if (subject?.on !== 'metadata' || subject.key === plainKey) return undefined;
  const name = renderFilterParameter({ on: 'metadata', key: plainKey });
  const replace = (value: string): RequestComponent => ({ ...component, name, value });
  if ((yield* inquiry.ask(build(replace(wrong)))) !== 'wrong') return undefined;
  if ((yield* inquiry.ask(build(replace(right)))) !== 'right') return undefined;
  return describeTexts(inquiry, { text: wrong, replace }, { wrong, right }, (text) => build(replace(text)));
}

function describeTexts(
  inquiry: SymptomInquiry,
  { replace }: TextPlace,
  { wrong, right }: TextContrast,
  build: (text: string) => HttpRequest | undefined,
): NarrowedFailure | undefined {
  if (right === undefined) return undefined;
  const nameOf = createNameLookup(inquiry.target.world);
  const [wrongly, rightly] = [build(wrong), build(right)];
  if (wrongly === undefined || rightly === undefined) return undefined;
  const [shownWrong, shownRight] = shortenAroundDifference(wrong, right).map((text) => {
    const component = replace(text);
    return component === undefined ? '' : `With ${describeRequestComponent(component, nameOf)}`;
  });
  return createNarrowedContrast(inquiry, {
    wrongly,
    rightly,
    wronglyWhen: shownWrong ?? '',
    rightlyWhen: shownRight ?? '',
    shape: 'text',
  });
}

/** An entry of metadata that a filter can ask for, of a tier that is valid for every order. */
interface StoredText {
  readonly tier: Tier;
  readonly key: string;
  readonly value: string;
}

/** What came back for a stored text. */
interface StoredTextAnswer {
  readonly stored: StoredText;
  readonly inquiry: SymptomInquiry;
  readonly isWrong: boolean;
}

/** What the shape of a contrast of stored texts begins with. */
export const storedTextShapePrefix = 'stored-text';

/** How many stored texts are asked for. */
const maxStored = 30;
/** Longer ones show nothing alone. */
const maxStoredLength = 40;
const shownOfLong = 8;
const oddSign = /[^A-Za-z0-9]/gu;

/** Asks for short stored texts that have one of the odd signs of a filter each, and for a plain one. */
export function* tryStoredTexts(
  inquiry: SymptomInquiry,
  { compose }: DecomposedRequest,
  contrast: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  const { symptom, target, allowance } = inquiry;
  const { wrong } = contrast;
  const added = listWrongOnlyComponents(contrast);
  const [filter] = added.length === 1 ? added : [];
  const subject = filter?.kind === 'parameter' ? parseFilterParameter(filter.name) : undefined;
  if (symptom.kind !== 'missing' || filter?.kind !== 'parameter' || subject?.on !== 'metadata') return undefined;
  const others = wrong.filter((component) => component !== filter);
  const build = ({ key, value }: StoredText) =>
    compose([...others, { kind: 'parameter', name: renderFilterParameter({ on: 'metadata', key }), value }]);
  const answers: StoredTextAnswer[] = [];
  for (const stored of listStoredTexts(subject.key, filter.value, target.world)) {
    const ofStored = new SymptomInquiry({ kind: 'missing', tier: stored.tier }, target, allowance);
    const exchange = ofStored.isWorthAsking(build(stored)) ? yield* ofStored.send(build(stored)) : undefined;
    const answer = exchange === undefined ? 'unclear' : judgeSymptom(ofStored.symptom, exchange, target);
    if (answer !== 'unclear') answers.push({ stored, inquiry: ofStored, isWrong: answer === 'wrong' });
  }
  const simplest = answers.findLast(({ isWrong }) => isWrong);
  if (simplest === undefined) return describeFoundText(inquiry, compose(wrong), filter, answers, build);
  const measure = ({ stored }: StoredTextAnswer) =>
    distance(`${stored.key} ${stored.value}`, `${simplest.stored.key} ${simplest.stored.value}`);
  const [nearest] = answers.filter(({ isWrong }) => !isWrong).toSorted((left, other) => measure(left) - measure(other));
  if (nearest === undefined) return undefined;
  const describe = (stored: StoredText) => `With the filter ${describeStored(stored)}`;
  const { sentence, wrong: shown } = createNarrowedContrast(simplest.inquiry, {
    wrongly: build(simplest.stored),
    rightly: build(nearest.stored),
    wronglyWhen: describe(simplest.stored),
    rightlyWhen: describe(nearest.stored),
    shape: storedTextShapePrefix,
  });
  const found = answers.filter(({ isWrong }) => !isWrong).map(({ stored }) => describeStored(stored));
  const lost = answers.filter(({ isWrong }) => isWrong).map(({ stored }) => describeStored(stored));
  const summary = `Short texts that are not found: ${renderShortList(lost)}. Found: ${renderShortList(found)}.`;
  return {
    shape: `${storedTextShapePrefix}: ${lost.join(', ')}`,
    sentence: `${sentence} ${summary}`,
    wrong: shown,
    right: nearest.inquiry.getExchange(build(nearest.stored)),
  };
}

/** Contrasts a filter that does not find a tier with a plain one that does: then it is a matter of this key or value. */
function describeFoundText(
  inquiry: SymptomInquiry,
  wrongly: HttpRequest,
  filter: RequestComponent,
  answers: readonly StoredTextAnswer[],
  build: (stored: StoredText) => HttpRequest,
): NarrowedFailure | undefined {
  const [found] = answers;
  const wrong = inquiry.getExchange(wrongly);
  if (found === undefined || wrong === undefined) return undefined;
  const nameOf = createNameLookup(inquiry.target.world);
  const rightly = build(found.stored);
  const sentence = `With ${describeRequestComponent(filter, nameOf)}, ${describeSymptom(inquiry, wrongly)}. With the filter ${describeStored(found.stored)}, ${describeRightResult(found.inquiry)}.`;
  return { shape: 'metadata', sentence, wrong: [wrong], right: found.inquiry.getExchange(rightly) };
}

function describeStored({ key, value }: StoredText): string {
  return `${quoteShort(key)} = ${quoteShort(value)}`;
}

/** A long text has one letter alone. */
function quoteShort(text: string): string {
  const quoted = quoteText(text.length > maxStoredLength ? truncate(text, shownOfLong) : text);
  return text.length > maxStoredLength ? `${quoted}… (${text.length} characters)` : quoted;
}

/** Lists the short texts of the tier that has most of them, as far as their odd signs are those of a key and a value. */
function listStoredTexts(key: string, value: string, world: TargetWorld): StoredText[] {
  const isOf = (text: string) => {
    const signs = new Set(listSigns(text));
    return (stored: string) => listSigns(stored).every((sign) => signs.has(sign));
  };
  const [isOfKey, isOfValue] = [isOf(key), isOf(value)];
  const countSigns = (entry: StoredText) => listSigns(entry.key).length + listSigns(entry.value).length;
  const fitting = findShortTexts(world).filter(
    (entry) => isOfKey(entry.key) && isOfValue(entry.value) && (entry.key !== key || entry.value !== value),
  );
  const [plain] = fitting.filter((entry) => countSigns(entry) === 0 && !isLong(entry));
  // Few texts have several signs that mean something together, such as a tag or an escape: those come first.
  const odd = fitting.filter((entry) => countSigns(entry) > 0);
  const measure = (entry: StoredText) => entry.key.length + entry.value.length;
  const sorted = odd.toSorted((left, other) => countSigns(other) - countSigns(left) || measure(other) - measure(left));
  // Texts of one letter show whether the length decides: the shortest one comes last.
  const long = fitting
    .filter((entry) => isLong(entry) && measure(entry) <= key.length + value.length)
    .toSorted((left, other) => measure(other) - measure(left));
  return [...(plain === undefined ? [] : [plain]), ...long, ...sorted].slice(0, maxStored);
}

/** Whether a key or a value has one letter, many times. */
function isLong({ key, value }: StoredText): boolean {
  return [key, value].some((text) => /^([a-z])\1{16,}$/.test(text));
}

function listSigns(text: string): string[] {
  return [...new Set(text.match(oddSign) ?? [])];
}

/** Finds the tier with the most short entries that every order gets: the world has one for this. */
const findShortTexts = cacheByObject((world: TargetWorld): StoredText[] => {
  const candidates = listAvailableTiers(world)
    .filter((tier) => tier.rules.length === 0 && world.tiers.indexOf(tier) < windowSize)
    .map((tier) =>
      Object.entries(tier.metadata)
        .map(([name, text]) => ({ tier, key: name, value: text }))
        .filter((entry): entry is StoredText => typeof entry.value === 'string')
        .filter((entry) => isLong(entry) || entry.key.length + entry.value.length <= maxStoredLength),
    );
  return candidates.toSorted((left, other) => other.length - left.length)[0] ?? [];
});
