import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { readDataFile } from '../../src/contract/data-file.js';
import { pickWorldLists, type Tier, type World } from '../../src/contract/world.js';
import { drawRequests } from '../../src/own-data/draw-requests.js';
import { UnusableInput } from '../../src/support/problem.js';
import { suite } from '../support/in-process.js';
import { createData, writeData } from '../support/own-data.js';

/** The problems of a file with this text, without its path. */
function listProblems(text: string, name = 'broken.json'): string[] {
  const file = test.info().outputPath(name);
  writeFileSync(file, text);
  try {
    readDataFile(file);
    return [];
  } catch (error) {
    if (!(error instanceof UnusableInput)) throw error;
    return error.problems.map(({ at, message }) => ('line' in at ? `${at.line}:${at.column} ${message}` : message));
  }
}

const [tier] = createData('small').tiers as [Tier];
const small: World = {
  customers: [{ id: 'c1' }],
  products: [{ id: 'p1' }],
  skus: [{ id: 's1', product_id: 'p1' }],
  categories: [],
  campaigns: [{ id: 'k1', name: 'K', category_ids: [] }],
  tiers: [{ ...tier, campaign_id: 'k1', rules: [{ kind: 'other', description: 'Something else.' }] }],
};
const render = (change: object) => JSON.stringify({ ...small, ...change }, null, 1);

test('Requests are drawn from data with broken characters: they are in no request, and every other text is', () => {
  const broken = '\ud800x';
  const ruled = (id: string, is: string): Tier => ({
    ...tier,
    id,
    campaign_id: 'k1',
    metadata: { level: is, [is]: 'gold' },
    rules: [
      { kind: 'metadata', key: 'store', is },
      { kind: 'order_metadata', key: 'payment', includes: is },
    ],
  });
  const file = test.info().outputPath('surrogates.json');
  writeFileSync(file, render({ tiers: [ruled('t1', broken), ruled('t2', 'whole')] }));
  const { world } = readDataFile(file);
  const sent = JSON.stringify(drawRequests(world, 200).map(({ request }) => request));
  expect(sent).toContain('whole');
  for (const trace of ['ud800', '%EF%BF%BD']) expect(sent).not.toContain(trace);
});

test('What the suite prints is a data file', () => {
  const { world, digest } = readDataFile(writeData(pickWorldLists(suite.world), 'world-of-the-suite'));
  expect(world.tiers).toEqual(suite.world.tiers);
  expect(world.ids.customer.get(world.customers[0]?.id ?? '')).toBe(world.customers[0]?.id);
  expect(digest).toMatch(/^sha256:/);
  expect(listProblems(render({}))).toEqual([]);
});

const rows: readonly [what: string, text: string, problems: readonly (string | RegExp)[]][] = [
  ['text that is not JSON', '{ "customers": [,] }', [/^1:17 is not valid JSON/]],
  ['a key that is unknown', render({ shops: [] }), [/^\d+:\d+ unknown key 'shops'/]],
  ['a double id', render({ customers: [{ id: 'c1' }, { id: 'c1' }] }), [/^7:10 two customers have the id 'c1'/]],
  ['an unknown product', render({ skus: [{ id: 's1', product_id: 'p2' }] }), [/^\d+:\d+ there is no product 'p2'/]],
  [
    'tiers that are not in their order',
    render({ tiers: [small.tiers[0], { ...small.tiers[0], id: 'newer', created_at: '2040-01-01T00:00:00Z' }] }),
    [/^\d+:\d+ the tier is newer than the one before it/],
  ],
  [
    'rules that are not of their kind',
    render({
      tiers: [
        { ...tier, campaign_id: 'k1', rules: [{ kind: 'product', id: 'p1', atleast: 2 }, { kind: 'segment' }, {}] },
      ],
    }),
    [
      /lacks the key 'at_least'$/,
      /unknown key 'atleast'$/,
      /entry 2 of 'rules' cannot have the kind 'segment'$/,
      /lacks the key 'kind'$/,
    ],
  ],
  [
    'several problems at once',
    render({ tiers: [{ ...small.tiers[0], campaign_id: 'k2', rules: [{ kind: 'customer', any_of: ['c1', 'c2'] }] }] }),
    [/there is no campaign 'k2'/, /there is no customer 'c2'/],
  ],
];
for (const [what, text, problems] of rows)
  test(`A data file with ${what} is refused, with the place`, () => {
    const found = listProblems(text);
    expect(found).toHaveLength(problems.length);
    for (const [n, problem] of problems.entries()) expect(found[n]).toMatch(problem);
  });

test('A data file may be YAML', () => {
  const text = 'customers: []\nproducts: []\nskus: []\ncategories: []\ncampaigns: []\ntiers: [{ id: 1 }]\n';
  expect(listProblems(text, 'shop.yaml')[0]).toMatch(/^6:9 /);
});

test('The same data gives the same requests', () => {
  const draw = () => drawRequests(createData('small'), 60).map(({ request }) => request);
  const requests = draw();
  expect(requests).toHaveLength(60);
  expect(draw()).toEqual(requests);
});

for (const name of ['data.json', 'data.yaml'])
  test(`Numbers of metadata keep their digits, in ${name}`, () => {
    const text = render({}).replace(/"metadata": \{[^}]*\}/, '"metadata": {"a": 9007199254740993, "b": 1.50, "c": 7}');
    const file = test.info().outputPath(name);
    writeFileSync(file, name.endsWith('json') ? text : `# data\n${text}`);
    const { world } = readDataFile(file);
    expect(Object.values(world.tiers[0]?.metadata ?? {}).map(String)).toEqual(['9007199254740993', '1.50', '7']);
  });
