import crypto from 'node:crypto';
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { connect } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { Client } from 'undici';
import {
  type Behaviours,
  type ClosedQuestion,
  closedQuestions,
  convertOutcomesToBehaviours,
  openQuestions,
} from '../../reference/behaviours.js';
import { createDeployment, type DeploymentOptions } from '../../reference/deployment.js';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { serveReference } from '../../reference/server.js';
import { findWorldFlaws } from '../../reference/world-flaws.js';
import type { HttpRequest, HttpResponse } from '../../src/http/exchange.js';
import { packageRoot } from '../../src/support/package-root.js';
import { compileSchema } from '../../src/support/user-schema.js';
import { findThingProblem } from '../../src/world/find-thing-problem.js';
import type { Rule, Tier, World } from '../../src/world/world.js';
import { createCoveringArray } from './support/covering-array.js';

// The world ---------------------------------------------------------------------------------------------------------

type Entry = readonly [name: string, campaign: string, more?: Partial<Pick<Tier, 'metadata' | 'rules'>>];

const mug = (at_least: number): Rule[] => [{ kind: 'product', id: 'prod_mug', at_least }];
const cap = (at_least: number): Rule[] => [{ kind: 'sku', id: 'sku_cap', at_least }];
const entries: readonly Entry[] = [
  ['open', 'a'],
  ['ann', 'a', { rules: [{ kind: 'customer', any_of: ['cust_ann'] }] }],
  ['ben', 'b', { rules: [{ kind: 'customer', any_of: ['cust_ben'] }] }],
  ['mug-01', 'b', { rules: mug(1) }],
  ['mug-02', 'b', { rules: mug(2) }],
  ['mug-03', 'b', { rules: mug(3) }],
  ['mug-10', 'b', { rules: mug(10) }],
  ['cap-01', 'b', { rules: cap(1) }],
  ['cap-02', 'b', { rules: cap(2) }],
  ['cap-03', 'b', { rules: cap(3) }],
  ['store', 'a', { rules: [{ kind: 'metadata', key: 'store_name', is: 'Broadway' }] }],
  ['card', 'a', { rules: [{ kind: 'order_metadata', key: 'payment_mean', includes: 'credit-card' }] }],
  ['budget', 'a', { metadata: { has_budget: 'true' } }],
  ['budget-b', 'b', { metadata: { has_budget: 'true' } }],
  ['gold', 'a', { metadata: { level: 'gold' } }],
  ['golden', 'a', { metadata: { level: 'golden' } }],
  ['gold-web', 'b', { metadata: { level: 'gold', channel: 'web' } }],
  ['web', 'c', { metadata: { channel: 'web' } }],
  ['sale-text', 'b', { metadata: { on_sale: 'true', priority: '1' } }],
  ['sale-boolean', 'b', { metadata: { on_sale: true } }],
  ['priority-number', 'b', { metadata: { priority: 1 } }],
  ['north', 'a', { metadata: { region: 'North' } }],
  ...Array.from(
    { length: 127 },
    (_, at): Entry => [`filler-${at}`, 'filler', { rules: [{ kind: 'customer', any_of: ['cust_bulk'] }] }],
  ),
  ['window-last', 'a'],
  ['beyond-first', 'filler'],
  ['beyond-budget', 'old', { metadata: { has_budget: 'true' } }],
  ['beyond-last', 'old'],
];

const world: World = {
  customers: [{ id: 'cust_ann' }, { id: 'cust_ben' }, { id: 'cust_bulk' }],
  products: [{ id: 'prod_mug' }, { id: 'prod_cap' }],
  skus: [
    { id: 'sku_cap', product_id: 'prod_cap' },
    { id: 'sku_mug_white', product_id: 'prod_mug' },
  ],
  categories: [{ id: 'cat_kitchen', name: 'Kitchen' }],
  campaigns: ['a', 'b', 'c', 'filler', 'old', 'empty'].map((name) => ({
    id: `camp_${name}`,
    name,
    category_ids: name === 'a' ? ['cat_kitchen'] : [],
  })),
  tiers: entries.map(([name, campaign, { metadata = {}, rules = [] } = {}], at) => ({
    id: `promo_${name}`,
    campaign_id: `camp_${campaign}`,
    name: `Tier ${at}`,
    created_at: new Date(Date.UTC(2024, 0, 20) - at * 3_600_000).toISOString(),
    metadata,
    rules,
  })),
};

// Requests ----------------------------------------------------------------------------------------------------------

const credentialHeaders = {
  'X-Client-Application-Id': referenceCredentials.applicationId,
  'X-Client-Token': referenceCredentials.token,
};

interface Asking {
  method?: string;
  path?: string;
  query?: string;
  /** Instead of those of a documented request. */
  headers?: Readonly<Record<string, string>>;
  members?: unknown;
  /** Instead of `members`. */
  text?: string;
}

const operation = '/v1/promotions/validation';
const json = { 'Content-Type': 'application/json' };

/** A documented request with all members. */
const documented = {
  customer: { id: 'cust_ann' },
  order: { items: [{ product_id: 'prod_mug', quantity: 3 }], metadata: { payment_mean: ['credit-card'] } },
  options: {},
  metadata: { store_name: 'Broadway' },
};

const withItems = (...items: unknown[]) => ({ ...documented, order: { items, metadata: {} } });
const mugs = (...quantities: unknown[]) =>
  withItems(...quantities.map((quantity) => ({ product_id: 'prod_mug', quantity })));
const caps = (...quantities: unknown[]) =>
  withItems(...quantities.map((quantity) => ({ sku_id: 'sku_cap', quantity })));
const without = (member: keyof typeof documented) =>
  Object.fromEntries(Object.entries(documented).filter(([name]) => name !== member));
const campaign = (value: string) => `[filters][promotion_id][conditions][$is]=${value}`;
const metadata = (key: string, value: string) => `[filters][metadata.${key}][conditions][$is]=${value}`;

function requestOf({ method = 'GET', path = operation, query, headers = {}, members, text }: Asking): HttpRequest {
  return {
    method,
    path: query === undefined ? path : `${path}?${query}`,
    headers: Object.entries({ ...credentialHeaders, ...json, ...headers }).filter(([, value]) => value !== ''),
    body: text ?? JSON.stringify(members ?? documented),
  };
}

type Ask = (asking?: Asking) => HttpResponse;

