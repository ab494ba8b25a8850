import { expect, test } from '@playwright/test';
import type { RequestPatch } from '../../src/cases/request-draft.js';
import { createOracle, type Obligation, type Oracle } from '../../src/contract/oracle.js';
import type { Tier } from '../../src/contract/world.js';
import { loadWorld } from '../../src/contract/world-file.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { checkEachRow } from '../support/check-each-row.js';
import { createPatchedRequest } from '../support/patched-request.js';

const world = loadWorld();
const { ids } = world;

const requestWith = (...patches: readonly RequestPatch[]) => createPatchedRequest(world, ...patches);
const oracleWith = (...patches: readonly RequestPatch[]): Oracle => createOracle(requestWith(...patches), world);
const items = (...list: readonly object[]): RequestPatch => ({ body: { order: { items: list } } });
const product = (name: string, quantity: unknown = 1) => ({ product_id: `<product ${name}>`, quantity });
const sku = (name: string, quantity: unknown = 1) => ({ sku_id: `<sku ${name}>`, quantity });
const query = (text: string): RequestPatch => ({ query: text });
const inCampaign = (name: string) => query(`[filters][promotion_id][conditions][$is]=<campaign ${name}>`);
const spring: RequestPatch = { filter: { campaign: 'spring' } };
const withMetadata = (key: string, value: string) => query(`[filters][metadata.${key}][conditions][$is]=${value}`);

function findTier(name: string): Tier {
  const found = world.tiers.find((tier) => tier.name === name);
  if (found === undefined) throw new Error(`There is no tier '${name}'.`);
  return found;
}

const listObligations = (what: 'returned' | 'valid' | 'matching', oracle: Oracle, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, oracle[what](findTier(name))]));

const metadata = (members: object): RequestPatch => ({ body: { metadata: members } });
const orderMetadata = (members: object): RequestPatch => ({ body: { order: { metadata: members } } });

const obligations: Readonly<Record<string, Obligation>> = { '+': 'required', '-': 'forbidden', '?': 'open' };
/** Reads obligations. The sign before the name of a tier says which: + required, - forbidden, ? open. */
const readSaid = (said: string) =>
  Object.fromEntries(said.split(' ').map(([mark = '', ...name]) => [name.join(''), obligations[mark]]));

const countTiers = (oracle: Oracle, obligation: Obligation) =>
  world.tiers.filter((tier) => oracle.returned(tier) === obligation).length;

const campaignFilter = '[filters][promotion_id][conditions][$is]';
const levelFilter = '[filters][metadata.level][conditions][$is]';

test('A parameter may have the name of a member that every object inherits', () => {
  for (const name of Object.getOwnPropertyNames(Object.prototype))
    expect(oracleWith(query(`${name}=1`)).undocumentedReason, name).toMatch(/^\/query /);
});

