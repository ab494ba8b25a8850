import { expect, test } from '@playwright/test';
import { assembled, documentedRequest, patched, type RequestPatch } from '../../src/cases/request.js';
import { type Obligation, type Oracle, oracleFor } from '../../src/contract/oracle.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { type Kind, loadWorld } from '../../src/world/world-file.js';

const { world, ids } = loadWorld();

/** A documented request of an ordinary customer with one mug, changed by patches as a case file writes them. */
const plain = {
  body: {
    customer: { id: '<customer ordinary>' },
    order: { items: [{ product_id: '<product mug>', quantity: 1 }], metadata: {} },
    options: {},
    metadata: {},
  },
};

function asking(...patches: readonly RequestPatch[]): HttpRequest {
  const parts = [plain, ...patches].reduce(patched, documentedRequest);
  return assembled(parts, (kind, name) => ids[kind as Kind].get(name) as string);
}

const promise = (...patches: readonly RequestPatch[]): Oracle => oracleFor(asking(...patches), world);
const items = (...list: readonly object[]): RequestPatch => ({ body: { order: { items: list } } });
const product = (name: string, quantity: unknown = 1) => ({ product_id: `<product ${name}>`, quantity });
const sku = (name: string, quantity: unknown = 1) => ({ sku_id: `<sku ${name}>`, quantity });
const query = (text: string): RequestPatch => ({ query: text });
const inCampaign = (name: string) => query(`[filters][promotion_id][conditions][$is]=<campaign ${name}>`);
const withMetadata = (key: string, value: string) => query(`[filters][metadata.${key}][conditions][$is]=${value}`);

/** What stands of tiers, each by name. */
function standings(what: 'returned' | 'valid' | 'matching', promised: Oracle, names: readonly string[]) {
  return Object.fromEntries(
    names.map((name) => {
      const tier = world.tiers.find((each) => each.name === name);
      if (tier === undefined) throw new Error(`There is no tier '${name}'.`);
      return [name, promised[what](tier)];
    }),
  );
}

const countOf = (promised: Oracle, standing: Obligation) =>
  world.tiers.filter((tier) => promised.returned(tier) === standing).length;