function deployment(behaviours: Behaviours = {}, change?: DeploymentOptions['change']): Ask {
  const options = { world, credentials: referenceCredentials, behaviours };
  const respond = createDeployment(change === undefined ? options : { ...options, change });
  return (asking = {}) => respond(requestOf(asking));
}

/** The names of the returned tiers, in their order. */
function names(response: HttpResponse): string[] {
  if (!response.body.startsWith('{"valid"')) return [];
  const { promotions } = JSON.parse(response.body);
  return promotions.map(({ id }: { id: string }) => id.slice('promo_'.length));
}

const header = ({ headers }: HttpResponse, name: string) => headers.find(([key]) => key === name)?.[1];

// The defaults ------------------------------------------------------------------------------------------------------

test.describe('the reference deployment as it is', () => {
  const ask = deployment();
  const always = ['open', 'budget', 'budget-b', 'gold', 'golden', 'gold-web', 'web', 'sale-text'];
  const alwaysToo = ['sale-boolean', 'priority-number', 'north', 'window-last'];

  test('answers a documented request with what is valid, newest first', () => {
    const response = ask();
    expect(response.status).toBe(200);
    expect(header(response, 'content-type')).toBe('application/json');
    const valid = ['open', 'ann', 'mug-01', 'mug-02', 'mug-03', 'store', 'card'];
    expect(names(response)).toEqual([...valid, ...always.slice(1), ...alwaysToo]);
  });

  test('has answers that fit its published schema', () => {
    const file = path.join(packageRoot, 'schemas/responses/reference.schema.json');
    const validate = compileSchema(JSON.parse(readFileSync(file, 'utf8')));
    const expanded = { ...documented, options: { expand: ['category'] } };
    for (const asking of [{}, { members: expanded }, { query: campaign('camp_empty') }, { text: '' }]) {
      validate(JSON.parse(ask(asking).body));
      expect(validate.errors ?? []).toEqual([]);
    }
  });

  test('names a returned tier once, and no other at all', () => {
    const { body } = ask({ query: campaign('camp_a') });
    for (const { id } of world.tiers) {
      const times = body.split(`"${id}"`).length - 1;
      expect(times, id).toBe(names({ status: 200, headers: [], body }).includes(id.slice(6)) ? 1 : 0);
    }
  });

  test('sorts its world itself', () => {
    const options = { credentials: referenceCredentials, world: { ...world, tiers: world.tiers.toReversed() } };
    expect(createDeployment(options)(requestOf({})).body).toBe(ask().body);
  });

  test('keeps rules of every kind', () => {
    const nobody = {
      customer: { id: 'cust_ben' },
      order: { items: [{ sku_id: 'sku_cap', quantity: 2 }], metadata: {} },
    };
    expect(names(ask({ members: { ...nobody, options: {}, metadata: { store_name: 'broadway' } } }))).toEqual([
      'open',
      'ben',
      'cap-01',
      'cap-02',
      ...always.slice(1),
      ...alwaysToo,
    ]);
  });

  test('filters', () => {
    expect(names(ask({ query: campaign('camp_a') }))).toEqual([
      'open',
      'ann',
      'store',
      'card',
      'budget',
      'gold',
      'golden',
      'north',
      'window-last',
    ]);
    expect(names(ask({ query: metadata('has_budget', 'true') }))).toEqual(['budget', 'budget-b']);
    expect(names(ask({ query: metadata('level', 'gold') }))).toEqual(['gold', 'gold-web']);
    expect(names(ask({ query: campaign('camp_old') }))).toEqual([]);
    expect(names(ask({ query: metadata('level', 'gol') }))).toEqual([]);
    expect(names(ask({ query: metadata('constructor', 'x') }))).toEqual([]);
  });

  test('refuses with the vendor’s error shape', () => {
    const { status, body } = ask({ headers: { 'X-Client-Token': '' } });
    expect(status).toBe(401);
    expect(JSON.parse(body)).toEqual({
      code: 401,
      key: 'unauthorized',
      message: expect.any(String),
      details: 'X-Client-Token: not accepted',
      request_id: expect.stringMatching(/^v-/),
    });
    const malformed = ask({ text: '{' });
    expect(JSON.parse(malformed.body)).toMatchObject({ code: 400, key: 'invalid_payload' });
    const members = Object.keys(JSON.parse(malformed.body)).sort().join(', ');
    expect(openQuestions['error-shape'].default).toBe(`${header(malformed, 'content-type')}: ${members}`);
    expect(JSON.parse(ask({ query: '[filters][x][conditions][$is]=1' }).body)).toMatchObject({
      code: 400,
      key: 'invalid_query_params',
    });
    expect(header(ask({ method: 'PATCH' }), 'allow')).toBe('GET');
    expect(ask({ path: '/v1/promotions' }).status).toBe(404);
  });

  test('never answers bad input with 5xx', () => {
    const quantity = fc.oneof(fc.jsonValue(), fc.constant(undefined));
    const item = fc.record({ product_id: fc.constant('prod_mug'), quantity });
    const order = fc.record({ items: fc.oneof(fc.array(fc.oneof(item, fc.jsonValue())), fc.jsonValue()) });
    const part = fc.oneof(fc.jsonValue(), fc.constant(undefined));
    const member = { customer: part, order: fc.oneof(order, part), options: part, metadata: part };
    fc.assert(
      fc.property(fc.oneof(fc.record(member), fc.jsonValue()), fc.string(), (members, query) => {
        expect(ask({ text: JSON.stringify(members), query }).status).toBeLessThan(500);
        expect(ask({ text: query }).status).toBeLessThan(500);
      }),
    );
  });

  test('looks its handlers up at each call, so that a changed one is used by all', () => {
    const shifted = deployment({}, () => ({ newest: (tiers) => tiers.slice(0, 151) }));
    expect(names(shifted())).toContain('beyond-first');
    expect(names(shifted({ query: campaign('camp_filler') }))).toContain('beyond-first');
    const all = deployment({}, (handlers) => ({
      select: (request) => handlers.select({ ...request, filters: [] }),
      isEnough: () => true,
    }));
    expect(names(all({ query: campaign('camp_a') }))).toContain('mug-10');
  });
});

// The behaviours ----------------------------------------------------------------------------------------------------

/** What a response says of a question: the outcome that its status means, or else what its promotions mean. */
type Reading = (ask: Ask) => string;

const namedStatuses: Readonly<Record<number, string>> = {
  204: 'no-content',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  405: 'not-allowed',
  413: 'too-large',
  415: 'unsupported-media-type',
  501: 'not-implemented',
};

