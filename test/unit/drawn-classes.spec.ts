/** What is drawn from data that nobody chose: classes of requests, whatever the data offers. */

import { expect, test } from '@playwright/test';
import { createOracle, type DocumentedRequestBody } from '../../src/contract/oracle.js';
import type { World } from '../../src/contract/world.js';
import { parseRequest } from '../../src/http/decoded-request.js';
import { serializeRequest } from '../../src/http/exchange.js';
import { viewDataDecisions } from '../../src/outputs/view-data-decisions.js';
import type { CandidateRequest } from '../../src/own-data/candidate-request.js';
import { type DataDecision, listDataDecisions } from '../../src/own-data/data-decisions.js';
import { drawRequests } from '../../src/own-data/draw-requests.js';
import { listCandidateRequests } from '../../src/own-data/list-candidate-requests.js';
import { listCoverageGoals } from '../../src/own-data/list-coverage-goals.js';
import { createShop, shopSizes } from '../../tools/own-data/create-shop.js';
import { ownDataSeed } from '../support/own-data.js';

/** As many as a default run has room for. */
const drawnRequests = 170;

for (const size of shopSizes.slice(0, 4))
  test(`${size} tiers: the largest order, large bodies and long texts are drawn, and all is documented`, () => {
    const world = createShop(size, ownDataSeed);
    test.info().annotations.push({ type: 'OWN_DATA_SEED', description: String(ownDataSeed) });
    const requests = drawRequests(world, drawnRequests).map(({ request }) => request);
    const bodies = requests.map((request) => parseRequest(request).body as DocumentedRequestBody);
    const texts = bodies.flatMap(({ metadata = {} }) => Object.values(metadata));
    const sizes = requests.map(({ body = '' }) => body.length);
    expect(requests.length).toBeLessThanOrEqual(drawnRequests);
    expect(Math.max(...bodies.map(({ order }) => order?.items?.length ?? 0))).toBe(100);
    expect(Math.max(...sizes)).toBeGreaterThan(32_768);
    expect(sizes.some((length) => length > 8_192 && length < 32_768)).toBe(true);
    expect(Math.max(...sizes)).toBeLessThan(65_536);
    expect(Math.max(...texts.map((text) => text.length))).toBeGreaterThan(255);
    expect(requests.flatMap((request) => createOracle(request, world).undocumentedReason ?? [])).toEqual([]);
  });

/** The goals of some kinds that requests reach, each as its key. */
function listReached(requests: readonly CandidateRequest[], world: World, kinds: readonly string[]): string[] {
  const keys = requests.flatMap((request) => listCoverageGoals(request, world).map(({ key }) => key));
  return [...new Set(keys)].filter((key) => kinds.includes(key.split('\n')[0] ?? '')).toSorted();
}

for (const size of [20, 60, 300])
  test(`${size} tiers: each kind of text and each sign is asked for that a request can show`, () => {
    for (const seed of [1, 2, 3]) {
      const world = createShop(size, seed);
      const newest = { ...world, tiers: world.tiers.slice(0, 170) };
      const kinds = ['facet-of-text', 'sign-of-text'];
      const shown = listReached(listCandidateRequests(world, newest), newest, kinds);
      expect(shown.length).toBeGreaterThan(0);
      expect(listReached(drawRequests(world, drawnRequests), newest, kinds), `seed ${seed}`).toEqual(shown);
    }
  });

test('A request and its repetitions follow each other, and a filter is repeated', () => {
  const contentOf = ({ request: { again: _, ...request } }: CandidateRequest) => serializeRequest(request);
  for (const seed of [1, 2, 3]) {
    const drawn = drawRequests(createShop(150, seed), drawnRequests);
    const contents = drawn.map(contentOf);
    const repeated = drawn.filter(({ change }) => change?.kind === 'repetition');
    for (const content of new Set(repeated.map(contentOf)))
      expect(contents.lastIndexOf(content) - contents.indexOf(content), `seed ${seed}`).toBe(3);
    expect(repeated.some(({ filtering }) => filtering?.group === 'metadata')).toBe(true);
  }
});

