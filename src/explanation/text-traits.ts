/**
 * Says what texts have in common that are wrong, and none that is right. In: entries of metadata that are wrong, and right ones. Out:
 * words. Pure.
 */

import { quoteText } from '../support/quote-text.js';
import { listSigns } from './stored-texts.js';

/** A key and a value. */
export type TextEntry = readonly [key: string, value: string];

/** What belongs together, such as the entries that one rule asks for: one entry is enough to make all of them wrong. */
export type TextEntries = readonly TextEntry[];

/** Fewer share something by chance. */
const [minWrong, minRight] = [2, 5];
/** More of them explain nothing. */
const maxTraits = 3;

/** What a text may have. The words continue "a value with …". */
type TextTrait = readonly [words: string, has: (text: string) => boolean];

const letterTraits: readonly TextTrait[] = [
  ['a sign that is no letter and no digit', (text) => /[^\p{L}\p{N}]/u.test(text)],
  ['a letter beyond the basic plane of Unicode, such as an emoji', (text) => /[\u{10000}-\u{10ffff}]/u.test(text)],
  ['a letter beyond ASCII', (text) => /[^\0-\x7f]/.test(text)],
  ['a capital letter', (text) => /\p{Lu}/u.test(text)],
  ['a digit', (text) => /\d/.test(text)],
  ['digits alone', (text) => /^\d+$/.test(text)],
  ['a zero at the beginning', (text) => /^0\d/.test(text)],
  ['a blank at the beginning or the end', (text) => /^\s|\s$/.test(text)],
];

/**
 * @param wrong each has a text that makes it wrong
 * @param right none of them has
 * @returns words that continue "All of the former, and none of the latter, have: …"
 */
export function listTextTraits(wrong: readonly TextEntries[], right: readonly TextEntries[]): string[] {
  const parts = (['key', 'value'] as const).flatMap((part) => {
    const read = (entries: TextEntries) => entries.map(([key, value]) => (part === 'key' ? key : value));
    return listTraitsOfPart(part, wrong.map(read), right.map(read));
  });
  return parts.slice(0, maxTraits);
}

type Texts = readonly string[];

function listTraitsOfPart(part: string, wrong: readonly Texts[], right: readonly Texts[]): string[] {
  const [ofWrong, ofRight] = [wrong, right].map((list) => new Set(list.map((texts) => texts.join('\n'))).size);
  if ((ofWrong ?? 0) < minWrong || (ofRight ?? 0) < minRight) return [];
  const signs = [...new Set(wrong.flat().flatMap(listSigns))].filter((sign) => /^[\0-\x7f]$/.test(sign));
  const traits = [
    ...letterTraits,
    ...signs.map((sign): TextTrait => [sign === ' ' ? 'a blank' : quoteText(sign), (text) => text.includes(sign)]),
  ];
  const shared = traits.filter(
    ([, has]) => wrong.every((texts) => texts.some(has)) && !right.some((texts) => texts.some(has)),
  );
  // Texts with a sign may be longer than those without one.
  return shared.length > 0 ? shared.map(([words]) => `a ${part} with ${words}`) : describeLengths(part, wrong, right);
}

/** Finds out whether all wrong texts are longer, or shorter, than any right one. */
function describeLengths(part: string, wrong: readonly Texts[], right: readonly Texts[]): string[] {
  const measure = (text: string) => [...text].length;
  const [ofWrong, ofRight] = [wrong, right].map((list) => list.map((texts) => texts.map(measure)));
  const lengths = (ofRight ?? []).flat();
  const least = Math.min(...(ofWrong ?? []).map((texts) => Math.max(...texts)));
  const longest = Math.max(...lengths);
  if (least > longest) return [`a ${part} of ${least} letters or more (the others have ${longest} at most)`];
  const most = Math.max(...(ofWrong ?? []).map((texts) => Math.min(...texts)));
  const shortest = Math.min(...lengths);
  return most < shortest ? [`a ${part} of ${most} letters or fewer (the others have ${shortest} or more)`] : [];
}

/** @returns a sentence with a blank before it; an empty text if there is no trait */
export function describeTextTraits(wrong: readonly TextEntries[], right: readonly TextEntries[]): string {
  const traits = listTextTraits(wrong, right);
  return traits.length === 0 ? '' : ` All of the former, and none of the latter, have: ${traits.join('; ')}.`;
}
