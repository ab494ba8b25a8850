import type { EquivalentRequestForm } from '../cases/equivalent-request-forms.js';
import { findProductIdOfSku } from '../contract/world.js';
import { groupBy } from '../support/collections.js';
import type { ProductIndex } from './compose-order.js';
import type { DraftItem, DrawnRequestDraft, MetadataEntry } from './drawn-request-draft.js';
import { makeNearMissText, type NearMissKind, nearMissTextKinds } from './near-texts.js';

/** A way to vary a request. The request and its variation are a minimal pair. */
export interface RequestVariation {
  readonly group: ChangeGroup;
  readonly kind: RequestVariationKind;
  /** For titles. No two changes have the same one. */
  readonly title: string;
  readonly apply: (parts: DrawnRequestDraft, catalog: ProductIndex) => Partial<DrawnRequestDraft>;
}

/** Decides with which requests a change is tried, and what it is worth. */
type ChangeGroup =
  /** How rules compare the order with the promotions. It concerns no filter, so that requests with filters lack it. */
  | 'comparison'
  /** What else is ordered or added. */
  | 'order'
  /** How the request is read, whatever is ordered. It may differ for each kind of filter. */
  | 'reading';

/** What is changed, as far as something is drawn or expected because of it. */
export type RequestVariationKind =
  | 'customer'
  | 'items'
  | 'many-items'
  | 'metadata'
  | 'long-texts'
  | 'large-body'
  | 'metadata-keys-replaced'
  | 'metadata-keys-added'
  | 'metadata-as-order-metadata'
  | 'order-metadata-of-same-keys'
  | 'order-metadata-added'
  | 'order-metadata-removed'
  | 'expand-added'
  | 'expand-removed'
  | 'everything'
  | 'audience-first'
  | 'audience-last'
  | 'omission'
  | 'encoding'
  | 'repetition';

type Items = DrawnRequestDraft['items'];
type Metadata = DrawnRequestDraft['metadata'];

/** Order metadata as in the samples of the documentation, and as awkward as it may be. */
const ordinaryMetadata: DrawnRequestDraft['orderMetadata'] = [
  ['payment_mean', ['credit-card']],
  ['gift_options', ['wrapping', 'card', 'ribbon']],
  ['größe:1.0 & mehr', ['½ "groß"', '', '🎁']],
];

/** Encodings that mean the same. A conforming deployment accepts all of them. */
const forms: readonly (readonly EquivalentRequestForm[])[] = [
  ['header-names-in-lower-case', 'in-pieces'],
  ['header-names-in-upper-case'],
  ['chunked'],
  ['pretty-printed', 'after-white-space'],
  ['values-percent-encoded-in-lower-case', 'members-reversed', 'on-a-fresh-connection'],
  ['with-escaped-letters'],
];

/** The documentation leaves open what a request without one of these means. Windows, filters and reservations still bind. */
const omissions = ['customer', 'order', 'order.metadata', 'options', 'metadata'];

/** Any two of up to 64 entries of a list are in different halves once. */
const halves = [0, 1, 2, 3, 4, 5].flatMap((bit) =>
  [0, 1].map((side) => {
    const isKept = (_: unknown, at: number) => ((at >> bit) & 1) === side;
    return { title: `half ${2 * bit + side + 1}`, isKept };
  }),
);

const quantityChanges: readonly RequestVariation[] = [
  changeItems('quantities of one less', reduce),
  changeQuantities('every second quantity of one less', (count, at) => count - (at % 2)),
  changeQuantities('quantities of 1', () => 1),
  changeQuantities('larger quantities', (count, at) => count * 10 + at),
  changeQuantities('very large quantities', (_, at) => 100_000 + at),
  // As texts, 10 comes before 9: these quantities suffice or not, and a comparison of texts says the opposite.
  changeQuantities('quantities with one digit more', (count) => 10 ** String(count).length),
  changeQuantities('quantities with one digit less', (count) => 10 ** (String(count).length - 1) - 1),
];

/** The documentation decides about as many items. */
const mostItems = 100;
/** Texts that are longer than columns and buffers often are, in characters. */
const longTexts = [260, 1_000];
/** Sizes of bodies that are larger than buffers often are, in characters. */
const largeBodies = [12_000, 40_000];