test.describe('Nothing is required if a part of the request is open', () => {
  const effect = (of: string) => `the effect of ${of} is open`;
  type Row = readonly [what: string, patch: RequestPatch, reason: string];
  const rows: readonly Row[] = [
    ...['customer', 'customer.id', 'order', 'order.items', 'order.metadata', 'options', 'metadata'].map(
      (member): Row => [member, { without: [`body.${member}`] }, effect(`leaving out ${member}`)],
    ),
    ['empty object', { raw: '{}' }, effect('leaving out customer')],
    ['plus sign', withMetadata('has_budget', 'a+b'), 'the meaning of + in the query is open'],
    ['no items', items(), effect('an order without items')],
    ['no quantity', items({ product_id: '<product mug>' }), effect('an item without quantity')],
    ['quantity 0', items(product('mug', 0)), effect('a quantity below 1')],
    ['huge quantity', items(product('mug', 1_000_001)), 'the maximum quantity is open'],
    ['large order', items(...Array(101).fill(product('mug'))), 'the maximum number of items is open'],
    ['unknown customer', { body: { customer: { id: 'cust_x' } } }, `${effect('an unknown customer')}: cust_x`],
    ['unknown product', items({ product_id: 'prod_x', quantity: 1 }), `${effect('an unknown product')}: prod_x`],
    ['unknown SKU', items({ sku_id: 'sku_x', quantity: 1 }), `${effect('an unknown SKU')}: sku_x`],
    ['empty expand', { body: { options: { expand: [] } } }, 'whether options.expand may be empty is open'],
    ['repeated SKU', items(sku('bag-small'), sku('bag-small')), 'whether a SKU may be repeated is open'],
    ['product, SKU', items(product('shirt'), sku('shirt-blue')), effect('a product and its own SKU in one order')],
    [
      'two filters',
      query(`${campaignFilter}=<campaign spring>&${levelFilter}=gold`),
      'the combination of several filters is open',
    ],
    ['empty campaign filter', query(`${campaignFilter}=`), effect('a filter with an empty value')],
    ['unknown campaign', query(`${campaignFilter}=camp_x`), `${effect('an unknown campaign')}: camp_x`],
    ['unknown key', withMetadata('no_such_key', 'a'), `${effect('a metadata key that no tier has')}: no_such_key`],
  ];
  test('or if an id is unknown', () =>
    checkEachRow(rows, (_, patch, reason) => {
      const oracle = oracleWith(patch);
      expect([oracle.openReason, oracle.undocumentedReason]).toEqual([reason, undefined]);
      expect(oracle.accepted).toBe(false);
      expect(countTiers(oracle, 'required')).toBe(0);
      // Everything is open for an unknown id. Otherwise something is still forbidden.
      expect(countTiers(oracle, 'forbidden') > 0).toBe(!/unknown (customer|product|SKU|campaign)/.test(reason));
    }));

  test('but large orders, one filter and SKUs of other products are not open', () => {
    for (const patch of [
      items(...Array(100).fill(product('mug', 1_000_000))),
      items(product('shirt'), sku('mug-white')),
      query(`${levelFilter}=gold`),
      query(`${levelFilter}=%F0%9F%8E%81`),
    ])
      expect(oracleWith(patch).openReason).toBeUndefined();
  });

  const undocumented: readonly (readonly [where: string, patch: RequestPatch])[] = [
    ['/body/order/items/0/quantity', items(product('mug', '1'))],
    ['/body/order/items/0 (product_id)', items({ quantity: 1 })],
    ['/body/order/items/0', items({ ...product('mug'), ...sku('mug-white') })],
    ['/body/options/expand/0', { body: { options: { expand: ['tier'] } } }],
    ['/body/order/metadata/a', { body: { order: { metadata: { a: 'b' } } } }],
    ['/body/metadata/a', { body: { metadata: { a: 1 } } }],
    ['/body', { raw: '[]' }],
    ['the request (body)', { raw: '{' }],
    ['/headers (content-type)', { without: ['headers.Content-Type'] }],
    ['/headers (x-client-token)', { without: ['headers.X-Client-Token'] }],
    ['/headers/x-client-token', { headers: { 'X-Client-Token': ['$CLIENT_TOKEN', '$CLIENT_TOKEN'] } }],
    ['/headers/if-none-match', { headers: { 'If-None-Match': '"a"' } }],
    ['/headers/x-http-method-override', { headers: { 'X-HTTP-Method-Override': 'POST' } }],
    ['/method', { method: 'POST' }],
    ['/path', { path: '/v1/promotions/validation/' }],
    ['/query/audienceRulesOnly/0', query('audienceRulesOnly=false')],
    ['/query/audienceRulesOnly', query('audienceRulesOnly=true&audienceRulesOnly=true')],
    ['/query ([filters][promotion_id][conditions][$in])', query('[filters][promotion_id][conditions][$in]=a')],
  ];
  test('and everything is open for an undocumented request', () =>
    checkEachRow(undocumented, (where, patch) => {
      const oracle = oracleWith(patch);
      expect(oracle.undocumentedReason?.indexOf(where), where).toBe(0);
      expect([oracle.openReason, oracle.accepted]).toEqual([oracle.undocumentedReason, false]);
      expect(countTiers(oracle, 'open')).toBe(world.tiers.length);
      expect([oracle.alternatives, oracle.listReasons(world.tiers[0] as Tier)]).toEqual([[], []]);
    }));

  const ambiguous: readonly (readonly [reason: string, patch: RequestPatch])[] = [
    ['half of a surrogate pair', { raw: '{"metadata": {"a": "\\ud83d"}}' }],
    ['repeats a key', { raw: '{"metadata": {"a": "b", "a": "c"}}' }],
    [
      'a double does not hold the number',
      { raw: '{"order": {"items": [{"product_id": "a", "quantity": 9007199254740993}]}}' },
    ],
    ['is not UTF-8', query(`${levelFilter}=%F0%9F`)],
  ];
  test('and for text on which parsers disagree', () => {
    checkEachRow(ambiguous, (reason, patch) => expect(oracleWith(patch).undocumentedReason).toContain(reason));
    const escaped = { raw: '{"metadata": {"a": "🎁 \\ud83d\\udf81 \\\\ud83d"}}' };
    expect(oracleWith(escaped).undocumentedReason).toBeUndefined();
  });
});

