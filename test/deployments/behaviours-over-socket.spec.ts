/** Each behaviour that `serve --behaviour` offers does over a socket what its outcome says. */

import { expect, test } from '@playwright/test';
import { type ClosedQuestion, closedQuestions } from '../../reference/deployment/behaviours.js';
import { findOutcomeStatus } from '../../reference/deployment/decider.js';
import {
  type Answer,
  type Asked,
  type Asking,
  createBody,
  createFilterQuery,
  startAsking,
} from '../support/ask-over-socket.js';

const mug = (quantity?: unknown) => ({ product_id: 'mug', quantity });
const plate = (quantity?: unknown) => ({ product_id: 'plate', quantity });
const shirt = (quantity?: unknown) => ({ product_id: 'shirt', quantity });
const blue = (quantity?: unknown) => ({ sku_id: 'shirt-blue', quantity });

const withItems = (...items: readonly unknown[]): Asked => ({ items });
const withBody = (body: Readonly<Record<string, unknown>>): Asked => ({ body });
const withHeader = (name: string, value: string | undefined): Asked => ({ headers: { [name]: value } });
const withQuery = (...parts: readonly string[]): Asked => ({ query: parts.join('&') });
const filter = createFilterQuery;
const plain: Asked = {};
const eve: Asked = { customer: 'eve' };
const withoutItems = withItems();
const expanding: Asked = { expand: ['category'] };

/**
 * What a request shows: no promotion, a class of statuses, a status, the promotions of another request to the deployment
 * without the behaviour, or promotions that are returned (`+`) and that are not (`-`).
 */
type Shown = 'nothing' | '2xx' | '3xx' | '4xx' | '5xx' | number | { readonly like: Asked } | string;

/** Requests that a question is about, and what they show with an outcome: each the same, or each its own. */
interface Described {
  readonly about: readonly Asked[];
  /** Outcomes without an entry are those with a status, and `nothing-returned`. */
  readonly shown: Readonly<Record<string, Shown | readonly Shown[]>>;
  /** Whether it is about every request. Any other question leaves the answer to another request as it is. */
  readonly isAboutAll?: boolean;
}

const like = (...asked: readonly Asked[]): Shown[] => asked.map((like) => ({ like }));

/** An item with a quantity, alone, as a SKU, and after another item. */
const itemsWith = (quantity: unknown): Asked[] => [
  withItems(mug(quantity)),
  withItems(blue(quantity)),
  withItems(plate(1), mug(quantity)),
];

const ignoredItems = like(withoutItems, withoutItems, withItems(plate(1)));

function describeQuantity(quantity: unknown, amounts: Readonly<Record<string, number>> = {}): Described {
  const shown = Object.entries({ 'as-one': 1, 'as-unlimited': 1_000_000, ...amounts });
  return {
    about: itemsWith(quantity),
    shown: {
      ...Object.fromEntries(shown.map(([outcome, amount]) => [outcome, like(...itemsWith(amount))])),
      'item-ignored': ignoredItems,
    },
  };
}

/** Several items with one id. */
function describeRepetition(item: (quantity: unknown) => object): Described {
  const both = (...quantities: readonly unknown[]) => withItems(...quantities.map(item));
  return {
    about: [both(1, 2), both(2, 1), both(1, 1), both(3, 3)],
    shown: {
      summed: like(both(3), both(3), both(2), both(6)),
      'each-item-alone': like(both(2), both(2), both(1), both(3)),
      'first-item': like(both(1), both(2), both(1), both(3)),
      'last-item': like(both(2), both(1), both(1), both(3)),
    },
  };
}

const describeCredentials = (about: Asked): Described => ({ about: [about], shown: { answered: like(plain) } });

const describeMethod = (method: string): Described => ({
  about: [{ method }, { method, query: filter('campaign', 'spring') }],
  shown: {
    redirected: '3xx',
    answered: '2xx',
    'same-result': like(plain, withQuery(filter('campaign', 'spring'))),
    'another-answer': 'nothing',
  },
});