/** Whatever the data is, each of them is sent once. */
export const sizeVariations: readonly RequestVariation[] = [
  {
    ...changeItems(`${mostItems} items`, (items, catalog) => [...fillUp(items, catalog), ...items], 'comparison'),
    kind: 'many-items',
  },
  {
    ...changeItems(
      `${mostItems} items, the same ones first`,
      (items, catalog) => [...items, ...fillUp(items, catalog)],
      'comparison',
    ),
    kind: 'many-items',
  },
  {
    ...changeMetadata(
      'long metadata',
      (metadata) => [
        ...longTexts.map((length) => [`note of ${length}`, 'Terms apply. '.repeat(length).slice(0, length)] as const),
        ...metadata,
      ],
      'comparison',
    ),
    kind: 'long-texts',
  },
  ...largeBodies.map((size): RequestVariation => {
    return {
      ...changeMetadata(`a body of ${size / 1_000} KB`, (metadata) => [...fillBody(size), ...metadata], 'comparison'),
      kind: 'large-body',
    };
  }),
];

const itemChanges: readonly RequestVariation[] = [
  changeItems('items in another order', (items) => items.toReversed()),
  changeItems('products in two items each', repeatProducts),
  changeItems('products in three items each', (items) => [...repeatProducts(items), ...items.filter(isProduct)]),
  changeItems('products in different quantities', (items) => [
    ...quantify(items, (count, at) => count + at + 1),
    ...items.filter(isProduct).toReversed(),
  ]),
  changeItems('products in two items that are too few', (items) => items.flatMap(splitItem)),
  changeItems('products in two items, one less', (items) => [...reduce(items), ...reduce(items).filter(isProduct)]),
  replaceIds('products in place of SKUs', 'sku', 'product', (id, { skus }) => findProductIdOfSku(skus, id)),
  replaceIds('SKUs in place of products', 'product', 'sku', (id, { skusOf }) => skusOf.get(id)?.[0].id),
  replaceIds('other SKUs of the same products', 'sku', 'sku', (id, { skus, skusOf }) => {
    return skusOf.get(findProductIdOfSku(skus, id) ?? '')?.find((sku) => sku.id !== id)?.id;
  }),
  ...[0, 1, 2].flatMap((n) => [
    replaceIds(`similar products (${n + 1})`, 'product', 'product', (id, { findNear }) => findNear.product(id)[n]),
    replaceIds(`similar SKUs (${n + 1})`, 'sku', 'sku', (id, { findNear }) => findNear.sku(id)[n]),
  ]),
  changeItems('products alone', (items) => items.filter(isProduct)),
  changeItems('SKUs alone', (items) => items.filter((item) => !isProduct(item))),
  ...halves.map(({ title, isKept }) =>
    changeItems(`${title} of the items`, (items) => items.filter(isKept), 'comparison'),
  ),
];

function titleNearMiss(near: NearMissKind): string {
  return `metadata ${near}`;
}

const nearMissesForAll: readonly NearMissKind[] = [
  'longer',
  'with another last letter',
  'with letters for its signs',
  'up to its first sign',
  'from its first half',
];

const metadataChanges: readonly RequestVariation[] = [
  ...nearMissTextKinds.map((near) =>
    changeMetadata(
      titleNearMiss(near),
      (metadata) => metadata.map(([key, value]) => [key, makeNearMissText(near, value) ?? `no ${value}`]),
      'comparison',
    ),
  ),
  { ...changeMetadata('similar metadata keys', listNearKeys), kind: 'metadata-keys-replaced' },
  {
    ...changeMetadata('similar metadata keys, too', (metadata) => [...metadata, ...listNearKeys(metadata)]),
    kind: 'metadata-keys-added',
  },
  changeMetadata('metadata in another order', (metadata) => metadata.toReversed(), 'comparison'),
  changeMetadata('more metadata', (metadata) => [...metadata, ['store_name', 'Elsewhere'], ['other', 'entry']]),
  changeMetadata('values of other metadata keys', (metadata) =>
    metadata.map(([key], at) => [key, metadata[(at + 1) % metadata.length]?.[1] ?? '']),
  ),
  ...halves.map(({ title, isKept }) =>
    changeMetadata(`${title} of the metadata`, (metadata) => metadata.filter(isKept), 'comparison'),
  ),
  {
    group: 'comparison',
    kind: 'metadata-as-order-metadata',
    title: 'metadata as order metadata',
    apply: ({ metadata }) => ({ metadata: [], orderMetadata: metadata.map(([key, value]) => [key, [value]]) }),
  },
  {
    group: 'comparison',
    kind: 'order-metadata-of-same-keys',
    title: 'other order metadata of the same keys',
    apply: ({ metadata, orderMetadata }) => {
      const kept = new Set(orderMetadata.map(([key]) => key));
      const others = metadata.filter(([key]) => !kept.has(key));
      return { orderMetadata: [...orderMetadata, ...others.map(([key, value]) => [key, [`no ${value}`]] as const)] };
    },
  },
];

