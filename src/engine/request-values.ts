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
import type { Rule } from '../world/world.js';

/** Settings of random requests. The same seed sends the same requests to the same world. */
export interface Exploration {
  readonly requests: number;
  readonly seed: number;
  /** Whether the requests of a thorough run are sent before the random ones. */
  readonly isThorough?: boolean;
}

export type RandomItem =
  | { readonly product: string; readonly quantity: number; readonly times: number; readonly differs: boolean }
  | { readonly sku: string; readonly quantity: number };

/** The values of a random request, with names of the world. */
export interface RequestValues {
  readonly customer: string;
  readonly items: readonly RandomItem[];
  readonly orderMetadata: Readonly<Record<string, readonly string[]>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly expand: boolean;
  /** Filters as in a case file. */
  readonly filters: readonly (readonly [subject: string, value: string])[];
}

export interface RandomRequest extends RequestValues {
  readonly form: RequestForm | undefined;
  /** A change after which the documentation leaves a part of the result open. */
  readonly openChange: RequestPatch | undefined;
  /** Whether that change comes before the filters in the query. */
  readonly isOpenChangeFirst: boolean;
}

/** Random requests, each of which differs from the one before in one member. */
export interface RequestSequence {
  readonly steps: readonly RandomRequest[];
  /** Whether the requests overlap. Otherwise they are sent one after another. */
  readonly isSentTogether: boolean;
}

/** Lists changes after which the documentation leaves a part of the result open. */
export function listOpenChanges({ ids }: NamedWorld): RequestPatch[] {
  const [product = ''] = ids.product.keys();
  const [sku = ''] = ids.sku.keys();
  const changeItems = (...items: object[]): RequestPatch => ({ body: { order: { items } } });
  return [
    { query: { [audienceParameter]: 'true' } },
    { without: ['body.customer'] },
    { without: ['body.order'] },
    { without: ['body.order.metadata'] },
    { without: ['body.options'] },
    { without: ['body.metadata'] },
    { raw: '{}' },
    changeItems(),
    changeItems({ product_id: `<product ${product}>` }),
    changeItems({ product_id: `<product ${product}>`, quantity: 0 }),
    changeItems({ sku_id: `<sku ${sku}>`, quantity: 1 }, { sku_id: `<sku ${sku}>`, quantity: 2 }),
  ];
}

export type Entry = readonly [key: string, value: string];

/**
 * Adds to a request what meets all of some rules.
 *
 * @param difference added to each quantity
 * @param replaceLast replaces the metadata entry of the last rule
 */
export function meetRules(
  rules: readonly Rule[],
  world: NamedWorld,
  values: RequestValues,
  difference = 0,
  replaceLast: (entry: Entry) => Entry = (entry) => entry,
): RequestValues {
  const wanted = rules.flatMap((rule): RandomItem[] => {
    if (rule.kind !== 'product' && rule.kind !== 'sku') return [];
    const name = findName(world, rule.kind, rule.id) ?? '';
    const quantity = Math.max(1, rule.at_least + difference);
    return [rule.kind === 'sku' ? { sku: name, quantity } : { product: name, quantity, times: 1, differs: false }];
  });
  const items = new Map([...values.items.slice(0, 2), ...wanted].map((item) => [getThing(item), item]));
  const entries = rules.flatMap((rule): Entry[] => (rule.kind === 'metadata' ? [[rule.key, rule.is]] : []));
  const last = entries.pop();
  const named = rules.flatMap((rule) => (rule.kind === 'customer' ? rule.any_of : []));
  const customer = named.length === 0 ? undefined : findName(world, 'customer', findMostFrequent(named));
  return {
    ...values,
    customer: customer ?? values.customer,
    items: [...items.values()],
    metadata: { ...values.metadata, ...createMetadata(last === undefined ? [] : [...entries, replaceLast(last)]) },
  };
}

/** Sorts rules so that the highest threshold of each thing comes last. */
export function sortByThreshold(rules: readonly Rule[]): Rule[] {
  const getThreshold = (rule: Rule): number => ('at_least' in rule ? rule.at_least : 0);
  return rules.toSorted((one, two) => getThreshold(one) - getThreshold(two));
}

export function findName({ ids }: NamedWorld, kind: ThingKind, id: string): string | undefined {
  return [...ids[kind]].find(([, each]) => each === id)?.[0];
}

export const getThing = (item: RandomItem): string =>
  'product' in item ? `product ${item.product}` : `sku ${item.sku}`;

function findMostFrequent(texts: readonly string[]): string {
  const count = (text: string) => texts.filter((each) => each === text).length;
  return texts.reduce((best, text) => (count(text) > count(best) ? text : best));
}

/** Common JSON parsers refuse the key `__proto__`. */
export const isAcceptedKey = (key: string): boolean => key !== '__proto__';

export function createMetadata(entries: readonly Entry[]): Record<string, string> {
  return Object.fromEntries(entries.filter(([key]) => isAcceptedKey(key)));
}

/** Creates the body and the query of a request as in a case file. */
export function createPatch(request: RequestValues): RequestPatch {
  const { customer, items, orderMetadata, metadata, expand, filters } = request;
  const lines = items.flatMap((item): object[] => {
    if ('sku' in item) return [{ sku_id: `<sku ${item.sku}>`, quantity: item.quantity }];
    return Array.from({ length: item.times }, (_, more) => ({
      product_id: `<product ${item.product}>`,
      quantity: item.differs ? item.quantity + more : item.quantity,
    }));
  });
  return {
    ...(filters.length === 0 ? {} : { filter: Object.fromEntries(filters) }),
    body: {
      customer: { id: `<customer ${customer}>` },
      order: { items: lines, metadata: orderMetadata },
      options: expand ? { expand: ['category'] } : {},
      metadata,
    },
  };
}

/** Lists the patches of a random request in the order of their application. */
export function listPatches({ openChange, isOpenChangeFirst, form, ...values }: RandomRequest): RequestPatch[] {
  const { filter, ...body } = createPatch(values);
  const filtered = filter === undefined ? [] : [{ filter }];
  const opened = openChange === undefined ? [] : [openChange];
  return [
    body,
    ...(isOpenChangeFirst ? [...opened, ...filtered] : [...filtered, ...opened]),
    ...(form === undefined ? [] : [{ sent: form }]),
  ];
}

/** Merges the patches of a random request into one, for a case file. */
export function mergePatches(request: RandomRequest): RequestPatch {
  const patches = listPatches(request);
  const body = patches.reduce<unknown>(
    (before, patch) => ('body' in patch ? mergeJson(before, patch.body) : before),
    {},
  );
  return { ...Object.assign({}, ...patches), body };
}

/** Creates an HTTP request with the ids of a world. */
export function createRequest(patches: readonly RequestPatch[], { ids }: NamedWorld): HttpRequest {
  return assembleRequest(
    patches.reduce(applyPatch, documentedRequestDraft),
    (kind, name) => ids[kind as ThingKind].get(name) ?? name,
  );
}
