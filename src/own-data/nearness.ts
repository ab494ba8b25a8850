import { groupBy } from '../support/collections.js';

/** How a text is easily taken for another one, the rarest ways first. */
export const nearnesses = [
  'letter-case',
  'blanks',
  'number-notation',
  'accents',
  'signs',
  'end-of-long-text',
  'beginning',
  'ending',
  'letter',
] as const;

export type Nearness = (typeof nearnesses)[number];

/** From here on, software may compare beginnings alone: a column, a buffer or an index has room for no more. */
const longBeginning = 30;

/** Forms of a text that are equal for texts that differ in nothing else. Those for which least is ignored come first. */
const forms: readonly (readonly [Nearness, (text: string) => string])[] = [
  ['letter-case', (text) => text.toLowerCase()],
  ['blanks', (text) => text.replaceAll(/\s+/g, '')],
  ['number-notation', writeNumber],
  ['accents', (text) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()],
  ['signs', (text) => text.replaceAll(/[^\p{L}\p{N}\p{M}]/gu, '').toLowerCase()],
];

function writeNumber(text: string): string {
  const isNumber = /^\s*[+-]?\d+(?:\.\d+)?(?:e\d{1,3})?\s*$/i.test(text);
  return isNumber ? String(Number(text)) : text.replaceAll(/(?<!\d)0+(?=\d)/g, '');
}

/** Finds out how a text is easily taken for another one. Undefined if it is not, or if they are equal. */
export function findNearness(text: string, other: string): Nearness | undefined {
  if (text === other || text === '' || other === '') return undefined;
  const [equal] = forms.find(([, change]) => change(text) !== '' && change(text) === change(other)) ?? [];
  if (equal !== undefined) return equal;
  if (text.length > longBeginning && text.slice(0, longBeginning) === other.slice(0, longBeginning))
    return 'end-of-long-text';
  if (text.startsWith(other) || other.startsWith(text)) return 'beginning';
  if (text.endsWith(other) || other.endsWith(text)) return 'ending';
  return differsInOneLetter(text, other) ? 'letter' : undefined;
}

/** Whether one letter is another one, missing or added. */
function differsInOneLetter(text: string, other: string): boolean {
  if (Math.abs(text.length - other.length) > 1) return false;
  let start = 0;
  while (start < text.length && text[start] === other[start]) start += 1;
  const [rest, otherRest] = [text.slice(start), other.slice(start)];
  return [rest.slice(1), rest].some((left) => [otherRest.slice(1), otherRest].includes(left));
}

/** A text of a list, and how it is taken for the one that was looked for. */
interface NearText {
  readonly text: string;
  readonly nearness: Nearness;
}

/** How many texts are found for one and each way to be near it: one letter of `C-1001` may be any other. */
const maxOfKind = 2;

/** The largest number of ids that are searched. To index more of them takes long. */
const maxSearched = 5_000;

/**
 * Creates a function that finds ids that are easily taken for an id: those that are near it, then its neighbours in
 * alphabetical order, read from either end.
 *
 * @param wanted ids that are searched even if there are too many
 */
export function createSimilarIdFinder(
  ids: readonly string[],
  wanted: readonly string[] = [],
): (id: string) => readonly string[] {
  const searched = [...new Set([...wanted, ...ids.slice(0, maxSearched)])];
  const indexes = createIndexes(searched);
  const reverse = (text: string) => [...text].reverse().join('');
  const orders = [searched.toSorted(), searched.map(reverse).sort().map(reverse)];
  const search = (id: string): readonly string[] => {
    const near = searchIndexes(id, indexes).map(({ text }) => text);
    const neighbours = orders.flatMap((order) => {
      const at = order.indexOf(id);
      return at === -1 ? [] : [order[at - 1] ?? [], order[at + 1] ?? []].flat();
    });
    return [...new Set([...near, ...neighbours])];
  };
  const found = new Map<string, readonly string[]>();
  return (id) => {
    const similar = found.get(id) ?? search(id);
    found.set(id, similar);
    return similar;
  };
}

/** Texts by keys. A text that is looked for may have other keys than those under which texts are stored. */
interface TextIndex {
  readonly byKey: ReadonlyMap<string, readonly string[]>;
  readonly listAskedKeys: (text: string) => readonly string[];
}

type KeyLister = (text: string) => readonly string[];

const listItself: KeyLister = (text) => [text];

/** A text and its shorter beginnings, as far as ids are told apart by them. */
const listBeginnings: KeyLister = (text) =>
  Array.from({ length: Math.min(text.length, longBeginning) }, (_, n) => text.slice(0, text.length - n));

const listEndings: KeyLister = (text) =>
  Array.from({ length: Math.min(text.length, longBeginning) }, (_, n) => text.slice(n));

/** Two texts that differ in one letter are equal once each of them has lost at most one letter. */
const listLettersLess: KeyLister = (text) =>
  text.length > longBeginning ? [] : [text, ...Array.from(text, (_, n) => text.slice(0, n) + text.slice(n + 1))];

const listLongBeginning: KeyLister = (text) => (text.length > longBeginning ? [text.slice(0, longBeginning)] : []);

/** Under which keys a text is stored, and by which it is asked for. */
const keyings: readonly (readonly [stored: KeyLister, asked: KeyLister])[] = [
  ...forms.map(([, change]) => {
    const list: KeyLister = (text) => [change(text)];
    return [list, list] as const;
  }),
  [listLongBeginning, listLongBeginning],
  [listBeginnings, listItself],
  [listItself, listBeginnings],
  [listEndings, listItself],
  [listItself, listEndings],
  [listLettersLess, listLettersLess],
];

function createIndexes(texts: readonly string[]): TextIndex[] {
  return keyings.map(([listStoredKeys, listAskedKeys]) => {
    const entries = texts.flatMap((text) => listStoredKeys(text).map((key) => ({ key, text })));
    const groups = [...groupBy(entries, ({ key }) => key)];
    return { listAskedKeys, byKey: new Map(groups.map(([key, group]) => [key, group.map(({ text }) => text)])) };
  });
}

function searchIndexes(text: string, indexes: readonly TextIndex[]): NearText[] {
  const found = indexes.flatMap(({ byKey, listAskedKeys }) =>
    listAskedKeys(text).flatMap((key) => byKey.get(key) ?? []),
  );
  const near = [...new Set(found)].flatMap((other): NearText[] => {
    const nearness = findNearness(text, other);
    return nearness === undefined ? [] : [{ text: other, nearness }];
  });
  const rank = ({ nearness }: NearText) => nearnesses.indexOf(nearness);
  const groups = groupBy(
    near.toSorted((text, next) => rank(text) - rank(next)),
    ({ nearness }) => nearness,
  );
  return [...groups.values()].flatMap((group) => group.slice(0, maxOfKind));
}