const otherChanges: readonly RequestVariation[] = [
  {
    group: 'order',
    kind: 'order-metadata-added',
    title: 'order metadata',
    apply: ({ orderMetadata }) => ({ orderMetadata: [...orderMetadata, ...ordinaryMetadata] }),
  },
  {
    group: 'order',
    kind: 'order-metadata-removed',
    title: 'no order metadata',
    apply: () => ({ orderMetadata: [] }),
  },
  { group: 'order', kind: 'expand-added', title: 'options.expand', apply: () => ({ expand: true }) },
  { group: 'order', kind: 'expand-removed', title: 'no options.expand', apply: () => ({ expand: false }) },
  {
    group: 'order',
    kind: 'everything',
    title: 'everything at once',
    // The metadata comes first in the body: its key `id` is not that of the customer.
    apply: ({ items, metadata, orderMetadata }) => ({
      items: repeatProducts(items),
      expand: true,
      metadata: metadata.some(([key]) => key === 'id') ? metadata : [['id', 'none'], ...metadata],
      orderMetadata: [...orderMetadata, ...ordinaryMetadata],
      sent: ['members-reversed'],
    }),
  },
];

const readingChanges: readonly RequestVariation[] = [
  changeReading('audience-first', 'audienceRulesOnly', { audienceRulesOnly: 'first' }),
  changeReading('audience-last', 'audienceRulesOnly at the end', { audienceRulesOnly: 'last' }),
  ...omissions.map((without) => changeReading('omission', `without ${without}`, { without })),
  ...forms.map((sent) => changeReading('encoding', `sent ${sent[0]}`, { sent })),
  // A mistake may concern every second or third request, or those of one process of several.
  ...[1, 2, 3].map((again) => changeReading('repetition', `again (${again})`, { again })),
];

/** All changes but those of the customer, which depend on the data. */
export const requestVariations: readonly RequestVariation[] = [
  ...quantityChanges,
  ...itemChanges,
  ...metadataChanges,
  ...sizeVariations,
  ...otherChanges,
  ...readingChanges,
];

/** Near misses that are tried with the metadata of every order: which text is missed matters more than how. */
export const nearMissesOfAll = metadataChanges.filter(({ title }) =>
  nearMissesForAll.some((near) => title === titleNearMiss(near)),
);

/** Creates a change of the customer alone: what a deployment reserves for customers is compared, and no filter. */
export function createCustomerVariation(title: string, customer: string): RequestVariation {
  return { group: 'comparison', kind: 'customer', title, apply: () => ({ customer }) };
}

function changeItems(
  title: string,
  change: (items: Items, catalog: ProductIndex) => Items,
  group: ChangeGroup = 'order',
): RequestVariation {
  return { group, kind: 'items', title, apply: ({ items }, catalog) => ({ items: change(items, catalog) }) };
}

function changeQuantities(title: string, change: (quantity: number, at: number) => number): RequestVariation {
  return changeItems(title, (items) => quantify(items, change));
}

function changeMetadata(
  title: string,
  change: (metadata: Metadata) => Metadata,
  group: ChangeGroup = 'order',
): RequestVariation {
  return { group, kind: 'metadata', title, apply: ({ metadata }) => ({ metadata: change(metadata) }) };
}

function changeReading(
  kind: RequestVariationKind,
  title: string,
  changed: Partial<DrawnRequestDraft>,
): RequestVariation {
  return { group: 'reading', kind, title, apply: () => changed };
}

