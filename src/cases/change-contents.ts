import type { DrawnContents, DrawnItem, Entry, OrderFacts } from './drawn-contents.js';
import { makeNearText, nearKinds } from './near-texts.js';
import type { RequestForm } from './request-forms.js';

type Change = (contents: DrawnContents, facts: OrderFacts) => Partial<DrawnContents>;

/** Order metadata as in the samples of the documentation, and as awkward as it may be. */
const ordinaryMetadata: DrawnContents['orderMetadata'] = [
  ['payment_mean', ['credit-card']],
  ['gift_options', ['wrapping', 'card', 'ribbon']],
  ['größe:1.0 & mehr', ['½ "groß"', '', '🎁']],
];

/** Encodings that mean the same. A conforming deployment accepts all of them. */
const forms: readonly (readonly RequestForm[])[] = [
  ['header-names-in-lower-case', 'in-pieces'],
  ['header-names-in-upper-case'],
  ['pretty-printed', 'after-white-space'],
  ['values-percent-encoded-in-lower-case', 'members-reversed', 'on-a-fresh-connection'],
  ['with-escaped-letters'],
];

/** The documentation leaves open what these mean as a whole. Windows, filters and reservations bind all the same. */
const members = ['customer', 'order', 'order.metadata', 'options', 'metadata'];

/** Any two of up to 64 entries of a list are in different halves once. */
const halves = [0, 1, 2, 3, 4, 5].flatMap((bit) => [0, 1].map((side) => [bit, side] as const));

export const changes: Readonly<Record<string, Change>> = {
  'quantities of one less': ({ items }) => ({ items: reduce(items) }),
  'every second quantity of one less': ({ items }) => ({ items: quantify(items, (count, at) => count - (at % 2)) }),
  'quantities of 1': ({ items }) => ({ items: quantify(items, () => 1) }),
  'larger quantities': ({ items }) => ({ items: quantify(items, (count, at) => count * 10 + at) }),
  'items in another order': ({ items }) => ({ items: items.toReversed() }),
  'products in two items each': ({ items }) => ({ items: repeatProducts(items) }),
  'products in different quantities': ({ items }) => ({
    items: [...quantify(items, (count, at) => count + at + 1), ...items.filter(isProduct).toReversed()],
  }),
  'products in two items, one less': ({ items }) => ({ items: [...reduce(items), ...reduce(items).filter(isProduct)] }),
  'similar products': ({ items }, { findNear }) => ({ items: replaceIds(items, 'product', findNear.product) }),
  'similar SKUs': ({ items }, { findNear }) => ({ items: replaceIds(items, 'sku', findNear.sku) }),
  ...createHalves('items', (isKept) => ({ items }) => ({ items: items.filter(isKept) })),
  ...createChanges(nearKinds, (kind) => [
    `metadata ${kind}`,
    ({ metadata }) => ({ metadata: metadata.map(([key, value]) => [key, makeNearText(kind, value) ?? `no ${value}`]) }),
  ]),
  'similar metadata keys': ({ metadata }) => ({ metadata: listNearKeys(metadata) }),
  'similar metadata keys, too': ({ metadata }) => ({ metadata: [...metadata, ...listNearKeys(metadata)] }),
  'more metadata': ({ metadata }) => ({ metadata: [...metadata, ['store_name', 'Elsewhere'], ['other', 'entry']] }),
  ...createHalves('metadata', (isKept) => ({ metadata }) => ({ metadata: metadata.filter(isKept) })),
  'order metadata': ({ orderMetadata }) => ({ orderMetadata: [...orderMetadata, ...ordinaryMetadata] }),
  'options.expand': () => ({ expand: true }),
  'no options.expand': () => ({ expand: false }),
  audienceRulesOnly: () => ({ audienceRulesOnly: 'first' }),
  'audienceRulesOnly at the end': () => ({ audienceRulesOnly: 'last' }),
  ...createChanges(members, (member) => [`without ${member}`, () => ({ without: member })]),
  ...createChanges(forms, (sent) => [`sent ${sent[0]}`, () => ({ sent })]),
  again: () => ({ again: 1 }),
};

function createChanges<T>(all: readonly T[], create: (of: T) => readonly [name: string, change: Change]) {
  return Object.fromEntries(all.map(create));
}

function createHalves(of: string, create: (isKept: (_: unknown, at: number) => boolean) => Change) {
  return createChanges(halves, ([bit, side]) => [
    `half ${2 * bit + side + 1} of the ${of}`,
    create((_, at) => ((at >> bit) & 1) === side),
  ]);
}

const isProduct = ({ kind }: DrawnItem) => kind === 'product';

function quantify(items: readonly DrawnItem[], change: (quantity: number, at: number) => number): DrawnItem[] {
  return items.map((item, at) => ({ ...item, quantity: Math.max(1, change(item.quantity, at)) }));
}

function reduce(items: readonly DrawnItem[]): DrawnItem[] {
  return quantify(items, (count) => count - 1);
}

function repeatProducts(items: readonly DrawnItem[]): DrawnItem[] {
  return [...items, ...items.filter(isProduct).toReversed()];
}

/** Replaces items of a kind by others. Leaves out what is ordered already. */
function replaceIds(
  items: readonly DrawnItem[],
  kind: DrawnItem['kind'],
  findNear: (id: string) => readonly string[],
): DrawnItem[] {
  const replaced = items.map((item) => (item.kind === kind ? { ...item, id: findNear(item.id)[0] ?? item.id } : item));
  return [...new Map(replaced.map((item) => [`${item.kind} ${item.id}`, item])).values()];
}

/** More of them exceed the limits of some servers. */
const maxNearKeys = 250;

/** Lists entries with keys that are nearly the same, and entries whose text moves between key and value. */
function listNearKeys(metadata: readonly Entry<string>[]): Entry<string>[] {
  const known = new Set(metadata.map(([key]) => key));
  const moved = metadata.map(([key, value]): Entry<string> => [`${key}${value.slice(0, 1)}`, value.slice(1)]);
  const ofOtherKeys = nearKinds.flatMap((kind) =>
    metadata.map(([key, value]): Entry<string> => [makeNearText(kind, key) ?? key, value]),
  );
  const near = [...moved, ...ofOtherKeys].filter(([key, value]) => !known.has(key) && value !== '');
  return near.slice(0, maxNearKeys);
}
