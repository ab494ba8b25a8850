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
  const ofOne = [...listTraitsOfPart('key', wrong, right), ...listTraitsOfPart('value', wrong, right)];
  // Where one text is a key and another one is a value, neither part alone has something in common.
  const ofLetters = ofOne.length > 0 ? ofOne : listTraitsOfPart('key or value', wrong, right);
  // Texts with a sign may be longer than those without one: lengths say something alone.
  const traits =
    ofLetters.length > 0
      ? ofLetters
      : [...describeLengths('key', wrong, right), ...describeLengths('value', wrong, right)];
  return traits.slice(0, maxTraits);
}

type TextPart = 'key' | 'value' | 'key or value';

function readPart([key, value]: TextEntry, part: TextPart): readonly string[] {
  if (part === 'key or value') return [key, value];
  return [part === 'key' ? key : value];
}

type Texts = readonly string[];

/** The texts of one part: those that are wrong, each list with one that makes it wrong, and right ones. */
interface TextsOfPart {
  readonly wrong: readonly Texts[];
  readonly right: readonly Texts[];
}

/** @returns undefined if there are so few different ones that they share something by chance */
function readTexts(
  part: TextPart,
  wrong: readonly TextEntries[],
  right: readonly TextEntries[],
): TextsOfPart | undefined {
  const read = (entries: TextEntries) => entries.flatMap((entry) => readPart(entry, part));
  const texts = { wrong: wrong.map(read), right: right.map(read) };
  const countDifferent = (lists: readonly Texts[]) => new Set(lists.map((list) => list.join('\n'))).size;
  return countDifferent(texts.wrong) < minWrong || countDifferent(texts.right) < minRight ? undefined : texts;
}

function listTraitsOfPart(part: TextPart, wrong: readonly TextEntries[], right: readonly TextEntries[]): string[] {
  const texts = readTexts(part, wrong, right);
  if (texts === undefined) return [];
  const signs = [...new Set(texts.wrong.flat().flatMap(listSigns))].filter((sign) => /^[\0-\x7f]$/.test(sign));
  const traits = [
    ...letterTraits,
    ...signs.map((sign): TextTrait => [sign === ' ' ? 'a blank' : quoteText(sign), (text) => text.includes(sign)]),
  ];
  const isShared = ([, has]: TextTrait) =>
    texts.wrong.every((list) => list.some(has)) && !texts.right.some((list) => list.some(has));
  return traits.filter(isShared).map(([words]) => `a ${part} with ${words}`);
}

/** Finds out whether all wrong texts are longer, or shorter, than any right one. */
function describeLengths(part: TextPart, wrong: readonly TextEntries[], right: readonly TextEntries[]): string[] {
  const texts = readTexts(part, wrong, right);
  if (texts === undefined) return [];
  const measure = (list: Texts) => list.map((text) => [...text].length);
  const ofWrong = texts.wrong.map(measure);
  const ofRight = texts.right.flatMap(measure);
  const least = Math.min(...ofWrong.map((lengths) => Math.max(...lengths)));
  const longest = Math.max(...ofRight);
  if (least > longest) return [`a ${part} of ${least} letters or more (the others have ${longest} at most)`];
  const most = Math.max(...ofWrong.map((lengths) => Math.min(...lengths)));
  const shortest = Math.min(...ofRight);
  return most < shortest ? [`a ${part} of ${most} letters or fewer (the others have ${shortest} or more)`] : [];
}

/** @returns a sentence with a blank before it; an empty text if there is no trait */
export function describeTextTraits(wrong: readonly TextEntries[], right: readonly TextEntries[]): string {
  const traits = listTextTraits(wrong, right);
  return traits.length === 0 ? '' : ` All of the former, and none of the latter, have: ${traits.join('; ')}.`;
}