test('Metadata that decides is sent as order metadata, beside other order metadata, and a filter asks for true', () => {
  for (const seed of [1, 2, 3]) {
    const drawn = drawRequests(createShop(150, seed), drawnRequests);
    const kinds = drawn.map(({ change }) => change?.kind);
    expect(kinds).toContain('metadata-as-order-metadata');
    expect(kinds).toContain('order-metadata-of-same-keys');
    expect(drawn.flatMap(({ parts }) => parts.filters ?? []).map(({ value }) => value)).toContain('true');
  }
});

const created = (n: number) => new Date(Date.UTC(2026, 0, 300 - n)).toISOString();

/** A shop in which two things are alike, and a promotion for one of them. */
function createPair(kind: 'customer' | 'product' | 'campaign', ids: readonly [string, string]): World {
  const entities = (ofKind: string, usual: string) => [...(kind === ofKind ? ids : []), usual].map((id) => ({ id }));
  const campaigns = entities('campaign', 'usual-campaign').map(({ id }) => ({ id, name: id, category_ids: [] }));
  const [first] = ids;
  const rules: Readonly<Record<typeof kind, World['tiers'][number]['rules']>> = {
    customer: [{ kind: 'customer', any_of: [first] }],
    product: [{ kind: 'product', id: first, at_least: 1 }],
    campaign: [],
  };
  const tiers = [
    { id: 'T-8', campaign_id: kind === 'campaign' ? first : 'usual-campaign', rules: rules[kind] },
    { id: 'T-9', campaign_id: 'usual-campaign', rules: [] },
  ].map((tier, n) => ({ ...tier, name: tier.id, created_at: created(n), metadata: {} }));
  const customers = [...entities('customer', 'usual-customer'), { id: 'nobody-else' }];
  return { customers, products: entities('product', 'usual-product'), skus: [], categories: [], campaigns, tiers };
}

const alike = {
  'letter-case': ['Spring', 'SPRING'],
  blanks: ['spring', 'spring '],
  'number-notation': ['77', '077'],
  beginning: ['spring', 'spring-sale'],
  ending: ['sale', 'spring-sale'],
  signs: ['mug-red', 'mug_red'],
} as const;

for (const kind of ['customer', 'product', 'campaign'] as const)
  for (const [decision, ids] of Object.entries(alike))
    test(`A ${kind} is asked for that is easily taken for another one: ${decision}`, () => {
      const find = (world: World): DataDecision | undefined =>
        listDataDecisions(world, drawRequests(world, drawnRequests)).find((entry) => entry.decision === decision);
      for (const [first, second] of [ids, [ids[1], ids[0]] as const])
        expect(find(createPair(kind, [first, second]))?.shown_for, `${first} and ${second}`).toContain(kind);
      expect(find(createPair(kind, ['q', 'zzzz']))?.shown_for ?? []).not.toContain(kind);
    });

test('What is not shown is said in words, with what it concerns', () => {
  const world = createPair('customer', ['spring', 'autumn']);
  const decisions = listDataDecisions(world, drawRequests(world, drawnRequests));
  const covered = { tiers: 2, of: 2, rules: {}, filters: 0, decisions };
  const data = { file: 'shop.json', digest: '', requests: undefined, counts: {} as never, covered };
  const view = viewDataDecisions({ data });
  expect(view?.notShown).toContain('customers that differ in letter case alone');
  expect(view?.notShown).toContain('the first promotion tier that is older than the newest 150');
  expect([...(view?.shown ?? []), ...(view?.notShown ?? [])].join()).not.toMatch(/SKU|product|undefined|\{/);
  expect(viewDataDecisions({ data: undefined as never })).toBeUndefined();
});
