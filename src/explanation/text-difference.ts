/**
 * Finds in which letters a text of a request and a text of a promotion tier differ. In: wrong requests, and the promotion tier
 * that they must not get. Out: the pair that differs least. Pure, sends nothing.
 */

import { parseFilterParameter } from '../contract/operation.js';
import type { Tier } from '../contract/world.js';
import { parseRequest } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { getMember } from '../support/json.js';
import { quoteText } from '../support/quote-text.js';

/** Where a text of a request stands: in a filter or in the metadata, as the key or as the value of a key. */
export interface TextPlace {
  readonly in: 'filter' | 'metadata';
  readonly is: 'key' | 'value';
  /** The key that the request has. */
  readonly key: string;
}

/** A text of a request, and one of a promotion tier, that should not be equal. */
interface TextPair {
  readonly place: TextPlace;
  readonly asked: string;
  readonly stored: string;
}

/** A pair whose texts are equal at the beginning and at the end. */
export interface TextDifference extends TextPair {
  readonly request: HttpRequest;
  /** The part of the texts that is equal before the difference, and after it. */
  readonly before: string;
  readonly after: string;
  readonly inAsked: string;
  readonly inStored: string;
}

/** A longer difference is no detail. */
const maxDifference = 24;

/** @returns undefined if no pair of texts differs in a few letters alone */
export function findLeastTextDifference(requests: readonly HttpRequest[], tier: Tier): TextDifference | undefined {
  const measure = ({ inAsked, inStored }: TextDifference) => inAsked.length + inStored.length;
  const differences = requests
    .flatMap((request) => listPairs(request, tier).map((pair) => ({ request, ...pair, ...cutDifference(pair) })))
    .filter((difference) => measure(difference) <= maxDifference && isMostlyEqual(difference))
    .toSorted((left, right) => measure(left) - measure(right) || left.asked.length - right.asked.length);
  return differences[0];
}

/** Two words that end alike are not almost equal. */
function isMostlyEqual({ before, after, inAsked, inStored }: TextDifference): boolean {
  return before.length + after.length >= inAsked.length + inStored.length;
}

function listPairs(request: HttpRequest, tier: Tier): TextPair[] {
  const { query, body } = parseRequest(request);
  const ofFilters = query.flatMap(([name, asked]): TextPair[] => {
    const subject = parseFilterParameter(name);
    if (subject?.on !== 'metadata') return [];
    const { key } = subject;
    const entries = Object.entries(tier.metadata).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    const ofValue = entries.filter(([stored]) => stored === key).map(([, stored]) => stored);
    const ofKey = entries.filter(([stored, value]) => stored !== key && value === asked).map(([stored]) => stored);
    return [
      ...ofValue.map((stored): TextPair => ({ place: { in: 'filter', is: 'value', key }, asked, stored })),
      ...ofKey.map((stored): TextPair => ({ place: { in: 'filter', is: 'key', key }, asked: key, stored })),
    ];
  });
  const sent = Object.entries((getMember(body, 'metadata') ?? {}) as Record<string, unknown>);
  const ofRules = tier.rules.flatMap((rule): TextPair[] => {
    if (rule.kind !== 'metadata') return [];
    const { key: stored, is } = rule;
    return sent.flatMap(([key, value]): TextPair[] => {
      if (key === stored && typeof value === 'string' && value !== is)
        return [{ place: { in: 'metadata', is: 'value', key }, asked: value, stored: is }];
      return key !== stored && value === is ? [{ place: { in: 'metadata', is: 'key', key }, asked: key, stored }] : [];
    });
  });
  return [...ofFilters, ...ofRules].filter(({ asked, stored }) => asked !== stored);
}

/** Cuts off what two texts have in common at their beginning and at their end, letter by letter. */
function cutDifference({ asked, stored }: TextPair) {
  const [left, right] = [[...asked], [...stored]];
  const shortest = Math.min(left.length, right.length);
  let start = 0;
  while (start < shortest && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shortest - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const cut = (letters: readonly string[]) => letters.slice(start, letters.length - end).join('');
  return {
    before: left.slice(0, start).join(''),
    after: left.slice(left.length - end).join(''),
    inAsked: cut(left),
    inStored: cut(right),
  };
}

/** Equal for differences of the same letters at the same end of a text, whichever of both texts has them. */
export function getDifferenceKey({ before, after, inAsked, inStored }: TextDifference): string {
  const place = after === '' ? 'end' : 'middle';
  return JSON.stringify([[inAsked, inStored].toSorted(), before === '' ? 'beginning' : place]);
}

/** How many letters are shown before and after a difference. */
const shownAround = 12;

/** Quotes a text around the part in which it differs, and marks this part: `"…raße [WIDE] so…"`. */
export function quoteAroundDifference(
  { before, after }: Pick<TextDifference, 'before' | 'after'>,
  differing: string,
): string {
  const [left, right] = [[...before], [...after]];
  const start = left.length > shownAround ? `…${left.slice(-shownAround).join('')}` : before;
  const end = right.length > shownAround ? `${right.slice(0, shownAround).join('')}…` : after;
  const [shownStart, shownPart, shownEnd] = [start, differing, end].map((part) => quoteText(part).slice(1, -1));
  return `"${shownStart}[${shownPart}]${shownEnd}"`;
}
