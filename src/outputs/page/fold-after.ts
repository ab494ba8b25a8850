import { renderCount } from '../counts.js';

/** Entries of a list that are shown together. */
export interface ListBlock<T> {
  /** The line below which they are folded, such as "3 more rows"; empty if they are shown at once. */
  readonly more: string;
  readonly entries: readonly T[];
}

/** Folds what comes after the first entries. A single further entry is not worth folding. */
export function foldAfter<T>(entries: readonly T[], max: number, noun: string): ListBlock<T>[] {
  const shown = entries.length <= max + 1 ? entries : entries.slice(0, max);
  return foldRest(shown, entries.slice(shown.length), noun);
}

/** Shows some entries, and folds the rest. If there are none to show, nothing is folded. */
export function foldRest<T>(shown: readonly T[], rest: readonly T[], noun: string): ListBlock<T>[] {
  const more = shown.length === 0 ? '' : renderCount(rest.length, `more ${noun}`);
  const blocks = [
    { more: '', entries: shown },
    { more, entries: rest },
  ];
  return blocks.filter(({ entries }) => entries.length > 0);
}
