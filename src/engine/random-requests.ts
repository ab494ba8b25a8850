import fc from 'fast-check';
import {
  applyPatch,
  assembleRequest,
  documentedRequestDraft,
  mergeJson,
  type RequestPatch,
} from '../cases/request-draft.js';
import { type RequestForm, requestForms } from '../cases/request-forms.js';
import { audienceParameter } from '../contract/operation.js';
import type { HttpRequest } from '../http/exchange.js';
import type { NamedWorld, ThingKind } from '../world/named-world.js';
import type { Rule } from '../world/world.js';
import { type Misspelling, misspellings } from './misspellings.js';

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

/** A random documented request. */
export interface RandomRequest extends RequestValues {
  readonly form: RequestForm | undefined;
  /** A change after which the documentation leaves a part of the result open. */
  readonly openChange: RequestPatch | undefined;
  /** Whether that change comes before the filters in the query. */
  readonly isOpenChangeFirst: boolean;
}

/** Random requests, each of which differs from the one before in one member. */
export interface RandomSequence {
  readonly steps: readonly RandomRequest[];
  /** Whether the requests overlap. Otherwise they are sent one after another. */
  readonly isSentTogether: boolean;
}

/** Lists changes after which the documentation leaves a part of the result open. */
function listOpenChanges({ ids }: NamedWorld): RequestPatch[] {
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

/** Creates a generator of documented requests. The documentation describes at least a part of each result. */
export function createRandomSequences(world: NamedWorld): fc.Arbitrary<RandomSequence> {
  const values = createRandomValues(world);
  const rarely = <T>(choices: readonly T[]): fc.Arbitrary<T | undefined> =>
    fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...choices) });
  const request = fc
    .record({
      values,
      form: rarely(Object.keys(requestForms) as RequestForm[]),
      openChange: rarely(listOpenChanges(world)),
      isOpenChangeFirst: fc.boolean(),
    })
    .map(({ values, ...rest }): RandomRequest => ({ ...values, ...rest }));
  const next = fc.tuple(fc.constantFrom(...Object.values(memberChanges)), request);
  return fc
    .record({
      first: request,
      next: fc.oneof(fc.constant([]), fc.array(next, { minLength: 1, maxLength: 3 })),
      isSentTogether: fc.boolean(),
    })
    .map(({ first, next, isSentTogether }) => {
      const steps = [first];
      for (const [change, other] of next) steps.push({ ...other, ...change(steps.at(-1) as RandomRequest, other) });
      return { steps, isSentTogether };
    });
}

type MemberChange = (before: RequestValues, other: RequestValues) => RequestValues;

const pick = ({ customer, items, orderMetadata, metadata, expand, filters }: RequestValues): RequestValues => ({
  customer,
  items,
  orderMetadata,
  metadata,
  expand,
  filters,
});

/** For each member, changes a request as little as possible. */
const memberChanges: Readonly<Record<string, MemberChange>> = {
  customer: (before, { customer }) => ({ ...pick(before), customer }),
  items: (before, { items }) => ({ ...pick(before), items }),
  ids(before, { items }) {
    const others = { product: items.filter((item) => 'product' in item), sku: items.filter((item) => 'sku' in item) };
    const replaced = before.items.map((item): RandomItem => {
      if ('sku' in item) return { ...item, sku: others.sku.shift()?.sku ?? item.sku };
      return { ...item, product: others.product.shift()?.product ?? item.product };
    });
    return { ...pick(before), items: replaced };
  },
  quantities: (before, { items }) => ({
    ...pick(before),
    items: before.items.map((item, n) => ({ ...item, quantity: items[n]?.quantity ?? 1 })),
  }),
  orderMetadata: (before, { orderMetadata }) => ({ ...pick(before), orderMetadata }),
  metadata: (before, { metadata }) => ({ ...pick(before), metadata }),
  metadataValues(before, { metadata }) {
    const others = Object.values(metadata);
    const entries = Object.keys(before.metadata).map((key, n) => [key, others[n] ?? 'another value']);
    return { ...pick(before), metadata: Object.fromEntries(entries) };
  },
  expand: (before, { expand }) => ({ ...pick(before), expand }),
  filters: (before, { filters }) => ({ ...pick(before), filters }),
  filterValues: (before, { filters }) => ({
    ...pick(before),
    filters: before.filters.map(([subject, value]) => [
      subject,
      filters.find(([other]) => other === subject)?.[1] ?? (subject === 'campaign' ? value : 'another value'),
    ]),
  }),
};