test.describe('nothing is promised, neither acceptance nor a result,', () => {
  const open: readonly (readonly [what: string, patch: RequestPatch, because: string])[] = [
    ['without customer', { without: ['body.customer'] }, 'what leaving out customer means is open'],
    ['without customer.id', { without: ['body.customer.id'] }, 'what leaving out customer.id means is open'],
    ['without order', { without: ['body.order'] }, 'what leaving out order means is open'],
    ['without items', { without: ['body.order.items'] }, 'what leaving out order.items means is open'],
    ['without order metadata', { without: ['body.order.metadata'] }, 'what leaving out order.metadata means is open'],
    ['without options', { without: ['body.options'] }, 'what leaving out options means is open'],
    ['without metadata', { without: ['body.metadata'] }, 'what leaving out metadata means is open'],
    ['for an empty object', { raw: '{}' }, 'what leaving out customer means is open'],
    ['for a + in a filter', withMetadata('has_budget', 'a+b'), 'what a + in the query means is open'],
    ['for an empty list of items', items(), 'what an order without items means is open'],
    [
      'for an item without quantity',
      items({ product_id: '<product mug>' }),
      'what an item without quantity means is open',
    ],
    ['for a quantity of 0', items(product('mug', 0)), 'what a quantity below 1 means is open'],
    ['for a negative quantity', items(product('mug', -3)), 'what a quantity below 1 means is open'],
    ['for a huge quantity', items(product('mug', 1_000_001)), 'the largest quantity is open'],
    ['for a large order', items(...Array(101).fill(product('mug'))), 'the largest number of items is open'],
    [
      'for an unknown customer',
      { body: { customer: { id: 'cust_x' } } },
      'what an unknown customer means is open: cust_x',
    ],
    [
      'for an unknown product',
      items({ product_id: 'prod_x', quantity: 1 }),
      'what an unknown product means is open: prod_x',
    ],
    ['for an unknown SKU', items({ sku_id: 'sku_x', quantity: 1 }), 'what an unknown SKU means is open: sku_x'],
    [
      'for different quantities of one product',
      items(product('mug', 1), product('mug', 2)),
      'how different quantities of one product add up is open',
    ],
    ['for a repeated SKU', items(sku('bag-small'), sku('bag-small')), 'whether a SKU may be repeated is open'],
    [
      'for a product before its SKU',
      items(product('shirt'), sku('shirt-blue')),
      'what a product beside its own SKU means is open',
    ],
    [
      'for a product after its SKU',
      items(sku('shirt-blue'), product('shirt')),
      'what a product beside its own SKU means is open',
    ],
    [
      'for two filters',
      query(
        '[filters][promotion_id][conditions][$is]=<campaign spring>&[filters][metadata.level][conditions][$is]=gold',
      ),
      'what several filters together mean is open',
    ],
    [
      'for two metadata filters',
      query('[filters][metadata.level][conditions][$is]=gold&[filters][metadata.channel][conditions][$is]=web'),
      'what several filters together mean is open',
    ],
    ['for an empty filter', withMetadata('level', ''), 'what a filter with an empty value means is open'],
    [
      'for an unknown campaign',
      query('[filters][promotion_id][conditions][$is]=camp_x'),
      'what an unknown campaign means is open: camp_x',
    ],
    [
      'for a tier in place of a campaign',
      query('[filters][promotion_id][conditions][$is]=<tier budget>'),
      `what an unknown campaign means is open: ${ids.tier.get('budget')}`,
    ],
    [
      'for a metadata key of no tier',
      withMetadata('no_such_key', 'a'),
      'what a metadata key that no tier has means is open: no_such_key',
    ],
    [
      'for a metadata key in other letter case',
      withMetadata('Level', 'gold'),
      'what a metadata key that no tier has means is open: Level',
    ],
  ];
  const undocumented: readonly (readonly [what: string, patch: RequestPatch, where: string])[] = [
    ['for a numeric string as quantity', items(product('mug', '1')), '/body/order/items/0/quantity must be integer'],
    ['for a fraction as quantity', items(product('mug', 1.5)), '/body/order/items/0/quantity must be integer'],
    ['for null as quantity', items(product('mug', null)), '/body/order/items/0/quantity must be integer'],
    [
      'for an item without an id',
      items({ quantity: 1 }),
      "/body/order/items/0 (product_id) must have required property 'product_id'",
    ],
    [
      'for an item with both ids',
      items({ ...product('mug'), ...sku('mug-white') }),
      '/body/order/items/0 must match exactly one schema in oneOf',
    ],
    ['for an unknown member', { body: { coupon: 'a' } }, '/body (coupon) must NOT have additional properties'],
    [
      'for another value of expand',
      { body: { options: { expand: ['tier'] } } },
      '/body/options/expand/0 must be equal to constant',
    ],
    [
      'for order metadata that is no list',
      { body: { order: { metadata: { a: 'b' } } } },
      '/body/order/metadata/a must be array',
    ],
    ['for metadata that is no string', { body: { metadata: { a: 1 } } }, '/body/metadata/a must be string'],
    ['for a body that is no object', { raw: '[]' }, '/body must be object'],
    ['for a body that is no JSON', { raw: '{' }, "the request (body) must have required property 'body'"],
    ['without a body', { without: ['body'] }, "the request (body) must have required property 'body'"],
    [
      'without Content-Type',
      { without: ['headers.Content-Type'] },
      "/headers (content-type) must have required property 'content-type'",
    ],
    [
      'for another Content-Type',
      { headers: { 'Content-Type': 'text/plain' } },
      '/headers/content-type/0 must be equal to constant',
    ],
    [
      'without a credential',
      { without: ['headers.X-Client-Token'] },
      "/headers (x-client-token) must have required property 'x-client-token'",
    ],
    [
      'for a wrong credential',
      { headers: { 'X-Client-Token': 'wrong' } },
      '/headers/x-client-token/0 must be equal to constant',
    ],
    [
      'for another header',
      { headers: { Origin: 'https://a.test' } },
      '/headers (origin) must NOT have additional properties',
    ],
    ['for another method', { method: 'POST' }, '/method must be equal to constant'],
    ['for another path', { path: '/v1/promotions/validation/' }, '/path must be equal to constant'],
    [
      'for audienceRulesOnly=false',
      query('audienceRulesOnly=false'),
      '/query/audienceRulesOnly/0 must be equal to constant',
    ],
    [
      'for a repeated parameter',
      query('audienceRulesOnly=true&audienceRulesOnly=true'),
      '/query/audienceRulesOnly must NOT have more than 1 items',
    ],
    ['for an unknown parameter', query('a=b'), '/query (a) must NOT have additional properties'],
    [
      'for a percent-encoded filter',
      query('%5Bfilters%5D%5Bmetadata.level%5D%5Bconditions%5D%5B%24is%5D=gold'),
      '/query (%5Bfilters%5D%5Bmetadata.level%5D%5Bconditions%5D%5B%24is%5D) must NOT have additional properties',
    ],
    [
      'for another operator',
      query('[filters][promotion_id][conditions][$in]=<campaign spring>'),
      '/query ([filters][promotion_id][conditions][$in]) must NOT have additional properties',
    ],
  ];
  const rows = [
    ...open,
    ...undocumented.map(
      ([what, patch, where]) => [what, patch, `the documentation does not describe it: ${where}`] as const,
    ),
  ];
  for (const [what, patch, because] of rows) {
    test(what, () => {
      const promised = promise(patch);
      expect(promised.because).toBe(because);
      expect(promised.accepted).toBe(false);
      expect(countOf(promised, 'open')).toBe(world.tiers.length);
    });
  }
});