const describePath = (path: string): Described => ({
  about: [{ path }, { path, query: filter('campaign', 'spring') }],
  shown: describeMethod('POST').shown,
});

const describeContentType = (value: string | undefined): Described => ({
  about: [withHeader('Content-Type', value)],
  shown: { 'body-read': like(plain), 'body-ignored': like({ raw: '' }) },
});

const describeUnknownItem = (item: object): Described => ({
  about: [withItems(item, mug(1)), withItems(mug(1), item), withItems(item)],
  shown: {
    'item-ignored': like(plain, plain, withoutItems),
    'order-ignored': like(withoutItems, withoutItems, withoutItems),
  },
});

const bothFilters = [filter('campaign', 'summer'), filter('level', 'gold')] as const;
const twoKeys = [filter('level', 'gold'), filter('metadata.channel', 'web')] as const;
const twoCampaigns = [filter('campaign', 'summer'), filter('campaign', 'spring')] as const;
const reversed = ([first, second]: readonly [string, string]) => withQuery(second, first);
const unused = filter('campaign', 'nowhere');
const raw = (name: string, value: string) => withQuery(`${name}=${value}`);
const audience = (...values: readonly string[]) => withQuery(...values.map((value) => `audienceRulesOnly=${value}`));
const skipped = '+mug-10 +broadway -bob-only';
const notSkipped = '-mug-10 -broadway';
const payments = (...values: readonly string[]): Asked => ({ orderMetadata: { payment: values } });
const long = 'x'.repeat(200_000);

