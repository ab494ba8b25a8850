import { type NamedWorld, thingKinds } from '../../contract/named-world.js';
import { audienceParameter, parseFilterParameter } from '../../contract/operation.js';
import type { HttpRequest } from '../../http/exchange.js';
import { parseRequest } from '../../http/request-content.js';
import { getMember, isJsonObject } from '../../support/json.js';

/** What a request has, in words that continue "a request …"; the most telling first. */
export type RequestFeatures = ReadonlySet<string>;

/**
 * Finds the features of a request by which requests may be treated differently.
 *
 * @param required the number of promotions that the response must have
 */
export function findFeatures(request: HttpRequest, world: NamedWorld, required: number): RequestFeatures {
  return combineFeatures(listFeatures(request, world, required), ([has, yes, no]) => [has ? yes : no]);
}

/** Lists the words of all features that a request may have. */
export function listFeatureWords(world: NamedWorld): RequestFeatures {
  const request: HttpRequest = { method: 'GET', path: '/', headers: [] };
  return combineFeatures(listFeatures(request, world, 0), ([, yes, no]) => [yes, no]);
}

function listFeatures(request: HttpRequest, world: NamedWorld, required: number): readonly Feature[] {
  const { query, body } = parseRequest(request);
  const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
  const order = getMember(body, 'order');
  const items = listOf(getMember(order, 'items')).filter(isJsonObject);
  const filters = query.flatMap(([name]) => parseFilterParameter(name)?.on ?? []);
  const products = items.flatMap(({ product_id }) => (product_id === undefined ? [] : [product_id]));
  const hasSkus = items.some(({ sku_id }) => sku_id !== undefined);
  const quantities = items.flatMap(({ quantity }) => (typeof quantity === 'number' ? [quantity] : []));
  const largest = Math.max(0, ...quantities);
  const customer = getMember(getMember(body, 'customer'), 'id');
  const text = `${request.path}\n${request.body ?? ''}`;
  const size = new TextEncoder().encode(request.body ?? '').length;
  const isFilter = ([name]: readonly [string, string] = ['', '']) => parseFilterParameter(name) !== undefined;
  return [
    [request.sent !== undefined, `sent ${request.sent?.replaceAll('-', ' ')}`],
    [
      JSON.stringify(getMember(getMember(body, 'options'), 'expand')) === '["category"]',
      'with expand',
      'without expand',
    ],
    [new Set(products).size < products.length, 'with a product in several items'],
    [new Set(filters).size > 1, 'with filters of both kinds'],
    [filters.includes('campaign'), 'with a filter by promotion_id'],
    [filters.includes('metadata'), 'with a filter by tier metadata'],
    [filters.length > 0, 'with a filter', 'without a filter'],
    [filters.length === 0, 'without a filter'],
    [products.length > 0 && !hasSkus, 'with products and no SKUs'],
    [hasSkus && products.length === 0, 'with SKUs and no products'],
    [hasSkus && products.length > 0, 'with products and SKUs'],
    [items.length > 1, 'with several items'],
    [hasSkus, 'with a SKU', 'without a SKU'],
    [products.length > 0, 'with a product', 'without a product'],
    [countMembers(getMember(body, 'metadata')) > 0, 'with metadata', 'without metadata'],
    [countMembers(getMember(order, 'metadata')) > 0, 'with order metadata', 'without order metadata'],
    [query.some(([name]) => name === audienceParameter), `with ${audienceParameter}`],
    [largest >= 2, 'with a quantity of 2 or more', 'with quantities below 2'],
    [items.some(({ quantity }) => quantity === undefined), 'with an item without quantity'],
    [items.length > 0, 'with items', 'without items'],
    [customer !== undefined, 'with a customer', 'without a customer'],
    [(request.body ?? '') !== '', 'with a body', 'without a body'],
    [new Set(items.map((item) => JSON.stringify(item))).size < items.length, 'with the same item twice'],
    [hasEmoji(getMember(body, 'metadata')), 'with metadata beyond U+FFFF, such as an emoji'],
    [hasEmoji(getMember(order, 'metadata')), 'with order metadata beyond U+FFFF, such as an emoji'],
    [hasEmoji([query, body ?? '']), 'with characters beyond U+FFFF, such as an emoji'],
    [/[^\0-\u007f]|%[89A-Fa-f]/.test(text), 'with characters beyond ASCII'],
    [request.path.includes('%'), 'with a percent-encoded query'],
    [/%([a-f][0-9a-f]|[0-9][a-f])/.test(request.path), 'with percent-encoding in lower case'],
    [countMembers(getMember(order, 'metadata')) > 1, 'with several order metadata keys'],
    [countMembers(getMember(body, 'metadata')) > 1, 'with several metadata keys'],
    [/"[^"]{256,}"/.test(request.body ?? ''), 'with a text of more than 255 characters'],
    [/\\["\\]/.test(request.body ?? ''), 'with quotes or backslashes in a text'],
    [/\\u[0-9a-f]{4}/i.test(request.body ?? ''), 'with \\u escapes in the body'],
    [/\n/.test(request.body ?? ''), 'with a body of several lines'],
    [request.headers.every(([name]) => name === name.toLowerCase()), 'with header names in lower case'],
    [request.headers.every(([name]) => name === name.toUpperCase()), 'with header names in upper case'],
    ...[2, 3, 5, 10, 20, 21, 50, 100].map((n): Feature => {
      return [items.length >= n, `with ${n} or more items`, `with fewer than ${n} items`];
    }),
    ...[3, 10, 100, 128, 256, 1000, 32_768, 65_536].map((n): Feature => {
      return [largest >= n, `with a quantity of ${n} or more`, `with quantities below ${n}`];
    }),
    ...[1, 2, 4, 8, 16].map((n): Feature => [size > n * 1024, `with a body of more than ${n} KB`]),
    [required === 0, 'with an empty result'],
    [filters.length > 0 && !isFilter(query[0]), 'with another parameter before the filter'],
    [filters.length > 0 && !isFilter(query.at(-1)), 'with another parameter after the filter'],
    ...[5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100].map((n): Feature => {
      return [required > n, `with a long response: more than ${n} promotions`];
    }),
    ...thingKinds.flatMap((kind) =>
      [...world.ids[kind]].map(([name, id]): Feature => {
        const others = kind === 'customer' && customer !== undefined ? `with another customer than ${name}` : undefined;
        return [text.includes(id), `with the ${kind} ${name}`, others];
      }),
    ),
  ];
}

/** Lists single features and pairs of the main ones. @param choose the words of a feature that are meant */
function combineFeatures(
  features: readonly Feature[],
  choose: (feature: Feature) => readonly (string | undefined)[],
): RequestFeatures {
  const chosen = features.map((feature) => choose(feature).filter((words) => words !== undefined));
  const main = features.slice(0, mainFeatures).flatMap(([, yes], n) => (chosen[n]?.includes(yes) ? [yes] : []));
  const pairs = main.flatMap((left, n) => main.slice(n + 1).map((right) => `${left} and ${right}`));
  return new Set([...chosen.flat(), ...pairs]);
}

/** Finds the features that all of some requests have and that none of the others has. */
export function findCommonFeatures(
  [first, ...further]: readonly HasFeatures[],
  others: readonly HasFeatures[],
): readonly string[] {
  const common = [...(first?.features ?? [])].filter(
    (feature) =>
      further.every(({ features }) => features.has(feature)) && !others.some(({ features }) => features.has(feature)),
  );
  // A pair of features says no more than one of them that fits as well.
  return common.filter((pair) => !common.some((feature) => feature !== pair && pair.includes(feature)));
}

/** Whether a feature is two of them together. */
export function isPair(feature: string): boolean {
  return feature.includes(' and with');
}

interface HasFeatures {
  readonly features: RequestFeatures;
}

function hasEmoji(value: unknown): boolean {
  return /[\u{10000}-\u{10ffff}]/u.test(JSON.stringify(value) ?? '');
}

function countMembers(value: unknown): number {
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

/** The number of features, from the first one, that are also combined in pairs. */
const mainFeatures = 20;

/** Whether a request has something, in words, and the words for a request that has it not. */
type Feature = readonly [has: boolean, yes: string, no?: string | undefined];
