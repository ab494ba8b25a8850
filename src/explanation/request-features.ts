import { audienceParameter, parseFilterParameter } from '../contract/operation.js';
import type { NamedWorld } from '../contract/world.js';
import { parseRequest } from '../http/request-content.js';
import { remember } from '../support/caches.js';
import { getMember, isJsonObject } from '../support/json.js';
import type { Asked } from './observation.js';

/** A property of requests. The words continue "a request …". */
export type Feature = readonly [words: string, isMet: (content: ReturnType<typeof readContent>) => boolean];

/** Whether a request has one of some features. Without features, all requests are concerned. */
export function isConcerned(asked: Asked, features: readonly Feature[]): boolean {
  return features.length === 0 || features.some(([, isMet]) => isMet(readContent(asked)));
}

/** Lists the features that all of some requests have and none of the others has. The most telling comes first. */
export function listDistinguishingFeatures(
  group: readonly Asked[],
  others: readonly Asked[],
  world: NamedWorld,
): Feature[] {
  const [shown, hidden] = [group.map(readContent), others.map(readContent)];
  const common = listFeatures(world).filter(([, isMet]) => shown.every(isMet) && !hidden.some(isMet));
  const single = common.filter((feature) => !pairs.includes(feature));
  // A pair of features says less than a single one, and a single request has every pair of its features.
  return single.length > 0 || group.length === 1 ? single : common;
}

/** Adds the first feature of the requests that a cause concerns to its id, such as `/with-a-quantity-of-2-or-more`. */
export function createCauseId(id: string, [feature]: readonly Feature[]): string {
  const words = feature?.[0].toLowerCase().split(/[^a-z0-9]+/);
  return words === undefined ? id : `${id}/${words.filter(Boolean).join('-')}`;
}

/** Renders features as the end of a sentence about requests: `with a SKU, or with several items`. */
export function renderFeatures(features: readonly Feature[]): string {
  return features
    .map(([words]) => words)
    .slice(0, 3)
    .join(', or ');
}

const readContent = remember(({ request, documented }: Asked) => {
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
    required: documented.filter((stated) => stated === 'required').length,
  };
});

/** The features that are also combined in pairs. */
const parts: readonly Feature[] = [
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

const pairs = parts.flatMap(([left, hasLeft], n) =>
  parts
    .slice(n + 1)
    .map(([right, hasRight]): Feature => [`${left} and ${right}`, (shown) => hasLeft(shown) && hasRight(shown)]),
);

const details: readonly Feature[] = [
  ...['chunked', 'in-pieces', 'on-a-fresh-connection', 'with-accept-headers'].map(
    (way): Feature => [`sent ${way.replaceAll('-', ' ')}`, ({ sent }) => sent === way],
  ),
  ['with metadata beyond U+FFFF, such as an emoji', ({ metadata }) => /[\u{10000}-\u{10ffff}]/u.test(`${metadata}`)],
  ['with characters beyond ASCII', ({ path, text }) => /[^\0-\u007f]|%[89a-f]/i.test(path + text)],
  ['with a percent-encoded query', ({ path }) => path.includes('%')],
  ['with percent-encoding in lower case', ({ path }) => /%(?:[a-f][\da-f]|\d[a-f])/.test(path)],
  ['with another parameter after the filter', ({ filters }) => filters.some(Boolean) && filters.at(-1) === undefined],
  ['with a body of several lines', ({ text }) => text.includes('\n')],
  ['with header names in lower case', ({ headers }) => !/[A-Z]/.test(`${headers.map(([name]) => name)}`)],
  ...[3, 5, 10, 20, 50, 100].map((n): Feature => [`with ${n} or more items`, ({ items }) => items.length >= n]),
  ...[3, 10, 100].map((n): Feature => [`with a quantity of ${n} or more`, ({ quantity }) => quantity >= n]),
  ...[1, 2, 4, 8].map((n): Feature => [`with a body of more than ${n} KB`, ({ text }) => text.length > n * 1024]),
  ...[5, 10, 15, 20, 30, 40, 50, 60, 80].map(
    (n): Feature => [`with a long response: more than ${n} promotions`, ({ required }) => required > n],
  ),
];

/** Lists all features of requests, those of the world included, the most telling first. */
export const listFeatures = remember((world: NamedWorld): Feature[] => {
  const rules = world.tiers.flatMap((tier) => tier.rules);
  const reserved = new Set(rules.flatMap((rule) => (rule.kind === 'customer' ? rule.any_of : [])));
  const things = (['customer', 'product', 'sku', 'campaign'] as const).flatMap((kind) =>
    [...world.ids[kind]].map(
      ([name, id]): Feature => [`with the ${kind} ${name}`, ({ path, text }) => `${path}\n${text}`.includes(id)],
    ),
  );
  return [
    ...parts,
    ...details,
    ['with a customer for whom promotions are reserved', ({ customer }) => reserved.has(customer)],
    ...things,
    ...pairs,
  ];
});