const descriptions: Readonly<Record<string, Described>> = {
  'empty-result': {
    about: [withQuery(filter('campaign', 'winter'))],
    shown: { 'no-content': 204, 'empty-list': 'nothing', 'empty-body': 'nothing' },
  },
  'omitted-customer': {
    about: [withBody({ customer: undefined })],
    shown: {
      'audience-rules-pass': '+bob-only',
      'as-one-customer': '+ann-or-bob -bob-only',
      'as-anybody': like(eve),
      // What an earlier request leaves is tested by itself.
      'depends-on-earlier-requests': like(eve),
    },
  },
  'omitted-order': {
    about: [withBody({ order: undefined })],
    shown: {
      'order-rules-pass': '+mug-10 +blue-3 +paid-by-card -bob-only',
      'as-empty-order': like(withoutItems),
      'depends-on-earlier-requests': like(withoutItems),
    },
  },
  'omitted-metadata': {
    about: [withBody({ metadata: undefined })],
    shown: {
      'metadata-rules-pass': '+broadway +color-red -mug-10',
      'as-empty-metadata': like(plain),
      'depends-on-earlier-requests': like(plain),
    },
  },
  'omitted-options': { about: [withBody({ options: undefined })], shown: { 'no-difference': like(plain) } },
  'omitted-order-metadata': {
    about: [withBody({ order: { items: [mug(1)] } })],
    shown: { 'no-difference': like(plain) },
  },
  'empty-object': {
    about: [{ raw: '{}' }, { raw: ' { } ' }],
    shown: { 'rules-pass': '+bob-only +mug-10 +broadway', 'as-anybody': { like: { ...eve, items: [] } } },
  },
  'absent-body': {
    about: [{ raw: '' }],
    shown: { 'rules-pass': '+bob-only +mug-10 +broadway', 'as-anybody': { like: { ...eve, items: [] } } },
  },
  'empty-items': {
    about: [withoutItems, withBody({ order: { metadata: {} } })],
    shown: {
      'order-rules-pass': '+mug-10 +blue-3 -bob-only -broadway',
      'as-empty-order': '+everyone -mug-1 -blue-1',
    },
  },
  'missing-quantity': describeQuantity(undefined),
  'item-without-id': describeUnknownItem({ quantity: 1 }),
  'item-with-both-ids': {
    about: [withItems({ ...mug(1), ...blue(2) })],
    shown: {
      'both-count': like(withItems(mug(2), blue(2))),
      'product-only': like(withItems(mug(2))),
      'sku-only': like(withItems(blue(2))),
      'item-ignored': like(withoutItems),
    },
  },
  'unknown-customer': {
    about: [{ customer: 'nobody' }],
    shown: { 'as-anybody': like(eve), 'audience-rules-pass': '+bob-only' },
  },
  'unknown-product': describeUnknownItem({ product_id: 'nothing', quantity: 1 }),
  'unknown-sku': describeUnknownItem({ sku_id: 'nothing', quantity: 1 }),
  'unknown-body-member': {
    about: [
      withBody({ session: 1 }),
      withBody({ customer: { id: 'ann', name: 'Ann' } }),
      withItems({ ...mug(1), price: 1 }),
      withBody({ options: { limit: 1 } }),
      withBody({ order: { items: [mug(1)], metadata: {}, amount: 1 } }),
    ],
    shown: { ignored: { like: plain } },
  },
  'unknown-query-parameter': {
    about: [withQuery('limit=1'), withQuery('filters=1')],
    shown: { ignored: { like: plain } },
  },
  'quantity-numeric-string': describeQuantity('3', { 'as-number': 3 }),
  'quantity-non-numeric-string': describeQuantity('three'),
  'quantity-empty-string': describeQuantity(''),
  'quantity-zero': describeQuantity(0),
  'quantity-negative': describeQuantity(-3, { 'as-absolute': 3 }),
  'quantity-fraction': describeQuantity(2.5, { 'rounded-up': 3, 'as-two': 2 }),
  'quantity-null': describeQuantity(null),
  'quantity-huge': describeQuantity(10 ** 18, { 'as-number': 1_000_000 }),
  'repeated-product-quantities': describeRepetition(mug),
  'repeated-product-mixed-types': {
    about: [withItems(mug(1), mug('2')), withItems(mug('2'), mug(1)), withItems(mug(1), mug(1), mug('1'))],
    shown: {
      summed: like(withItems(mug(3)), withItems(mug(3)), withItems(mug(3))),
      concatenated: like(withItems(mug(12)), withItems(mug(21)), withItems(mug(111))),
      'each-item-alone': like(withItems(mug(2)), withItems(mug(2)), withItems(mug(1))),
      'number-only': like(withItems(mug(1)), withItems(mug(1)), withItems(mug(2))),
      'item-ignored': { like: withoutItems },
    },
  },
  'repeated-sku': describeRepetition(blue),
  'product-and-its-sku': {
    about: [withItems(shirt(1), blue(2)), withItems(blue(2), shirt(1))],
    shown: {
      summed: '+shirt-3 +blue-2',
      'counted-apart': '+shirt-1 -shirt-3 +blue-2',
      'sku-counts-as-its-product': '+shirt-1 -shirt-3 +blue-2',
    },
  },
  'expand-empty': { about: [{ expand: [] }], shown: { ignored: like(plain) } },
  'expand-unknown-value': {
    about: [{ expand: ['product'] }, { expand: ['category', 'product'] }],
    shown: { ignored: { like: plain } },
  },
  'expand-not-an-array': {
    about: [{ expand: 'category' }, { expand: { category: true } }],
    shown: { 'as-one-value': { like: plain }, ignored: { like: plain }, 'no-effect': { like: plain } },
  },
  'metadata-letter-case': {
    about: [
      { store_name: 'BROADWAY' },
      { STORE_name: 'Broadway' },
      { STORE_name: 'BROADWAY' },
      { store_name: 'Broadway' },
    ].map((metadata) => ({ metadata })),
    shown: {
      exact: ['-broadway', '-broadway', '-broadway', '+broadway'],
      'ignored-in-value': ['+broadway', '-broadway', '-broadway', '+broadway'],
      'ignored-in-key': ['-broadway', '+broadway', '-broadway', '+broadway'],
      'ignored-in-both': '+broadway',
    },
  },
  'order-metadata-rules': {
    isAboutAll: true,
    about: [
      payments('card', 'cash'),
      payments('cash', 'card'),
      payments('cards'),
      payments('cash'),
      { metadata: { payment: 'card' } },
    ],
    shown: Object.fromEntries(
      Object.entries({
        applied: '++---',
        'applied-to-parts': '+++--',
        'applied-to-metadata-too': '++--+',
        'first-value': '+----',
        'last-value': '-+---',
        ignored: '+++++',
        'never-satisfied': '-----',
      }).map(([outcome, signs]) => [outcome, [...signs].map((sign) => `${sign}paid-by-card`)]),
    ),
  },
  'audience-rules-only-effect': {
    about: [audience('true')],
    shown: {
      'skips-order-rules': skipped,
      'audience-tiers-only': '+ann-or-bob +ann-with-a-mug -everyone -bob-only',
      'no-effect': like(plain),
    },
  },
  'audience-rules-only-values': {
    about: [
      audience('true'),
      audience('false'),
      audience('TRUE'),
      audience('1'),
      audience(''),
      audience('true', 'true'),
    ],
    shown: {
      'only-true': [skipped, notSkipped, notSkipped, notSkipped, notSkipped, skipped],
      'server-error': [skipped, notSkipped, notSkipped, notSkipped, notSkipped, '5xx'],
      'others-rejected': [skipped, '2xx', '4xx', '4xx', '4xx', '2xx'],
      'some-rejected': [skipped, '2xx', '2xx', '2xx', '4xx', '2xx'],
      'no-effect': notSkipped,
      'any-value': skipped,
      truthy: [skipped, notSkipped, skipped, skipped, notSkipped, skipped],
      'any-text': [skipped, skipped, skipped, skipped, notSkipped, skipped],
      'any-letter-case': [skipped, notSkipped, skipped, notSkipped, notSkipped, skipped],
      'another-choice': '2xx',
    },
  },
  'filter-combination': {
    about: [withQuery(...bothFilters), reversed(bothFilters)],
    shown: {
      intersection: '+uncategorized -everyone -silver',
      union: '+uncategorized +everyone -silver',
      'promotion-id-wins': { like: withQuery(bothFilters[0]) },
      'metadata-wins': { like: withQuery(bothFilters[1]) },
    },
  },
  'filter-two-metadata-keys': {
    about: [withQuery(...twoKeys), reversed(twoKeys), withQuery(twoKeys[0], twoKeys[0])],
    shown: {
      intersection: ['+everyone -uncategorized', '+everyone -uncategorized', '+everyone +uncategorized'],
      union: '+everyone +uncategorized -silver',
      'first-wins': like(withQuery(twoKeys[0]), withQuery(twoKeys[1]), withQuery(twoKeys[0])),
      'last-wins': like(withQuery(twoKeys[1]), withQuery(twoKeys[0]), withQuery(twoKeys[0])),
    },
  },
  'filter-repeated': {
    about: [withQuery(...twoCampaigns), reversed(twoCampaigns), withQuery(twoCampaigns[0], twoCampaigns[0])],
    shown: {
      union: ['+uncategorized +everyone', '+uncategorized +everyone', '+uncategorized -everyone'],
      'first-wins': like(withQuery(twoCampaigns[0]), withQuery(twoCampaigns[1]), withQuery(twoCampaigns[0])),
      'last-wins': like(withQuery(twoCampaigns[1]), withQuery(twoCampaigns[0]), withQuery(twoCampaigns[0])),
      ignored: { like: plain },
    },
  },
  'filter-unknown-campaign': { about: [withQuery(unused)], shown: { ignored: like(plain) } },
  'filter-tier-id-as-promotion-id': {
    about: [withQuery(filter('campaign', 'uncategorized'))],
    shown: {
      'that-tier': '+uncategorized -everyone',
      'its-campaign': like(withQuery(filter('campaign', 'summer'))),
      ignored: like(plain),
    },
  },
  'filter-unknown-metadata-key': {
    about: [withQuery(filter('metadata.nothing', 'x'))],
    shown: { ignored: like(plain) },
  },
  'filter-empty-value': {
    about: [withQuery(filter('campaign', '')), withQuery(filter('level', ''))],
    shown: { ignored: { like: plain } },
  },
  'filter-unknown-operator': {
    about: [
      raw('[filters][promotion_id][conditions][$is_not]', 'summer'),
      raw('[filters][metadata.level][conditions][$is_not]', 'gold'),
    ],
    shown: {
      negated: ['+everyone -uncategorized', '+silver -everyone'],
      'as-is': like(withQuery(filter('campaign', 'summer')), withQuery(filter('level', 'gold'))),
      ignored: { like: plain },
    },
  },
  'filter-unknown-field': {
    about: [withQuery(filter('name', 'Spring')), withQuery(filter('campaign_id', 'spring'))],
    shown: { ignored: { like: plain } },
  },
  'filter-plus-sign': {
    about: [raw('[filters][metadata.note][conditions][$is]', 'a+b')],
    shown: {
      'as-space': '+with-a-space -with-a-plus',
      'as-plus-sign': '+with-a-plus -with-a-space',
      ignored: like(plain),
    },
  },
  'filter-literal-brackets': {
    about: [
      raw('[filters][promotion_id][conditions][$is]', 'summer'),
      raw('[filters][metadata.level][conditions][$is]', 'gold'),
    ],
    shown: {
      'same-as-encoded': like(withQuery(filter('campaign', 'summer')), withQuery(filter('level', 'gold'))),
      ignored: { like: plain },
    },
  },
  'filter-percent-encoded': {
    about: [withQuery(filter('campaign', 'summer')), withQuery(filter('level', 'gold'))],
    shown: {
      'same-as-literal': like(
        raw('[filters][promotion_id][conditions][$is]', 'summer'),
        raw('[filters][metadata.level][conditions][$is]', 'gold'),
      ),
      ignored: { like: plain },
    },
  },
  'filter-without-leading-bracket': {
    about: [
      raw('filters[promotion_id][conditions][$is]', 'summer'),
      raw('filters%5Bpromotion_id%5D%5Bconditions%5D%5B$is%5D', 'summer'),
    ],
    shown: { 'same-as-literal': { like: withQuery(filter('campaign', 'summer')) }, ignored: { like: plain } },
  },
  'filter-metadata-typing': {
    about: [withQuery(filter('metadata.has_budget', 'true')), withQuery(filter('metadata.priority', '1'))],
    shown: {
      'by-text': '+true-and-1',
      'booleans-only': ['+true-and-1', '-true-and-1'],
      'numbers-only': ['-true-and-1', '+true-and-1'],
      'strings-only': 'nothing',
    },
  },
  'filter-letter-case': {
    about: [filter('metadata.level', 'GOLD'), filter('metadata.LEVEL', 'gold'), filter('metadata.LEVEL', 'GOLD')].map(
      (query) => withQuery(query),
    ),
    shown: {
      exact: 'nothing',
      'ignored-in-value': ['+everyone', 'nothing', 'nothing'],
      'ignored-in-key': ['nothing', '+everyone', 'nothing'],
      'ignored-in-both': '+everyone -silver',
    },
  },
  'filter-beyond-window': {
    about: [withQuery(filter('campaign', 'antique')), withQuery(filter('metadata.age', 'older'))],
    shown: {
      'window-first': 'nothing',
      'filter-first': '+rank-161',
      'campaign-filter-first': ['+rank-161', 'nothing'],
      'metadata-filter-first': ['nothing', '+rank-161'],
    },
  },
  'credentials-missing-id': describeCredentials(withHeader('X-Client-Application-Id', undefined)),
  'credentials-missing-token': describeCredentials(withHeader('X-Client-Token', undefined)),
  'credentials-missing-both': describeCredentials({
    headers: { 'X-Client-Application-Id': undefined, 'X-Client-Token': undefined },
  }),
  'credentials-wrong-token': describeCredentials(withHeader('X-Client-Token', 'wrong')),
  'credentials-before-body': {
    about: [
      withHeader('X-Client-Token', 'wrong'),
      { raw: '{' },
      { raw: '{', ...withHeader('X-Client-Token', 'wrong') },
    ],
    shown: {
      'credentials-first': [401, 400, 401],
      'body-first': [401, 400, 400],
      'same-answer': [401, 401, 401],
      'credentials-unchecked': ['2xx', 400, 400],
      'body-unchecked': [401, '2xx', 401],
    },
  },
  'malformed-json': { about: [{ raw: '{' }, { raw: 'hello' }], shown: { answered: '2xx' } },
  'body-not-an-object': { about: [{ raw: '[]' }, { raw: '[{"customer":{"id":"ann"}}]' }], shown: { answered: '2xx' } },
  'customer-not-an-object': {
    about: [withBody({ customer: 'ann' })],
    shown: { 'as-its-id': like(plain), 'as-anybody': like(eve) },
  },
  'items-not-an-array': {
    about: [{ items: mug(1) }, { items: blue(2) }],
    shown: { 'as-one-item': like(plain, withItems(blue(2))), 'item-ignored': { like: withoutItems } },
  },
  'metadata-not-strings': { about: [{ metadata: { level: 1 } }], shown: { answered: '2xx' } },
  'order-metadata-not-arrays': { about: [{ orderMetadata: { payment: 'card' } }], shown: { answered: '2xx' } },
  'duplicate-json-keys': {
    about: [
      { raw: createBody({}).replace('{', '{"customer":{"id":"bob"},') },
      { raw: createBody({}).replace('"id":"ann"', '"id":"bob","id":"ann"') },
    ],
    shown: { 'first-wins': { like: { customer: 'bob' } }, 'last-wins': { like: plain } },
  },
  'large-order': { about: [withItems(...Array.from({ length: 1000 }, () => mug(1)))], shown: { answered: '2xx' } },
  'body-length': {
    about: [{ metadata: { note: long } }],
    shown: { 'body-read': like(plain), 'body-ignored': like({ raw: '' }) },
  },
  'content-type-absent': describeContentType(undefined),
  'content-type-with-charset': describeContentType('application/json; charset=utf-8'),
  'content-type-other': describeContentType('text/plain'),
  'method-post': describeMethod('POST'),
  'method-head': describeMethod('HEAD'),
  'method-options': describeMethod('OPTIONS'),
  'method-put': describeMethod('PUT'),
  'method-delete': describeMethod('DELETE'),
  'path-trailing-slash': describePath('/v1/promotions/validation/'),
  'path-letter-case': describePath('/V1/PROMOTIONS/validation'),
};

