/**
 * Finds out which letters a deployment takes for equal. In: a wrong request in parts, of which one text differs in few letters
 * from that of the promotion tier that it must not get. Out: a sentence with both letters, and a right request with another
 * letter in their place. Pure (see `symptom-inquiry.ts`).
 */

import { distance } from 'fastest-levenshtein';
import { parseFilterParameter, renderFilterParameter } from '../contract/operation.js';
import type { Tier } from '../contract/world.js';
import type { Exchange, HttpRequest } from '../http/exchange.js';
import { renderShortList } from '../support/collections.js';
import { quoteText } from '../support/quote-text.js';
import { shortenAroundDifference, truncate } from '../support/untrusted-text.js';
import type { ComponentContrast } from './narrow-components.js';
import { bisect, plainLetter } from './narrow-values.js';
import { findShownExchanges, isOfAsciiSigns, type NarrowedFailure, quoteTierName } from './narrowed-failure.js';
import {
  type DecomposedRequest,
  listMetadataFilters,
  type RequestComponent,
  replaceComponent,
} from './request-components.js';
import { judgeSymptom, type Symptom } from './symptom.js';
import type { RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';
import {
  findLeastTextDifference,
  getDifferenceKey,
  quoteAroundDifference,
  type TextDifference,
} from './text-difference.js';

/** Letters of other kinds: beyond ASCII, beyond Latin, beyond the basic plane. */
const otherLetters = ['é', '特', '🎈'] as const;

export function* narrowTextPair(
  inquiry: SymptomInquiry,
  apart: DecomposedRequest,
  { wrong }: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  const { compose } = apart;
  const { symptom } = inquiry;
  if (symptom.kind !== 'extra') return undefined;
  const wrongly = compose(wrong);
  const difference = findLeastTextDifference([wrongly], symptom.tier);
  if (difference === undefined) return yield* narrowEqualHash(inquiry, apart, wrong);
  const build = (text: string) => compose(wrong.map((component) => replaceText(component, difference, text)));
  const { before, after } = difference;
  const buildWith = (letter: string) => build(before + letter + after);
  const answer = yield* inquiry.ask(buildWith(plainLetter));
  if (answer === 'wrong') return yield* narrowPrefix(inquiry, difference, wrongly, build);
  if (answer !== 'right') return undefined;
  const also: string[] = [];
  for (const letter of otherLetters) {
    if (difference.inStored.includes(letter) || difference.inAsked.includes(letter)) continue;
    if ((yield* inquiry.ask(buildWith(letter))) === 'wrong') also.push(quoteText(letter));
  }
  const others = also.length === 0 ? '' : ` With ${also.join(' or ')} there, it is returned, too.`;
  const equals = yield* describeEquals(inquiry, 'The same text', difference.stored, build);
  const sentence = `${describePair(difference, symptom.tier)} With ${quoteText(plainLetter)} in ${placeOfLetter(difference)}, it is not returned.${others}${equals}`;
  const narrowed = describeNarrowed(inquiry, sentence, wrongly, buildWith(plainLetter));
  return { ...narrowed, letters: getDifferenceKey(difference), isOfSigns: isPairOfSigns(difference) };
}

/** Describes a pair of texts of a wrong request. Nothing is sent: it shows no right request. */
export function describeTextPair(wrong: Exchange, symptom: Symptom): NarrowedFailure | undefined {
  const difference = symptom.kind === 'extra' ? findLeastTextDifference([wrong.request], symptom.tier) : undefined;
  if (difference === undefined || symptom.kind !== 'extra') return undefined;
  const sentence = describePair(difference, symptom.tier);
  const [letters, isOfSigns] = [getDifferenceKey(difference), isPairOfSigns(difference)];
  return { kind: 'text-pair', sentence, letters, isOfSigns, wrong: [wrong], right: undefined };
}

function isPairOfSigns({ place, inAsked, inStored }: TextDifference): boolean {
  return place.in === 'filter' && place.is === 'value' && isOfAsciiSigns(inAsked + inStored);
}

/** Ways to write a text with other letters that a comparison may take for the same. */
const respellings: readonly (readonly [words: string, respell: (text: string) => string])[] = [
  ['in capital letters', (text) => text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())],
  ['in small letters', (text) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())],
  ['with an accent', (text) => text.replace(/[aeiou]/i, (letter) => `${letter}\u0301`.normalize('NFC'))],
  ['without accents', (text) => text.normalize('NFD').replaceAll(/\p{M}/gu, '')],
];