test.describe('A request is read by its meaning', () => {
  const [encoded, literal] = [
    { query: { [levelFilter]: 'gold & green' } },
    query(`${levelFilter}=gold%20%26%20green`),
  ] as const;
  const spellings: readonly (readonly [what: string, request: HttpRequest])[] = [
    ['literal brackets', requestWith(literal)],
    ['encoded brackets', requestWith(encoded)],
    ['encoded in lower case', { ...requestWith(encoded), path: requestWith(encoded).path.replaceAll('%5B', '%5b') }],
    [
      'names of headers in lower case',
      withHeaders(({ headers }) => headers.map(([key, value]) => [key.toLowerCase(), value])),
    ],
    [
      'names of headers in upper case',
      withHeaders(({ headers }) => headers.map(([key, value]) => [key.toUpperCase(), value])),
    ],
    [
      'headers of browsers, gateways and tracing',
      withHeaders(({ headers }) =>
        [
          ...headers,
          ...['Host: shop.test', 'Accept: */*', 'User-Agent: a', 'Cookie: a=b', 'Origin: https://a.test', 'Referer: b'],
          ...['Content-Length: 9', 'Connection: keep-alive', 'traceparent: 00-1-2-01', 'X-Forwarded-For: 10.0.0.1'],
        ].map((line) => (typeof line === 'string' ? (line.split(': ') as [string, string]) : line)),
      ),
    ],
  ];

  function withHeaders(change: (request: HttpRequest) => HttpRequest['headers']): HttpRequest {
    const request = requestWith(encoded);
    return { ...request, headers: change(request) };
  }

  test('not by its spelling', () =>
    checkEachRow(spellings, (_, request) => {
      const { accepted, undocumentedReason, openReason, matching } = createOracle(request, world);
      expect([accepted, undocumentedReason, openReason]).toEqual([true, undefined, undefined]);
      expect(matching(findTier('gold'))).toBe('forbidden');
    }));

  test('but a server may refuse some headers', () => {
    const accepts = (name: string, value: string) => oracleWith({ headers: { [name]: value } }).accepted;
    expect([accepts('Accept', 'text/html, */*;q=0.8'), accepts('Accept', 'application/json')]).toEqual([true, true]);
    expect([accepts('Accept', 'text/csv'), accepts('Expect', '100-continue')]).toEqual([false, false]);
  });
});