test('audienceRulesOnly=true is accepted, and its result is open', () => {
  const promised = promise(query('audienceRulesOnly=true'));
  expect(promised).toMatchObject({ accepted: true, because: 'the effect of audienceRulesOnly is open' });
  expect(countOf(promised, 'open')).toBe(world.tiers.length);
  expect(standings('valid', promised, ['greeting', 'for-ann'])).toEqual({ greeting: 'open', 'for-ann': 'open' });
});

test.describe('whether a tier is valid follows from its rules:', () => {
  const valid: readonly (readonly [what: string, patch: RequestPatch, standings: Record<string, Obligation>])[] = [
    ['no rule', {}, { greeting: 'yes' }],
    ['a rule for other customers', {}, { 'for-ann': 'no', 'for-ann-and-ben': 'no' }],
    [
      'a rule for the customer',
      { body: { customer: { id: '<customer ann>' } } },
      { 'for-ann': 'yes', 'for-ann-and-ben': 'yes', 'for-ben': 'no' },
    ],
    ['a rule for a product', {}, { 'mug-1': 'yes', 'mug-2': 'no', 'plate-1': 'no' }],
    ['a quantity', items(product('mug', 3)), { 'mug-1': 'yes', 'mug-3': 'yes', 'mug-10': 'no' }],
    [
      'a rule for a SKU',
      items(sku('shirt-blue', 2)),
      { 'shirt-blue-1': 'yes', 'shirt-blue-2': 'yes', 'shirt-blue-3': 'no', 'shirt-red-1': 'no' },
    ],
    ['a product, which counts as none of its SKUs', items(product('shirt')), { 'shirt-blue-1': 'no' }],
    [
      'a SKU, which may count as its product',
      items(sku('mug-white', 2)),
      { 'mug-1': 'open', 'mug-2': 'open', 'mug-3': 'no' },
    ],
    [
      'all rules of a tier',
      items(product('mug'), product('plate')),
      { 'mug-and-plate': 'yes', 'for-ann-with-mug': 'no' },
    ],
    ['one rule of a tier that does not hold', items(product('mug')), { 'mug-and-plate': 'no' }],
    [
      'equal quantities of a product, which may or may not add up',
      items(product('mug'), product('plate'), product('mug')),
      { 'mug-1': 'yes', 'mug-2': 'open', 'mug-3': 'no', 'plate-1': 'yes' },
    ],
    [
      'five items of 2',
      items(...Array(5).fill(product('mug', 2))),
      { 'mug-2': 'yes', 'mug-3': 'open', 'mug-10': 'open' },
    ],
    ['a metadata rule', { body: { metadata: { store_name: 'Broadway' } } }, { broadway: 'yes', 'web-shop': 'no' }],
    [
      'a metadata rule, by its whole value',
      { body: { metadata: { store_name: 'Broadway West', sales_channel: 'we' } } },
      { broadway: 'no', 'web-shop': 'no' },
    ],
    [
      'a metadata rule and the order’s metadata',
      { body: { order: { metadata: { store_name: ['Broadway'] } } } },
      { broadway: 'no' },
    ],
    [
      'an order-metadata rule, whether satisfied',
      { body: { order: { metadata: { payment_mean: ['credit-card'] } } } },
      { 'credit-card': 'open' },
    ],
    ['an order-metadata rule, or not', {}, { 'credit-card': 'open' }],
    ['whatever the window', {}, { 'beyond-first': 'yes', 'beyond-for-ann': 'no', 'beyond-mug': 'yes' }],
    ['whatever the filter', inCampaign('summer'), { greeting: 'yes', 'for-ann': 'no' }],
  ];
  for (const [what, patch, expected] of valid) {
    test(what, () => {
      expect(standings('valid', promise(patch), Object.keys(expected))).toEqual(expected);
    });
  }
});

