/** Texts of the page, such as commands and responses: long ones are folded, and what makes two differ is marked. */

import { truncate } from '../../support/untrusted-text.js';
import { findDifferingParts, type TextPart } from './find-differing-parts.js';

/** The number of characters from which only an excerpt is shown, and how many of it are shown around a mark, and in it. */
const [maxText, maxAround, maxMarked] = [900, 200, 300];
/** Marks of an excerpt. What comes later is in the whole text. */
const maxMarks = 4;

/** @param whole empty if the excerpt is all of it */
export interface ShownText {
  readonly excerpt: readonly { readonly text: string; readonly mark: string }[];
  readonly whole: string;
  readonly length: string;
}

/** Shows the beginning of a text, or all of it. */
export function showText(text: string): ShownText {
  const isLong = text.length > maxText;
  return show(text, [{ text: isLong ? cutEnd(text, 2 * maxAround + maxMarked) : text, differs: false }]);
}

/** Shows a text, and marks what another one does not have. Of long texts it shows what is around the marks. */
export function showDifference(text: string, other: string): ShownText {
  const parts = findDifferingParts(text, other);
  if (text.length <= maxText) return show(text, parts);
  if (!parts.some(({ differs }) => differs)) return showText(text);
  // A part without a difference is before, between or after those with one.
  const shown = parts.slice(0, 2 * maxMarks + 1).map((part, n): TextPart => {
    if (part.differs) return { ...part, text: cutEnd(part.text, maxMarked) };
    if (n === 0) return { ...part, text: cutBeginning(part.text, maxAround) };
    const isShort = part.text.length <= 2 * maxAround;
    return isShort && n < parts.length - 1 ? part : { ...part, text: cutEnd(part.text, maxAround) };
  });
  return show(text, shown);
}

function show(text: string, parts: readonly TextPart[]): ShownText {
  return {
    excerpt: parts.map((part) => ({ text: part.differs ? '' : part.text, mark: part.differs ? part.text : '' })),
    whole: text.length > maxText ? text : '',
    length: text.length.toLocaleString('en'),
  };
}

function cutEnd(text: string, max: number): string {
  return text.length > max ? `${truncate(text, max)}…` : text;
}

function cutBeginning(text: string, max: number): string {
  return text.length > max ? `…${text.slice(-max).replace(/^[\udc00-\udfff]/, '')}` : text;
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