test.describe('If a part of the request is open, the rest still holds', () => {
  const ann = { body: { customer: { id: '<customer ann>' } } };
  const names = ['greeting', 'for-ann', 'for-ben', 'mug-10', 'summer-budget', 'beyond-narrowly', 'beyond-for-ann'];
  const [o, f] = ['open', 'forbidden'] as const;
  const rows: readonly (readonly [what: string, patches: RequestPatch[], said: readonly Obligation[]])[] = [
    ['audienceRulesOnly', [ann, query('audienceRulesOnly=true')], [o, o, f, o, o, f, f]],
    ['no order', [ann, { without: ['body.order'] }], [o, o, f, o, o, f, f]],
    ['no metadata', [ann, { without: ['body.metadata'] }], [o, o, f, o, o, f, f]],
    ['no customer: nobody is named', [{ without: ['body.customer'] }], [o, o, o, o, o, f, f]],
    ['an empty object', [{ raw: '{}' }], [o, o, o, o, o, f, f]],
    ['both filters', [ann, { filter: { campaign: 'spring', 'metadata.has_budget': 'true' } }], [o, o, f, f, o, f, f]],
    ['an empty filter', [ann, { filter: { 'metadata.has_budget': '' } }], [o, o, f, f, o, o, o]],
    ['a key of no tier', [ann, { filter: { 'metadata.no_such_key': 'x' } }], [o, o, f, f, o, o, o]],
    [
      'both filters, and no quantity',
      [ann, items({ product_id: '<product mug>' }), { filter: { campaign: 'summer', 'metadata.has_budget': 'true' } }],
      [f, f, f, o, o, o, o],
    ],
  ];
  test('tier by tier', () =>
    checkEachRow(rows, (_, patches, said) => {
      const oracle = oracleWith(...patches);
      expect(listObligations('returned', oracle, names)).toEqual(
        Object.fromEntries(names.map((name, n) => [name, said[n]])),
      );
      const forbids = (tier: Tier) => oracle.listReasons(tier).some(({ obligation }) => obligation === 'forbidden');
      expect(world.tiers.filter((tier) => forbids(tier) !== (oracle.returned(tier) === 'forbidden'))).toEqual([]);
    }));

  const omissions: readonly (readonly [what: string, without: string[], said: string])[] = [
    ['order metadata', ['order.metadata'], '+greeting +mug-1 -mug-10 -broadway ?credit-card -for-ben -beyond-first'],
    ['metadata', ['metadata'], '+greeting +mug-1 -mug-10 ?broadway ?credit-card -for-ben -beyond-first -five-rules'],
    ['all', ['options', 'metadata', 'order.metadata'], '+greeting +mug-1 -mug-10 ?broadway ?credit-card -for-ben'],
    ['options, customer', ['options', 'customer'], '?greeting ?mug-1 ?mug-10 ?broadway ?for-ben -beyond-first'],
  ];
  test('A response that returns a tier is open only for rules about what was left out', () =>
    checkEachRow(omissions, (_, without, said) => {
      const oracle = oracleWith(ann, { without: without.map((member) => `body.${member}`) });
      const { whenReturning = oracle } = oracle;
      const expected = readSaid(said);
      expect(listObligations('returned', whenReturning, Object.keys(expected))).toEqual(expected);
      expect([oracle.accepted, whenReturning.accepted]).toEqual([false, false]);
      // A deployment may return nothing.
      expect(countTiers(oracle, 'required')).toBe(0);
      const forbidden = world.tiers.filter((tier) => oracle.returned(tier) === 'forbidden');
      expect(forbidden.filter((tier) => whenReturning.returned(tier) !== 'forbidden')).toEqual([]);
    }));

  test('with a filter, too, in both readings', () => {
    const { alternatives, whenReturning } = oracleWith(ann, spring, { without: ['body.options'] });
    expect([alternatives.length, whenReturning?.alternatives.length]).toEqual([0, 2]);
    expect(oracleWith(ann).whenReturning).toBeUndefined();
  });

  test('audienceRulesOnly must be accepted, unless something else is left out', () => {
    const { accepted, openReason } = oracleWith(ann, query('audienceRulesOnly=true'));
    expect([accepted, openReason]).toEqual([true, 'the effect of audienceRulesOnly is open']);
    expect(oracleWith(query('audienceRulesOnly=true'), { without: ['body.order'] }).accepted).toBe(false);
  });

  test('A filter may be refused if only older tiers match it, or a number or a boolean does', () => {
    const filters = ['spring', 'archive'].map((name) => query(`${campaignFilter}=<campaign ${name}>`));
    const all = [...filters, withMetadata('on_sale', 'true'), withMetadata('on_sale', 'yes')];
    expect(all.map((patch) => oracleWith(patch).accepted)).toEqual([true, false, false, true]);
  });

  test('A NUL may be refused, and otherwise the whole result is as documented', () => {
    const [plain, nul] = ['Broadway ', 'Broadway\0'].map((value) => oracleWith(ann, metadata({ store_name: value })));
    expect([plain?.accepted, nul?.accepted, nul?.openReason]).toEqual([true, false, undefined]);
    expect(world.tiers.map((tier) => nul?.returned(tier))).toEqual(world.tiers.map((tier) => plain?.returned(tier)));
  });
});

