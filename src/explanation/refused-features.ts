/**
 * Refusals that the responses prove: every documented request with some part is refused with one status, and none without it.
 * In: what was observed. Out: causes. Pure.
 */

import { audienceParameter, parseFilterParameter } from '../contract/operation.js';
import { parseRequest } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { cacheByObject } from '../support/caches.js';
import { getMember, isJsonObject } from '../support/json.js';
import type { CauseWithRows } from './cause-with-rows.js';
import type { Observation } from './observation.js';
import { minMendedResponses } from './wrong-results.js';

/** A part of a request. Its id follows "with-", and its words follow "with". */
export interface RequestFeature {
  readonly id: string;
  readonly words: string;
  readonly isMet: (request: HttpRequest) => boolean;
}

/** A refusal that is known: its status, and what the refused requests have. */
export interface RefusedFeature {
  readonly id: string;
  readonly status: number;
  readonly feature: RequestFeature;
}

const readParts = cacheByObject((request: HttpRequest) => {
  const { query, body } = parseRequest(request);
  const order = getMember(body, 'order');
  const listed = getMember(order, 'items');
  const items = (Array.isArray(listed) ? listed : []).filter(isJsonObject);
  const products = items.flatMap(({ product_id: id }) => id ?? []);
  const hasEntries = (value: unknown) => isJsonObject(value) && Object.keys(value).length > 0;
  return {
    filters: query.map(([name]) => parseFilterParameter(name)?.on),
    hasAudience: query.some(([name]) => name === audienceParameter),
    items: items.length,
    hasProduct: products.length > 0,
    repeatsProduct: new Set(products).size < products.length,
    hasSku: items.some(({ sku_id: id }) => id !== undefined),
    hasMetadata: hasEntries(getMember(body, 'metadata')),
    hasOrderMetadata: hasEntries(getMember(order, 'metadata')),
    // What other values do is open.
    hasExpand: JSON.stringify(getMember(getMember(body, 'options'), 'expand')) === '["category"]',
  };
});

type Parts = ReturnType<typeof readParts>;

function createFeature(id: string, words: string, isMet: (parts: Parts) => boolean): RequestFeature {
  return { id, words, isMet: (request) => isMet(readParts(request)) };
}

/** The most telling ones first: several may fit. */
const features: readonly RequestFeature[] = [
  createFeature('expand', 'expand', ({ hasExpand }) => hasExpand),
  createFeature('a-repeated-product', 'a product in several items', ({ repeatsProduct }) => repeatsProduct),
  createFeature('a-campaign-filter', 'a filter by promotion_id', ({ filters }) => filters.includes('campaign')),
  createFeature('a-metadata-filter', 'a filter by tier metadata', ({ filters }) => filters.includes('metadata')),
  createFeature('a-filter', 'a filter', ({ filters }) => filters.some(Boolean)),
  createFeature('a-sku', 'a SKU', ({ hasSku }) => hasSku),
  createFeature('a-product', 'a product', ({ hasProduct }) => hasProduct),
  createFeature('several-items', 'several items', ({ items }) => items > 1),
  createFeature('metadata', 'metadata', ({ hasMetadata }) => hasMetadata),
  createFeature('order-metadata', 'order metadata', ({ hasOrderMetadata }) => hasOrderMetadata),
  createFeature('audience-rules-only', audienceParameter, ({ hasAudience }) => hasAudience),
];

/** Lists what a request has, in words. */
export function listRequestFeatures(request: HttpRequest): string[] {
  return features.filter(({ isMet }) => isMet(request)).map(({ words }) => words);
}

/** Reads the id of a refusal, such as `refused/422/with-expand`; undefined if it is another id. */
export function findRefusedFeatureByCauseId(id: string): RefusedFeature | undefined {
  const [, status, name] = /^refused\/(\d{3})\/with-(.+)$/.exec(id) ?? [];
  const feature = features.find((known) => known.id === name);
  return feature && { id, status: Number(status), feature };
}

/** Whether a refusal of a request is one of those that are known. */
export function isKnownRefusal(known: readonly RefusedFeature[], request: HttpRequest, status: number): boolean {
  return known.some((refusal) => refusal.status === status && refusal.feature.isMet(request));
}

/**
 * Finds the part that all requests with one status have, and no accepted one.
 *
 * @param refused with the same status
 * @param accepted documented requests
 */
export function findRefusedFeature(
  status: number,
  refused: readonly Observation[],
  accepted: readonly Observation[],
): CauseWithRows | undefined {
  const counted = features.map((feature) => ({
    feature,
    shown: refused.filter(({ request }) => feature.isMet(request)),
    isAccepted: accepted.some(({ request }) => feature.isMet(request)),
  }));
  const proved = counted.filter(({ shown, isAccepted }) => shown.length >= minMendedResponses && !isAccepted);
  const [best] = proved.toSorted((left, right) => right.shown.length - left.shown.length);
  if (best === undefined) return undefined;
  const { feature, shown } = best;
  return {
    id: `refused/${status}/with-${feature.id}`,
    sentence: `The deployment answers ${status} to every documented request with ${feature.words}.`,
    evidence: [
      `${shown.length} such requests got ${status}, and none of the ${accepted.length} accepted requests is one.`,
    ],
    rows: new Set(shown.flatMap(({ rows }) => [...rows])),
  };
}
