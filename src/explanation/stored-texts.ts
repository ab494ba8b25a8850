/**
 * The short texts of the test data that narrowing asks for: entries of metadata with one odd sign each, and texts of one letter
 * in many lengths. In: a world. Out: its entries. Pure.
 */

import { listAvailableTiers, type TargetWorld, type Tier, windowSize } from '../contract/world.js';
import { cacheByObject } from '../support/caches.js';
import { quoteText } from '../support/quote-text.js';
import { truncate } from '../support/untrusted-text.js';

/** An entry of metadata that a filter can ask for, of a tier that is valid for every order. */
export interface StoredText {
  readonly tier: Tier;
  readonly key: string;
  readonly value: string;
}

/** Longer ones show nothing alone. */
const maxLength = 40;
/** How many entries of each other kind are listed. */
const maxOfKind = 40;
/** How many letters are shown of a text that repeats one letter. */
const shownOfLong = 8;
const oddSign = /[^A-Za-z0-9]/gu;
const oneLetter = /^([a-z])\1{16,}$/;

export function listSigns(text: string): string[] {
  return [...new Set(text.match(oddSign) ?? [])];
}

function countSigns({ key, value }: StoredText): number {
  return listSigns(key).length + listSigns(value).length;
}

/** Whether a key or a value has one letter, many times. */
function isOfOneLetter({ key, value }: StoredText): boolean {
  return [key, value].some((text) => oneLetter.test(text));
}

/** Lists the entries with an odd sign, as far as those of a key and a value are concerned, and one without any. */
export function listOddTexts(key: string, value: string, world: TargetWorld): StoredText[] {
  const isOf = (text: string) => {
    const signs = new Set(listSigns(text));
    return (stored: string) => listSigns(stored).every((sign) => signs.has(sign));
  };
  const [isOfKey, isOfValue] = [isOf(key), isOf(value)];
  const fitting = findShortTexts(world).filter(
    (entry) =>
      isOfKey(entry.key) &&
      isOfValue(entry.value) &&
      !isOfOneLetter(entry) &&
      (entry.key !== key || entry.value !== value),
  );
  const [plain] = fitting.filter((entry) => countSigns(entry) === 0);
  const measure = (entry: StoredText) => entry.key.length + entry.value.length;
  // Few texts have several signs that mean something together, such as a tag or an escape: those come first.
  const sorted = fitting
    .filter((entry) => countSigns(entry) > 0)
    .toSorted((left, right) => countSigns(right) - countSigns(left) || measure(right) - measure(left));
  return [...(plain === undefined ? [] : [plain]), ...sorted];
}

/** Lists the entries whose key or value has one letter, the shortest first. @param is which of the two has one letter */
export function listLongTexts(is: 'key' | 'value', world: TargetWorld): StoredText[] {
  return findShortTexts(world)
    .filter((entry) => oneLetter.test(entry[is]))
    .toSorted((left, right) => left[is].length - right[is].length);
}

/** Lists the entries whose keys have one odd sign each, between letters. */
export function listKeysWithSign(world: TargetWorld): StoredText[] {
  return findShortTexts(world).filter(({ key }) => /^\p{L}[^\p{L}\d]\p{L}$/u.test(key));
}

/** Texts that software may take for something else than a text, and those that it may not. */
const otherKinds: readonly RegExp[] = [/^(?:true|false|null)$/i, /^-?\d[\d.,-]*$/, /^[a-z]+$/i];

/**
 * Lists other entries by what they have in common with one: its key, its value, its tier, or that their values look like
 * booleans, numbers or words. Any tier may have them.
 */
export function listAlikeTexts({ tier, key, value }: StoredText, world: TargetWorld): StoredText[][] {
  const entries = listAvailableTiers(world)
    .flatMap((other) => Object.entries(other.metadata).map(([name, is]) => ({ tier: other, key: name, value: is })))
    .filter((entry): entry is StoredText => typeof entry.value === 'string')
    .filter((entry) => entry.key.length + entry.value.length <= maxLength)
    .filter((entry) => entry.key !== key || entry.value !== value);
  return [
    entries.filter((entry) => entry.value === value),
    entries.filter((entry) => entry.key === key),
    entries.filter((entry) => entry.tier === tier).slice(0, 1),
    ...otherKinds.map((kind) => entries.filter((entry) => kind.test(entry.value)).slice(0, maxOfKind)),
  ];
}

/** Finds the tier with the most short entries that every order gets: the world has one for this. */
const findShortTexts = cacheByObject((world: TargetWorld): StoredText[] => {
  const candidates = listAvailableTiers(world)
    .filter((tier) => tier.rules.length === 0 && world.tiers.indexOf(tier) < windowSize)
    .map((tier) =>
      Object.entries(tier.metadata)
        .map(([key, value]) => ({ tier, key, value }))
        .filter((entry): entry is StoredText => typeof entry.value === 'string')
        .filter((entry) => isOfOneLetter(entry) || entry.key.length + entry.value.length <= maxLength),
    );
  return candidates.toSorted((left, right) => right.length - left.length)[0] ?? [];
});

export function describeStoredText({ key, value }: Pick<StoredText, 'key' | 'value'>): string {
  return `${quoteShort(key)} = ${quoteShort(value)}`;
}

/** A long text has one letter alone. */
export function quoteShort(text: string): string {
  if (!oneLetter.test(text)) return quoteText(text);
  return `${quoteText(truncate(text, shownOfLong))}… (${text.length} letters)`;
}
