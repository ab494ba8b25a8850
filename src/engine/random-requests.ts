import fc from 'fast-check';
import { applyPatch, assembleRequest, documentedRequestDraft, type RequestPatch } from '../cases/request-draft.js';
import { type RequestForm, requestForms } from '../cases/request-forms.js';
import { audienceParameter } from '../contract/operation.js';
import type { HttpRequest } from '../http/exchange.js';
import type { NamedWorld, ThingKind } from '../world/named-world.js';

/** The values of a random request, with names of the world. */
export interface RequestValues {
  readonly customer: string;
  readonly items: readonly (
    | { readonly product: string; readonly times: number; readonly differs: boolean }
    | { readonly sku: string }
  )[];
  readonly quantities: readonly number[];
  readonly orderMetadata: Readonly<Record<string, string[]>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly expand: boolean;
  /** Filters as in a case file. */
  readonly filters: readonly (readonly [subject: string, value: string])[];
}

/** A random documented request. */
export interface RandomRequest extends RequestValues {
  /** A request that differs in one member. It is sent before this request, or together with it. */
  readonly twin: RequestValues | undefined;
  readonly isSentTogether: boolean;
  readonly form: RequestForm | undefined;
  /** A change after which the documentation leaves a part of the result open. */
  readonly openChange: RequestPatch | undefined;
  /** Whether that change comes before the filters in the query. */
  readonly isOpenChangeFirst: boolean;
}

/** The members in which twins differ. */
const members = ['customer', 'items', 'quantities', 'orderMetadata', 'metadata', 'expand', 'filters'] as const;

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
export function createRandomRequests(world: NamedWorld): fc.Arbitrary<RandomRequest> {
  const values = createRandomValues(world);
  const choose = <T>(weight: number, choices: readonly T[]): fc.Arbitrary<T | undefined> =>
    fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom(...choices) });
  return fc
    .record({
      values,
      other: values,
      // A failure shrinks to a request without twin, form and open change.
      differingIn: choose(1, members),
      isSentTogether: fc.boolean(),
      form: choose(4, Object.keys(requestForms) as RequestForm[]),
      openChange: choose(2, listOpenChanges(world)),
      isOpenChangeFirst: fc.boolean(),
    })
    .map(({ values, other, differingIn, ...rest }) => ({
      ...values,
      ...rest,
      twin: differingIn === undefined ? undefined : createTwin(values, other, differingIn),
    }));
}

/** Changes one member of a request as little as possible. */
function createTwin(values: RequestValues, other: RequestValues, member: (typeof members)[number]): RequestValues {
  const [first, ...rest] = values.items;
  const keys = Object.keys(values.metadata);
  if (member === 'items' && first !== undefined) {
    const similar = other.items.find((item) => 'sku' in item === 'sku' in first);
    return { ...values, items: [similar ?? first, ...rest] };
  }
  if (member === 'metadata' && keys.length > 0) {
    const others = Object.values(other.metadata);
    return { ...values, metadata: Object.fromEntries(keys.map((key, n) => [key, others[n] ?? 'another value'])) };
  }
  return { ...values, [member]: other[member] };
}

