import { expect, test } from '@playwright/test';
import type { TestCase } from '../../src/cases/test-case.js';
import type { Campaign, Tier } from '../../src/contract/world.js';
import type { Exchange } from '../../src/http/exchange.js';
import type { TargetContext } from '../../src/judge/judge-case.js';
import { collectEvidence } from '../../src/judge/judge-case.js';
import { extractBodies, fillBody, maskChanging, type RecordedBodies } from '../../src/judge/recorded-bodies.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { checkEachRow } from '../support/check-each-row.js';
import { createNamelessWorld } from '../support/stubs.js';

// `$&` has a meaning in `replaceAll`.
const spring: Campaign = { id: 'camp_spring_01', name: 'Spring $& sale', category_ids: [] };
const autumn: Campaign = { id: 'camp_autumn_01', name: 'Autumn', category_ids: [] };

function tierOf(id: string, { id: campaign_id }: Campaign, metadata: Tier['metadata'], day: number): Tier {
  return { id, campaign_id, name: `Name of ${day}`, created_at: `2024-05-0${day}T12:00:00.000Z`, metadata, rules: [] };
}
const first = tierOf('promo_first_0001', spring, { level: 'gold' }, 4);
const second = tierOf('promo_second_001', spring, { level: 'silver', n: 1 }, 3);
const third = tierOf('promo_third_0001', autumn, {}, 2);
const numbered = [7_000_001, 7_000_002].map((id) => tierOf(String(id), autumn, {}, 1));

const things = { customers: [], products: [], skus: [], categories: [], campaigns: [autumn, spring] };
const world = createNamelessWorld({ ...things, tiers: [first, second, third, ...numbered] });
const recognizer = createRecognizer(world);
const campaignOf = ({ campaign_id }: Tier) => (campaign_id === spring.id ? spring : autumn);

const at = { file: 'cases.yaml', line: 1, column: 1 };
const row = { title: '', requests: new Map(), given: [], unavailable: [] };

/** Extracts bodies from the responses of the case that answers a question. */
function extractFrom(
  question: string,
  responses: Readonly<Record<string, readonly [status: number, body: unknown]>>,
  stated: Stated = {},
): RecordedBodies {
  const exchanges = Object.entries(responses).map(([name, [status, body]]): [string, Exchange] => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const request = { method: 'GET', path: '/', headers: [] };
    return [name, { request, response: { status, headers: [], body: text } }];
  });
  const answer = { kind: 'first-of', rules: [], evidence: 'plain' } as const;
  const testCase: TestCase = {
    kind: 'question',
    id: 'q',
    answers: question,
    title: '',
    at,
    tags: [],
    rows: [row],
    answer,
  };
  const target = { world, recognizer, calibration: [], isWorldSeen: true, ...stated };
  return extractBodies(testCase, collectEvidence([new Map(exchanges)], target));
}

type Stated = Partial<Pick<TargetContext, 'configuredPatterns' | 'recognizer'>>;

/** The template of a result. */
const templateFrom = (body: unknown, stated: Stated = {}): unknown =>
  extractFrom('expand-category-effect', { plain: [200, body] }, stated).promotions;

test.describe('A body can be filled with other promotions', () => {
  type Shape = (tiers: readonly Tier[]) => unknown;
  // mock.spec.ts has more shapes.
  const rows: readonly (readonly [what: string, shape: Shape, template: unknown])[] = [
    [
      'nested values',
      (tiers) => ({ in: { list: tiers.map((tier) => ({ node: { id: tier.id, of: [campaignOf(tier).name] } })) } }),
      { in: { list: { '<promotions>': { node: { id: '<id>', of: ['<campaign name>'] } } } } },
    ],
    [
      'values inside texts',
      (tiers) => tiers.map(({ id, campaign_id }) => ({ href: `/${campaign_id}/${id}?back=${id}` })),
      { '<promotions>': { href: '/<campaign id>/<id>?back=<id>' } },
    ],
    [
      'the number of promotions',
      (tiers) => ({
        total: tiers.length,
        page: 1,
        of: `${tiers.length}`,
        list: tiers.map(({ id }) => ({ id, size: 3 })),
      }),
      { total: '<count>', page: 1, of: '<count as text>', list: { '<promotions>': { id: '<id>', size: 3 } } },
    ],
  ];
  test('in each shape', () =>
    checkEachRow(rows, (_, shape, template) => {
      const seen = [first, second, third];
      expect(templateFrom(shape(seen))).toEqual(template);
      for (const tiers of [seen, [third, second], [second], []])
        expect(fillBody(template, tiers, world, 1)).toEqual(shape(tiers));
    }));
});