function reading(
  question: ClosedQuestion,
  asking: Asking,
  otherwise: (seen: string[], response: HttpResponse) => string,
) {
  return (ask: Ask): string => {
    const response = ask(asking);
    const named = namedStatuses[response.status];
    const outcomes: readonly string[] = closedQuestions[question];
    if (named !== undefined && outcomes.includes(named)) return named;
    if (response.status >= 500) return 'server-error';
    if (response.status >= 400) return 'rejected';
    if (response.status >= 300) return 'redirected';
    return otherwise(names(response), response);
  };
}

/** The highest threshold for mugs or caps that an order satisfies. */
function threshold(seen: readonly string[]): number {
  const met = seen.filter((name) => /^(?:mug|cap)-\d/.test(name)).map((name) => Number(name.slice(-2)));
  return Math.max(0, ...met);
}

const byThreshold = (outcomes: Readonly<Record<number, string>>) => (seen: readonly string[]) =>
  outcomes[threshold(seen)] ?? `threshold ${threshold(seen)}`;

/** Tells outcomes apart by tiers: the first whose tier was returned. */
const byTier = (outcomes: Readonly<Record<string, string>>, otherwise: string) => (seen: readonly string[]) =>
  Object.entries(outcomes).find(([name]) => seen.includes(name))?.[1] ?? otherwise;

/** The newest of the returned tiers, save for the one whose rule is itself an open question. */
const settledSet = (seen: readonly string[]) =>
  seen.filter((name) => name !== 'card' && !name.startsWith('beyond')).sort();

/** Tells outcomes apart by the whole set. */
const bySet = (outcomes: Readonly<Record<string, readonly string[]>>) => (seen: readonly string[]) => {
  const set = settledSet(seen);
  return Object.entries(outcomes).find(([, expected]) => expected.join() === set.join())?.[0] ?? set.join();
};

const quantityOutcomes = { 0: 'item-ignored', 1: 'as-one', 10: 'as-unlimited' };
const sameOrNothing = (same: string) => byTier({ open: same }, 'nothing-returned');

function repetition(question: ClosedQuestion, members: (...quantities: number[]) => unknown): Reading {
  const level = (quantities: number[]) =>
    reading(question, { members: members(...quantities) }, (seen) => `${threshold(seen)}`);
  return (ask) => {
    const [upwards, downwards] = [level([1, 2])(ask), level([2, 1])(ask)];
    const outcomes: Readonly<Record<string, string>> = {
      '3,3': 'summed',
      '2,2': 'each-item-alone',
      '1,2': 'first-item',
      '2,1': 'last-item',
    };
    return upwards === downwards && !/\d/.test(upwards) ? upwards : (outcomes[`${upwards},${downwards}`] ?? 'unclear');
  };
}

function credentialsReading(question: ClosedQuestion, headers: Readonly<Record<string, string>>): Reading {
  return reading(question, { headers }, sameOrNothing('answered'));
}

/** Asks without a member after requests that had it, and that had it empty. */
function omission(member: 'customer' | 'order' | 'metadata', outcomes: Readonly<Record<string, string>>): Reading {
  const question = `omitted-${member}` as const;
  const otherwise = reading(question, { members: without(member) }, byTier(outcomes, 'nothing-returned'));
  return (ask) => {
    const seen = [{}, documented[member]].map((value) => {
      ask({ members: { ...documented, [member]: value } });
      return names(ask({ members: without(member) }))
        .sort()
        .join();
    });
    return seen[0] === seen[1] ? otherwise(ask) : 'depends-on-earlier-requests';
  };
}

const wrongToken = { 'X-Client-Token': 'wrong' };
const bodyWasRead = byTier({ 'mug-03': 'body-read' }, 'body-ignored');
const fallback = byTier({ 'mug-03': 'same-result' }, 'another-answer');

const inA = ['ann', 'budget', 'gold', 'golden', 'north', 'open', 'store', 'window-last'];
const inB = ['budget-b', 'gold-web', 'mug-01', 'mug-02', 'mug-03', 'priority-number', 'sale-boolean', 'sale-text'];
const inAandB = [...inA, ...inB].sort();
const inAll = [...inAandB, 'web'].sort();