/** Creates a generator of values that the documentation describes fully. */
function createRandomValues(world: NamedWorld): fc.Arbitrary<RequestValues> {
  const { ids, skus, tiers } = world;
  const listNames = (kind: ThingKind) => [...ids[kind].keys()];
  const findName = (kind: ThingKind, id: string) => [...ids[kind]].find(([, each]) => each === id)?.[0];
  const rules = tiers.flatMap((tier) => tier.rules);
  const thresholds = rules.flatMap((rule) =>
    'at_least' in rule ? [rule.at_least - 1, rule.at_least, rule.at_least + 1, rule.at_least * 2] : [],
  );
  const quantity = fc.constantFrom(...new Set([1, ...thresholds.filter((each) => each > 0)]));
  const metadataRules = rules.flatMap((rule) => (rule.kind === 'metadata' ? [[rule.key, rule.is] as const] : []));
  const orderRules = rules.flatMap((rule) =>
    rule.kind === 'order_metadata' ? [[rule.key, rule.includes] as const] : [],
  );
  const tierMetadata = tiers.flatMap(({ metadata }) =>
    Object.entries(metadata).flatMap(([key, value]) =>
      typeof value === 'string' && isAcceptedKey(key) ? [[`metadata.${key}`, value] as const] : [],
    ),
  );

  const nearly = (entries: readonly (readonly [string, string])[], isKeyKept = false) =>
    fc
      .tuple(fc.constantFrom(...entries), fc.constantFrom(...misspellings), fc.boolean())
      .map(([[key, value], misspell, isKey]) =>
        isKey && !isKeyKept ? ([misspell(key), value] as const) : ([key, misspell(value)] as const),
      );
  const entry = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...metadataRules) },
    { weight: 4, arbitrary: nearly(metadataRules) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...metadataRules), fc.constantFrom(...metadataRules))
        .map(([[key], [, value]]) => [key, value] as const),
    },
    { weight: 1, arbitrary: fc.constant(['another_key', 'another value'] as const) },
  );
  const metadata = fc.array(entry, { maxLength: 4 }).map(createMetadata);
  const orderMetadata = fc
    .array(fc.tuple(fc.constantFrom(...metadataRules, ...orderRules, ...orderRules), fc.constantFrom(...orderRules)), {
      maxLength: 3,
    })
    .map((entries) =>
      Object.fromEntries(
        entries.filter(([[key]]) => isAcceptedKey(key)).map(([[key, value], [, other]]) => [key, [other, value]]),
      ),
    );

  const distinctFilters = [...new Map(tierMetadata.map((filter) => [filter.join(' '), filter])).values()];
  const campaignFilter = fc.constantFrom(...listNames('campaign').map((name) => ['campaign', name] as const));
  const metadataFilter = fc.oneof(
    fc.constantFrom(...distinctFilters),
    // Prefers values of many tiers: their results are larger.
    fc.constantFrom(...tierMetadata),
    nearly(distinctFilters, true),
  );
  // Rarely two filters: the documentation leaves most combinations open.
  const filters = fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.tuple(campaignFilter) },
    { weight: 3, arbitrary: fc.tuple(metadataFilter) },
    { weight: 1, arbitrary: fc.tuple(campaignFilter, metadataFilter) },
    { weight: 1, arbitrary: fc.tuple(metadataFilter, campaignFilter) },
  );

  const product = fc.record({
    product: fc.constantFrom(...listNames('product')),
    quantity,
    times: fc.constantFrom(1, 1, 1, 2, 5),
    differs: fc.constantFrom(false, false, true),
  });
  const sku = fc.record({ sku: fc.constantFrom(...listNames('sku')), quantity });
  const items = fc.uniqueArray(fc.oneof(product, sku), { minLength: 1, maxLength: 10, selector: getThing });
  const any = fc.record({
    customer: fc.constantFrom(...listNames('customer')),
    items,
    orderMetadata,
    metadata,
    expand: fc.boolean(),
    filters,
  });

  /** Adds to a request what meets the rules, except that one quantity or entry may be slightly wrong. */
  const meet = (met: readonly Rule[], values: RequestValues, difference: number, misspell: Misspelling | null) => {
    const wanted = met.flatMap((rule): RandomItem[] => {
      if (rule.kind !== 'product' && rule.kind !== 'sku') return [];
      const name = findName(rule.kind, rule.id) ?? '';
      const quantity = Math.max(1, rule.at_least + difference);
      return [rule.kind === 'sku' ? { sku: name, quantity } : { product: name, quantity, times: 1, differs: false }];
    });
    const items = new Map([...values.items.slice(0, 2), ...wanted].map((item) => [getThing(item), item]));
    const entries = met.flatMap((rule) => (rule.kind === 'metadata' ? [[rule.key, rule.is] as const] : []));
    const [[key, value] = ['', ''], ...others] = entries.toReversed();
    const meant = entries.length === 0 || misspell === null ? entries : [...others, [key, misspell(value)] as const];
    const named = met.flatMap((rule) => (rule.kind === 'customer' ? rule.any_of : []));
    const customer = named.length === 0 ? undefined : findName('customer', findMostFrequent(named));
    return {
      ...values,
      customer: customer ?? values.customer,
      items: [...items.values()],
      metadata: { ...values.metadata, ...createMetadata(meant) },
      filters: values.filters.slice(0, 1),
    };
  };
  const byThreshold = rules.toSorted((one, two) => getThreshold(one) - getThreshold(two));
  const aimed = fc
    .tuple(
      fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...tiers).map((tier) => tier.rules) },
        { weight: 1, arbitrary: fc.constant(byThreshold) },
      ),
      any,
      fc.constantFrom(-1, 0, 0, 0, 1),
      fc.option(fc.constantFrom(...misspellings)),
    )
    .map((parts): RequestValues => meet(...parts));

  const findProductOfSku = (name: string) =>
    findName('product', skus.find(({ id }) => id === ids.sku.get(name))?.product_id ?? '');
  return fc
    .oneof(any, aimed)
    .map((request) => {
      // The documentation leaves open how a product and its own SKU add up.
      const products = new Set(request.items.flatMap((item) => ('product' in item ? item.product : [])));
      const isAllowed = (item: RandomItem) => 'product' in item || !products.has(findProductOfSku(item.sku) ?? '');
      return { ...request, items: request.items.filter(isAllowed) };
    })
    .filter(({ items }) => items.length > 0);
}

const getThing = (item: RandomItem): string => ('product' in item ? `product ${item.product}` : `sku ${item.sku}`);

const getThreshold = (rule: Rule): number => ('at_least' in rule ? rule.at_least : 0);

function findMostFrequent(texts: readonly string[]): string {
  const count = (text: string) => texts.filter((each) => each === text).length;
  return texts.reduce((best, text) => (count(text) > count(best) ? text : best));
}

/** Common JSON parsers refuse the key `__proto__`. */
const isAcceptedKey = (key: string): boolean => key !== '__proto__';

function createMetadata(entries: readonly (readonly [string, string])[]): Record<string, string> {
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
