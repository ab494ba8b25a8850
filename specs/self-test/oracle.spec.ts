import { expect, test } from '@playwright/test';
import {
  applyPatch,
  assembleRequest,
  documentedRequestDraft,
  type RequestPatch,
} from '../../src/cases/request-draft.js';
import { createOracle, type Obligation, type Oracle } from '../../src/contract/oracle.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import type { ThingKind } from '../../src/world/named-world.js';
import { loadWorld } from '../../src/world/world-file.js';
import { checkEachRow } from './support/check-each-row.js';

const world = loadWorld();
const { ids } = world;

/** A documented request of an ordinary customer with one mug, changed by patches as a case file writes them. */
const plain = {
  body: {
    customer: { id: '<customer ordinary>' },
    order: { items: [{ product_id: '<product mug>', quantity: 1 }], metadata: {} },
    options: {},
    metadata: {},
  },
};

function requestWith(...patches: readonly RequestPatch[]): HttpRequest {
  const patchedRequest = [plain, ...patches].reduce(applyPatch, documentedRequestDraft);
  return assembleRequest(patchedRequest, (kind, name) => ids[kind as ThingKind].get(name) as string);
}

const oracleWith = (...patches: readonly RequestPatch[]): Oracle => createOracle(requestWith(...patches), world);
const items = (...list: readonly object[]): RequestPatch => ({ body: { order: { items: list } } });
const product = (name: string, quantity: unknown = 1) => ({ product_id: `<product ${name}>`, quantity });
const sku = (name: string, quantity: unknown = 1) => ({ sku_id: `<sku ${name}>`, quantity });
const query = (text: string): RequestPatch => ({ query: text });
const inCampaign = (name: string) => query(`[filters][promotion_id][conditions][$is]=<campaign ${name}>`);
const withMetadata = (key: string, value: string) => query(`[filters][metadata.${key}][conditions][$is]=${value}`);

/** What an oracle says of tiers, each by name. */
function obligations(what: 'returned' | 'valid' | 'matching' | 'checked', oracle: Oracle, names: readonly string[]) {
  return Object.fromEntries(
    names.map((name) => {
      const tier = world.tiers.find((each) => each.name === name);
      if (tier === undefined) throw new Error(`There is no tier '${name}'.`);
      return [name, oracle[what](tier)];
    }),
  );
}

const countOf = (oracle: Oracle, obligation: Obligation) =>
  world.tiers.filter((tier) => oracle.returned(tier) === obligation).length;