/** Asks which other spellings of the right text count as equal to it. @param subject what the sentence calls the text */
function* describeEquals(
  inquiry: SymptomInquiry,
  subject: string,
  stored: string,
  build: (text: string) => HttpRequest,
): RequestGenerator<string> {
  const equal: string[] = [];
  for (const [words, respell] of respellings) {
    const text = respell(stored);
    // Whether the case of letters counts is open for some texts: what comes back is a fact all the same.
    const exchange = text === stored ? undefined : yield* inquiry.send(build(text));
    const isReturned = exchange && judgeSymptom(inquiry.symptom, exchange, inquiry.target) === 'wrong';
    if (isReturned) equal.push(words);
  }
  return equal.length === 0 ? '' : ` ${subject} counts, too, ${equal.join(', ')}.`;
}

/** Finds out whether two texts are taken for equal that have nothing in common but their hashes: the test data has such texts. */
function* narrowEqualHash(
  inquiry: SymptomInquiry,
  { compose }: DecomposedRequest,
  wrong: readonly RequestComponent[],
): RequestGenerator<NarrowedFailure | undefined> {
  const { symptom } = inquiry;
  if (symptom.kind !== 'extra') return undefined;
  for (const { component, key } of listMetadataFilters(wrong)) {
    const asked = [key, component.value];
    const entries = Object.entries(symptom.tier.metadata);
    const stored = entries.find(([storedKey, value]) => hasEqualHash(asked, [storedKey, String(value)]));
    if (stored === undefined) continue;
    const plainValue = plainLetter.repeat(component.value.length);
    const rightly = compose(replaceComponent(wrong, component, { ...component, value: plainValue }));
    if ((yield* inquiry.ask(rightly)) !== 'right') continue;
    const [askedText, storedText] = [asked, stored].map(
      ([name = '', value]) => `${quoteText(truncate(name, maxKey))} = ${quoteText(truncate(String(value), maxKey))}`,
    );
    const sentence = `${quoteTierName(symptom.tier)} is returned with the filter ${askedText}, although it has ${storedText}: texts that have nothing in common but that their 32-bit hashes are equal, such as String.hashCode() of Java. With another value of the same length, it is not returned.`;
    return describeNarrowed(inquiry, sentence, compose(wrong), rightly);
  }
  return undefined;
}

/** Whether two entries are equal by the hash of their texts, and not by the texts. */
function hasEqualHash(asked: readonly string[], stored: readonly string[]): boolean {
  const isEqual = asked.every((text, n) => computeHash(text) === computeHash(stored[n] ?? ''));
  return isEqual && asked.join() !== stored.join();
}

/** Computes String.hashCode() of Java, which code in other languages copies. */
function computeHash(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return hash;
}

/** If any letter may stand there, it may be that only the beginning of a text counts. */
function* narrowPrefix(
  inquiry: SymptomInquiry,
  difference: TextDifference,
  wrongly: HttpRequest,
  build: (text: string) => HttpRequest,
): RequestGenerator<NarrowedFailure | undefined> {
  const { symptom } = inquiry;
  const { asked, before, place } = difference;
  if (symptom.kind !== 'extra') return undefined;
  const letters = [...asked];
  const buildPrefix = (length: number) => build(letters.slice(0, length).join(''));
  const first = [...before].length;
  const isPrefixEnough = place.is === 'value' && (yield* inquiry.ask(buildPrefix(first))) === 'wrong';
  if (!isPrefixEnough || (yield* inquiry.ask(buildPrefix(1))) !== 'right') {
    const sentence = `${describePair(difference, symptom.tier)} With any other letter there, it is returned, too.`;
    return describeNarrowed(inquiry, sentence, wrongly, undefined);
  }
  const found = yield* bisect(inquiry, { wrong: first, right: 1 }, buildPrefix);
  const what = describePlace(place);
  const sentence = `${quoteTierName(symptom.tier)} is returned if ${what} is the first ${found.wrong} letters of the text that it should be, without the rest. With the first ${found.right} letters, it is not returned.`;
  return describeNarrowed(inquiry, sentence, buildPrefix(found.wrong), buildPrefix(found.right));
}

