import {
  applyPatch,
  assembleRequest,
  documentedRequestDraft,
  mergeJson,
  type RequestPatch,
} from '../cases/request-draft.js';
import type { RequestForm } from '../cases/request-forms.js';
import { audienceParameter } from '../contract/operation.js';
import type { HttpRequest } from '../http/exchange.js';
import type { NamedWorld, ThingKind } from '../world/named-world.js';
import { createNameLookup } from '../world/render-rule.js';
import type { Rule, Tier } from '../world/world.js';

/** Settings of random requests. The same seed sends the same requests to the same world. */
export interface Exploration {
  readonly requests: number;
  readonly seed: number;
  /** Whether the requests of a thorough run are sent before the random ones. */
  readonly isThorough?: boolean;
}

export interface RandomItem {
  readonly kind: 'product' | 'sku';
  readonly name: string;
  readonly quantity: number;
}

/** The values of a random request, with names of the world. */
export interface RandomRequest {
  readonly customer: string;
  readonly items: readonly RandomItem[];
  readonly orderMetadata: Readonly<Record<string, readonly string[]>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly expand: boolean;
  /** Filters as in a case file. */
  readonly filters: readonly (readonly [subject: string, value: string])[];
  readonly form?: RequestForm | undefined;
  /** A change after which the documentation leaves a part of the result open. */
  readonly openChange?: RequestPatch | undefined;
  /** Whether that change comes before the filters in the query. */
  readonly isOpenChangeFirst?: boolean | undefined;
}

/** Random requests, each of which differs from the one before in one member. */
export interface RequestSequence {
  readonly steps: readonly RandomRequest[];
  /** Whether the requests overlap. Otherwise they are sent one after another. */
  readonly isSentTogether: boolean;
}

/** Creates the simplest documented request. */
export function createSimpleRequest({ ids }: NamedWorld): RandomRequest {
  const [customer = ''] = ids.customer.keys();
  const [product = ''] = ids.product.keys();
  return {
    customer,
    items: [{ kind: 'product', name: product, quantity: 1 }],
    orderMetadata: {},
    metadata: {},
    expand: false,
    filters: [],
  };
}

/** The open change that is about the query. */
export const audienceChange: RequestPatch = { query: { [audienceParameter]: 'true' } };

/** Lists changes after which the documentation leaves a part of the result open. */
export function listOpenChanges({ ids }: NamedWorld): RequestPatch[] {
  const [product = ''] = ids.product.keys();
  const [sku = ''] = ids.sku.keys();
  const changeItems = (...items: object[]): RequestPatch => ({ body: { order: { items } } });
  return [
    audienceChange,
    ...['customer', 'order', 'order.metadata', 'options', 'metadata'].map((path) => ({ without: [`body.${path}`] })),
    { raw: '{}' },
    changeItems(),
    changeItems({ product_id: `<product ${product}>` }),
    changeItems({ product_id: `<product ${product}>`, quantity: 0 }),
    changeItems({ sku_id: `<sku ${sku}>`, quantity: 1 }, { sku_id: `<sku ${sku}>`, quantity: 2 }),
  ];
}

export type Entry = readonly [key: string, value: string];

/** Lists what rules and metadata of a world ask for. */
export function listWorldValues({ tiers }: NamedWorld) {
  const rules = tiers.flatMap((tier) => tier.rules);
  const texts = tiers.flatMap(listTexts).filter(([key]) => isAcceptedKey(key));
  const filters = texts.map(([key, value]): Entry => [`metadata.${key}`, value]);
  return {
    thresholds: rules.flatMap((rule) => ('at_least' in rule ? [rule.at_least] : [])),
    metadataRules: listMetadataEntries(rules),
    orderRules: rules.flatMap((rule): Entry[] => (rule.kind === 'order_metadata' ? [[rule.key, rule.includes]] : [])),
    /** The filters that match a tier, one for each of its metadata. */
    filters,
    /** Each filter once. */
    distinctFilters: [...new Map(filters.map((filter) => [filter.join(' '), filter])).values()],
  };
}