const readings: { readonly [Q in ClosedQuestion]: Reading } = {
  'empty-result': reading('empty-result', { query: campaign('camp_empty') }, (_seen, { body }) =>
    body === '' ? 'empty-body' : 'empty-list',
  ),
  'result-order': reading('result-order', { query: campaign('camp_a') }, (seen) => {
    const known = world.tiers.map(({ id }) => id.slice('promo_'.length)).filter((name) => seen.includes(name));
    if (seen.join() === known.join()) return 'newest-first';
    return seen.join() === known.toReversed().join() ? 'oldest-first' : 'another-order';
  }),
  repeatability: (ask) => {
    const [first, second] = [ask({ query: campaign('camp_a') }), ask({ query: campaign('camp_a') })];
    if (first.body === second.body) return 'identical';
    return names(first).join() === names(second).join() ? 'same-promotions' : 'different-promotions';
  },

  'omitted-customer': omission('customer', { ann: 'audience-rules-pass', open: 'as-anybody' }),
  'omitted-order': omission('order', { 'mug-10': 'order-rules-pass', open: 'as-empty-order' }),
  'omitted-metadata': omission('metadata', { store: 'metadata-rules-pass', open: 'as-empty-metadata' }),
  'omitted-options': reading('omitted-options', { members: without('options') }, sameOrNothing('no-difference')),
  'empty-object': reading(
    'empty-object',
    { members: {} },
    byTier({ 'mug-10': 'rules-pass', open: 'as-anybody' }, 'nothing-returned'),
  ),
  'absent-body': reading(
    'absent-body',
    { text: '' },
    byTier({ 'mug-10': 'rules-pass', open: 'as-anybody' }, 'nothing-returned'),
  ),
  'empty-items': reading(
    'empty-items',
    { members: withItems() },
    byTier({ 'mug-10': 'order-rules-pass', open: 'as-empty-order' }, 'nothing-returned'),
  ),
  'missing-quantity': reading('missing-quantity', { members: mugs(undefined) }, byThreshold(quantityOutcomes)),
  'item-without-id': reading(
    'item-without-id',
    { members: withItems({ quantity: 1 }, { product_id: 'prod_mug', quantity: 1 }) },
    byTier({ 'mug-01': 'item-ignored' }, 'order-ignored'),
  ),
  'item-with-both-ids': reading(
    'item-with-both-ids',
    { members: withItems({ product_id: 'prod_mug', sku_id: 'sku_cap', quantity: 1 }) },
    (seen) => {
      if (seen.includes('mug-01')) return seen.includes('cap-01') ? 'both-count' : 'product-only';
      return seen.includes('cap-01') ? 'sku-only' : 'item-ignored';
    },
  ),

  'unknown-customer': reading(
    'unknown-customer',
    { members: { ...documented, customer: { id: 'cust_nobody' } } },
    byTier({ ann: 'audience-rules-pass', open: 'as-anybody' }, 'nothing-returned'),
  ),
  'unknown-product': reading(
    'unknown-product',
    { members: withItems({ product_id: 'prod_none', quantity: 1 }, { product_id: 'prod_mug', quantity: 1 }) },
    byTier({ 'mug-01': 'item-ignored' }, 'order-ignored'),
  ),
  'unknown-sku': reading(
    'unknown-sku',
    { members: withItems({ sku_id: 'sku_none', quantity: 1 }, { product_id: 'prod_mug', quantity: 1 }) },
    byTier({ 'mug-01': 'item-ignored' }, 'order-ignored'),
  ),
  'unknown-body-member': reading(
    'unknown-body-member',
    { members: { ...documented, surprise: 1 } },
    sameOrNothing('ignored'),
  ),
  'unknown-query-parameter': reading('unknown-query-parameter', { query: 'surprise=1' }, sameOrNothing('ignored')),

  'quantity-numeric-string': reading(
    'quantity-numeric-string',
    { members: mugs('3') },
    byThreshold({ ...quantityOutcomes, 3: 'as-number' }),
  ),
  'quantity-non-numeric-string': reading(
    'quantity-non-numeric-string',
    { members: mugs('three') },
    byThreshold(quantityOutcomes),
  ),
  'quantity-empty-string': reading('quantity-empty-string', { members: mugs('') }, byThreshold(quantityOutcomes)),
  'quantity-zero': reading('quantity-zero', { members: mugs(0) }, byThreshold(quantityOutcomes)),
  'quantity-negative': reading(
    'quantity-negative',
    { members: mugs(-3) },
    byThreshold({ ...quantityOutcomes, 3: 'as-absolute' }),
  ),
  'quantity-fraction': reading(
    'quantity-fraction',
    { members: mugs(2.5) },
    byThreshold({ ...quantityOutcomes, 2: 'as-two', 3: 'rounded-up' }),
  ),
  'quantity-null': reading('quantity-null', { members: mugs(null) }, byThreshold(quantityOutcomes)),
  'quantity-huge': reading(
    'quantity-huge',
    { members: mugs(1e18) },
    byThreshold({ ...quantityOutcomes, 10: 'as-number' }),
  ),

  'repeated-product-quantities': repetition('repeated-product-quantities', mugs),
  'repeated-product-mixed-types': reading(
    'repeated-product-mixed-types',
    { members: mugs(1, '2') },
    byThreshold({ 0: 'item-ignored', 1: 'number-only', 2: 'each-item-alone', 3: 'summed', 10: 'concatenated' }),
  ),
  'repeated-sku': repetition('repeated-sku', caps),
  'product-and-its-sku': (ask) => {
    const sku = { sku_id: 'sku_mug_white', quantity: 2 };
    const product = { product_id: 'prod_mug', quantity: 1 };
    const alone = threshold(names(ask({ members: withItems(sku) })));
    return reading('product-and-its-sku', { members: withItems(product, sku) }, (seen) => {
      if (threshold(seen) === 3) return 'summed';
      return alone > 0 ? 'sku-counts-as-its-product' : 'counted-apart';
    })(ask);
  },

  'expand-category-effect': (ask) => {
    const query = campaign('camp_a');
    const plain = ask({ query }).body;
    const expanded = ask({ query, members: { ...documented, options: { expand: ['category'] } } }).body;
    if (expanded.includes('cat_kitchen')) {
      return plain.includes('cat_kitchen') ? 'categories-always' : 'categories-added';
    }
    return plain === expanded ? 'no-difference' : 'another-difference';
  },
  'expand-unknown-value': reading(
    'expand-unknown-value',
    { members: { ...documented, options: { expand: ['no-such-value'] } } },
    sameOrNothing('ignored'),
  ),
  'expand-not-an-array': (ask) => {
    const query = campaign('camp_a');
    const expanded = ask({ query, members: { ...documented, options: { expand: ['category'] } } }).body;
    return reading(
      'expand-not-an-array',
      { query, members: { ...documented, options: { expand: 'category' } } },
      (seen, { body }) => {
        if (seen.length === 0) return 'nothing-returned';
        const plain = ask({ query, members: documented }).body;
        if (plain === expanded && body === plain) return 'no-effect';
        return body === expanded ? 'as-one-value' : 'ignored';
      },
    )(ask);
  },

  'order-metadata-rules': (ask) => {
    const returned = (payment_mean: string[]) =>
      names(
        ask({ members: { ...documented, order: { items: mugs(1).order.items, metadata: { payment_mean } } } }),
      ).includes('card');
    if (!returned(['credit-card'])) return 'never-satisfied';
    return returned(['cash']) ? 'ignored' : 'applied';
  },

  'metadata-letter-case': (ask) => {
    const returned = (metadata: object) => names(ask({ members: { ...documented, metadata } })).includes('store');
    const [key, value] = [returned({ Store_Name: 'Broadway' }), returned({ store_name: 'broadway' })];
    if (key) return value ? 'ignored-in-both' : 'ignored-in-key';
    return value ? 'ignored-in-value' : 'exact';
  },

  'audience-rules-only-effect': reading('audience-rules-only-effect', { query: 'audienceRulesOnly=true' }, (seen) => {
    if (seen.includes('mug-10')) return 'skips-order-rules';
    if (seen.includes('open')) return 'no-effect';
    return seen.includes('ann') ? 'audience-tiers-only' : 'nothing-returned';
  }),
  'audience-rules-only-values': (ask) => {
    const answers = ['false', '', '1', 'TRUE', 'true&audienceRulesOnly=true'].map((value) =>
      ask({ query: `audienceRulesOnly=${value}` }),
    );
    if (answers.some(({ status }) => status >= 500)) return 'server-error';
    if (answers.slice(1, 4).every(({ status }) => status >= 400)) return 'others-rejected';
    if (answers.some(({ status }) => status >= 400)) return 'some-rejected';
    const [effect, none] = ['audienceRulesOnly=true', ''].map((query) => settledSet(names(ask({ query }))).join());
    if (effect === none) return 'no-effect';
    const effects = answers.map((answer) => (settledSet(names(answer)).join() === effect ? 'y' : 'n')).join('');
    return (
      {
        yyyyy: 'any-value',
        nnyyy: 'truthy',
        ynyyy: 'any-text',
        nnyny: 'another-choice',
        nnnyy: 'any-letter-case',
        nnnny: 'only-true',
      }[effects] ?? effects
    );
  },

  'filter-combination': reading(
    'filter-combination',
    { query: `${campaign('camp_a')}&${metadata('level', 'gold')}` },
    bySet({
      intersection: ['gold'],
      union: [...inA, 'gold-web'].sort(),
      'promotion-id-wins': inA,
      'metadata-wins': ['gold', 'gold-web'],
      'nothing-returned': [],
    }),
  ),
  'filter-two-metadata-keys': reading(
    'filter-two-metadata-keys',
    { query: `${metadata('level', 'gold')}&${metadata('channel', 'web')}` },
    bySet({
      intersection: ['gold-web'],
      union: ['gold', 'gold-web', 'web'],
      'first-wins': ['gold', 'gold-web'],
      'last-wins': ['gold-web', 'web'],
      'nothing-returned': [],
    }),
  ),
  'filter-repeated': reading(
    'filter-repeated',
    { query: `${campaign('camp_a')}&${campaign('camp_b')}` },
    bySet({ union: inAandB, 'first-wins': inA, 'last-wins': inB, ignored: inAll, 'nothing-returned': [] }),
  ),
  'filter-unknown-campaign': reading(
    'filter-unknown-campaign',
    { query: campaign('camp_none') },
    byTier({ open: 'ignored' }, 'nothing-returned'),
  ),
  'filter-tier-id-as-promotion-id': reading(
    'filter-tier-id-as-promotion-id',
    { query: campaign('promo_gold') },
    bySet({ 'that-tier': ['gold'], 'its-campaign': inA, ignored: inAll, 'nothing-returned': [] }),
  ),
  'filter-unknown-metadata-key': reading(
    'filter-unknown-metadata-key',
    { query: metadata('no_such_key', 'x') },
    byTier({ open: 'ignored' }, 'nothing-returned'),
  ),
  'filter-empty-value': reading(
    'filter-empty-value',
    { query: metadata('level', '') },
    byTier({ open: 'ignored' }, 'nothing-returned'),
  ),
  'filter-unknown-operator': reading(
    'filter-unknown-operator',
    { query: '[filters][promotion_id][conditions][$is_not]=camp_a' },
    bySet({
      negated: [...inB, 'web'],
      'as-is': inA,
      ignored: inAll,
      'nothing-returned': [],
    }),
  ),
  'filter-unknown-field': reading(
    'filter-unknown-field',
    { query: '[filters][no_such_field][conditions][$is]=x' },
    sameOrNothing('ignored'),
  ),
  'filter-percent-encoded': reading(
    'filter-percent-encoded',
    { query: '%5Bfilters%5D%5Bpromotion_id%5D%5Bconditions%5D%5B%24is%5D=camp_a' },
    bySet({ 'same-as-literal': inA, ignored: inAll, 'nothing-returned': [] }),
  ),
  'filter-without-leading-bracket': reading(
    'filter-without-leading-bracket',
    { query: 'filters[promotion_id][conditions][$is]=camp_a' },
    bySet({ 'same-as-literal': inA, ignored: inAll, 'nothing-returned': [] }),
  ),
  'filter-metadata-typing': (ask) =>
    reading('filter-metadata-typing', { query: metadata('on_sale', 'true') }, (booleans) => {
      const numbers = names(ask({ query: metadata('priority', '1') }));
      if (booleans.includes('sale-boolean')) return numbers.includes('priority-number') ? 'by-text' : 'booleans-only';
      return numbers.includes('priority-number') ? 'numbers-only' : 'strings-only';
    })(ask),
  'filter-letter-case': (ask) =>
    reading('filter-letter-case', { query: metadata('region', 'north') }, (values) => {
      const keys = names(ask({ query: metadata('Region', 'North') }));
      if (values.includes('north')) return keys.includes('north') ? 'ignored-in-both' : 'ignored-in-value';
      return keys.includes('north') ? 'ignored-in-key' : 'exact';
    })(ask),
  'filter-beyond-window': (ask) =>
    reading('filter-beyond-window', { query: campaign('camp_old') }, (older) => {
      const isFirst = names(ask({ query: metadata('has_budget', 'true') })).includes('beyond-budget');
      if (older.includes('beyond-last')) return isFirst ? 'filter-first' : 'campaign-filter-first';
      return isFirst ? 'metadata-filter-first' : 'window-first';
    })(ask),

  'credentials-missing-id': credentialsReading('credentials-missing-id', { 'X-Client-Application-Id': '' }),
  'credentials-missing-token': credentialsReading('credentials-missing-token', { 'X-Client-Token': '' }),
  'credentials-missing-both': credentialsReading('credentials-missing-both', {
    'X-Client-Application-Id': '',
    'X-Client-Token': '',
  }),
  'credentials-wrong-token': credentialsReading('credentials-wrong-token', wrongToken),
  'credentials-before-body': (ask) => {
    const body = ask({ text: '{' }).status;
    const credentials = ask({ headers: wrongToken }).status;
    if (body === credentials) return 'same-answer';
    if (credentials < 300) return 'credentials-unchecked';
    if (body < 300) return 'body-unchecked';
    return ask({ headers: wrongToken, text: '{' }).status === body ? 'body-first' : 'credentials-first';
  },

  'malformed-json': reading('malformed-json', { text: '{' }, () => 'answered'),
  'body-not-an-object': reading('body-not-an-object', { text: '[]' }, () => 'answered'),
  'customer-not-an-object': reading(
    'customer-not-an-object',
    { members: { ...documented, customer: 'cust_ann' } },
    byTier({ ann: 'as-its-id', open: 'as-anybody' }, 'nothing-returned'),
  ),
  'items-not-an-array': reading(
    'items-not-an-array',
    { members: { ...documented, order: { items: { product_id: 'prod_mug', quantity: 1 }, metadata: {} } } },
    byTier({ 'mug-01': 'as-one-item' }, 'item-ignored'),
  ),
  'metadata-not-strings': reading(
    'metadata-not-strings',
    { members: { ...documented, metadata: { store_name: 5 } } },
    () => 'answered',
  ),
  'order-metadata-not-arrays': reading(
    'order-metadata-not-arrays',
    { members: { ...documented, order: { items: mugs(1).order.items, metadata: { payment_mean: 'credit-card' } } } },
    () => 'answered',
  ),
  'duplicate-json-keys': reading(
    'duplicate-json-keys',
    { text: `{"customer":{"id":"cust_ben"},${JSON.stringify(documented).slice(1)}` },
    byTier({ ann: 'last-wins', ben: 'first-wins' }, 'neither'),
  ),
  'large-order': reading('large-order', { members: mugs(...Array(1000).fill(1)) }, () => 'answered'),

  'content-type-absent': reading('content-type-absent', { headers: { 'Content-Type': '' } }, bodyWasRead),
  'content-type-other': reading('content-type-other', { headers: { 'Content-Type': 'text/plain' } }, bodyWasRead),
  'method-post': reading('method-post', { method: 'POST' }, fallback),
  'method-head': reading('method-head', { method: 'HEAD' }, () => 'answered'),
  'method-options': reading('method-options', { method: 'OPTIONS' }, () => 'answered'),
  'method-put': reading('method-put', { method: 'PUT' }, () => 'answered'),
  'method-delete': reading('method-delete', { method: 'DELETE' }, () => 'answered'),
  'path-trailing-slash': reading('path-trailing-slash', { path: `${operation}/` }, fallback),
  'path-letter-case': reading('path-letter-case', { path: operation.toUpperCase() }, fallback),
};

