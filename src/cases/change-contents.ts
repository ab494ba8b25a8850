import { groupBy } from '../support/collections.js';
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
  'very large quantities': ({ items }) => ({ items: quantify(items, (_, at) => 100_000 + at) }),
  'items in another order': ({ items }) => ({ items: items.toReversed() }),
  'products in two items each': ({ items }) => ({ items: repeatProducts(items) }),
  'products in three items each': ({ items }) => ({ items: [...repeatProducts(items), ...items.filter(isProduct)] }),
  'products in different quantities': ({ items }) => ({
    items: [...quantify(items, (count, at) => count + at + 1), ...items.filter(isProduct).toReversed()],
  }),
  'products in two items that are too few': ({ items }) => ({ items: items.flatMap(splitItem) }),
  'products in two items, one less': ({ items }) => ({ items: [...reduce(items), ...reduce(items).filter(isProduct)] }),
  'products in place of SKUs': ({ items }, { productOf }) => ({
    items: replaceIds(items, 'sku', 'product', (id) => productOf.get(id)),
  }),
  'SKUs in place of products': ({ items }, { skusOf }) => ({
    items: replaceIds(items, 'product', 'sku', (id) => skusOf.get(id)?.[0].id),
  }),
  'other SKUs of the same products': ({ items }, { productOf, skusOf }) => ({
    items: replaceIds(
      items,
      'sku',
      'sku',
      (id) => skusOf.get(productOf.get(id) ?? '')?.find((sku) => sku.id !== id)?.id,
    ),
  }),
  'similar products': ({ items }, { findNear }) => ({
    items: replaceIds(items, 'product', 'product', (id) => findNear.product(id)[0]),
  }),
  'similar SKUs': ({ items }, { findNear }) => ({
    items: replaceIds(items, 'sku', 'sku', (id) => findNear.sku(id)[0]),
  }),
  'products alone': ({ items }) => ({ items: items.filter(isProduct) }),
  'SKUs alone': ({ items }) => ({ items: items.filter((item) => !isProduct(item)) }),
  ...createHalves('items', (isKept) => ({ items }) => ({ items: items.filter(isKept) })),
  ...createChanges(nearKinds, (kind) => [
    `metadata ${kind}`,
    ({ metadata }) => ({ metadata: metadata.map(([key, value]) => [key, makeNearText(kind, value) ?? `no ${value}`]) }),
  ]),
  'similar metadata keys': ({ metadata }) => ({ metadata: listNearKeys(metadata) }),
  'similar metadata keys, too': ({ metadata }) => ({ metadata: [...metadata, ...listNearKeys(metadata)] }),
  'metadata in another order': ({ metadata }) => ({ metadata: metadata.toReversed() }),
  'more metadata': ({ metadata }) => ({ metadata: [...metadata, ['store_name', 'Elsewhere'], ['other', 'entry']] }),
  'values of other metadata keys': ({ metadata }) => ({
    metadata: metadata.map(([key], at) => [key, metadata[(at + 1) % metadata.length]?.[1] ?? '']),
  }),
  ...createHalves('metadata', (isKept) => ({ metadata }) => ({ metadata: metadata.filter(isKept) })),
  'metadata as order metadata': ({ metadata }) => ({
    metadata: [],
    orderMetadata: metadata.map(([key, value]) => [key, [value]]),
  }),
  'order metadata': ({ orderMetadata }) => ({ orderMetadata: [...orderMetadata, ...ordinaryMetadata] }),
  'no order metadata': () => ({ orderMetadata: [] }),
  'options.expand': () => ({ expand: true }),
  'no options.expand': () => ({ expand: false }),
  'everything at once': ({ items, orderMetadata }) => ({
    items: repeatProducts(items),
    expand: true,
    orderMetadata: [...orderMetadata, ...ordinaryMetadata],
  }),
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

/** Two items that are too few together. */
function splitItem(item: DrawnItem): DrawnItem[] {
  const { kind, quantity } = item;
  if (kind !== 'product' || quantity < 3) return [item];
  return [
    { ...item, quantity: quantity - 2 },
    { ...item, quantity: 1 },
  ];
}

/** Replaces items of a kind by others. Leaves out what is ordered already. */
function replaceIds(
  items: readonly DrawnItem[],
  from: DrawnItem['kind'],
  to: DrawnItem['kind'],
  find: (id: string) => string | undefined,
): DrawnItem[] {
  const replaced = items.map((item) => {
    const id = item.kind === from ? find(item.id) : undefined;
    return id === undefined ? item : { ...item, kind: to, id };
  });
  return [...new Map(replaced.map((item) => [`${item.kind} ${item.id}`, item])).values()];
}

/** More of them exceed the limits of some servers: for one sign, and together. */
const [maxOfSign, maxNearKeys] = [3, 250];

function listNearKeys(metadata: readonly Entry<string>[]): Entry<string>[] {
  const known = new Set(metadata.map(([key]) => key));
  const bySign = groupBy(metadata.flatMap(moveBorder), ({ sign }) => sign);
  const moved = [...bySign.values()].flatMap((found) => found.slice(0, maxOfSign).map(({ entry }) => entry));
  const ofOtherKeys = nearKinds.flatMap((kind) =>
    metadata.map(([key, value]): Entry<string> => [makeNearText(kind, key) ?? key, value]),
  );
  return [...moved, ...ofOtherKeys].filter(([key]) => !known.has(key)).slice(0, maxNearKeys);
}

/** Makes entries that are the same text once key and value are joined by a sign, or by nothing. */
function moveBorder([key, value]: Entry<string>): { readonly sign: string; readonly entry: Entry<string> }[] {
  const signs = new Set(['', ...(`${key}${value}`.match(/[^\p{L}\p{N}\p{M}]/gu) ?? [])]);
  return [...signs].flatMap((sign) => {
    const [first = '', ...rest] = sign === '' ? [...value] : value.split(sign);
    const [last = '', ...before] = (sign === '' ? [...key] : key.split(sign)).reverse();
    const entries: readonly Entry<string>[] = [
      [`${key}${sign}${first}`, rest.join(sign)],
      [before.reverse().join(sign), `${last}${sign}${value}`],
    ];
    return entries.filter(([name, text]) => name !== '' && text !== '').map((entry) => ({ sign, entry }));
  });
}
