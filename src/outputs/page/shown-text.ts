/** Texts of the page, such as commands and responses: long ones are folded, and what makes two differ is marked. */

import { truncate } from '../../support/untrusted-text.js';

/** The number of characters from which only an excerpt is shown, and its parts around what decides. */
const [maxText, maxAround, maxMarked] = [900, 240, 360];

/** @param whole empty if the excerpt is all of it */
export interface ShownText {
  readonly excerpt: readonly { readonly text: string; readonly mark: string }[];
  readonly whole: string;
  readonly length: string;
}

/** Shows the beginning of a text, or all of it. */
export function showText(text: string): ShownText {
  const isLong = text.length > maxText;
  const shown = isLong ? `${truncate(text, maxAround + maxMarked)}…` : text;
  return { excerpt: [{ text: shown, mark: '' }], ...describeWhole(text, isLong) };
}

/** Shows a text, and marks what another one does not have. Of long texts it shows what is around the mark. */
export function showDifference(text: string, other: string): ShownText {
  if (text === other) return showText(text);
  const from = findDifference(text, other);
  const to = text.length - findCommonEnd(text.slice(from), other.slice(from));
  const [before, marked, after] = [text.slice(0, from), text.slice(from, to), text.slice(to)];
  const isLong = text.length > maxText;
  const excerpt = isLong
    ? [
        { text: cutBeginning(before), mark: '' },
        { text: '', mark: marked.length > maxMarked ? `${truncate(marked, maxMarked)}…` : marked },
        { text: after.length > maxAround ? `${truncate(after, maxAround)}…` : after, mark: '' },
      ]
    : [
        { text: before, mark: '' },
        { text: '', mark: marked },
        { text: after, mark: '' },
      ];
  return { excerpt, ...describeWhole(text, isLong) };
}

function describeWhole(text: string, isLong: boolean): Pick<ShownText, 'whole' | 'length'> {
  return { whole: isLong ? text : '', length: text.length.toLocaleString('en') };
}

function cutBeginning(text: string): string {
  return text.length > maxAround ? `…${text.slice(-maxAround).replace(/^[\udc00-\udfff]/, '')}` : text;
}

/** Finds the first place in which two texts differ, never inside of a surrogate pair. */
function findDifference(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return /[\ud800-\udbff]$/.test(left.slice(0, at)) ? at - 1 : at;
}

function findCommonEnd(left: string, right: string): number {
  let length = 0;
  const max = Math.min(left.length, right.length);
  while (length < max && left.at(-1 - length) === right.at(-1 - length)) length += 1;
  return /^[\udc00-\udfff]/.test(left.slice(left.length - length)) ? length - 1 : length;
}

/** A labelled part of what is shown of a case or of a cause. */
export interface ShownSection extends ShownText {
  readonly label: string;
}

/** Shows texts below labels. Texts that are undefined or empty are left out. */
export function showSections(sections: Readonly<Record<string, string | undefined>>): ShownSection[] {
  return Object.entries(sections).flatMap(([label, text]) =>
    text === undefined || text === '' ? [] : [{ label, ...showText(text) }],
  );
}