const questions = Object.keys(closedQuestions) as ClosedQuestion[];

/** What every request of a requirement may rely on, whatever the behaviours. */
function guaranteed(ask: Ask): unknown {
  const items = documented.order.items;
  const bare = { customer: { id: 'cust_ben' }, order: { items, metadata: {} }, options: {}, metadata: {} };
  const expand = { ...bare, options: { expand: ['category'] } };
  const repeated = { ...bare, order: { items: [...items, ...items], metadata: { payment_mean: ['cash'] } } };
  const sets = [{}, { members: bare }, { members: expand }, { members: repeated }].flatMap((asking) =>
    [undefined, campaign('camp_a'), metadata('level', 'gold')].map((query) =>
      ask(query === undefined ? asking : { ...asking, query }),
    ),
  );
  const only = ask({ query: 'audienceRulesOnly=true' });
  const isAccepted = [...sets, only].every(({ status }) => status >= 200 && status < 300);
  const returned = sets.map((response) =>
    names(response)
      .filter((name) => name !== 'card')
      .sort(),
  );
  return { isAccepted, returned };
}

/** Every question as it is answered under these behaviours. */
function observed(behaviours: Behaviours): Record<string, string> {
  const ask = deployment(behaviours);
  return Object.fromEntries(questions.map((question) => [question, readings[question](ask)]));
}

