/** The difference between two requests has a name that is as narrow as possible, and true. */

import { expect, test } from '@playwright/test';
import { listDifferingParts, nameDifference } from '../../src/explanation/differing-parts.js';
import { type DecomposedRequest, takeRequestApart } from '../../src/explanation/request-components.js';
import type { HttpRequest } from '../../src/http/exchange.js';
import { suite } from '../support/in-process.js';

const plain = suite.calibration[0] as HttpRequest;

interface Content {
  readonly items?: readonly object[];
  readonly metadata?: object;
  readonly query?: string;
}

function take({ items = [], metadata = {}, query = '' }: Content): DecomposedRequest {
  const body = JSON.stringify({ customer: { id: 'c' }, order: { items, metadata: {} }, options: {}, metadata });
  return takeRequestApart({ ...plain, path: `${plain.path}${query}`, body }, plain) as DecomposedRequest;
}

function nameOnly(left: Content, right: Content): string {
  const [first, second] = [take(left), take(right)];
  const parts = listDifferingParts(first, second);
  expect(parts).toHaveLength(1);
  return parts.map((part) => nameDifference(part, first, second)).join();
}

const mugs = (quantity: number) => ({ product_id: 'mug', quantity });
const plate = { product_id: 'plate', quantity: 1 };

const differences: readonly (readonly [words: string, left: Content, right: Content])[] = [
  ['the quantities of the items', { items: [mugs(1), plate] }, { items: [mugs(2), plate] }],
  ['the order of the items', { items: [mugs(1), plate] }, { items: [plate, mugs(1)] }],
  ['the items after the first one', { items: [mugs(1)] }, { items: [mugs(1), plate] }],
  ['the items', { items: [mugs(1)] }, { items: [plate] }],
  ['the values in the metadata', { metadata: { a: 'x', b: 'y' } }, { metadata: { a: 'z', b: 'y' } }],
  ['the names in the metadata', { metadata: { a: 'x' } }, { metadata: { b: 'x' } }],
  [
    'the assignment of values to names in the metadata',
    { metadata: { a: 'x', b: 'y' } },
    { metadata: { a: 'y', b: 'x' } },
  ],
  ['an exchanged name and value in the metadata', { metadata: { a: 'x' } }, { metadata: { x: 'a' } }],
  ['the metadata', { metadata: { a: 'x' } }, { metadata: { b: 'y' } }],
  ['the metadata', { metadata: { a: 'x' } }, { metadata: {} }],
  ['the parameter audienceRulesOnly', { query: '?audienceRulesOnly=true' }, {}],
];

for (const [words, left, right] of differences) {
  test(`${words}: ${JSON.stringify(left)}, ${JSON.stringify(right)}`, () => {
    expect(nameOnly(left, right)).toBe(words);
    expect(nameOnly(right, left)).toBe(words);
  });
}

test('Filters of one kind are named, and several kinds are the query', () => {
  const filters = suite.cases.flatMap(({ rows }) => rows.flatMap(({ requests }) => [...requests.values()]));
  const find = (wanted: RegExp) => {
    const request = filters.find(({ path }) => wanted.test(decodeURIComponent(path)));
    return { query: request?.path.replace(/^[^?]*/, '') ?? '' };
  };
  const [ofCampaign, ofMetadata] = [find(/promotion_id\][^&]*$/), find(/metadata\.level\][^&]*$/)];
  expect(nameOnly(ofCampaign, {})).toBe('the filter by promotion_id');
  expect(nameOnly(ofMetadata, {})).toBe('the filter by tier metadata');
  expect(nameOnly(ofMetadata, ofCampaign)).toBe('the query');
});