test.describe('A value is replaced only if its meaning is certain', () => {
  const [one, two, other] = [first.id, second.id, third.id];
  const ids = { '<promotions>': '<id>' };
  const rows: readonly (readonly [what: string, body: unknown, template: unknown])[] = [
    ['another number', { total: 3, list: [one, two] }, { total: 3, list: ids }],
    [
      'metadata of another tier',
      [{ id: one, extra: second.metadata }, { id: two }],
      { '<promotions>': { id: '<id>', extra: second.metadata } },
    ],
    ['one promotion', { total: 1, list: [one] }, undefined],
    ['no JSON', `<p>${one} ${two}`, undefined],
    ['a linked list', { id: one, next: { id: two } }, undefined],
    ['a tree', [{ id: one, tiers: [{ id: two }] }, { id: other }], undefined],
    ['a promotion twice', [one, two, two], undefined],
    ['a promotion that names another', [{ id: one, instead_of: two }, { id: two }], undefined],
    ['ids in capitals', [one.toUpperCase(), two.toUpperCase()], undefined],
    ['keyed by id, and another key', { [one]: {}, [two]: {}, total: 2 }, undefined],
  ];
  test('Other values stay, or there is no template', () =>
    checkEachRow(rows, (_, body, template) => expect(templateFrom(body)).toEqual(template)));

  test('Promotions that were not returned are left out', () => {
    const body = { list: [one, two], skipped: [other] };
    expect(templateFrom(body, { configuredPatterns: ['/list/*'] })).toEqual({ list: ids, skipped: [] });
    const filtered = createRecognizer(world, { where: { ok: ['true'] }, patterns: [] });
    const entries = [one, two, other].map((id) => ({ id, ok: id !== other, note: id === other ? 'Long' : '' }));
    expect(templateFrom(entries, { recognizer: filtered })).toEqual({
      '<promotions>': { id: '<id>', ok: true, note: '' },
    });
  });
});

test.describe('Bodies are extracted', () => {
  const list = { list: [first, second].map(({ id }) => ({ id })) };
  const expanded = { list: [first, second].map(({ id }) => ({ id, categories: ['Tea'] })) };
  const ids = { list: { '<promotions>': { id: '<id>' } } };

  test('from two cases', () => {
    const plain = [200, { of: 1, ...list }] as const;
    expect(extractFrom('expand-category-effect', { plain, expanded: [200, expanded] })).toEqual({
      promotions: { of: 1, ...ids },
      expanded: { list: { '<promotions>': { id: '<id>', categories: ['Tea'] } } },
    });
    expect(extractFrom('empty-result', { plain, probe: [200, { list: [], of: 'x' }] })).toEqual({
      none: { list: [], of: 'x' },
    });
  });

  test('and from nothing else', () => {
    expect(extractFrom('repeatability', { plain: [200, list] })).toEqual({});
    expect(extractFrom('expand-category-effect', { plain: [400, list], expanded: [200, '<p>'] })).toEqual({});
    for (const response of [
      [404, {}],
      [204, ''],
      [200, list],
    ] as const)
      expect(extractFrom('empty-result', { probe: response })).toEqual({});
  });

  test('without values that differ between responses', () => {
    const of = { by: { '<promotions by id>': { id: '<id>', until: 'x' } }, list: { '<promotions>': { n: 5 } } };
    const paths = ['/at', '/list/*/n', '/by/*/until', '/by/*/id', '/is', '/as/*'];
    const masked = maskChanging({ ...of, at: 'x', is: true, as: ['x', 'y'], page: 1 }, new Set(paths));
    expect(masked).toEqual({
      by: { '<promotions by id>': { id: '<id>', until: '<changing>' } },
      list: { '<promotions>': { n: '<changing number>' } },
      at: '<changing>',
      is: true,
      as: ['<changing>', '<changing>'],
      page: 1,
    });
    expect(fillBody(masked, [first], world, 7)).toEqual({
      by: { [first.id]: { id: first.id, until: '…7' } },
      list: [{ n: 7 }],
      at: '…7',
      is: true,
      as: ['…7', '…7'],
      page: 1,
    });
  });
});