/** The outcomes that must be observed: the chosen ones, save for those that other chosen ones hide. */
function expected(behaviours: Behaviours): Record<string, unknown> {
  const defaults = Object.fromEntries(questions.map((question) => [question, closedQuestions[question][0]]));
  const outcomes: Record<string, string> = { ...defaults, ...behaviours };
  const is = (question: ClosedQuestion, ...some: string[]) => some.includes(outcomes[question] ?? '');
  const hidden: ClosedQuestion[] = [];
  if (is('audience-rules-only-effect', 'no-effect')) hidden.push('audience-rules-only-values');
  if (is('audience-rules-only-values', 'no-effect')) hidden.push('audience-rules-only-effect');
  if (is('expand-not-an-array', 'no-effect')) hidden.push('expand-category-effect');
  if (is('credentials-before-body', 'credentials-unchecked')) hidden.push('credentials-wrong-token');
  if (is('credentials-before-body', 'body-unchecked')) hidden.push('malformed-json');
  const isVolatile = !is('repeatability', 'identical');
  if (isVolatile) hidden.push('expand-category-effect');
  if (is('repeatability', 'different-promotions')) hidden.push('omitted-customer', 'omitted-order', 'omitted-metadata');
  if (isVolatile || is('expand-category-effect', 'no-difference', 'categories-always'))
    hidden.push('expand-not-an-array');
  const verdicts = [outcomes['credentials-wrong-token'], outcomes['malformed-json']];
  if (verdicts.includes('nothing-returned')) hidden.push('credentials-before-body');
  if (verdicts.includes('answered') || verdicts.includes('server-error')) hidden.push('credentials-before-body');
  return { ...outcomes, ...Object.fromEntries(hidden.map((question) => [question, expect.any(String)])) };
}

const requirementsUntouched = guaranteed(deployment());

test('a chosen behaviour shows', () => {
  for (const question of questions) {
    const shown = closedQuestions[question].map((outcome) => {
      return readings[question](deployment({ [question]: outcome }));
    });
    const chosen = closedQuestions[question].map((outcome) => expected({ [question]: outcome })[question]);
    expect.soft(shown, question).toEqual(chosen);
  }
});

test('any two behaviours go together: all show, and leave the requirements alone', { tag: '@long' }, () => {
  for (const behaviours of createCoveringArray<Behaviours>(closedQuestions)) {
    expect(guaranteed(deployment(behaviours))).toEqual(requirementsUntouched);
    expect(observed(behaviours)).toEqual(expected(behaviours));
  }
});