/** What an outcome shows that ends the request, whatever the question is. */
function findCommon(outcome: string): Shown | undefined {
  if (outcome === 'rejected') return '4xx';
  if (outcome === 'server-error') return '5xx';
  return outcome === 'nothing-returned' ? 'nothing' : findOutcomeStatus(outcome);
}

/** How an answer differs from what is to be shown; undefined if it does not. */
function findDifference(answer: Answer, shown: Shown, isLike: Answer | undefined): string | undefined {
  const received = `${answer.status}, ${answer.returned.join(' ')}`;
  if (isLike !== undefined) {
    const isEqual = answer.status === isLike.status && answer.returned.join() === isLike.returned.join();
    return isEqual ? undefined : `${received}; like: ${isLike.status}, ${isLike.returned.join(' ')}`;
  }
  if (typeof shown === 'number') return answer.status === shown ? undefined : received;
  if (/^\dxx$/.test(String(shown))) return String(answer.status)[0] === String(shown)[0] ? undefined : received;
  if (answer.status !== 200) return received;
  if (shown === 'nothing') return answer.returned.length === 0 ? undefined : received;
  const wrong = String(shown)
    .split(' ')
    .filter((sign) => answer.returned.includes(sign.slice(1)) !== sign.startsWith('+'));
  return wrong.length === 0 ? undefined : `${received}; not as said: ${wrong.join(' ')}`;
}

