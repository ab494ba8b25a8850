/**
 * Says in which letters two texts differ that a deployment takes for equal. In: wrong requests, and the promotion tier that they
 * must not get. Out: one sentence about the pair that differs least. Pure, sends nothing.
 */

import { parseFilterParameter } from '../contract/operation.js';
import type { Tier } from '../contract/world.js';
import { parseRequest } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { getMember } from '../support/json.js';
import { quoteText } from './request-components.js';

/** A text of a request, and one of a promotion tier, that should not be equal. */
interface TextPair {
  readonly what: string;
  readonly asked: string;
  readonly stored: string;
}

/** A longer difference is no detail. */
const maxDifference = 24;

/** @returns undefined if no pair of texts differs in a few letters */
export function describeTextDifference(requests: readonly HttpRequest[], tier: Tier): string | undefined {
  const differences = requests
    .map((request) => listPairs(request, tier))
    // Of several pairs, it is not known which one is taken for equal.
    .filter((pairs) => pairs.length === 1)
    .flat()
    .map((pair) => ({ ...pair, ...cutDifference(pair.asked, pair.stored) }))
    .filter(({ inAsked, inStored }) => inAsked.length + inStored.length <= maxDifference)
    .toSorted(
      (left, right) => left.inAsked.length + left.inStored.length - right.inAsked.length - right.inStored.length,
    );
  const [least] = differences;
  if (least === undefined) return undefined;
  const { what, inAsked, inStored } = least;
  if (inAsked === '') return `${what} lacks ${quoteText(inStored)}, and is otherwise equal.`;
  if (inStored === '') return `${what} has ${quoteText(inAsked)} in addition, and is otherwise equal.`;
  return `${what} has ${quoteText(inAsked)} in place of ${quoteText(inStored)}, and is otherwise equal.`;
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
      ...ofValue.map((stored) => ({ what: 'The value of the filter', asked, stored })),
      ...ofKey.map((stored) => ({ what: 'The key of the filter', asked: key, stored })),
    ];
  });
  const sent = Object.entries((getMember(body, 'metadata') ?? {}) as Record<string, unknown>);
  const ofRules = tier.rules.flatMap((rule): TextPair[] => {
    if (rule.kind !== 'metadata') return [];
    const { key, is } = rule;
    return sent.flatMap(([name, value]): TextPair[] => {
      if (name === key && typeof value === 'string' && value !== is)
        return [{ what: `The metadata ${quoteText(key)} of the request`, asked: value, stored: is }];
      return name !== key && value === is
        ? [{ what: 'The metadata key of the request', asked: name, stored: key }]
        : [];
    });
  });
  return [...ofFilters, ...ofRules].filter(({ asked, stored }) => asked !== stored);
}

/** Cuts off what two texts have in common at their beginning and at their end, letter by letter. */
function cutDifference(asked: string, stored: string): { readonly inAsked: string; readonly inStored: string } {
  const [left, right] = [[...asked], [...stored]];
  const shortest = Math.min(left.length, right.length);
  let start = 0;
  while (start < shortest && left[start] === right[start]) start += 1;
  let end = 0;
  while (end < shortest - start && left.at(-1 - end) === right.at(-1 - end)) end += 1;
  const cut = (letters: readonly string[]) => letters.slice(start, letters.length - end).join('');
  return { inAsked: cut(left), inStored: cut(right) };
}
