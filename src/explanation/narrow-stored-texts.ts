/**
 * Narrows a filter whose texts have to be those that a promotion tier has. In: a wrong request in parts. Out: a wrong and a right
 * filter by short stored texts: with one odd sign, of one length, or under a key that differs in one sign. Pure (see
 * `symptom-inquiry.ts`).
 */

import { distance } from 'fastest-levenshtein';
import { createNameLookup } from '../contract/describe-request.js';
import { renderFilterParameter } from '../contract/operation.js';
import type { HttpRequest } from '../http/exchange.js';
import { renderShortList } from '../support/collections.js';
import { quoteText } from '../support/quote-text.js';
import { type ComponentContrast, listWrongOnlyComponents } from './narrow-components.js';
import {
  describeRightResult,
  describeSymptom,
  findShownExchanges,
  isOfAsciiSigns,
  type NarrowedFailure,
  quoteTierName,
} from './narrowed-failure.js';
import {
  type DecomposedRequest,
  describeRequestComponent,
  listMetadataFilters,
  type RequestComponent,
} from './request-components.js';
import {
  describeStoredText,
  listAlikeTexts,
  listKeysWithSign,
  listLongTexts,
  listOddTexts,
  listSigns,
  quoteShort,
  type StoredText,
} from './stored-texts.js';
import { judgeSymptom, type Symptom, wouldSymptomBeWrong } from './symptom.js';
import { type RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';
import { describeTextTraits } from './text-traits.js';

/** A filter by tier metadata in a request, and how to put another one in its place. */
interface FilterPlace {
  readonly filter: Extract<RequestComponent, { kind: 'parameter' }>;
  readonly key: string;
  readonly build: (entry: Pick<StoredText, 'key' | 'value'>) => HttpRequest;
}

/** What came back for a stored text. */
interface StoredTextResult {
  readonly stored: StoredText;
  readonly inquiry: SymptomInquiry;
  readonly isWrong: boolean;
}

/** How many stored texts are asked for. */
const maxStored = 24;
/** Of longer texts, no other one says what they are. */
const maxShort = 40;

/** Asks for short stored texts: whether their length or one of their odd signs decides. */
export function* narrowStoredTexts(
  inquiry: SymptomInquiry,
  apart: DecomposedRequest,
  contrast: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  const { target } = inquiry;
  const place = findFilterPlace(apart, contrast.wrong, listWrongOnlyComponents(contrast));
  if (place === undefined) return undefined;
  const { filter, key, build } = place;
  const ofLengths = [
    ...(yield* askLengths(inquiry, listLongTexts('value', target.world), 'value', filter.value, build)),
    ...(yield* askLengths(inquiry, listLongTexts('key', target.world), 'key', key, build)),
  ];
  if (ofLengths.some(({ isWrong }) => isWrong)) return describeResults(ofLengths, build);
  const results: StoredTextResult[] = [];
  for (const stored of listOddTexts(key, filter.value, target.world).slice(0, maxStored))
    results.push(...(yield* askStored(inquiry, stored, build)));
  const wrong = results.filter(({ isWrong }) => isWrong);
  const alike = wrong.length > 0 ? [] : yield* askAlike(inquiry, place, results);
  // Another value of the same key is found: then the key is no matter.
  if (alike.some(({ stored, isWrong }) => !isWrong && stored.key === key)) return describeResults(alike, build);
  // A sign of the key alone decides, or one that no short text of the test data has: other keys show which signs do.
  const isOfKey = wrong.every(({ stored }) => listSigns(stored.value).length === 0) && listSigns(key).length > 0;
  if (isOfKey) results.push(...(yield* askOtherKeys(inquiry, results, build)));
  if (results.some(({ isWrong }) => isWrong)) return describeResults(results, build);
  if (alike.some(({ isWrong }) => !isWrong)) return describeResults(alike, build);
  return describeFoundText(inquiry, apart.compose(contrast.wrong), filter, [...results, ...ofLengths], build);
}

/** How many other entries of each kind are asked for: with the same key, the same value, or of the same tier. */
const maxAlike = 4;

/** Asks for other short entries, if the text that is not found has no odd sign: which of them are found shows what it is. */
function* askAlike(
  inquiry: SymptomInquiry,
  { filter, key, build }: FilterPlace,
  results: readonly StoredTextResult[],
): RequestGenerator<StoredTextResult[]> {
  const { symptom, target } = inquiry;
  const { value } = filter;
  const isShort = key.length + value.length <= maxShort;
  if (symptom.kind !== 'missing' || !isShort || /[^\w.-]/.test(value)) return [];
  const own: StoredText = { tier: symptom.tier, key, value };
  const asked = new Set([own, ...results.map(({ stored }) => stored)].map(describeStoredText));
  const found: StoredTextResult[] = [];
  for (const kind of listAlikeTexts(own, target.world)) {
    let left = maxAlike;
    for (const stored of kind) {
      const words = describeStoredText(stored);
      const ofStored: Symptom = { kind: 'missing', tier: stored.tier };
      if (left === 0 || asked.has(words) || !wouldSymptomBeWrong(ofStored, build(stored), target.world)) continue;
      asked.add(words);
      left -= 1;
      found.push(...(yield* askStored(inquiry, stored, build)));
    }
  }
  return [...found, ...results, ...(yield* askStored(inquiry, own, build))];
}

/** How many keys with a sign are asked for. */
const maxKeys = 16;

function* askOtherKeys(
  inquiry: SymptomInquiry,
  known: readonly StoredTextResult[],
  build: FilterPlace['build'],
): RequestGenerator<StoredTextResult[]> {
  const asked = new Set(known.map(({ stored }) => stored.key));
  const results: StoredTextResult[] = [];
  const keys = listKeysWithSign(inquiry.target.world).filter(({ key }) => !asked.has(key));
  // Every second one: the test data has the most frequent signs first, and rare ones say as much.
  const chosen = [...keys.slice(0, maxKeys / 2), ...keys.slice(maxKeys / 2).filter((_, n) => n % 2 === 0)];
  for (const stored of chosen.slice(0, maxKeys)) results.push(...(yield* askStored(inquiry, stored, build)));
  return results;
}

function findFilterPlace(
  { compose }: DecomposedRequest,
  wrong: readonly RequestComponent[],
  added: readonly RequestComponent[],
): FilterPlace | undefined {
  const [found] = added.length === 1 ? listMetadataFilters(added) : [];
  if (found === undefined) return undefined;
  const { component: filter, key: ofFilter } = found;
  const others = wrong.filter((component) => component !== filter);
  return {
    filter,
    key: ofFilter,
    build: ({ key, value }) =>
      compose([...others, { kind: 'parameter', name: renderFilterParameter({ on: 'metadata', key }), value }]),
  };
}

/** Asks for one stored text. @returns nothing if the response proves nothing */
function* askStored(
  { symptom, target, allowance, comparison }: SymptomInquiry,
  stored: StoredText,
  build: FilterPlace['build'],
): RequestGenerator<StoredTextResult[]> {
  const ofStored = symptom.kind === 'missing' ? ({ kind: 'missing', tier: stored.tier } as const) : symptom;
  const inquiry = new SymptomInquiry(ofStored, target, allowance, comparison);
  const request = build(stored);
  const exchange = inquiry.isWorthAsking(request) ? yield* inquiry.send(request) : undefined;
  const correctness = exchange === undefined ? 'unclear' : judgeSymptom(inquiry.symptom, exchange, target);
  return correctness === 'unclear' ? [] : [{ stored, inquiry, isWrong: correctness === 'wrong' }];
}

/** Finds the neighbours, among texts of one letter, from which length on they are wrong. */
function* askLengths(
  inquiry: SymptomInquiry,
  texts: readonly StoredText[],
  is: 'key' | 'value',
  asked: string,
  build: FilterPlace['build'],
): RequestGenerator<StoredTextResult[]> {
  const fitting = texts.filter((stored) => stored[is].length <= asked.length);
  const results: StoredTextResult[] = [];
  let [right, wrong] = [-1, fitting.length - 1];
  const longest = fitting[wrong];
  if (longest === undefined) return [];
  results.push(...(yield* askStored(inquiry, longest, build)));
  if (results[0]?.isWrong !== true) return results;
  while (wrong - right > 1) {
    const middle = Math.trunc((right + wrong) / 2);
    const [result] = yield* askStored(inquiry, fitting[middle] as StoredText, build);
    if (result === undefined) return results;
    results.push(result);
    if (result.isWrong) wrong = middle;
    else right = middle;
  }
  return results;
}

/** What wrong and right filters are called. */
const summaries: Readonly<Record<Symptom['kind'], readonly [wrongly: string, rightly: string]>> = {
  missing: ['Texts that are not found', 'Found'],
  refused: ['Texts that are refused', 'Accepted'],
  extra: ['Filters with which it is returned', 'With which it is not'],
};

/** Contrasts the simplest wrong text with the most similar right one. */
function describeResults(
  results: readonly StoredTextResult[],
  build: FilterPlace['build'],
): NarrowedFailure | undefined {
  const [wrong, right] = [true, false].map((isWrong) => results.filter((result) => result.isWrong === isWrong));
  const simplest = wrong?.at(-1);
  if (simplest === undefined || right === undefined) return undefined;
  const measure = ({ stored }: StoredTextResult) =>
    distance(`${stored.key} ${stored.value}`, `${simplest.stored.key} ${simplest.stored.value}`);
  const [nearest] = right.toSorted((left, other) => measure(left) - measure(other));
  if (nearest === undefined) return undefined;
  const wrongly = build(simplest.stored);
  const describe = (stored: StoredText) => `With the filter ${describeStoredText(stored)}`;
  // Each stored text is looked for by a promotion that has it.
  const sentence = `${describe(simplest.stored)}, ${describeSymptom(simplest.inquiry, wrongly)}. ${describe(nearest.stored)}, ${describeRightResult(nearest.inquiry)}.`;
  const lost = (wrong ?? []).map(({ stored }) => describeStoredText(stored));
  const found = right.map(({ stored }) => describeStoredText(stored));
  const [lostWords, foundWords] = summaries[simplest.inquiry.symptom.kind];
  const readEntries = (list: readonly StoredTextResult[]) =>
    list.map(({ stored: { key, value } }) => [[key, value]] as const);
  const traits = describeTextTraits(readEntries(wrong ?? []), readEntries(right));
  const summary = `${lostWords}: ${renderShortList(lost)}. ${foundWords}: ${renderShortList(found)}.${traits}`;
  return {
    kind: 'stored-texts',
    part: lost.join(', '),
    lostTexts: lost,
    isOfSigns: (wrong ?? []).every(({ stored }) => isOfAsciiSigns(listSigns(stored.value).join(''))),
    sentence: `${sentence} ${summary}`,
    ...findShownExchanges(simplest.inquiry, wrongly, build(nearest.stored), nearest.inquiry),
  };
}

/** Contrasts a filter that does not find a tier with a plain one that does: then it is a matter of this key or value. */
function describeFoundText(
  inquiry: SymptomInquiry,
  wrongly: HttpRequest,
  filter: RequestComponent,
  results: readonly StoredTextResult[],
  build: FilterPlace['build'],
): NarrowedFailure | undefined {
  const [found] = results;
  const wrong = inquiry.getExchange(wrongly);
  if (found === undefined || wrong === undefined) return undefined;
  const nameOf = createNameLookup(inquiry.target.world);
  const rightly = build(found.stored);
  const sentence = `With ${describeRequestComponent(filter, nameOf)}, ${describeSymptom(inquiry, wrongly)}. With the filter ${describeStoredText(found.stored)}, ${describeRightResult(found.inquiry)}.`;
  return { kind: 'tier-metadata', sentence, wrong: [wrong], right: found.inquiry.getExchange(rightly) };
}

/** Finds out whether a filter finds a value under another key, which differs in one sign or in its length alone. */
export function* narrowStoredKeys(
  inquiry: SymptomInquiry,
  apart: DecomposedRequest,
  { wrong }: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  const { symptom, target } = inquiry;
  const filters = wrong.filter(({ kind }) => kind === 'parameter');
  const place = findFilterPlace(apart, wrong, filters);
  if (symptom.kind !== 'extra' || place === undefined || wrong.length > 1) return undefined;
  const signs = listSigns(place.key);
  const keys = listKeysWithSign(target.world);
  const [plain] = keys.filter(({ key }) => !listSigns(key).some((sign) => signs.includes(sign)));
  const suspected = keys.filter(({ key }) => listSigns(key).every((sign) => signs.includes(sign)));
  const pairs = suspected.flatMap(({ key }) => (plain === undefined ? [] : [{ key, other: plain }]));
  const long = listLongTexts('key', target.world).filter(({ key }) => key.length <= place.key.length + 1);
  const ofLengths = long.slice(1).flatMap((other, n) => {
    const key = long[n]?.key;
    return key !== undefined && key.length === other.key.length - 1 ? [{ key, other }] : [];
  });
  return yield* tryKeys(inquiry, [...ofLengths, ...pairs], place);
}

/** A key, and an entry of another one. */
interface KeyPair {
  readonly key: string;
  readonly other: StoredText;
}

function* tryKeys(
  { target, allowance }: SymptomInquiry,
  pairs: readonly KeyPair[],
  { build }: FilterPlace,
): RequestGenerator<NarrowedFailure | undefined> {
  let right: KeyPair | undefined;
  for (const pair of pairs.slice(0, maxStored)) {
    const { key, other } = pair;
    const inquiry = new SymptomInquiry({ kind: 'extra', tier: other.tier }, target, allowance);
    const ask = ({ key: asked, other: { value } }: KeyPair) => inquiry.ask(build({ key: asked, value }));
    const result = yield* ask(pair);
    if (result === 'right') right = pair;
    if (result !== 'wrong' || right === undefined || (yield* ask(right)) !== 'right') continue;
    const sentence = `With the filter ${quoteShort(key)} = ${quoteText(other.value)}, ${quoteTierName(other.tier)} is returned, although it has this value under the key ${quoteShort(other.key)} alone. With the filter ${quoteShort(right.key)} = ${quoteText(right.other.value)}, which it has under the key ${quoteShort(right.other.key)}, it is not returned.`;
    const wrongly = build({ key, value: other.value });
    const rightly = build({ key: right.key, value: right.other.value });
    return { kind: 'contrast', part: 'stored-key', sentence, ...findShownExchanges(inquiry, wrongly, rightly) };
  }
  return undefined;
}