/** Finds out whether a filter matches a value that the promotion tier has under another key. */
export function* narrowOtherKey(
  inquiry: SymptomInquiry,
  { compose }: DecomposedRequest,
  { wrong }: ComponentContrast,
): RequestGenerator<NarrowedFailure | undefined> {
  const { symptom } = inquiry;
  if (symptom.kind !== 'extra') return undefined;
  for (const { component, key: askedKey } of listMetadataFilters(wrong)) {
    const { value } = component;
    const others = Object.entries(symptom.tier.metadata).filter(([key, is]) => is === value && key !== askedKey);
    const rightly = compose(replaceComponent(wrong, component, { ...component, value: plainLetter }));
    if (others.length === 0 || (yield* inquiry.ask(rightly)) !== 'right') continue;
    const [first, ...more] = others
      .map(([key]) => key)
      .toSorted((left, right) => distance(left, askedKey) - distance(right, askedKey)) as [string, ...string[]];
    const [asked, stored] = shortenAroundDifference(askedKey, first).map(quoteText);
    const keys = [stored, ...more.map((key) => quoteText(truncate(key, maxKey)))];
    const equals = yield* describeEquals(inquiry, 'The value', value, (text) =>
      compose(replaceComponent(wrong, component, { ...component, value: text })),
    );
    const sentence = `${quoteTierName(symptom.tier)} is returned if the key of the filter is ${asked}, although it has this value under another key alone: ${renderShortList(keys.flatMap((key) => key ?? []))}. With ${quoteText(plainLetter)} as the value, it is not returned.${equals}`;
    return describeNarrowed(inquiry, sentence, compose(wrong), rightly);
  }
  return undefined;
}

/** What another letter was written in place of. */
function placeOfLetter({ inAsked, inStored }: TextDifference): string {
  return inAsked === '' || inStored === '' ? 'this place' : `place of ${nameLetters(inAsked)}`;
}

function describePair(difference: TextDifference, tier: Tier): string {
  const { place, inAsked, inStored } = difference;
  const [asked, stored] = [quoteAroundDifference(difference, inAsked), quoteAroundDifference(difference, inStored)];
  const letters = describeLetters(difference);
  const wanted = place.in === 'filter' ? 'it has' : 'its rule asks for';
  return `${letters.charAt(0).toUpperCase()}${letters.slice(1)}: ${quoteTierName(tier)} is returned if ${describePlace(place)} is ${asked}, although ${wanted} ${stored}.`;
}

/** Says in which letters two texts differ that are taken for equal. */
function describeLetters({ before, after, inAsked, inStored }: TextDifference): string {
  if (inAsked !== '' && inStored !== '') return `${nameLetters(inAsked)} counts as ${nameLetters(inStored)}`;
  const atEnd = after === '' ? ' at the end' : '';
  return `${nameLetters(inAsked + inStored)}${before === '' ? ' at the beginning' : atEnd} does not count`;
}

/** Nobody counts blanks between quotation marks. */
function nameLetters(letters: string): string {
  if (!/^ +$/.test(letters)) return quoteText(letters);
  return letters.length === 1 ? 'a blank' : `${letters.length} blanks`;
}

function describePlace({ in: where, is, key }: TextDifference['place']): string {
  const whose = where === 'filter' ? 'the filter' : 'the metadata';
  if (is === 'key') return `the key of ${whose}`;
  return key.length > maxKey ? `the value of ${whose}` : `the value of ${whose} ${quoteText(key)}`;
}

/** A longer key hides the value. */
const maxKey = 24;

function replaceText(component: RequestComponent, { place, asked }: TextDifference, text: string): RequestComponent {
  if (component.kind === 'parameter' && place.in === 'filter') {
    const subject = parseFilterParameter(component.name);
    if (subject?.on !== 'metadata' || subject.key !== place.key) return component;
    if (place.is === 'value') return component.value === asked ? { ...component, value: text } : component;
    return { ...component, name: renderFilterParameter({ on: 'metadata', key: text }) };
  }
  if (component.kind !== 'metadata' || place.in !== 'metadata' || component.key !== place.key) return component;
  return place.is === 'value' ? { ...component, value: text } : { ...component, key: text };
}

function describeNarrowed(
  inquiry: SymptomInquiry,
  sentence: string,
  wrongly: HttpRequest,
  rightly: HttpRequest | undefined,
): NarrowedFailure {
  return { kind: 'text-pair', sentence, ...findShownExchanges(inquiry, wrongly, rightly) };
}