test.describe('values in place of outcomes', () => {
  test('status and media type', () => {
    const response = deployment({ 'response-status': '203', 'response-media-type': 'text/html' })();
    expect([response.status, header(response, 'content-type')]).toEqual([203, 'text/html']);
    expect(header(deployment({ 'response-media-type': 'none' })(), 'content-type')).toBeUndefined();
  });

  test('headers, with the values of a record or plausible ones', () => {
    const response = deployment({
      'deprecation-headers':
        'deprecation: @1698883200 | link: </a | b>; rel="x" | sunset: Thu, 02 Nov 2023 00:00:00 GMT',
      'rate-limit-headers': 'retry-after | x-rate-limit-limit | x-strange',
      'caching-headers': 'cache-control: no-store | etag | vary: Origin',
    })();
    expect(response.headers).toEqual([
      ['content-type', 'application/json'],
      ['deprecation', '@1698883200'],
      ['link', '</a | b>; rel="x"'],
      ['sunset', 'Thu, 02 Nov 2023 00:00:00 GMT'],
      ['retry-after', '1'],
      ['x-rate-limit-limit', '2000'],
      ['x-strange', '1'],
      ['cache-control', 'no-store'],
      ['etag', '"5d8c72a5edda8d6a"'],
      ['vary', 'Origin'],
    ]);
    expect(deployment({ 'rate-limit-headers': 'none' })().headers).toHaveLength(1);
  });

  test('cross-origin headers, for a request with an Origin alone', () => {
    const ask = deployment({ 'cors-headers': 'access-control-allow-origin: *' });
    expect(header(ask({ headers: { Origin: 'https://shop.example' } }), 'access-control-allow-origin')).toBe('*');
    expect(header(ask(), 'access-control-allow-origin')).toBeUndefined();
  });

  test('an error names what is wrong and what is near', () => {
    expect(() => deployment({ 'quantity-zeros': 'as-one' })).toThrow('did you mean "quantity-zero"?');
    expect(() => deployment({ 'quantity-zero': 'as-onee' })).toThrow(
      'Behaviour quantity-zero has no outcome "as-onee"; did you mean "as-one"? It has: item-ignored, rejected, ',
    );
    expect(() => deployment({ 'quantity-zero': 'undetermined' })).toThrow('has no outcome "undetermined"');
    expect(() => deployment({ 'response-status': '204' })).toThrow('a status from 200 to 299 that has a body');
    expect(() => deployment({ 'caching-headers': 'Cache-Control' })).toThrow('"name: value | name: value"');
  });
});

test('a record becomes behaviours, and what cannot be imitated is listed', () => {
  const imitable = {
    'quantity-zero': 'rejected',
    'response-status': '201',
    'error-shape': openQuestions['error-shape'].default,
  };
  const outcomes = {
    ...imitable,
    'quantity-null': 'undetermined',
    'response-shape': '/data/*/node/id',
    'response-media-type': 'undetermined',
    'rate-limit-headers': 'No idea',
  };
  const { behaviours, inimitable } = convertOutcomesToBehaviours(outcomes);
  expect(behaviours).toEqual(imitable);
  expect(inimitable).toEqual(['quantity-null', 'response-shape', 'response-media-type', 'rate-limit-headers']);
  expect(deployment(behaviours)().status).toBe(201);
  const ofAnotherVersion = { 'quantity-zero': 'as-two', 'no-such-question': 'undetermined' };
  const unknown = Object.keys(ofAnotherVersion);
  expect(convertOutcomesToBehaviours(ofAnotherVersion)).toEqual({ behaviours: {}, inimitable: unknown });
});

// The socket --------------------------------------------------------------------------------------------------------