/** Lists the metadata of a tier that are texts. */
export function listTexts({ metadata }: Tier): Entry[] {
  return Object.entries(metadata).flatMap(([key, value]): Entry[] => (typeof value === 'string' ? [[key, value]] : []));
}

export function listMetadataEntries(rules: readonly Rule[]): Entry[] {
  return rules.flatMap((rule): Entry[] => (rule.kind === 'metadata' ? [[rule.key, rule.is]] : []));
}

/**
 * Adds to a request what meets all of some rules. The highest of several thresholds for a thing counts,
 * and so does the customer of the most rules.
 *
 * @param difference added to each quantity
 * @param replaceLast replaces the metadata entry of the last rule
 */
export function meetRules(
  rules: readonly Rule[],
  world: NamedWorld,
  request: RandomRequest,
  difference = 0,
  replaceLast: (entry: Entry) => Entry = (entry) => entry,
): RandomRequest {
  const nameOf = createNameLookup(world);
  const wanted = new Map<string, RandomItem>();
  const customers = rules.flatMap((rule) => (rule.kind === 'customer' ? rule.any_of : []));
  const count = (customer: string) => customers.filter((each) => each === customer).length;
  const [customer] = customers.toSorted((one, two) => count(two) - count(one));
  for (const rule of rules.toSorted((one, two) => getThreshold(one) - getThreshold(two))) {
    if (rule.kind !== 'product' && rule.kind !== 'sku') continue;
    const item = { kind: rule.kind, name: nameOf(rule.id), quantity: Math.max(1, rule.at_least + difference) };
    wanted.set(getThing(item), item);
  }
  const others = request.items.slice(0, 2).filter((item) => !wanted.has(getThing(item)));
  const entries = listMetadataEntries(rules);
  const last = entries.pop();
  return {
    ...request,
    customer: customer === undefined ? request.customer : nameOf(customer),
    items: [...others, ...wanted.values()],
    metadata: { ...request.metadata, ...createMetadata(last === undefined ? [] : [...entries, replaceLast(last)]) },
  };
}

function getThreshold(rule: Rule): number {
  return 'at_least' in rule ? rule.at_least : 0;
}

export const getThing = ({ kind, name }: RandomItem): string => `${kind} ${name}`;

/** Common JSON parsers refuse the key `__proto__`. */
export const isAcceptedKey = (key: string): boolean => key !== '__proto__';

export function createMetadata(entries: readonly Entry[]): Record<string, string> {
  return Object.fromEntries(entries.filter(([key]) => isAcceptedKey(key)));
}

/** Lists the patches of a random request in the order of their application. The first one has the documented body. */
export function listPatches(request: RandomRequest): [RequestPatch, ...RequestPatch[]] {
  const { customer, items, orderMetadata, metadata, expand, filters, form, openChange, isOpenChangeFirst } = request;
  const lines = items.map(({ kind, name, quantity }) => ({ [`${kind}_id`]: `<${kind} ${name}>`, quantity }));
  const body = {
    customer: { id: `<customer ${customer}>` },
    order: { items: lines, metadata: orderMetadata },
    options: expand ? { expand: ['category'] } : {},
    metadata,
  };
  const opened = openChange === undefined ? [] : [openChange];
  const filtered = filters.length === 0 ? [] : [{ filter: Object.fromEntries(filters) }];
  return [
    { body },
    ...(isOpenChangeFirst ? [...opened, ...filtered] : [...filtered, ...opened]),
    ...(form === undefined ? [] : [{ sent: form }]),
  ];
}

/** Merges the patches of a random request into one, for a case file. */
export function mergePatches(request: RandomRequest): RequestPatch {
  const patches = listPatches(request);
  const bodies = patches.flatMap((patch) => ('body' in patch ? [patch.body] : []));
  return { ...Object.assign({}, ...patches), body: bodies.reduce(mergeJson) };
}

/** Creates an HTTP request with the ids of a world. */
export function createRequest(request: RandomRequest, { ids }: NamedWorld): HttpRequest {
  return assembleRequest(
    listPatches(request).reduce(applyPatch, documentedRequestDraft),
    (kind, name) => ids[kind as ThingKind].get(name) ?? name,
  );
}