function isProduct({ kind }: DraftItem): boolean {
  return kind === 'product';
}

function quantify(items: Items, change: (quantity: number, at: number) => number): DraftItem[] {
  return items.map((item, at) => ({ ...item, quantity: Math.max(1, change(item.quantity, at)) }));
}

function reduce(items: Items): DraftItem[] {
  return quantify(items, (count) => count - 1);
}

function repeatProducts(items: Items): DraftItem[] {
  return [...items, ...items.filter(isProduct).toReversed()];
}

/** Creates the items that an order needs to have {@link mostItems}: of products that it lacks, if there are any. */
function fillUp(items: Items, { products, skus }: ProductIndex): DraftItem[] {
  const ordered = new Set(items.map(({ kind, id }) => (kind === 'product' ? id : findProductIdOfSku(skus, id))));
  const free = products
    .filter(({ id }) => !ordered.has(id))
    .map(({ id }): DraftItem => ({ kind: 'product', id, quantity: 1 }));
  const filling = free.length > 0 ? free : items.filter(isProduct);
  const count = filling.length === 0 ? 0 : Math.max(0, mostItems - items.length);
  return Array.from({ length: count }, (_, at) => filling[at % filling.length] as DraftItem);
}

/** How long each of the texts is that fill a body. */
const fillingText = 200;

function fillBody(size: number): MetadataEntry<string>[] {
  return Array.from({ length: Math.ceil(size / fillingText) }, (_, at) => [
    `remark ${at + 1}`,
    'x'.repeat(fillingText),
  ]);
}

/** Two items that are too few together. */
function splitItem(item: DraftItem): DraftItem[] {
  const quantities = isProduct(item) && item.quantity >= 3 ? [item.quantity - 2, 1] : [item.quantity];
  return quantities.map((quantity) => ({ ...item, quantity }));
}

/** Replaces items of a kind by others. Leaves out what is ordered already. */
function replaceIds(
  title: string,
  from: DraftItem['kind'],
  kind: DraftItem['kind'],
  find: (id: string, catalog: ProductIndex) => string | undefined,
): RequestVariation {
  return changeItems(title, (items, catalog) => {
    const replaced = items.map((item) => {
      const id = item.kind === from ? find(item.id, catalog) : undefined;
      return id === undefined ? item : { ...item, kind, id };
    });
    return [...new Map(replaced.map((item) => [`${item.kind} ${item.id}`, item])).values()];
  });
}

/** How many near misses of keys are sent for one sign, and together. More of them exceed the limits of some servers. */
const [maxOfSign, maxNearKeys] = [3, 250];

function listNearKeys(metadata: Metadata): MetadataEntry<string>[] {
  const known = new Set(metadata.map(([key]) => key));
  const bySign = groupBy(metadata.flatMap(moveBorder), ({ sign }) => sign);
  const moved = [...bySign.values()].flatMap((found) => found.slice(0, maxOfSign).map(({ entry }) => entry));
  const ofOtherKeys = nearMissTextKinds.flatMap((kind) =>
    metadata.map(([key, value]): MetadataEntry<string> => [makeNearMissText(kind, key) ?? key, value]),
  );
  return [...moved, ...ofOtherKeys].filter(([key]) => !known.has(key)).slice(0, maxNearKeys);
}

/** Makes entries that are the same text once key and value are joined by a sign, or by nothing. */
function moveBorder([key, value]: MetadataEntry<string>): {
  readonly sign: string;
  readonly entry: MetadataEntry<string>;
}[] {
  const signs = new Set(['', ...(`${key}${value}`.match(/[^\p{L}\p{N}\p{M}]/gu) ?? [])]);
  return [...signs].flatMap((sign) => {
    const [first = '', ...rest] = sign === '' ? [...value] : value.split(sign);
    const [last = '', ...before] = (sign === '' ? [...key] : key.split(sign)).reverse();
    const entries: readonly MetadataEntry<string>[] = [
      [`${key}${sign}${first}`, rest.join(sign)],
      [before.reverse().join(sign), `${last}${sign}${value}`],
    ];
    return entries.filter(([name, text]) => name !== '' && text !== '').map((entry) => ({ sign, entry }));
  });
}