/** Outcomes that no single answer shows: the order of a response, or several responses. */
const ofSeveral: Readonly<Record<string, Readonly<Record<string, (asking: Asking) => Promise<void>>>>> = {
  'result-order': {
    'newest-first': async ({ ask }) => expectOrder((await ask(plain)).returned, 'newest'),
    'oldest-first': async ({ ask }) => expectOrder((await ask(plain)).returned.toReversed(), 'newest'),
    'another-order': async ({ ask }) => {
      const { returned } = await ask(plain);
      expectOrder(returned, 'other');
      expectOrder(returned.toReversed(), 'other');
    },
  },
  'result-repetition': Object.fromEntries(
    Object.entries({
      once: [false, false, false],
      'more-than-once': [true, true, true],
      'more-than-once-with-expand': [false, true, false],
      'more-than-once-with-a-filter': [false, false, true],
    }).map(([outcome, repeats]) => [
      outcome,
      async ({ ask }) => {
        const asked = [plain, expanding, withQuery(filter('campaign', 'spring'))];
        for (const [n, isRepeated] of repeats.entries()) {
          const { returned } = await ask(asked[n] ?? plain);
          expect(new Set(returned).size < returned.length, `request ${n + 1}`).toBe(isRepeated);
        }
      },
    ]),
  ),
  repeatability: Object.fromEntries(
    Object.entries({
      identical: [true, true],
      'same-promotions': [false, true],
      'different-promotions': [false, false],
    }).map(([outcome, equal]) => [
      outcome,
      async ({ ask }) => {
        const [first, second] = [await ask(payments('card')), await ask(payments('card'))];
        expect([first.body === second.body, first.returned.join() === second.returned.join()]).toEqual(equal);
      },
    ]),
  ),
  'expand-category-effect': Object.fromEntries(
    Object.entries({
      'categories-added': [false, true],
      'categories-always': [true, true],
      'no-difference': [false, false],
      'another-difference': [false, false],
    }).map(([outcome, names]) => [
      outcome,
      async ({ ask }) => {
        const [without, expanded] = [await ask(plain), await ask(expanding)];
        expect([without, expanded].map(({ body }) => body.includes('"kitchen"'))).toEqual(names);
        const isDifferent = outcome === 'categories-added' || outcome === 'another-difference';
        expect(without.body !== expanded.body).toBe(isDifferent);
      },
    ]),
  ),
};

