import type { Mistake } from './mistake.js';

/** What elements of a list are compared by, where a developer takes out duplicates. */
export interface ElementKeys<Element> {
  readonly id: (element: Element) => unknown;
  readonly kind: (element: Element) => unknown;
  readonly value: (element: Element) => unknown;
}

/** Walks a list. The right decision is to return it as it is. */
export type ListWalk = <Element>(list: readonly Element[], keys: ElementKeys<Element>) => readonly Element[];

const walk = (id: string, story: string, plug: ListWalk): Mistake<ListWalk> => ({ id, story, plug });

function distinct<Element>(list: readonly Element[], keyOf: (element: Element) => unknown): readonly Element[] {
  const seen = new Set<string>();
  return list.filter((element) => {
    const key = JSON.stringify(keyOf(element));
    return !seen.has(key) && seen.add(key);
  });
}

function latest<Element>(list: readonly Element[], keyOf: (element: Element) => unknown): readonly Element[] {
  return [...new Map(list.map((element) => [JSON.stringify(keyOf(element)), element])).values()];
}

function sortByText<Element>(list: readonly Element[]): readonly Element[] {
  const texts = new Map(list.map((element) => [element, JSON.stringify(element)]));
  return list.toSorted((a, b) => ((texts.get(a) ?? '') < (texts.get(b) ?? '') ? -1 : 1));
}

const keyNames = ['id', 'kind', 'value'] as const;

export const listMistakes: readonly Mistake<ListWalk>[] = [
  ...[1, 2, 3, 4, 5, 8, 10, 16, 20, 32, 50, 64, 100, 128].map((count) =>
    walk(`first-${count}-only`, `There is room for ${count}, and the rest is dropped.`, (list) => list.slice(0, count)),
  ),
  walk('last-only', 'Each element overwrites the one before.', (list) => list.slice(-1)),
  walk('last-two-only', 'A buffer keeps the last two.', (list) => list.slice(-2)),
  walk('last-lost', 'The loop ends one too early.', (list) => list.slice(0, -1)),
  walk('first-lost', 'The loop begins at one.', (list) => list.slice(1)),
  walk('last-of-many-lost', 'Of a list that needs commas, what follows the last comma is lost.', (list) =>
    list.length > 1 ? list.slice(0, -1) : list,
  ),
  walk('second-lost', 'An element is removed while the list is walked.', (list) => list.filter((_, at) => at !== 1)),
  walk('every-second-lost', 'The list is walked in pairs of name and value.', (list) =>
    list.filter((_, at) => at % 2 === 0),
  ),
  walk('odd-one-lost', 'The list is walked in pairs, and one that is left over is lost.', (list) =>
    list.slice(0, list.length - (list.length % 2)),
  ),
  ...[8, 10, 20, 50].map((size) =>
    walk(
      `last-batch-of-${size}-lost`,
      `The list is walked in batches of ${size}, and one that is not full is lost.`,
      (list) => (list.length > size ? list.slice(0, list.length - (list.length % size)) : list),
    ),
  ),
  walk('lost-when-several', 'More than one is not expected.', (list) => (list.length > 1 ? [] : list)),
  walk('lost-when-one', 'A list of one is unpacked, and no list any more.', (list) => (list.length === 1 ? [] : list)),
  walk('lost', 'The list is read from the wrong member.', () => []),
  walk('sorted', 'The list is sorted by its text.', sortByText),
  walk('reversed', 'The list is a stack.', (list) => list.toReversed()),
  walk('first-after-sorting', 'The list is sorted, and the first one used.', (list) => sortByText(list).slice(0, 1)),
  ...keyNames.flatMap((key) => [
    walk(`distinct-by-${key}`, `Duplicates are taken out by ${key}; the first stays.`, (list, keys) =>
      distinct(list, keys[key]),
    ),
    walk(`latest-by-${key}`, `The list is put into a map by ${key}; the last stays.`, (list, keys) =>
      latest(list, keys[key]),
    ),
    walk(`lost-where-repeated-by-${key}`, `Elements that agree in their ${key} exclude each other.`, (list, keys) => {
      const texts = list.map((element) => JSON.stringify(keys[key](element)));
      return list.filter((_, at) => texts.every((text, n) => n === at || text !== texts[at]));
    }),
    walk(
      `left-at-a-repetition-of-${key}`,
      `The loop is left at the first ${key} that it has seen before.`,
      (list, keys) => {
        const texts = list.map((element) => JSON.stringify(keys[key](element)));
        const end = texts.findIndex((text, at) => texts.indexOf(text) < at);
        return end < 0 ? list : list.slice(0, end);
      },
    ),
    walk(`first-${key}-only`, `Elements of another ${key} than the first are skipped.`, (list, keys) => {
      const texts = list.map((element) => JSON.stringify(keys[key](element)));
      return list.filter((_, at) => texts[at] === texts[0]);
    }),
  ]),
];
