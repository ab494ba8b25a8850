/**
 * Narrows a rule about metadata that does not hold, although the request has what it asks for. In: a wrong request in parts, and
 * what the run shows of each promotion tier. Out: a short text that rules do not find, and one that they find. Pure (see
 * `symptom-inquiry.ts`).
 */

import { distance } from 'fastest-levenshtein';
import type { Tier } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { renderShortList } from '../support/collections.js';
import { quoteText } from '../support/quote-text.js';
import { truncate } from '../support/untrusted-text.js';
import type { ComponentContrast } from './narrow-components.js';
import { readCustomer, writeCustomer } from './narrow-customer.js';
import {
  describeRightResult,
  describeSymptom,
  findShownExchanges,
  type NarrowedFailure,
  type NarrowingContext,
} from './narrowed-failure.js';
import type { DecomposedRequest } from './request-components.js';
import { listSigns } from './stored-texts.js';
import type { Correctness } from './symptom.js';
import { type RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';
import { describeTextTraits, type TextEntries } from './text-traits.js';

/** What the rules of a tier about metadata ask for, if it has no other rules than these and one about customers. */
interface RuleText {
  readonly tier: Tier;
  readonly entries: TextEntries;
  readonly words: string;
}

/** Longer texts show nothing at a glance: they are shown where only these are lost, and only their beginnings. */
const [maxLength, shownOfLong] = [40, 20];
/** Nobody reads more entries of one rule. */
const maxEntries = 2;
/** How many rules are asked for that did not hold, and how many that did. */
const maxAsked = 3;

/** @param length of the texts of rules that are asked for. Long ones say less than other contrasts */
export function* narrowRuleTexts(
  inquiry: SymptomInquiry,
  { components, compose }: DecomposedRequest,
  contrast: ComponentContrast,
  { counts }: NarrowingContext,
  length: 'short' | 'long' = 'short',
): RequestGenerator<NarrowedFailure | undefined> {
  const { symptom } = inquiry;
  // A part without which it is right says more.
  if (contrast.right !== undefined) return undefined;
  if (symptom.kind !== 'missing' || !symptom.tier.rules.some(({ kind }) => kind === 'metadata')) return undefined;
  const allLost = counts.filter(({ missing, returned }) => missing > 0 && returned === 0).flatMap(readRuleText);
  const isMeant = length === 'short' ? isShort : ({ entries }: RuleText) => entries.length <= maxEntries;
  const lost = sortBySigns(allLost.filter(isMeant));
  const found = counts
    .filter(({ missing, returned }) => missing === 0 && returned > 0)
    .flatMap(readRuleText)
    .filter(isShort);
  const others = components.filter(({ kind }) => kind !== 'metadata');
  const build: BuildWithRule = ({ tier, entries }) => {
    const request = compose([...others, ...entries.map(([key, value]) => ({ kind: 'metadata' as const, key, value }))]);
    const customer = findNeededCustomer(tier, readCustomer(request.body));
    return customer === undefined ? request : { ...request, body: writeCustomer(request.body, customer) };
  };
  const wrong = yield* askFirst(inquiry, lost, 'wrong', build);
  if (wrong === undefined) return undefined;
  const nearest = sortByDistance(found, wrong.rule);
  const right = yield* askFirst(inquiry, nearest, 'right', build);
  if (right === undefined) return undefined;
  const list = (rules: readonly RuleText[]) => renderShortList(rules.map(({ words }) => words));
  const seen = `With metadata ${wrong.rule.words}, ${describeSymptom(wrong.inquiry, build(wrong.rule))}. With metadata ${right.rule.words}, ${describeRightResult(right.inquiry)}.`;
  const [lostEntries, foundEntries] = readAllEntries(counts);
  const traits = describeTextTraits(lostEntries, foundEntries);
  const signs = traits === '' ? describeOwnSigns(wrong.rule, foundEntries) : '';
  const summary = `${signs}Rules that never hold: ${list(lost)}. Rules that hold: ${list(nearest)}.${traits}`;
  return {
    kind: length === 'short' ? 'rule-texts' : 'long-rule-texts',
    sentence: `${seen} ${summary}`,
    ...findShownExchanges(wrong.inquiry, build(wrong.rule), build(right.rule), right.inquiry),
  };
}

type BuildWithRule = (rule: RuleText) => HttpRequest;

/** Finds a customer for whom a tier is, if it is not for the given one. */
function findNeededCustomer({ rules }: Tier, given: string | undefined): string | undefined {
  const wanted = rules.flatMap((rule) => (rule.kind === 'customer' ? [rule.any_of] : []));
  return wanted.every((ids) => given !== undefined && ids.includes(given)) ? undefined : wanted[0]?.[0];
}

/** A rule that was asked for alone. */
interface AskedRule {
  readonly rule: RuleText;
  readonly inquiry: SymptomInquiry;
}

/** Asks for some rules, each alone, until one has the expected result. */
function* askFirst(
  { target, allowance }: SymptomInquiry,
  rules: readonly RuleText[],
  expected: Correctness,
  build: BuildWithRule,
): RequestGenerator<AskedRule | undefined> {
  let left = maxAsked;
  for (const rule of rules) {
    const inquiry = new SymptomInquiry({ kind: 'missing', tier: rule.tier }, target, allowance);
    // A rule about another customer says nothing of this request.
    if (left === 0 || !inquiry.isWorthAsking(build(rule))) continue;
    left -= 1;
    if ((yield* inquiry.ask(build(rule))) === expected) return { rule, inquiry };
  }
  return undefined;
}

/** Reads the entries of all tiers whose rules about metadata never hold, and of those with rules that hold, long texts too. */
function readAllEntries(counts: NarrowingContext['counts']): [lost: TextEntries[], found: TextEntries[]] {
  const read = (wanted: NarrowingContext['counts']) => wanted.map(readEntries).filter(({ length }) => length > 0);
  return [
    read(counts.filter(({ missing, returned }) => missing > 0 && returned === 0)),
    read(counts.filter(({ missing, returned }) => missing === 0 && returned > 0)),
  ];
}

/** More of them say nothing at a glance. */
const maxOwnSigns = 4;

/** Names the letters beyond ASCII and the other signs of a rule that no rule that holds has, in a key or in a value. */
function describeOwnSigns({ entries }: RuleText, found: readonly TextEntries[]): string {
  return ['key', 'value']
    .map((part, n) => {
      const read = (texts: TextEntries) => texts.flatMap((entry) => listSigns(entry[n] ?? ''));
      const held = new Set(found.flatMap(read));
      const signs = [...new Set(read(entries))].filter((sign) => !held.has(sign));
      const isTelling = signs.length > 0 && signs.length <= maxOwnSigns;
      return isTelling ? `No rule that holds has in a ${part}: ${signs.map(quoteText).join(', ')}. ` : '';
    })
    .join('');
}

/** Reads what the rules of a tier about metadata ask for; nothing if it has rules that may fail for another reason. */
function readEntries({ tier: { rules } }: { readonly tier: Tier }): TextEntries {
  const isOther = rules.some(({ kind }) => kind !== 'metadata' && kind !== 'customer');
  return isOther ? [] : rules.flatMap((rule): TextEntries => (rule.kind === 'metadata' ? [[rule.key, rule.is]] : []));
}

/** Reads what a tier asks for. */
function readRuleText({ tier }: { readonly tier: Tier }): RuleText[] {
  const entries = readEntries({ tier });
  if (entries.length === 0) return [];
  const words = entries.map(([key, value]) => `${quoteBeginning(key)} = ${quoteBeginning(value)}`).join(' and ');
  return [{ tier, entries, words }];
}

function hasLettersBeyondAscii({ entries }: RuleText): boolean {
  return entries.flat().some((text) => /[^\0-\x7f]/.test(text));
}

/** Sorts rules by how alike their texts are to those of one. Letters beyond ASCII say most beside others of their kind. */
function sortByDistance(rules: readonly RuleText[], one: RuleText): RuleText[] {
  const measure = (rule: RuleText) => distance(rule.words, one.words);
  const isOfOtherKind = (rule: RuleText) => Number(hasLettersBeyondAscii(rule) !== hasLettersBeyondAscii(one));
  return rules.toSorted((left, right) => isOfOtherKind(left) - isOfOtherKind(right) || measure(left) - measure(right));
}

function isShort({ entries }: RuleText): boolean {
  return entries.every(([key, value]) => key.length + value.length <= maxLength);
}

function quoteBeginning(text: string): string {
  if (text.length <= maxLength) return quoteText(text);
  return `${quoteText(truncate(text, shownOfLong))}… (${text.length} letters)`;
}

function sortBySigns(texts: readonly RuleText[]): RuleText[] {
  const measure = ({ words, entries }: RuleText) =>
    entries.flatMap((entry) => entry.flatMap(listSigns)).length * maxLength + words.length;
  return texts.toSorted((left, right) => measure(left) - measure(right));
}
