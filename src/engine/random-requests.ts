import fc from 'fast-check';
import { type RequestForm, requestForms } from '../cases/request-forms.js';
import type { NamedWorld, ThingKind } from '../world/named-world.js';
import { misspellings } from './misspellings.js';
import {
  createMetadata,
  findName,
  getThing,
  isAcceptedKey,
  listOpenChanges,
  meetRules,
  type RandomItem,
  type RandomRequest,
  type RequestSequence,
  type RequestValues,
  sortByThreshold,
} from './request-values.js';

/** Creates a generator of documented requests. The documentation describes at least a part of each result. */
export function createRandomSequences(world: NamedWorld): fc.Arbitrary<RequestSequence> {
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
      for (const [change, { form, openChange, isOpenChangeFirst, ...other }] of next) {
        const before = steps.at(-1) as RandomRequest;
        steps.push({ ...before, ...change(before, other), form, openChange, isOpenChangeFirst });
      }
      return { steps, isSentTogether };
    });
}

type MemberChange = (before: RequestValues, other: RequestValues) => Partial<RequestValues>;

/** For each member, changes a request as little as possible. */
const memberChanges: Readonly<Record<string, MemberChange>> = {
  customer: (_, { customer }) => ({ customer }),
  items: (_, { items }) => ({ items }),
  ids(before, { items }) {
    const others = { product: items.filter((item) => 'product' in item), sku: items.filter((item) => 'sku' in item) };
    const replaced = before.items.map((item): RandomItem => {
      if ('sku' in item) return { ...item, sku: others.sku.shift()?.sku ?? item.sku };
      return { ...item, product: others.product.shift()?.product ?? item.product };
    });
    return { items: replaced };
  },
  quantities: (before, { items }) => ({
    items: before.items.map((item, n) => ({ ...item, quantity: items[n]?.quantity ?? 1 })),
  }),
  orderMetadata: (_, { orderMetadata }) => ({ orderMetadata }),
  metadata: (_, { metadata }) => ({ metadata }),
  metadataValues(before, { metadata }) {
    const others = Object.values(metadata);
    const entries = Object.keys(before.metadata).map((key, n) => [key, others[n] ?? 'another value']);
    return { metadata: Object.fromEntries(entries) };
  },
  expand: (_, { expand }) => ({ expand }),
  filters: (_, { filters }) => ({ filters }),
  filterValues: (before, { filters }) => ({
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

  const aimed = fc
    .tuple(
      fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...tiers).map((tier) => tier.rules) },
        { weight: 1, arbitrary: fc.constant(sortByThreshold(rules)) },
      ),
      any,
      fc.constantFrom(-1, 0, 0, 0, 1),
      fc.option(fc.constantFrom(...misspellings)),
    )
    .map(([met, values, difference, misspell]): RequestValues => {
      const isKept = misspell === null;
      const request = meetRules(met, world, values, difference, ([key, value]) => [
        key,
        isKept ? value : misspell(value),
      ]);
      return { ...request, filters: values.filters.slice(0, 1) };
    });

  const findProductOfSku = (name: string) =>
    findName(world, 'product', skus.find(({ id }) => id === ids.sku.get(name))?.product_id ?? '');
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