test.describe('whether a tier matches follows from the filter:', () => {
  const matching: readonly (readonly [what: string, patch: RequestPatch, standings: Record<string, Obligation>])[] = [
    ['none, which all match', {}, { greeting: 'yes', 'for-ann': 'yes', 'beyond-first': 'yes' }],
    ['a campaign', inCampaign('spring'), { greeting: 'yes', 'for-ann': 'yes', gift: 'no', 'beyond-first': 'yes' }],
    [
      'a campaign, percent-encoded',
      { query: { '[filters][promotion_id][conditions][$is]': '<campaign spring>' } },
      { greeting: 'yes', gift: 'no' },
    ],
    [
      'a metadata entry',
      withMetadata('level', 'gold'),
      { gold: 'yes', golden: 'no', greeting: 'no', 'gold-on-web': 'yes' },
    ],
    [
      'the string true against the boolean',
      withMetadata('on_sale', 'true'),
      { 'boolean-true': 'open', 'text-true-and-one': 'yes', 'number-one': 'no' },
    ],
    [
      'the string 1 against the number',
      withMetadata('priority', '1'),
      { 'number-one': 'open', 'text-true-and-one': 'yes', 'boolean-true': 'no' },
    ],
    ['a value in other letter case', withMetadata('region', 'north'), { north: 'open', greeting: 'no' }],
    ['the value as it is', withMetadata('region', 'North'), { north: 'yes' }],
    [
      'a value that holds another',
      withMetadata('has_budget', 'true'),
      { budget: 'yes', 'budget-in-words': 'no', 'no-budget': 'no' },
    ],
    [
      'a value with a space, however encoded',
      withMetadata('has_budget', 'true%20story'),
      { 'budget-in-words': 'yes', budget: 'no' },
    ],
  ];
  for (const [what, patch, expected] of matching) {
    test(what, () => {
      expect(standings('matching', promise(patch), Object.keys(expected))).toEqual(expected);
    });
  }
});

test.describe('whether a tier is returned: within the window, valid and matching', () => {
  const names = [
    'window-last',
    'window-last-but-one',
    'beyond-first',
    'beyond-second',
    'beyond-for-ann',
    'for-ann',
    'budget',
  ];
  const returned: readonly (readonly [what: string, patch: RequestPatch, expected: readonly Obligation[]])[] = [
    ['without a filter, older ones are not', {}, ['yes', 'yes', 'no', 'no', 'no', 'no', 'yes']],
    [
      'with a campaign, older ones of it are open',
      inCampaign('spring'),
      ['yes', 'no', 'open', 'no', 'no', 'no', 'yes'],
    ],
    [
      'with a metadata entry, older ones that have it are open',
      withMetadata('has_budget', 'true'),
      ['yes', 'no', 'open', 'no', 'no', 'no', 'yes'],
    ],
    ['with a campaign without tiers, none', inCampaign('winter'), ['no', 'no', 'no', 'no', 'no', 'no', 'no']],
  ];
  for (const [what, patch, expected] of returned) {
    test(what, () => {
      const promised = promise(patch);
      expect(promised.accepted).toBe(true);
      expect(promised.because).toBeUndefined();
      expect(Object.values(standings('returned', promised, names))).toEqual(expected);
    });
  }

  test('for a request that holds everything: all of the newest 150 but the open ones, and nothing else', () => {
    const promised = promise(
      { body: { customer: { id: '<customer bulk>' }, metadata: { store_name: 'Broadway', sales_channel: 'web' } } },
      items(
        ...['plate', 'lamp', 'chair'].map((name) => product(name, 3)),
        product('mug', 10),
        ...['shirt-blue', 'shirt-red', 'bag-small', 'bag-large'].map((name) => sku(name, 3)),
      ),
    );
    expect(world.tiers.filter((tier) => promised.returned(tier) === 'open').map(({ name }) => name)).toEqual([
      'credit-card',
    ]);
    expect(world.tiers.filter((tier) => promised.returned(tier) === 'yes')).toHaveLength(149);
    expect(world.tiers.slice(150).every((tier) => promised.returned(tier) === 'no')).toBe(true);
  });

  test('for a tier that is not of the world: nothing beyond what its rules say, as it has no rank', () => {
    const [tier] = world.tiers;
    expect(tier && promise().returned({ ...tier, id: 'promo_unknown' })).toBe('no');
  });
});