/** Creates a generator of values that the documentation describes fully. */
function createRandomValues(world: NamedWorld): fc.Arbitrary<RequestValues> {
  const { ids, skus, tiers } = world;
  const listNames = (kind: ThingKind) => [...ids[kind].keys()];
  const rules = tiers.flatMap((tier) => tier.rules);
  const thresholds = rules.flatMap((rule) =>
    'at_least' in rule ? [rule.at_least - 1, rule.at_least, rule.at_least + 1, rule.at_least * 2] : [],
  );
  const quantity = fc.constantFrom(...new Set([1, ...thresholds.filter((each) => each > 0)]));
  const metadataRules = rules.flatMap((rule) => (rule.kind === 'metadata' ? [[rule.key, rule.is] as const] : []));
  const keys = [...new Set(metadataRules.map(([key]) => key))];
  // Longer and shorter values, too, which nearly match.
  const values = [...new Set(metadataRules.flatMap(([, value]) => [value, `${value} West`, value.slice(0, -1)]))];
  const orderRules = rules.flatMap((rule) =>
    rule.kind === 'order_metadata' ? [[rule.key, rule.includes] as const] : [],
  );
  const tierMetadata = tiers.flatMap(({ metadata }) =>
    Object.entries(metadata).flatMap(([key, value]) =>
      typeof value === 'string' ? [[`metadata.${key}`, value] as const] : [],
    ),
  );
  // For each key also a value that no tier has.
  const unmatched = new Map(tierMetadata.map(([subject]) => [subject, [subject, 'no tier has this'] as const]));
  const metadataFilters = [...tierMetadata, ...unmatched.values()];
  const distinctFilters = [...new Map(metadataFilters.map((filter) => [filter.join(' '), filter])).values()];
  const campaignFilter = fc.constantFrom(...listNames('campaign').map((name) => ['campaign', name] as const));
  // The second choice prefers values of many tiers: their results are larger.
  const metadataFilter = fc.oneof(fc.constantFrom(...distinctFilters), fc.constantFrom(...tierMetadata));
  const product = fc.record({
    product: fc.constantFrom(...listNames('product')),
    times: fc.constantFrom(1, 1, 1, 2, 5),
    differs: fc.constantFrom(false, false, true),
  });
  const sku = fc.record({ sku: fc.constantFrom(...listNames('sku')) });
  const findProductOfSku = (name: string) => {
    const productId = skus.find(({ id }) => id === ids.sku.get(name))?.product_id;
    return [...ids.product].find(([, id]) => id === productId)?.[0];
  };
  return fc
    .record({
      customer: fc.constantFrom(...listNames('customer')),
      items: fc.uniqueArray(fc.oneof(product, sku), {
        minLength: 1,
        maxLength: 10,
        selector: (item) => ('product' in item ? item.product : item.sku),
      }),
      quantities: fc.array(quantity, { minLength: 10, maxLength: 10 }),
      orderMetadata: fc.dictionary(
        fc.constantFrom(...keys, ...orderRules.map(([key]) => key)),
        fc.subarray([...values, ...orderRules.map(([, value]) => value)], { minLength: 1, maxLength: 3 }),
        { maxKeys: 2 },
      ),
      metadata: fc
        .array(
          fc.oneof(
            fc.constantFrom(...metadataRules),
            fc.tuple(fc.constantFrom(...keys, 'another_key'), fc.constantFrom(...values)),
          ),
          { maxLength: 3 },
        )
        .map((entries) => Object.fromEntries(entries)),
      expand: fc.boolean(),
      // Rarely two filters: the documentation leaves most combinations open.
      filters: fc.oneof(
        { weight: 4, arbitrary: fc.constant([]) },
        { weight: 3, arbitrary: fc.tuple(campaignFilter) },
        { weight: 3, arbitrary: fc.tuple(metadataFilter) },
        { weight: 1, arbitrary: fc.tuple(campaignFilter, metadataFilter) },
        { weight: 1, arbitrary: fc.tuple(metadataFilter, campaignFilter) },
      ),
    })
    .map((request) => {
      // The documentation leaves open how a product and its own SKU add up.
      const products = new Set(request.items.flatMap((item) => ('product' in item ? item.product : [])));
      const isAllowed = (item: RequestValues['items'][number]) =>
        'product' in item || !products.has(findProductOfSku(item.sku) ?? '');
      return { ...request, items: request.items.filter(isAllowed) };
    })
    .filter(({ items }) => items.length > 0);
}

/** Creates the body and the query of a request as in a case file. */
export function createPatch(request: RequestValues): RequestPatch {
  const { customer, items, quantities, orderMetadata, metadata, expand, filters } = request;
  const lines = items.flatMap((item, n): object[] => {
    const quantity = quantities[n] ?? 1;
    if ('sku' in item) return [{ sku_id: `<sku ${item.sku}>`, quantity }];
    return Array.from({ length: item.times }, (_, more) => ({
      product_id: `<product ${item.product}>`,
      quantity: item.differs ? quantity + more : quantity,
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

/** Creates an HTTP request with the ids of a world. */
export function createRequest(patches: readonly RequestPatch[], { ids }: NamedWorld): HttpRequest {
  return assembleRequest(
    patches.reduce(applyPatch, documentedRequestDraft),
    (kind, name) => ids[kind as ThingKind].get(name) ?? name,
  );
}