test('The reasons for a tier are its rank, the filters and its rules', () => {
  const tier = findTier('beyond-mug');
  expect(oracleWith({ filter: { campaign: 'summer' } }).listReasons(tier)).toEqual([
    { is: 'rank', rank: world.tiers.indexOf(tier) + 1, obligation: 'forbidden' },
    { is: 'filter', subject: { on: 'campaign' }, value: ids.campaign.get('summer'), obligation: 'required' },
    { is: 'rule', rule: tier.rules[0], obligation: 'required' },
  ]);
  const [rank] = oracleWith().listReasons({ ...tier, id: 'promo_unknown' });
  expect(rank).toEqual({ is: 'rank', rank: Number.POSITIVE_INFINITY, obligation: 'forbidden' });
});

test('Whether a tier is valid depends on its rules', () => {
  const valid: readonly (readonly [what: string, patch: RequestPatch, said: string])[] = [
    ['a rule for other customers', {}, '-for-ann -for-ann-and-ben'],
    ['a rule for the customer', { body: { customer: { id: '<customer ann>' } } }, '+for-ann +for-ann-and-ben -for-ben'],
    ['a rule for a product', {}, '+mug-1 -mug-2 -plate-1'],
    ['a quantity', items(product('mug', 3)), '+mug-1 +mug-3 -mug-10'],
    ['a rule for a SKU', items(sku('shirt-blue', 2)), '+shirt-blue-1 +shirt-blue-2 -shirt-blue-3 -shirt-red-1 -mug-1'],
    ['a SKU, perhaps its product', items(sku('mug-white', 2)), '?mug-1 ?mug-2 -mug-3'],
    ['all rules of a tier', items(product('mug'), product('plate')), '+mug-and-plate -for-ann-with-mug'],
    ['equal quantities', items(product('mug'), product('plate'), product('mug')), '+mug-1 +plate-1 ?mug-2 -mug-3'],
    [
      'different quantities of a product: the smallest one is certain',
      items(product('mug', 2), product('mug', 1)),
      '+mug-1 ?mug-2 ?mug-3 -mug-10',
    ],
    ['a metadata rule', metadata({ store_name: 'Broadway' }), '+broadway -web-shop'],
    ['another letter case', metadata({ Store_Name: 'broadway', sales_channel: 'web' }), '?broadway +web-shop'],
    ['metadata as text, not as number', metadata({ 'gift-code': '010' }), '-rule-ten +rule-ten-padded'],
    ['one of five rules violated', items(product('plate'), product('lamp')), '-five-rules'],
    ['a metadata rule, order metadata', orderMetadata({ store_name: ['Broadway'] }), '-broadway'],
    ['a satisfied order-metadata rule', orderMetadata({ payment_mean: ['credit-card'] }), '?credit-card'],
    ['an order-metadata rule', {}, '?credit-card'],
    ['whatever the window', {}, '+beyond-first +beyond-mug -beyond-for-ann'],
    ['whatever the filter', inCampaign('summer'), '+greeting -for-ann'],
  ];
  checkEachRow(valid, (_, patch, said) => {
    const expected = readSaid(said);
    expect(listObligations('valid', oracleWith(patch), Object.keys(expected))).toEqual(expected);
  });
});

test('Whether a tier matches depends on the filter', () => {
  const matching: readonly (readonly [what: string, patch: RequestPatch, said: string])[] = [
    ['a campaign', inCampaign('spring'), '+greeting +for-ann +beyond-first -gift'],
    ['a campaign, percent-encoded', { query: { [campaignFilter]: '<campaign spring>' } }, '+greeting -gift'],
    ['a metadata entry', withMetadata('level', 'gold'), '+gold +gold-on-web -golden -greeting'],
    ['true against a boolean', withMetadata('on_sale', 'true'), '?boolean-true +text-true-and-one -number-one'],
    ['1 against a number', withMetadata('priority', '1'), '?number-one +text-true-and-one -boolean-true'],
    ['a value in other letter case', withMetadata('region', ']north['), '?north -greeting'],
    ['the value as it is', withMetadata('region', ']North['), '+north'],
    ['a part of another value', withMetadata('has_budget', 'true'), '+budget -budget-in-words -no-budget'],
    ['a key that has to be percent-encoded', { filter: { 'metadata.opening hours': 'late' } }, '+odd-keys -ten'],
  ];
  checkEachRow(matching, (_, patch, said) => {
    const expected = readSaid(said);
    expect(listObligations('matching', oracleWith(patch), Object.keys(expected))).toEqual(expected);
  });
});

