import fc from 'fast-check';
import type { RequestPatch } from '../cases/request-draft.js';
import { type RequestForm, requestForms } from '../cases/request-forms.js';
import type { NamedWorld, ThingKind } from '../world/named-world.js';
import { createNameLookup } from '../world/render-rule.js';
import { listOtherCuts } from './cut-entry.js';
import { misspellings } from './misspellings.js';
import {
  audienceChange,
  createMetadata,
  type Entry,
  getThing,
  isAcceptedKey,
  listMetadataEntries,
  listOpenChanges,
  listTexts,
  listWorldValues,
  meetRules,
  type RandomItem,
  type RandomRequest,
  type RequestSequence,
} from './request-values.js';

/** Draws from some generators, in proportion to their weights. */
function drawOften<T>(...choices: readonly [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** Creates a generator of documented requests. The documentation describes at least a part of each result. */
export function createRandomSequences(world: NamedWorld): fc.Arbitrary<RequestSequence> {
  const rarely = <T>(choices: readonly T[]): fc.Arbitrary<T | undefined> =>
    drawOften<T | undefined>([4, fc.constant(undefined)], [1, fc.constantFrom(...choices)]);
  const request = fc
    .record({
      values: createRandomValues(world),
      form: rarely(Object.keys(requestForms) as RequestForm[]),
      // The change of the query is drawn more often: a filter may be lost before or after another parameter.
      openChange: rarely<RequestPatch>([...Array(3).fill(audienceChange), ...listOpenChanges(world)]),
      isOpenChangeFirst: fc.boolean(),
    })
    .map(({ values, ...rest }): RandomRequest => ({ ...values, ...rest }));
  const next = fc.tuple(fc.constantFrom(...memberChanges), request);
  return fc
    .record({
      first: request,
      next: fc.oneof(fc.constant([]), fc.array(next, { minLength: 1, maxLength: 3 })),
      isSentTogether: fc.boolean(),
    })
    .map(({ first, next, isSentTogether }) => {
      const steps = [first];
      for (const [change, other] of next) {
        const before = steps.at(-1) as RandomRequest;
        const { form, openChange, isOpenChangeFirst } = other;
        steps.push({ ...before, ...change(before, other), form, openChange, isOpenChangeFirst });
      }
      return { steps, isSentTogether };
    });
}

type MemberChange = (before: RandomRequest, other: RandomRequest) => Partial<RandomRequest>;

/** Each changes one member of a request: all of it, or as little as possible. */
const memberChanges: readonly MemberChange[] = [
  (_, { customer }) => ({ customer }),
  (_, { items }) => ({ items }),
  (before, { items: [other] }) => {
    const n = before.items.findIndex(({ kind }) => kind === other?.kind);
    return { items: before.items.map((item, at) => ({ ...item, name: (at === n && other?.name) || item.name })) };
  },
  (before, { items }) => ({
    items: before.items.map((item, n) => ({ ...item, quantity: items[n]?.quantity ?? 1 })),
  }),
  (_, { orderMetadata }) => ({ orderMetadata }),
  (_, { metadata }) => ({ metadata }),
  (before, { metadata }) => {
    const others = Object.values(metadata);
    const entries = Object.keys(before.metadata).map((key, n) => [key, others[n] ?? 'another value']);
    return { metadata: Object.fromEntries(entries) };
  },
  (_, { expand }) => ({ expand }),
  (_, { filters }) => ({ filters }),
  (before, { filters }) => ({
    filters: before.filters.map(([subject, value]) => [
      subject,
      filters.find(([other]) => other === subject)?.[1] ?? (subject === 'campaign' ? value : 'another value'),
    ]),
  }),
];

/** Creates a generator of values that the documentation describes fully. */
function createRandomValues(world: NamedWorld): fc.Arbitrary<RandomRequest> {
  const { ids, skus, tiers } = world;
  const { thresholds, metadataRules, orderRules, filters: tierFilters, distinctFilters } = listWorldValues(world);
  const drawName = (kind: ThingKind) => fc.constantFrom(...ids[kind].keys());
  const misspell = fc.constantFrom(...misspellings);
  const rule = fc.constantFrom(...metadataRules);

  const entry = drawOften<Entry>(
    [4, rule],
    [2, fc.tuple(rule, misspell).map(([[key, value], spell]) => [spell(key), value])],
    [2, fc.tuple(rule, misspell).map(([[key, value], spell]) => [key, spell(value)])],
    [1, fc.tuple(rule, rule).map(([[key], [, value]]) => [key, value])],
    [1, fc.constant(['another_key', 'another value'])],
  );
  const orderRule = fc.constantFrom(...orderRules);
  const orderEntry = fc
    .tuple(fc.oneof(rule, orderRule, fc.constantFrom(...orderRules.flatMap(listOtherCuts))), orderRule)
    .map(([[key, value], [, other]]) => [key, [other, value]] as const);
  const orderMetadata = fc
    .array(orderEntry, { maxLength: 3 })
    .map((entries) => Object.fromEntries(entries.filter(([key]) => isAcceptedKey(key))));

  const campaignFilter = drawName('campaign').map((name): Entry => ['campaign', name]);
  const metadataFilter = fc.oneof(
    fc.constantFrom(...distinctFilters),
    // Prefers values of many tiers: their results are larger.
    fc.constantFrom(...tierFilters),
    fc.tuple(fc.constantFrom(...distinctFilters), misspell).map(([[key, value], spell]): Entry => [key, spell(value)]),
  );
  // Rarely two filters: the documentation leaves most combinations open.
  const filters = drawOften<Entry[]>(
    [4, fc.constant([])],
    [3, fc.tuple(campaignFilter)],
    [3, fc.tuple(metadataFilter)],
    [1, fc.tuple(campaignFilter, metadataFilter)],
    [1, fc.tuple(metadataFilter, campaignFilter)],
  );

  const quantities = thresholds.flatMap((each) => [each - 1, each, each + 1, each * 2]);
  const quantity = fc.constantFrom(...new Set([1, ...quantities.filter((each) => each > 0)]));
  const product = fc
    .tuple(drawName('product'), quantity, fc.constantFrom(1, 1, 1, 2, 5), fc.constantFrom(0, 0, 1))
    .map(([name, least, times, more]) =>
      Array.from({ length: times }, (_, n): RandomItem => ({ kind: 'product', name, quantity: least + n * more })),
    );
  const sku = fc
    .tuple(drawName('sku'), quantity)
    .map(([name, quantity]): RandomItem[] => [{ kind: 'sku', name, quantity }]);
  const items = fc
    .uniqueArray(fc.oneof(product, sku), { minLength: 1, maxLength: 10, selector: ([item]) => item && getThing(item) })
    .map((lines) => lines.flat());
  const any = fc.record({
    customer: drawName('customer'),
    items,
    orderMetadata,
    metadata: fc.array(entry, { maxLength: 4 }).map(createMetadata),
    expand: fc.boolean(),
    filters,
  });

  const rules = drawOften(
    [5, fc.constantFrom(...tiers).map((tier) => tier.rules)],
    [1, fc.constant(tiers.flatMap((tier) => tier.rules))],
  );
  const aimed = fc
    .tuple(rules, any, fc.constantFrom(-1, 0, 0, 0, 1), fc.option(misspell, { nil: (text: string) => text }))
    .map(([met, values, difference, spell]): RandomRequest => {
      const request = meetRules(met, world, values, difference, ([key, value]) => [key, spell(value)]);
      return { ...request, filters: values.filters.slice(0, 1) };
    });

  // A deployment may join a key and its value to one text: a tier needs all but the right place of the cut.
  const cuts = tiers.flatMap((tier) => [
    ...listMetadataEntries(tier.rules)
      .slice(-1)
      .flatMap(listOtherCuts)
      .map((entry) => ({ rules: tier.rules, entry, filters: [] })),
    ...listTexts(tier)
      .flatMap(listOtherCuts)
      .map(([key, value]) => ({ rules: tier.rules, entry: undefined, filters: [[`metadata.${key}`, value] as const] })),
  ]);
  const cutElsewhere = fc
    .tuple(fc.constantFrom(...cuts), any)
    .map(([{ rules, entry, filters }, values]): RandomRequest => {
      return { ...meetRules(rules, world, values, 0, (last) => entry ?? last), filters };
    });

  const nameOf = createNameLookup(world);
  const findProductOfSku = (name: string) => nameOf(skus.find(({ id }) => id === ids.sku.get(name))?.product_id ?? '');
  return fc
    .oneof(any, aimed, cutElsewhere)
    .map((request) => {
      // The documentation leaves open how a product and its own SKU add up.
      const products = new Set(request.items.flatMap(({ kind, name }) => (kind === 'product' ? [name] : [])));
      const isAllowed = ({ kind, name }: RandomItem) => kind === 'product' || !products.has(findProductOfSku(name));
      return { ...request, items: request.items.filter(isAllowed) };
    })
    .filter(({ items }) => items.length > 0);
}
