import { audienceParameter, parseFilterParameter } from '../../contract/operation.js';
import type { NamedWorld } from '../../contract/world.js';
import type { HttpRequest } from '../../http/exchange.js';
import { parseRequest } from '../../http/request-content.js';
import { remember } from '../../support/caches.js';
import { getMember, isJsonObject } from '../../support/json.js';
import type { Asked } from './observation.js';

export interface Feature {
  /** Continues "a request …". */
  readonly words: string;
  has(asked: Asked): boolean;
}

export function isConcerned(asked: Asked, features: readonly Feature[]): boolean {
  return features.length === 0 || features.some((feature) => feature.has(asked));
}

/** Finds the features that all of some requests have and none of the others has. The most telling comes first. */
export function findCommonFeatures(group: readonly Asked[], others: readonly Asked[], world: NamedWorld) {
  const isCommon = ({ has }: Feature) => group.every(has) && !others.some(has);
  const { single, pairs } = listFeatures(world);
  const common = single.filter(isCommon);
  // One request has every pair of its features.
  return common.length > 0 || group.length === 1 ? common : pairs.filter(isCommon);
}

export function findFeatures(name: string, world: NamedWorld): readonly Feature[] {
  const { single, pairs } = listFeatures(world);
  return [...single, ...pairs].filter((feature) => createCauseId('', [feature]) === `/${name}`);
}

/** Adds the first feature of the requests that a cause concerns to its id, such as `/with-a-quantity-of-2-or-more`. */
export function createCauseId(id: string, [feature]: readonly Feature[]): string {
  const words = feature?.words.toLowerCase().split(/[^a-z0-9]+/);
  return words === undefined ? id : `${id}/${words.filter(Boolean).join('-')}`;
}

export function renderFeatures(features: readonly Feature[]): string {
  const words = features.slice(0, 3).map((feature) => feature.words);
  return words.join(', or ');
}

const readContent = remember((request: HttpRequest) => {
  const { query, body } = parseRequest(request);
  const order = getMember(body, 'order');
  const listed = getMember(order, 'items');
  const items = (Array.isArray(listed) ? listed : []).filter(isJsonObject);
  return {
    ...request,
    text: request.body ?? '',
    filters: query.map(([name]) => parseFilterParameter(name)?.on),
    hasParameter: query.some(([name]) => name === audienceParameter),
    customer: `${getMember(getMember(body, 'customer'), 'id')}`,
    items,
    products: items.flatMap(({ product_id: id }) => id ?? []),
    hasSku: items.some(({ sku_id: id }) => id !== undefined),
    quantity: Math.max(0, ...items.map(({ quantity }) => (typeof quantity === 'number' ? quantity : 0))),
    metadata: Object.entries(getMember(body, 'metadata') ?? {}),
    orderMetadata: Object.entries(getMember(order, 'metadata') ?? {}),
    expand: JSON.stringify(getMember(getMember(body, 'options'), 'expand')),
  };
});

type Property = readonly [words: string, isMet: (content: ReturnType<typeof readContent>, asked: Asked) => boolean];

/** Also combined in pairs. */
const parts: readonly Property[] = [
  ['with expand', ({ expand }) => expand === '["category"]'],
  ['with a product in several items', ({ products }) => new Set(products).size < products.length],
  ['with a filter by promotion_id', ({ filters }) => filters.includes('campaign')],
  ['with a filter by tier metadata', ({ filters }) => filters.includes('metadata')],
  ['with a filter', ({ filters }) => filters.some(Boolean)],
  ['without a filter', ({ filters }) => !filters.some(Boolean)],
  ['with products and no SKUs', ({ products, hasSku }) => products.length > 0 && !hasSku],
  ['with SKUs and no products', ({ products, hasSku }) => products.length === 0 && hasSku],
  ['with products and SKUs', ({ products, hasSku }) => products.length > 0 && hasSku],
  ['with several items', ({ items }) => items.length > 1],
  ['with a SKU', ({ hasSku }) => hasSku],
  ['with a product', ({ products }) => products.length > 0],
  ['with metadata', ({ metadata }) => metadata.length > 0],
  ['with order metadata', ({ orderMetadata }) => orderMetadata.length > 0],
  [`with ${audienceParameter}`, ({ hasParameter }) => hasParameter],
  ['with a quantity of 2 or more', ({ quantity }) => quantity >= 2],
];

const beyondBasicPlane = /[\u{10000}-\u{10ffff}]/u;

const details: readonly Property[] = [
  ...['chunked', 'in-pieces', 'on-a-fresh-connection', 'http-1.0', 'with-accept-headers'].map(
    (way): Property => [`sent ${way.replaceAll('-', ' ')}`, ({ sent }) => sent === way],
  ),
  ['with metadata beyond U+FFFF, such as an emoji', ({ metadata }) => beyondBasicPlane.test(`${metadata}`)],
  ['with order metadata beyond U+FFFF', ({ orderMetadata }) => beyondBasicPlane.test(`${orderMetadata}`)],
  ['with characters beyond ASCII', ({ path, text }) => /[^\0-\u007f]|%[89a-f]/i.test(path + text)],
  ['with a percent-encoded query', ({ path }) => path.includes('%')],
  ['with percent-encoding in lower case', ({ path }) => /%(?:[a-f][\da-f]|\d[a-f])/.test(path)],
  ['with another parameter after the filter', ({ filters }) => filters.some(Boolean) && filters.at(-1) === undefined],
  ['with a body of several lines', ({ text }) => text.includes('\n')],
  ['with header names in lower case', ({ headers }) => !/[A-Z]/.test(`${headers.map(([name]) => name)}`)],
  ['with header names in upper case', ({ headers }) => !/[a-z]/.test(`${headers.map(([name]) => name)}`)],
  ...[3, 5, 10, 20, 50, 100].map((n): Property => [`with ${n} or more items`, ({ items }) => items.length >= n]),
  ...[3, 10, 100].map((n): Property => [`with a quantity of ${n} or more`, ({ quantity }) => quantity >= n]),
  ...[1, 2, 4, 8].map((n): Property => [`with a body of more than ${n} KB`, ({ text }) => text.length > n * 1024]),
  ...[5, 10, 15, 20, 30, 40, 50, 60, 80].map((n): Property => {
    const countRequired = ({ documented }: Asked) => documented.filter((stated) => stated === 'required').length;
    return [`with a long response: more than ${n} promotions`, (_, asked) => countRequired(asked) > n];
  }),
];

const listFeatures = remember((world: NamedWorld) => {
  const createFeature = ([words, isMet]: Property): Feature => {
    return { words, has: (asked) => isMet(readContent(asked.request), asked) };
  };
  const rules = world.tiers.flatMap((tier) => tier.rules);
  const reserved = new Set(rules.flatMap((rule) => (rule.kind === 'customer' ? rule.any_of : [])));
  const ofWorld: readonly Property[] = [
    ['with a customer for whom promotions are reserved', ({ customer }) => reserved.has(customer)],
    ...(['customer', 'product', 'sku', 'campaign'] as const).flatMap((kind) =>
      [...world.ids[kind]].map(([name, id]): Property => {
        return [`with the ${kind} ${name}`, ({ path, text }) => `${path}\n${text}`.includes(id)];
      }),
    ),
  ];
  const pairs = parts.flatMap(([left, hasLeft], n) =>
    parts.slice(n + 1).map(([right, hasRight]): Property => {
      return [`${left} and ${right}`, (...asked) => hasLeft(...asked) && hasRight(...asked)];
    }),
  );
  return { single: [...parts, ...details, ...ofWorld].map(createFeature), pairs: pairs.map(createFeature) };
});