test.describe('nothing is required, neither acceptance nor a result,', () => {
  const open: readonly (readonly [what: string, patch: RequestPatch, whyOpen: string])[] = [
    ['without customer', { without: ['body.customer'] }, 'the effect of leaving out customer is open'],
    ['without customer.id', { without: ['body.customer.id'] }, 'the effect of leaving out customer.id is open'],
    ['without order', { without: ['body.order'] }, 'the effect of leaving out order is open'],
    ['without items', { without: ['body.order.items'] }, 'the effect of leaving out order.items is open'],
    [
      'without order metadata',
      { without: ['body.order.metadata'] },
      'the effect of leaving out order.metadata is open',
    ],
    ['without options', { without: ['body.options'] }, 'the effect of leaving out options is open'],
    ['without metadata', { without: ['body.metadata'] }, 'the effect of leaving out metadata is open'],
    ['for an empty object', { raw: '{}' }, 'the effect of leaving out customer is open'],
    ['for a + in a filter', withMetadata('has_budget', 'a+b'), 'the meaning of + in the query is open'],
    ['for an empty list of items', items(), 'the effect of an order without items is open'],
    [
      'for an item without quantity',
      items({ product_id: '<product mug>' }),
      'the effect of an item without quantity is open',
    ],
    [
      'for an item without quantity among others',
      items(product('shirt'), { product_id: '<product mug>' }),
      'the effect of an item without quantity is open',
    ],
    [
      'for a quantity of 0 among others',
      items(product('shirt'), product('mug', 0)),
      'the effect of a quantity below 1 is open',
    ],
    [
      'for a huge quantity among others',
      items(product('shirt'), product('mug', 1_000_001)),
      'the maximum quantity is open',
    ],
    [
      'for a SKU beside its product and others',
      items(product('shirt'), sku('mug-white'), sku('shirt-blue')),
      'the effect of a product and its own SKU in one order is open',
    ],
    ['for a quantity of 0', items(product('mug', 0)), 'the effect of a quantity below 1 is open'],
    ['for a negative quantity', items(product('mug', -3)), 'the effect of a quantity below 1 is open'],
    ['for a huge quantity', items(product('mug', 1_000_001)), 'the maximum quantity is open'],
    ['for a large order', items(...Array(101).fill(product('mug'))), 'the maximum number of items is open'],
    [
      'for an unknown customer',
      { body: { customer: { id: 'cust_x' } } },
      'the effect of an unknown customer is open: cust_x',
    ],
    [
      'for an unknown product',
      items({ product_id: 'prod_x', quantity: 1 }),
      'the effect of an unknown product is open: prod_x',
    ],
    ['for an unknown SKU', items({ sku_id: 'sku_x', quantity: 1 }), 'the effect of an unknown SKU is open: sku_x'],
    ['for a repeated SKU', items(sku('bag-small'), sku('bag-small')), 'whether a SKU may be repeated is open'],
    [
      'for a product before its SKU',
      items(product('shirt'), sku('shirt-blue')),
      'the effect of a product and its own SKU in one order is open',
    ],
    [
      'for a product after its SKU',
      items(sku('shirt-blue'), product('shirt')),
      'the effect of a product and its own SKU in one order is open',
    ],
    [
      'for two filters',
      query(
        '[filters][promotion_id][conditions][$is]=<campaign spring>&[filters][metadata.level][conditions][$is]=gold',
      ),
      'the combination of several filters is open',
    ],
    [
      'for two metadata filters',
      query('[filters][metadata.level][conditions][$is]=gold&[filters][metadata.channel][conditions][$is]=web'),
      'the combination of several filters is open',
    ],
    [
      'for an empty campaign filter',
      query('[filters][promotion_id][conditions][$is]='),
      'the effect of a filter with an empty value is open',
    ],
    ['for an empty filter', withMetadata('level', ''), 'the effect of a filter with an empty value is open'],
    [
      'for an unknown campaign',
      query('[filters][promotion_id][conditions][$is]=camp_x'),
      'the effect of an unknown campaign is open: camp_x',
    ],
    [
      'for a tier in place of a campaign',
      query('[filters][promotion_id][conditions][$is]=<tier budget>'),
      `the effect of an unknown campaign is open: ${ids.tier.get('budget')}`,
    ],
    [
      'for a metadata key of no tier',
      withMetadata('no_such_key', 'a'),
      'the effect of a metadata key that no tier has is open: no_such_key',
    ],
    [
      'for a metadata key in other letter case',
      withMetadata('Level', 'gold'),
      'the effect of a metadata key that no tier has is open: Level',
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
  test(
    'whatever is open of a request',
    checkEachRow(open, (_, patch, whyOpen) => {
      const oracle = oracleWith(patch);
      expect([oracle.openReason, oracle.undocumentedReason]).toEqual([whyOpen, undefined]);
      expect(oracle.accepted).toBe(false);
      expect(countOf(oracle, 'required')).toBe(0);
      // An id that does not exist leaves all of it open; of anything else something still binds.
      if (/unknown (customer|product|SKU|campaign)/.test(whyOpen)) expect(countOf(oracle, 'forbidden')).toBe(0);
      else expect(countOf(oracle, 'forbidden')).toBeGreaterThan(0);
    }),
  );
  test('but it is for the largest order, and for SKUs beside products of others', () => {
    expect(oracleWith(items(...Array(100).fill(product('mug', 1_000_000)))).openReason).toBeUndefined();
    expect(oracleWith(items(product('shirt'), sku('mug-white'))).openReason).toBeUndefined();
    expect(
      oracleWith(items(product('mug')), query('[filters][metadata.level][conditions][$is]=gold')).openReason,
    ).toBeUndefined();
    const withAudience = oracleWith(query('audienceRulesOnly=true&[filters][metadata.level][conditions][$is]=gold'));
    expect([withAudience.accepted, withAudience.openReason]).toEqual([true, 'the effect of audienceRulesOnly is open']);
  });
  test(
    'whatever the documentation does not describe',
    checkEachRow(undocumented, (_, patch, where) => {
      const oracle = oracleWith(patch);
      const whyOpen = `the documentation does not describe it: ${where}`;
      expectAllOpen(oracle, whyOpen, whyOpen);
    }),
  );

  function expectAllOpen(oracle: Oracle, whyOpen: string, undocumented?: string): void {
    expect([oracle.openReason, oracle.undocumentedReason]).toEqual([whyOpen, undocumented]);
    expect(oracle.accepted).toBe(false);
    expect(countOf(oracle, 'open')).toBe(world.tiers.length);
    const [tier] = world.tiers;
    expect([oracle.alternatives, tier && oracle.listReasons(tier)]).toEqual([[], []]);
  }
});

test.describe('where a part of the request is open, what else the documentation says still binds:', () => {
  const ann = { body: { customer: { id: '<customer ann>' } } };
  const names = ['greeting', 'for-ann', 'for-ben', 'mug-10', 'summer-budget', 'beyond-second', 'beyond-for-ann'];
  const [o, f] = ['open', 'forbidden'] as const;
  const rows: readonly (readonly [what: string, patches: RequestPatch[], said: readonly Obligation[]])[] = [
    ['audienceRulesOnly', [ann, query('audienceRulesOnly=true')], [o, o, f, o, o, f, f]],
    ['no order', [ann, { without: ['body.order'] }], [o, o, f, o, o, f, f]],
    ['no items', [ann, items()], [o, o, f, o, o, f, f]],
    ['no metadata', [ann, { without: ['body.metadata'] }], [o, o, f, o, o, f, f]],
    ['no customer: nobody is named', [{ without: ['body.customer'] }], [o, o, o, o, o, f, f]],
    ['an empty object', [{ raw: '{}' }], [o, o, o, o, o, f, f]],
    [
      'no order, and a filter',
      [ann, { without: ['body.order'] }, { filter: { campaign: 'spring' } }],
      [o, o, f, f, f, f, f],
    ],
    ['both filters', [ann, { filter: { campaign: 'spring', 'metadata.has_budget': 'true' } }], [o, o, f, f, o, f, f]],
    ['an empty filter', [ann, { filter: { 'metadata.has_budget': '' } }], [o, o, f, o, o, o, o]],
    ['a key of no tier', [ann, { filter: { 'metadata.no_such_key': 'x' } }], [o, o, f, o, o, o, o]],
    ['a + in a filter', [ann, query('[filters][metadata.level][conditions][$is]=a+b')], [o, o, f, o, o, o, o]],
  ];
  test(
    'tier by tier',
    checkEachRow(rows, (_, patches, said) => {
      const oracle = oracleWith(...patches);
      expect(obligations('returned', oracle, names)).toEqual(
        Object.fromEntries(names.map((name, n) => [name, said[n]])),
      );
      // What speaks against a tier is among its grounds.
      for (const tier of world.tiers)
        expect(oracle.listReasons(tier).some(({ obligation }) => obligation === 'forbidden')).toBe(
          oracle.returned(tier) === 'forbidden',
        );
    }),
  );

  test('audienceRulesOnly alone is accepted, with something else left out it need not be', () => {
    expect(oracleWith(ann, query('audienceRulesOnly=true')).accepted).toBe(true);
    expect(oracleWith(query('audienceRulesOnly=true'), { without: ['body.order'] }).accepted).toBe(false);
  });

  test('a product in items of different quantities is accepted, and counts for as much as the smallest at least', () => {
    const oracle = oracleWith(items(product('mug', 2), product('mug', 1)));
    expect([oracle.accepted, oracle.openReason]).toEqual([true, undefined]);
    expect(obligations('valid', oracle, ['mug-1', 'mug-2', 'mug-3', 'mug-10'])).toEqual({
      'mug-1': 'required',
      'mug-2': 'open',
      'mug-3': 'open',
      'mug-10': 'forbidden',
    });
  });
});

test.describe('what decides of a tier is its rank, each filter and each rule:', () => {
  const summer: RequestPatch = { filter: { campaign: 'summer' } };
  const budget: RequestPatch = { filter: { 'metadata.has_budget': 'true' } };
  const [o, f, r] = ['open', 'forbidden', 'required'] as const;
  const said = (name: string, patches: readonly RequestPatch[]) => {
    const tier = world.tiers.find((each) => each.name === name) as (typeof world.tiers)[number];
    return { tier, grounds: oracleWith(...patches).listReasons(tier) };
  };
  const rows: readonly (readonly [what: string, tier: string, patches: RequestPatch[], said: Obligation[]])[] = [
    ['all for it', 'mug-1', [], [r, r]],
    ['an older one', 'beyond-mug', [], [f, r]],
    ['an older one, with a filter', 'beyond-mug', [summer], [o, r, r]],
    ['too few', 'mug-2', [], [r, f]],
    ['of another customer', 'for-ann', [], [r, f]],
    ['a filter that it fits', 'budget', [budget], [r, r]],
    ['a filter that it does not fit', 'budget', [summer], [r, f]],
    ['two filters', 'budget', [{ filter: { campaign: 'spring', 'metadata.has_budget': 'true' } }], [o, o, o]],
    ['an empty filter', 'budget', [{ filter: { 'metadata.has_budget': '' } }], [o, o]],
    ['a customer who is not named', 'for-ann', [{ without: ['body.customer'] }], [o, o]],
    ['order metadata that are left out', 'mug-1', [{ without: ['body.order.metadata'] }], [o, o]],
  ];
  test(
    'for it, against it, or neither',
    checkEachRow(rows, (_, name, patches, expected) => {
      expect(said(name, patches).grounds.map(({ obligation }) => obligation)).toEqual(expected);
    }),
  );

  test('and each is named', () => {
    const { tier, grounds } = said('beyond-mug', [summer]);
    expect(grounds).toEqual([
      { is: 'rank', rank: world.tiers.indexOf(tier) + 1, obligation: 'open' },
      {
        is: 'filter',
        parameter: '[filters][promotion_id][conditions][$is]',
        value: ids.campaign.get('summer'),
        obligation: 'required',
      },
      { is: 'rule', rule: tier.rules[0], obligation: 'required' },
    ]);
    const [rank] = oracleWith().listReasons({ ...tier, id: 'promo_unknown' });
    expect(rank).toEqual({ is: 'rank', rank: Number.POSITIVE_INFINITY, obligation: 'forbidden' });
  });
});

test.describe('whether a tier is valid follows from its rules:', () => {
  const valid: readonly (readonly [what: string, patch: RequestPatch, expected: Record<string, Obligation>])[] = [
    ['no rule', {}, { greeting: 'required' }],
    ['a rule for other customers', {}, { 'for-ann': 'forbidden', 'for-ann-and-ben': 'forbidden' }],
    [
      'a rule for the customer',
      { body: { customer: { id: '<customer ann>' } } },
      { 'for-ann': 'required', 'for-ann-and-ben': 'required', 'for-ben': 'forbidden' },
    ],
    ['a rule for a product', {}, { 'mug-1': 'required', 'mug-2': 'forbidden', 'plate-1': 'forbidden' }],
    ['a quantity', items(product('mug', 3)), { 'mug-1': 'required', 'mug-3': 'required', 'mug-10': 'forbidden' }],
    [
      'a rule for a SKU',
      items(sku('shirt-blue', 2)),
      {
        'shirt-blue-1': 'required',
        'shirt-blue-2': 'required',
        'shirt-blue-3': 'forbidden',
        'shirt-red-1': 'forbidden',
        'mug-1': 'forbidden',
      },
    ],
    ['a product, which counts as none of its SKUs', items(product('shirt')), { 'shirt-blue-1': 'forbidden' }],
    [
      'a SKU, which may count as its product',
      items(sku('mug-white', 2)),
      { 'mug-1': 'open', 'mug-2': 'open', 'mug-3': 'forbidden' },
    ],
    [
      'all rules of a tier',
      items(product('mug'), product('plate')),
      { 'mug-and-plate': 'required', 'for-ann-with-mug': 'forbidden' },
    ],
    ['one rule of a tier that is not satisfied', items(product('mug')), { 'mug-and-plate': 'forbidden' }],
    [
      'equal quantities of a product, which may or may not add up',
      items(product('mug'), product('plate'), product('mug')),
      { 'mug-1': 'required', 'mug-2': 'open', 'mug-3': 'forbidden', 'plate-1': 'required' },
    ],
    [
      'five items of 2',
      items(...Array(5).fill(product('mug', 2))),
      { 'mug-2': 'required', 'mug-3': 'open', 'mug-10': 'open' },
    ],
    [
      'a metadata rule',
      { body: { metadata: { store_name: 'Broadway' } } },
      { broadway: 'required', 'web-shop': 'forbidden' },
    ],
    [
      'a metadata rule, by its whole value',
      { body: { metadata: { store_name: 'Broadway West', sales_channel: 'we' } } },
      { broadway: 'forbidden', 'web-shop': 'forbidden' },
    ],
    [
      'a metadata rule, whose letter case is open',
      { body: { metadata: { Store_Name: 'broadway', sales_channel: 'web' } } },
      { broadway: 'open', 'web-shop': 'required' },
    ],
    [
      'a metadata rule, by text and not by what it may stand for',
      { body: { metadata: { 'gift-code': '010' } } },
      { 'rule-ten': 'forbidden', 'rule-ten-padded': 'required' },
    ],
    [
      'one of five rules that is not satisfied',
      items(product('plate'), product('lamp')),
      { 'five-rules': 'forbidden' },
    ],
    [
      'a metadata rule and the order’s metadata',
      { body: { order: { metadata: { store_name: ['Broadway'] } } } },
      { broadway: 'forbidden' },
    ],
    [
      'an order-metadata rule, whether satisfied',
      { body: { order: { metadata: { payment_mean: ['credit-card'] } } } },
      { 'credit-card': 'open' },
    ],
    ['an order-metadata rule, or not', {}, { 'credit-card': 'open' }],
    [
      'whatever the window',
      {},
      { 'beyond-first': 'required', 'beyond-for-ann': 'forbidden', 'beyond-mug': 'required' },
    ],
    ['whatever the filter', inCampaign('summer'), { greeting: 'required', 'for-ann': 'forbidden' }],
  ];
  test(
    'rule by rule',
    checkEachRow(valid, (_, patch, expected) => {
      expect(obligations('valid', oracleWith(patch), Object.keys(expected))).toEqual(expected);
    }),
  );
});

test.describe('whether a tier matches follows from the filter:', () => {
  const matching: readonly (readonly [what: string, patch: RequestPatch, expected: Record<string, Obligation>])[] = [
    ['none, which all match', {}, { greeting: 'required', 'for-ann': 'required', 'beyond-first': 'required' }],
    [
      'a campaign',
      inCampaign('spring'),
      { greeting: 'required', 'for-ann': 'required', gift: 'forbidden', 'beyond-first': 'required' },
    ],
    [
      'a campaign, percent-encoded',
      { query: { '[filters][promotion_id][conditions][$is]': '<campaign spring>' } },
      { greeting: 'required', gift: 'forbidden' },
    ],
    [
      'a metadata entry',
      withMetadata('level', 'gold'),
      { gold: 'required', golden: 'forbidden', greeting: 'forbidden', 'gold-on-web': 'required' },
    ],
    [
      'the string true against the boolean',
      withMetadata('on_sale', 'true'),
      { 'boolean-true': 'open', 'text-true-and-one': 'required', 'number-one': 'forbidden' },
    ],
    [
      'the string 1 against the number',
      withMetadata('priority', '1'),
      { 'number-one': 'open', 'text-true-and-one': 'required', 'boolean-true': 'forbidden' },
    ],
    ['a value in other letter case', withMetadata('region', 'north'), { north: 'open', greeting: 'forbidden' }],
    ['the value as it is', withMetadata('region', 'North'), { north: 'required' }],
    [
      'a value that is a part of another',
      withMetadata('has_budget', 'true'),
      { budget: 'required', 'budget-in-words': 'forbidden', 'no-budget': 'forbidden' },
    ],
    [
      'a value with a space, however encoded',
      withMetadata('has_budget', 'true%20story'),
      { 'budget-in-words': 'required', budget: 'forbidden' },
    ],
    [
      'a key that has to be percent-encoded',
      { filter: { 'metadata.opening hours': 'late' } },
      { 'odd-keys': 'required', ten: 'forbidden' },
    ],
    ['a number as text', { filter: { 'metadata.code': '10' } }, { ten: 'required', 'ten-padded': 'forbidden' }],
  ];
  test(
    'filter by filter',
    checkEachRow(matching, (_, patch, expected) => {
      expect(obligations('matching', oracleWith(patch), Object.keys(expected))).toEqual(expected);
    }),
  );
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
    [
      'without a filter, older ones are not',
      {},
      ['required', 'required', 'forbidden', 'forbidden', 'forbidden', 'forbidden', 'required'],
    ],
    [
      'with a campaign, older ones of it are open',
      inCampaign('spring'),
      ['required', 'forbidden', 'open', 'forbidden', 'forbidden', 'forbidden', 'required'],
    ],
    [
      'with a metadata entry, older ones that have it are open',
      withMetadata('has_budget', 'true'),
      ['required', 'forbidden', 'open', 'forbidden', 'forbidden', 'forbidden', 'required'],
    ],
    [
      'with a campaign without tiers, none',
      inCampaign('winter'),
      ['forbidden', 'forbidden', 'forbidden', 'forbidden', 'forbidden', 'forbidden', 'forbidden'],
    ],
  ];
  test(
    'request by request',
    checkEachRow(returned, (_, patch, expected) => {
      const oracle = oracleWith(patch);
      expect(oracle.accepted).toBe(true);
      expect(oracle.openReason).toBeUndefined();
      expect(Object.values(obligations('returned', oracle, names))).toEqual(expected);
    }),
  );

  test('with one filter there are two readings, which differ in what is older; with none or with two there are none', () => {
    const older = ['beyond-first', 'beyond-last', 'beyond-for-ann', 'budget', 'gift'];
    const readingsOf = (...patches: readonly RequestPatch[]) =>
      oracleWith(...patches).alternatives.map(({ window, returned }) => [
        window,
        ...older.map((name) =>
          returned(world.tiers.find((tier) => tier.name === name) as (typeof world.tiers)[number]),
        ),
      ]);
    expect(readingsOf({ filter: { campaign: 'spring' } })).toEqual([
      ['before-the-filter', 'forbidden', 'forbidden', 'forbidden', 'required', 'forbidden'],
      ['after-the-filter', 'required', 'required', 'forbidden', 'required', 'forbidden'],
    ]);
    expect(readingsOf({ filter: { 'metadata.has_budget': 'true' } })).toEqual([
      ['before-the-filter', 'forbidden', 'forbidden', 'forbidden', 'required', 'forbidden'],
      ['after-the-filter', 'required', 'forbidden', 'forbidden', 'required', 'forbidden'],
    ]);
    expect(readingsOf()).toEqual([]);
    expect(readingsOf({ filter: { campaign: 'spring', 'metadata.has_budget': 'true' } })).toEqual([]);
    expect(readingsOf({ filter: { campaign: 'spring' } }, { without: ['body.order'] })).toEqual([]);
  });

  test('where the filter comes first, and it is open how a value compares, so is what just fits or does not', () => {
    const [tier] = world.tiers;
    const level = (n: number) => (n === 0 ? 'GOLD' : n === 1 ? 'silver' : 'gold');
    const tiers = Array.from({ length: 154 }, (_, n) => ({
      ...(tier as (typeof world.tiers)[number]),
      id: `tier-${n}`,
      metadata: { level: level(n) },
      rules: [],
    }));
    const { alternatives } = createOracle(requestWith(withMetadata('level', 'gold')), { ...world, tiers });
    // Of those that are gold for certain, 150 are 2 to 151; with the first 150, they end at 150.
    const after = alternatives.map(({ returned }) => tiers.map(returned))[1];
    const about = [0, 1, 2, 150, 151, 152, 153].map((n) => after?.[n]);
    expect(about).toEqual(['open', 'forbidden', 'required', 'required', 'open', 'forbidden', 'forbidden']);
  });

  test('what filters are on, and that a server may ask for the length of a body', () => {
    expect(oracleWith(inCampaign('spring')).filteredOn).toBe('campaign');
    expect(oracleWith(withMetadata('level', 'gold')).filteredOn).toBe('metadata');
    expect(oracleWith().filteredOn).toBeUndefined();
    const accepted = (request: HttpRequest) => createOracle(request, world).accepted;
    expect([accepted(requestWith()), accepted({ ...requestWith(), sent: 'chunked' })]).toEqual([true, false]);
  });

  test('for a request that says everything: all of the newest 150 but the open ones, and nothing else', () => {
    const rules = world.tiers.flatMap((tier) => tier.rules);
    // Of two values of one key the first is said, so that two tiers are not valid.
    const entries = rules.flatMap((rule) => (rule.kind === 'metadata' ? [[rule.key, rule.is] as const] : []));
    const everySaid = Object.fromEntries(entries.toReversed());
    const oracle = oracleWith(
      { body: { customer: { id: '<customer bulk>' }, metadata: everySaid } },
      items(
        ...['plate', 'lamp', 'chair'].map((name) => product(name, 3)),
        product('mug', 10),
        ...['shirt-blue', 'shirt-red', 'bag-small', 'bag-large'].map((name) => sku(name, 3)),
      ),
    );
    expect(world.tiers.filter((tier) => oracle.returned(tier) === 'open').map(({ name }) => name)).toEqual([
      'credit-card',
    ]);
    expect(world.tiers.filter((tier) => oracle.returned(tier) === 'required')).toHaveLength(147);
    expect(world.tiers.slice(150).every((tier) => oracle.returned(tier) === 'forbidden')).toBe(true);
  });

  test('whether a tier is checked at all: the newest 150 are; older ones are open where a filter may come first', () => {
    const names = ['window-last', 'window-last-but-one', 'beyond-first', 'for-ann'];
    const checkedWith = (...patches: readonly RequestPatch[]) =>
      Object.values(obligations('checked', oracleWith(...patches), names));
    expect(checkedWith()).toEqual(['required', 'required', 'forbidden', 'required']);
    expect(checkedWith(inCampaign('spring'))).toEqual(['required', 'required', 'open', 'required']);
  });

  test('for a tier that is not of the world: nothing beyond what its rules say, as it has no rank', () => {
    const [tier] = world.tiers;
    expect(tier && oracleWith().returned({ ...tier, id: 'promo_unknown' })).toBe('forbidden');
  });
});
