/**
 * Puts one suspicious part of a long text at a time into a short text that a rule asks for. In: a wrong request in parts. Out: the
 * part that does not count, and a right request with a letter in its place. Pure (see `symptom-inquiry.ts`).
 */

import type { Tier } from '../contract/world.js';
import type { HttpRequest } from '../http/exchange.js';
import { quoteText } from '../support/quote-text.js';
import { plainLetter } from './narrow-values.js';
import { createNarrowedContrast, type NarrowedFailure, type NarrowingContext } from './narrowed-failure.js';
import type { DecomposedRequest } from './request-components.js';
import { listSigns } from './stored-texts.js';
import { type RequestGenerator, SymptomInquiry } from './symptom-inquiry.js';

/** A rule that asks for a short text, without signs that may mean something. */
interface PlainRule {
  readonly tier: Tier;
  readonly key: string;
  readonly value: string;
}

/** Parts of a text that a guard, a template or a parser may take for its own. */
const suspiciousParts = /\$\{[^}]*\}|<\/?\w+>|&\w+;|%[\da-f]{2}|\\u[\da-f]{4}|--|\/\/|\{\w\}|\[\w\]/gi;
/** How many parts are tried. */
const maxParts = 12;

export function* narrowInjection(
  { symptom, target, allowance }: SymptomInquiry,
  { components, compose }: DecomposedRequest,
  { counts }: NarrowingContext,
): RequestGenerator<NarrowedFailure | undefined> {
  const rules = symptom.kind === 'missing' ? symptom.tier.rules.filter((rule) => rule.kind === 'metadata') : [];
  const plain = counts.filter(({ missing, returned }) => missing === 0 && returned > 0).flatMap(readPlainRule)[0];
  if (rules.length === 0 || plain === undefined) return undefined;
  const inquiry = new SymptomInquiry({ kind: 'extra', tier: plain.tier }, target, allowance);
  const others = components.filter(({ kind }) => kind !== 'metadata');
  const build: BuildWithEntry = (key, value) => compose([...others, { kind: 'metadata', key, value }]);
  return (
    (yield* injectIntoValue(
      inquiry,
      rules.map(({ is }) => is),
      plain,
      build,
    )) ?? (yield* respellKey(inquiry, plain, build))
  );
}

type BuildWithEntry = (key: string, value: string) => HttpRequest;

function* injectIntoValue(
  inquiry: SymptomInquiry,
  texts: readonly string[],
  { key, value }: PlainRule,
  build: BuildWithEntry,
): RequestGenerator<NarrowedFailure | undefined> {
  const parts = texts.flatMap((text) => [...(text.match(suspiciousParts) ?? []), ...listSigns(text)]);
  const middle = Math.ceil(value.length / 2);
  const inject = (part: string) => value.slice(0, middle) + part + value.slice(middle);
  const rightly = build(key, inject(plainLetter));
  for (const part of [...new Set(parts)].slice(0, maxParts)) {
    const wrongly = build(key, inject(part));
    if ((yield* inquiry.ask(wrongly)) !== 'wrong' || (yield* inquiry.ask(rightly)) !== 'right') continue;
    const narrowed = createNarrowedContrast(inquiry, {
      wrongly,
      rightly,
      wronglyWhen: `With metadata ${quoteText(key)} = ${quoteText(inject(part))}`,
      rightlyWhen: `With ${quoteText(inject(plainLetter))}`,
      part: 'injection',
    });
    return { ...narrowed, sentence: `${narrowed.sentence} ${quoteText(part)} does not count.` };
  }
  return undefined;
}

/** Other spellings of a key of several words. */
const spellings: readonly ((words: readonly string[]) => string)[] = [
  (words) => words.map((word, n) => (n === 0 ? word : capitalize(word))).join(''),
  (words) => words.map(capitalize).join(''),
  (words) => words.join('-'),
  (words) => words.join('_').toUpperCase(),
  (words) => words.join(' '),
];

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function* respellKey(
  inquiry: SymptomInquiry,
  { key, value }: PlainRule,
  build: BuildWithEntry,
): RequestGenerator<NarrowedFailure | undefined> {
  const words = key.split('_');
  const rightly = build(words.join(plainLetter), value);
  const wrongKeys: string[] = [];
  for (const spell of words.length > 1 ? spellings : []) {
    const spelled = spell(words);
    if ((yield* inquiry.ask(build(spelled, value))) === 'wrong') wrongKeys.push(spelled);
  }
  const [first] = wrongKeys;
  if (first === undefined || (yield* inquiry.ask(rightly)) !== 'right') return undefined;
  return createNarrowedContrast(inquiry, {
    wrongly: build(first, value),
    rightly,
    wronglyWhen: `With metadata under the key ${wrongKeys.map(quoteText).join(' or ')} in place of ${quoteText(key)}`,
    rightlyWhen: `With the key ${quoteText(words.join(plainLetter))}`,
    part: 'key-spelling',
  });
}

function readPlainRule({ tier }: { readonly tier: Tier }): PlainRule[] {
  const [rule] = tier.rules;
  if (rule?.kind !== 'metadata' || tier.rules.length > 1 || !rule.key.includes('_')) return [];
  return /^\w+$/.test(rule.key) && /^[A-Za-z]+$/.test(rule.is) ? [{ tier, key: rule.key, value: rule.is }] : [];
}
