/**
 * Takes a request apart, so that parts of it can be left out, and puts parts together again. In: a request with a JSON object
 * as its body. Out: the parts that a request may lack, and requests with some of them. Pure.
 */

import { parseFilterParameter, spellFiltersLiterally } from '../contract/operation.js';
import { encodeQueryText, parseRequest } from '../http/decoded-request.js';
import type { HttpRequest } from '../http/exchange.js';
import { cacheByObject } from '../support/caches.js';
import { isJsonObject } from '../support/json.js';
import { quoteText } from '../support/quote-text.js';

/** A part that can be left out, and the request still says something. */
export type RequestComponent =
  | { readonly kind: 'parameter'; readonly name: string; readonly value: string }
  | { readonly kind: 'item'; readonly item: Readonly<Record<string, unknown>> }
  | { readonly kind: 'order-metadata'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'metadata'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'option'; readonly key: string; readonly value: unknown };

/** A request in parts. */
export interface DecomposedRequest {
  readonly components: readonly RequestComponent[];
  /** Writes the request with some of its parts, or with others, in the plainest form. */
  readonly compose: (components: readonly RequestComponent[], without?: OmittableBodyMember) => HttpRequest;
}

/** A member that a body may lack. What a request without it gets is open, but for the promotions that it does get. */
export type OmittableBodyMember = 'metadata' | 'options' | 'order.metadata';

export const omittableBodyMembers: readonly OmittableBodyMember[] = ['metadata', 'options', 'order.metadata'];

/** The form in which the first request of a run was sent: its method, its headers and the path without a query. */
export type PlainRequestHead = Pick<HttpRequest, 'method' | 'headers' | 'path'>;

/** @returns undefined if the body is no JSON object whose members have the documented types */
export function takeRequestApart(
  request: HttpRequest,
  { method, headers, path }: PlainRequestHead,
): DecomposedRequest | undefined {
  const { query, body } = parseRequest(request);
  if (!isJsonObject(body)) return undefined;
  const { customer, order = {}, metadata = {}, options = {} } = body;
  const { items = [], metadata: orderMetadata = {} } = isJsonObject(order) ? order : { items: undefined };
  if (!Array.isArray(items) || !items.every(isJsonObject)) return undefined;
  if (![order, metadata, options, orderMetadata].every(isJsonObject)) return undefined;
  const listEntries = (kind: 'metadata' | 'order-metadata' | 'option', entries: unknown): RequestComponent[] =>
    Object.entries(entries as object).map(([key, value]) => ({ kind, key, value }));
  const isSpelledLiterally = request.path.includes('[');
  const place = path.replace(/\?.*$/s, '');
  return {
    components: [
      ...query.map(([name, value]): RequestComponent => ({ kind: 'parameter', name, value })),
      ...listEntries('option', options),
      ...listEntries('order-metadata', orderMetadata),
      ...listEntries('metadata', metadata),
      ...items.map((item): RequestComponent => ({ kind: 'item', item: sortItemMembers(item) })),
    ],
    compose(components, without) {
      const body = writeBody(customer, components, without);
      const written = { method, path: place + writeQuery(components), headers, body };
      return isSpelledLiterally ? spellFiltersLiterally(written) : written;
    },
  };
}

const itemMembers: readonly string[] = ['product_id', 'sku_id', 'quantity'];

/** Writes the members of an item in the order of the documentation: what is written plainly must not differ in it. */
function sortItemMembers(item: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const others = Object.keys(item).filter((name) => !itemMembers.includes(name));
  const names = [...itemMembers.filter((name) => Object.hasOwn(item, name)), ...others];
  return Object.fromEntries(names.map((name) => [name, item[name]]));
}

function writeQuery(components: readonly RequestComponent[]): string {
  const parameters = components.flatMap((component) =>
    component.kind === 'parameter' ? `${encodeQueryText(component.name)}=${encodeQueryText(component.value)}` : [],
  );
  return parameters.length === 0 ? '' : `?${parameters.join('&')}`;
}

/** All members of the documentation are there, unless one is to be left out. */
function writeBody(
  customer: unknown,
  components: readonly RequestComponent[],
  without: OmittableBodyMember | undefined,
): string {
  const listOf = (wanted: RequestComponent['kind']) =>
    Object.fromEntries(
      components.flatMap((component) =>
        component.kind === wanted && 'key' in component ? [[component.key, component.value]] : [],
      ),
    );
  const items = components.flatMap((component) => (component.kind === 'item' ? [component.item] : []));
  const unless = (member: OmittableBodyMember, value: object) => (member === without ? undefined : value);
  const order = { items, metadata: unless('order.metadata', listOf('order-metadata')) };
  const rest = {
    order,
    options: unless('options', listOf('option')),
    metadata: unless('metadata', listOf('metadata')),
  };
  return JSON.stringify(customer === undefined ? rest : { customer, ...rest });
}

/** Puts another part in the place of one. */
export function replaceComponent(
  components: readonly RequestComponent[],
  replaced: RequestComponent,
  replacement: RequestComponent,
): RequestComponent[] {
  return components.map((component) => (component === replaced ? replacement : component));
}

/** A part of a request that is a filter by tier metadata. */
export interface MetadataFilter {
  readonly component: Extract<RequestComponent, { kind: 'parameter' }>;
  readonly key: string;
}

/** Lists the filters by tier metadata among the parts of a request. */
export function listMetadataFilters(components: readonly RequestComponent[]): MetadataFilter[] {
  return components.flatMap((component): MetadataFilter[] => {
    if (component.kind !== 'parameter') return [];
    const subject = parseFilterParameter(component.name);
    return subject?.on === 'metadata' ? [{ component, key: subject.key }] : [];
  });
}

/** Whether two requests have the same content, however it is written. */
export function haveSameContent(left: HttpRequest, right: HttpRequest): boolean {
  return serializeContent(left) === serializeContent(right);
}

/** Equal for requests with the same content, however it is written. */
const serializeContent = cacheByObject((request: HttpRequest): string => {
  const { query, body } = parseRequest(request);
  return JSON.stringify([query, sortMembers(body)]);
});

/** Equal for requests whose parts are the same, whichever empty members they have, and in whatever order: a cache may see no difference. */
export function serializeParts(request: HttpRequest, plain: PlainRequestHead): string {
  const apart = takeRequestApart(request, plain);
  return apart === undefined ? serializeContent(request) : serializeContent(apart.compose(apart.components));
}

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  return names.map((name) => [name, sortMembers(value[name])]);
}

/** @param nameOf the name of an id in the world */
export function describeRequestComponent(component: RequestComponent, nameOf: (id: string) => string): string {
  switch (component.kind) {
    case 'parameter': {
      const subject = parseFilterParameter(component.name);
      if (subject === undefined) return `the parameter ${component.name}=${component.value}`;
      if (subject.on === 'campaign') return `the filter by promotion_id ${nameOf(component.value)}`;
      return `the filter ${quoteText(subject.key)} = ${quoteText(component.value)}`;
    }
    case 'item': {
      const { product_id: product, sku_id: sku, quantity } = component.item;
      const what = product === undefined ? `SKU ${nameOf(String(sku))}` : `product ${nameOf(String(product))}`;
      return `the item ${what} × ${JSON.stringify(quantity)}`;
    }
    case 'order-metadata':
      return `order.metadata ${quoteText(component.key)} = ${JSON.stringify(component.value)}`;
    case 'metadata':
      return `metadata ${quoteText(component.key)} = ${quoteText(component.value)}`;
    case 'option':
      return `options.${component.key} = ${JSON.stringify(component.value)}`;
  }
}
