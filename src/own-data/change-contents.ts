import type { RequestForm } from '../cases/request-forms.js';
import { findProduct } from '../contract/world.js';
import { groupBy } from '../support/collections.js';
import type { DrawnContents, DrawnItem, Entry, OrderFacts } from './drawn-contents.js';
import { makeNearText, nearKinds } from './near-texts.js';

type Change = (contents: DrawnContents, facts: OrderFacts) => Partial<DrawnContents>;
type Items = DrawnContents['items'];
type Metadata = DrawnContents['metadata'];

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
const halves = [0, 1, 2, 3, 4, 5].flatMap((bit) =>
  [0, 1].map((side) => {
    const isKept = (_: unknown, at: number) => ((at >> bit) & 1) === side;
    return { name: `half ${2 * bit + side + 1}`, isKept };
  }),
);

export const changes: Readonly<Record<string, Change>> = {
  'quantities of one less': onItems(reduce),
  'every second quantity of one less': onQuantities((count, at) => count - (at % 2)),
  'quantities of 1': onQuantities(() => 1),
  'larger quantities': onQuantities((count, at) => count * 10 + at),
  'very large quantities': onQuantities((_, at) => 100_000 + at),
  'items in another order': onItems((items) => items.toReversed()),
  'products in two items each': onItems(repeatProducts),
  'products in three items each': onItems((items) => [...repeatProducts(items), ...items.filter(isProduct)]),
  'products in different quantities': onItems((items) => [
    ...quantify(items, (count, at) => count + at + 1),
    ...items.filter(isProduct).toReversed(),
  ]),
  'products in two items that are too few': onItems((items) => items.flatMap(splitItem)),
  'products in two items, one less': onItems((items) => [...reduce(items), ...reduce(items).filter(isProduct)]),
  'products in place of SKUs': replaceIds('sku', 'product', (id, { skus }) => findProduct(skus, id)),
  'SKUs in place of products': replaceIds('product', 'sku', (id, { skusOf }) => skusOf.get(id)?.[0].id),
  'other SKUs of the same products': replaceIds('sku', 'sku', (id, { skus, skusOf }) => {
    return skusOf.get(findProduct(skus, id) ?? '')?.find((sku) => sku.id !== id)?.id;
  }),
  'similar products': replaceIds('product', 'product', (id, { findNear }) => findNear.product(id)[0]),
  'similar SKUs': replaceIds('sku', 'sku', (id, { findNear }) => findNear.sku(id)[0]),
  'products alone': onItems((items) => items.filter(isProduct)),
  'SKUs alone': onItems((items) => items.filter((item) => !isProduct(item))),
  ...createChanges(halves, ({ name, isKept }) => [`${name} of the items`, onItems((items) => items.filter(isKept))]),
  ...createChanges(nearKinds, (kind) => [
    `metadata ${kind}`,
    onMetadata((metadata) => metadata.map(([key, value]) => [key, makeNearText(kind, value) ?? `no ${value}`])),
  ]),
  'similar metadata keys': onMetadata(listNearKeys),
  'similar metadata keys, too': onMetadata((metadata) => [...metadata, ...listNearKeys(metadata)]),
  'metadata in another order': onMetadata((metadata) => metadata.toReversed()),
  'more metadata': onMetadata((metadata) => [...metadata, ['store_name', 'Elsewhere'], ['other', 'entry']]),
  'values of other metadata keys': onMetadata((metadata) =>
    metadata.map(([key], at) => [key, metadata[(at + 1) % metadata.length]?.[1] ?? '']),
  ),
  ...createChanges(halves, ({ name, isKept }) => [`${name} of the metadata`, onMetadata((all) => all.filter(isKept))]),
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
  ...createChanges(members, (without) => [`without ${without}`, () => ({ without })]),
  ...createChanges(forms, (sent) => [`sent ${sent[0]}`, () => ({ sent })]),
  again: () => ({ again: 1 }),
};

function createChanges<T>(all: readonly T[], create: (of: T) => readonly [name: string, change: Change]) {
  return Object.fromEntries(all.map(create));
}

function onItems(change: (items: Items, facts: OrderFacts) => Items): Change {
  return ({ items }, facts) => ({ items: change(items, facts) });
}

function onQuantities(change: (quantity: number, at: number) => number): Change {
  return onItems((items) => quantify(items, change));
}

function onMetadata(change: (metadata: Metadata) => Metadata): Change {
  return ({ metadata }) => ({ metadata: change(metadata) });
}

function isProduct({ kind }: DrawnItem): boolean {
  return kind === 'product';
}

function quantify(items: Items, change: (quantity: number, at: number) => number): DrawnItem[] {
  return items.map((item, at) => ({ ...item, quantity: Math.max(1, change(item.quantity, at)) }));
}

function reduce(items: Items): DrawnItem[] {
  return quantify(items, (count) => count - 1);
}

function repeatProducts(items: Items): DrawnItem[] {
  return [...items, ...items.filter(isProduct).toReversed()];
}

/** Two items that are too few together. */
function splitItem(item: DrawnItem): DrawnItem[] {
  const quantities = isProduct(item) && item.quantity >= 3 ? [item.quantity - 2, 1] : [item.quantity];
  return quantities.map((quantity) => ({ ...item, quantity }));
}

/** Replaces items of a kind by others. Leaves out what is ordered already. */
function replaceIds(
  from: DrawnItem['kind'],
  kind: DrawnItem['kind'],
  find: (id: string, facts: OrderFacts) => string | undefined,
): Change {
  return onItems((items, facts) => {
    const replaced = items.map((item) => {
      const id = item.kind === from ? find(item.id, facts) : undefined;
      return id === undefined ? item : { ...item, kind, id };
    });
    return [...new Map(replaced.map((item) => [`${item.kind} ${item.id}`, item])).values()];
  });
}

/** More of them exceed the limits of some servers: for one sign, and together. */
const [maxOfSign, maxNearKeys] = [3, 250];

function listNearKeys(metadata: Metadata): Entry<string>[] {
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