let ranks: ReadonlyMap<string, number>;
let documented: Asking;
test.beforeAll(async () => {
  documented = await startAsking();
  const { returned } = await documented.ask(plain);
  ranks = new Map(returned.map((id, n) => [id, n]));
});
test.afterAll(() => documented.close());

function expectOrder(returned: readonly string[], order: 'newest' | 'other'): void {
  const sorted = returned.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
  expect(returned.join() === sorted.join()).toBe(order === 'newest');
}

test('All questions and outcomes are described', () => {
  const described = [...Object.keys(descriptions), ...Object.keys(ofSeveral)].sort();
  expect(described).toEqual(Object.keys(closedQuestions).sort());
  const missing = Object.entries(closedQuestions).flatMap(([question, outcomes]) =>
    outcomes
      .filter((outcome) => {
        const shown = descriptions[question]?.shown[outcome] ?? findCommon(outcome);
        return shown === undefined && ofSeveral[question]?.[outcome] === undefined;
      })
      .map((outcome) => `${question}=${outcome}`),
  );
  expect(missing).toEqual([]);
});

/** Asks what a question is about, and lists the answers that are not what the outcome says. */
async function listWrongAnswers(
  { about, shown, isAboutAll = false }: Described,
  outcome: string,
  { ask }: Asking,
): Promise<string[]> {
  const expected = shown[outcome] ?? findCommon(outcome) ?? 'nothing';
  const rows = about.map((asked, n) => [asked, Array.isArray(expected) ? expected[n] : expected] as const);
  if (!isAboutAll) rows.push([plain, { like: plain }]);
  const wrong: string[] = [];
  for (const [n, [asked, of]] of rows.entries()) {
    const isLike = typeof of === 'object' ? await documented.ask(of.like) : undefined;
    const difference = findDifference(await ask(asked), of, isLike);
    if (difference !== undefined) wrong.push(`${outcome}, request ${n + 1}: ${difference}`);
  }
  return wrong;
}