test.describe('on a socket', () => {
  let server: Awaited<ReturnType<typeof serveReference>>;
  let client: Client;
  test.beforeAll(async () => {
    const behaviours = {
      'empty-result': 'no-content',
      'method-head': 'answered',
      'content-type-other': 'body-ignored',
    };
    server = await serveReference({ world, credentials: referenceCredentials, behaviours });
    client = new Client(server.url);
  });
  test.afterAll(async () => {
    await client.close();
    await server.close();
  });

  /** Sends over the socket what `requestOf` makes. */
  async function send(asking: Asking, through = client): Promise<HttpResponse> {
    const { method, path, headers, body } = requestOf(asking);
    // A client of undici sends paths as they are; its functions that take a URL would normalise them.
    const response = await through.request({ method, path, headers: headers.flat(), body: body ?? '' });
    const received = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
    return { status: response.statusCode, headers: received, body: await response.body.text() };
  }

  test('a body on GET and a filter with brackets arrive', async () => {
    const response = await send({ query: campaign('camp_a') });
    expect(response.status).toBe(200);
    expect(header(response, 'content-type')).toBe('application/json');
    expect(header(response, 'content-length')).toBe(String(Buffer.byteLength(response.body)));
    expect(settledSet(names(response))).toEqual(inA);
  });

  test('percent-encoding stays as it is', async () => {
    const query = '%5Bfilters%5D%5Bpromotion_id%5D%5Bconditions%5D%5B%24is%5D=camp_a';
    expect(settledSet(names(await send({ query })))).toEqual(inA);
  });

  test('bodies of any type reach the deployment', async () => {
    expect(names(await send({ headers: { 'Content-Type': '' } }))).toContain('mug-03');
    expect(names(await send({ headers: { 'Content-Type': 'text/plain' } }))).not.toContain('mug-03');
    expect((await send({ headers: { 'Content-Type': ';;' } })).status).toBe(200);
    expect((await send({ text: '{' })).status).toBe(400);
    expect(names(await send({ text: '' }))).toContain('open');
  });

  test('so do all methods and paths', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND']) {
      expect((await send({ method, text: '' })).status, method).toBe(405);
    }
    const head = await send({ method: 'HEAD', text: '' });
    expect([head.status, head.body]).toEqual([200, '']);
    for (const path of ['/', '/v1/%zz', `${operation}/`, '//', '/*', '/v1;x']) {
      expect((await send({ path })).status, path).toBe(404);
    }
  });

  test('an answer without content has none', async () => {
    const response = await send({ query: campaign('camp_empty') });
    expect([response.status, response.body]).toEqual([204, '']);
    expect(header(response, 'content-type')).toBeUndefined();
  });

  test('a body beyond all reason is refused', async () => {
    const { statusCode, body } = await client.request({ method: 'POST', path: operation, body: 'x'.repeat(5_000_000) });
    await body.dump();
    expect(statusCode).toBe(413);
  });

  test('a defect ends one request, and not the server', async () => {
    const change: DeploymentOptions['change'] = ({ select }) => ({
      select(request) {
        if (request.filters.length > 0) throw new TypeError('a mistake');
        return select(request);
      },
    });
    const defective = await serveReference({ world, credentials: referenceCredentials, change });
    const toIt = new Client(defective.url);
    expect((await send({ query: campaign('camp_a') }, toIt)).status).toBe(500);
    expect((await send({}, toIt)).status).toBe(200);
    await toIt.close();
    await defective.close();
  });

  test('only requests that were meant for this machine are answered', async () => {
    const { port } = new URL(server.url);
    const statusFor = async (host: string) => (await send({ headers: { Host: host } })).status;
    for (const host of ['127.0.0.1', 'localhost', 'LocalHost', '[::1]'])
      expect(await statusFor(`${host}:${port}`), host).toBe(200);
    // As a page of a stranger sends it, whose name leads to this machine.
    for (const host of ['attacker.test', `attacker.test:${port}`, `localhost.attacker.test:${port}`, '127.0.0.1'])
      expect(await statusFor(host), host).toBe(421);
    expect(await statusFor(`127.0.0.1:${Number(port) - 1}`)).toBe(421);
    expect(await statusOf(server.url, ['GET / HTTP/1.0'])).toBe(421);
    expect(await statusOf(server.url, ['GET / HTTP/1.1', `Host: localhost:${port}`, 'Host: attacker.test'])).toBe(421);
    // Another address of this machine, as that at which others reach it is.
    const elsewhere = connect(Number(port), '127.0.0.2');
    const isReached = await new Promise((resolve) => {
      elsewhere.on('connect', () => resolve(true)).on('error', () => resolve(false));
    });
    elsewhere.destroy();
    expect(isReached).toBe(false);
  });

  test('credentials are compared as a whole, and in the same time whatever is right about them', async () => {
    const compared: number[] = [];
    const { timingSafeEqual } = crypto;
    crypto.timingSafeEqual = (one, other) => {
      compared.push(one.byteLength);
      return timingSafeEqual(one, other);
    };
    syncBuiltinESMExports();
    const { applicationId, token } = referenceCredentials;
    const managed = await serveReference({ world, credentials: referenceCredentials, manage: findThingProblem });
    const toIt = new Client(managed.url);
    const tries = [
      [applicationId, token],
      [applicationId, `${token}x`],
      ['x', token],
      ['x', 'x'],
    ] as const;
    const answers: unknown[] = [];
    for (const path of [operation, '/manage/customers'])
      for (const [id, own] of tries) {
        const headers = { 'X-Client-Application-Id': id, 'X-Client-Token': own };
        compared.length = 0;
        const { status } = await send({ method: path === operation ? 'GET' : 'POST', path, headers, text: '' }, toIt);
        answers.push([status, ...compared]);
      }
    crypto.timingSafeEqual = timingSafeEqual;
    syncBuiltinESMExports();
    await toIt.close();
    await managed.close();
    const wrong = [401, 32, 32];
    expect(answers).toEqual([[200, 32, 32], wrong, wrong, wrong, [400, 32, 32], wrong, wrong, wrong]);
  });

  test('what is not whole is not taken into the world, and later answers are as before', async () => {
    const managed = await serveReference({ world, credentials: referenceCredentials, manage: findThingProblem });
    const toIt = new Client(managed.url);
    const post = (list: string, members: unknown) => send({ method: 'POST', path: `/manage/${list}`, members }, toIt);
    const tier = { campaign_id: 'camp_a', name: 'A tier', metadata: {}, rules: [] };
    const before = await send({}, toIt);
    const notWhole: readonly (readonly [list: string, thing: object])[] = [
      ['tiers', { ...tier, rules: [null] }],
      ['tiers', { ...tier, rules: [{}] }],
      ['tiers', { ...tier, rules: [{ kind: 'customer', any_of: 'cust_ann' }] }],
      ['tiers', { ...tier, rules: [{ kind: 'product', id: 'prod_mug', at_least: '1' }] }],
      ['tiers', { ...tier, rules: [{ kind: 'product', id: 'prod_none', at_least: 1 }] }],
      ['tiers', { ...tier, rules: {} }],
      ['tiers', { ...tier, metadata: { a: null } }],
      ['tiers', { ...tier, metadata: [] }],
      ['tiers', { ...tier, campaign_id: 'camp_none' }],
      ['tiers', { ...tier, name: 1 }],
      ['tiers', { ...tier, more: 1 }],
      ['campaigns', { name: 'A', category_ids: null }],
      ['campaigns', { name: 'A', category_ids: ['cat_none'] }],
      ['categories', {}],
      ['skus', { product_id: 1 }],
      ['customers', { first_name: 'Ann' }],
    ];
    for (const [list, thing] of notWhole) {
      const { status, body } = await post(list, thing);
      expect([status, Object.keys(JSON.parse(body))], JSON.stringify(thing)).toEqual([400, ['error']]);
    }
    expect(await send({}, toIt)).toEqual({ ...before, headers: expect.anything() });
    expect((await post('tiers', { ...tier, rules: [{ kind: 'metadata', key: 'a', is: 'b' }] })).status).toBe(201);
    const made = await post('tiers', tier);
    expect(made.status).toBe(201);
    expect(JSON.parse((await send({}, toIt)).body).promotions[0].id).toBe(JSON.parse(made.body).id);
    await toIt.close();
    await managed.close();
  });
});

test('a world is whole when nothing occurs twice, and all that is referred to is there', () => {
  const [tier] = world.tiers as [Tier];
  expect(findWorldFlaws(world)).toEqual([]);
  expect(findWorldFlaws({ ...world, tiers: [{ ...tier, campaign_id: 'none' }] })).toEqual([
    `'${tier.id}' refers to nothing: campaign_id 'none'`,
  ]);
  expect(findWorldFlaws({ ...world, tiers: [tier, tier] })).toEqual([
    `the id '${tier.id}' occurs twice`,
    `two tiers were created at ${tier.created_at}`,
  ]);
  expect(findWorldFlaws({ ...world, customers: [] })).toContain("'promo_ann' refers to nothing: any_of 'cust_ann'");
  expect(findWorldFlaws({ ...world, products: [] })).toContain("'promo_mug-01' refers to nothing: id 'prod_mug'");
  expect(findWorldFlaws({ ...world, products: [] })).toContain("'sku_cap' refers to nothing: product_id 'prod_cap'");
  expect(findWorldFlaws({ ...world, skus: [] })).toContain("'promo_cap-01' refers to nothing: id 'sku_cap'");
  expect(findWorldFlaws({ ...world, categories: [] })).toEqual([
    "'camp_a' refers to nothing: category_ids 'cat_kitchen'",
  ]);
});

/** The status of the answer to a request that is written line by line. */
async function statusOf(url: string, lines: readonly string[]): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.end([...lines, '', ''].join('\r\n'));
  return Number((await text(socket)).split(' ')[1]);
}