test.describe('A tier is returned if it is valid, matching and one of the newest 150', () => {
  const names = [
    'window-last',
    'window-last-but-one',
    'beyond-first',
    'beyond-narrowly',
    'beyond-for-ann',
    'for-ann',
    'budget',
  ];
  const [o, f, r] = ['open', 'forbidden', 'required'] as const;
  const returned: readonly (readonly [what: string, patch: RequestPatch, expected: readonly Obligation[]])[] = [
    ['no filter', {}, [r, r, f, f, f, f, r]],
    ['a campaign', inCampaign('spring'), [r, f, o, f, f, f, r]],
    ['a metadata entry', withMetadata('has_budget', 'true'), [r, f, o, f, f, f, r]],
    ['a campaign without tiers', inCampaign('winter'), [f, f, f, f, f, f, f]],
  ];
  test('request by request', () =>
    checkEachRow(returned, (_, patch, expected) => {
      const oracle = oracleWith(patch);
      expect(oracle.accepted).toBe(true);
      expect(oracle.openReason).toBeUndefined();
      expect(Object.values(listObligations('returned', oracle, names))).toEqual(expected);
    }));

  test('With one filter there are two readings, which differ in older tiers', () => {
    const older = ['beyond-first', 'beyond-last', 'beyond-for-ann', 'budget', 'gift'];
    const readingsOf = (...patches: readonly RequestPatch[]) =>
      oracleWith(...patches).alternatives.map(({ window, returned }) => {
        const tiers = older.map(findTier);
        return [window, ...tiers.map(returned)];
      });
    const bothReadings = [
      ['before-the-filter', f, f, f, r, f],
      ['after-the-filter', r, r, f, r, f],
    ];
    for (const filter of [spring, { filter: { 'metadata.has_budget': 'true' } }])
      expect(readingsOf(filter)).toEqual(bothReadings);
    expect(readingsOf()).toEqual([]);
    expect(readingsOf({ filter: { campaign: 'spring', 'metadata.has_budget': 'true' } })).toEqual([]);
    expect(readingsOf(spring, { without: ['body.order'] })).toEqual([]);
  });

  test('If the filter comes first, tiers at the edge of the window are open if values compare openly', () => {
    const [tier] = world.tiers;
    const level = (n: number) => (n === 0 ? 'GOLD' : n === 1 ? 'silver' : 'gold');
    const tiers = Array.from({ length: 154 }, (_, n) => ({
      ...(tier as Tier),
      id: `tier-${n}`,
      metadata: { level: level(n) },
      rules: [],
    }));
    const { alternatives } = createOracle(requestWith(withMetadata('level', 'gold')), { ...world, tiers });
    // Counting certain matches only, the newest 150 are 2 to 151. Counting possible ones too, they end at 150.
    const after = alternatives.map(({ returned }) => tiers.map(returned))[1];
    const about = [0, 1, 2, 150, 151, 152, 153].map((n) => after?.[n]);
    expect(about).toEqual(['open', 'forbidden', 'required', 'required', 'open', 'forbidden', 'forbidden']);
  });

  test('Tiers that a deployment lacks take no places, whether the filter comes first or not', () => {
    const [tier] = world.tiers as [Tier];
    const tiers = Array.from({ length: 153 }, (_, n) => ({
      ...tier,
      id: `tier-${n}`,
      metadata: { level: 'gold' },
      rules: [],
    }));
    const unavailable = new Map([['tier-3', { kind: 'tier', name: 'a' } as const]]);
    const oracle = createOracle(requestWith(withMetadata('level', 'gold')), { ...world, tiers, unavailable });
    const saidBy = ({ returned }: Pick<Oracle, 'returned'>) => [149, 150, 151].map((n) => returned(tiers[n] as Tier));
    expect(saidBy(oracle)).toEqual(['required', 'open', 'forbidden']);
    expect(oracle.alternatives.map(saidBy)[1]).toEqual(['required', 'required', 'forbidden']);
  });
});