for (const question of Object.keys(closedQuestions) as ClosedQuestion[])
  test(`${question}: each outcome does what it says`, async () => {
    const described = descriptions[question];
    const wrong: string[] = [];
    for (const outcome of closedQuestions[question]) {
      const asking = await startAsking({ behaviours: { [question]: outcome } });
      await ofSeveral[question]?.[outcome]?.(asking);
      if (described !== undefined) wrong.push(...(await listWrongAnswers(described, outcome, asking)));
      await asking.close();
    }
    expect(wrong).toEqual([]);
  });

test('An omitted member depends on an earlier request where the outcome says so', async () => {
  for (const [member, earlier, shown] of [
    ['customer', { customer: 'bob' }, '+bob-only -ann-with-a-mug'],
    ['order', withItems(mug(10)), '+mug-10'],
    ['metadata', { metadata: { color: 'red' } }, '+color-red'],
  ] as const) {
    const asking = await startAsking({ behaviours: { [`omitted-${member}`]: 'depends-on-earlier-requests' } });
    await asking.ask(earlier);
    expect(
      findDifference(await asking.ask(withBody({ [member]: undefined })), shown, undefined),
      member,
    ).toBeUndefined();
    await asking.close();
  }
});

test('Quantities beside a string of digits count as they do alone', async () => {
  for (const [quantities, behaviours, shown] of [
    [[-1, '2', 1], {}, 400],
    [['2', -1], {}, 400],
    [[0, '2'], {}, '+mug-2 -mug-3'],
    [[0, '2'], { 'quantity-zero': 'rejected' }, 400],
    [[-2, '2'], { 'quantity-negative': 'as-absolute' }, '+mug-3 -mug-10'],
    [[1, '2', 'three'], {}, 400],
    [[1, '2', null], { 'quantity-null': 'rejected' }, 400],
    [[1, '2', undefined], { 'missing-quantity': 'as-unlimited' }, '+mug-1000'],
    [[1.5, '2'], {}, 400],
  ] as const) {
    const asking = await startAsking({ behaviours });
    const answer = await asking.ask(withItems(...quantities.map(mug)));
    expect(findDifference(answer, shown, undefined), JSON.stringify(quantities)).toBeUndefined();
    await asking.close();
  }
});

test('A string in place of the array options.expand is read as one value, or nothing is', async () => {
  for (const [outcome, names] of [
    ['as-one-value', [true, true]],
    ['ignored', [false, true]],
    ['no-effect', [false, false]],
  ] as const) {
    const asking = await startAsking({ behaviours: { 'expand-not-an-array': outcome } });
    const bodies = [await asking.ask({ expand: 'category' }), await asking.ask(expanding)].map(({ body }) => body);
    expect(
      bodies.map((body) => body.includes('"kitchen"')),
      outcome,
    ).toEqual(names);
    await asking.close();
  }
});
