import { expect, test } from '@playwright/test';
import type { QuestionAnswer, TestCase } from '../../src/cases/test-case.js';
import type { Exchange } from '../../src/http/exchange.js';
import { extractTemplates, mergeResponseTemplates, type ResponseTemplates } from '../../src/judge/extract-templates.js';
import { createTemplate, fillTemplate } from '../../src/judge/response-template.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import type { NamedWorld } from '../../src/world/named-world.js';
import type { Campaign, Tier } from '../../src/world/world.js';
import { checkEachRow } from './support/check-each-row.js';
import { createNamelessWorld } from './support/stubs.js';

const [tea, cups] = [
  { id: 'cat_tea_000001', name: 'Tea' },
  { id: 'cat_cups_00001', name: 'Cups' },
] as const;
// `$&` has a meaning in `replaceAll`.
const spring: Campaign = { id: 'camp_spring_01', name: 'Spring $& sale', category_ids: [cups.id, tea.id] };
const autumn: Campaign = { id: 'camp_autumn_01', name: 'Autumn', category_ids: [tea.id] };

function tierOf(id: string, { id: campaign_id }: Campaign, metadata: Tier['metadata'], day: number): Tier {
  return { id, campaign_id, name: `Name of ${day}`, created_at: `2024-05-0${day}T12:00:00.000Z`, metadata, rules: [] };
}
const first = tierOf('promo_first_0001', spring, { level: 'gold' }, 4);
const second = tierOf('promo_second_001', spring, { level: 'silver', n: 1 }, 3);
const third = tierOf('promo_third_0001', autumn, {}, 2);

const world: NamedWorld = createNamelessWorld({
  customers: [],
  products: [],
  skus: [],
  categories: [tea, cups],
  campaigns: [autumn, spring],
  tiers: [first, second, third],
});
const recognizer = createRecognizer(world);

const idOf = ({ id }: { readonly id: string }) => id;
const campaignOf = ({ campaign_id }: Tier) => (campaign_id === spring.id ? spring : autumn);
const categoriesOf = (campaign: Campaign) => campaign.category_ids.map((id) => (id === tea.id ? tea : cups));
const campaignsOf = (tiers: readonly Tier[]) =>
  world.campaigns.flatMap((campaign) => {
    const own = tiers.filter((tier) => campaignOf(tier) === campaign);
    return own.length === 0 ? [] : [{ campaign, own }];
  });

function templateFrom(body: unknown, returned: readonly Tier[], volatile: readonly string[] = []): unknown {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const seen = { world, ids: recognizer.ids, returned: new Set(returned.map(idOf)), volatile: new Set(volatile) };
  return createTemplate({ body: text, ...seen });
}

const filledWith = (template: unknown, ...tiers: readonly Tier[]) =>
  fillTemplate(template, { world, tiers, volatile: 7 });

test.describe('A template can be filled with other promotions', () => {
  type Shape = (tiers: readonly Tier[]) => unknown;
  const ids = { '<promotions>': '<tier id>' };
  const constant = { object: 'list', extra: {}, more: [null, true, 1, 'x', []] };
  const rows: readonly (readonly [what: string, shape: Shape, template: unknown])[] = [
    ['ids', (tiers) => tiers.map(idOf), ids],
    [
      'all values',
      (tiers) => ({ data: tiers.map(({ rules: _, ...shown }) => shown), ...constant }),
      {
        data: {
          '<promotions>': {
            id: '<tier id>',
            name: '<tier name>',
            created_at: '<tier created_at>',
            metadata: '<tier metadata>',
            campaign_id: '<campaign id>',
          },
        },
        ...constant,
      },
    ],
    [
      'ids inside texts, names as whole texts',
      (tiers) =>
        tiers.map((tier) => ({
          href: `/campaigns/${tier.campaign_id}/tiers/${tier.id}?back=${tier.id}`,
          campaign: campaignOf(tier).name,
          text: `by ${first.name} of ${spring.name}`,
        })),
      {
        '<promotions>': {
          href: '/campaigns/<campaign id>/tiers/<tier id>?back=<tier id>',
          campaign: '<campaign name>',
          text: `by ${first.name} of ${spring.name}`,
        },
      },
    ],
    [
      'the number of promotions',
      (tiers) => ({ total: tiers.length, page: 1, list: tiers.map(({ id }) => ({ id, size: 3 })) }),
      { total: '<count>', page: 1, list: { '<promotions>': { id: '<tier id>', size: 3 } } },
    ],
    [
      'keyed by id',
      (tiers) => ({ by_id: Object.fromEntries(tiers.map(({ id, name }) => [id, { id, name }])) }),
      { by_id: { '<promotions by id>': { id: '<tier id>', name: '<tier name>' } } },
    ],
    [
      'in lists by campaign',
      (tiers) => campaignsOf(tiers).map(({ campaign: { id, name }, own }) => ({ id, name, tiers: own.map(idOf) })),
      { '<campaigns>': { id: '<campaign id>', name: '<campaign name>', tiers: ids } },
    ],
    [
      'keyed by campaign',
      (tiers) =>
        Object.fromEntries(
          campaignsOf(tiers).map(({ campaign: { id, name }, own }) => [id, { name, tiers: own.map(idOf) }]),
        ),
      { '<campaigns by id>': { name: '<campaign name>', tiers: ids } },
    ],
    [
      'with the categories of each campaign',
      (tiers) => tiers.map((tier) => ({ id: tier.id, categories: categoriesOf(campaignOf(tier)) })),
      {
        '<promotions>': {
          id: '<tier id>',
          categories: { '<categories>': { id: '<category id>', name: '<category name>' } },
        },
      },
    ],
    [
      'with the ids of categories alone, and their names alone',
      (tiers) =>
        tiers.map((tier) => {
          const categories = categoriesOf(campaignOf(tier));
          return {
            id: tier.id,
            ids: categories.map(idOf),
            names: categories.map(({ name }) => [[name], campaignOf(tier).id]),
          };
        }),
      {
        '<promotions>': {
          id: '<tier id>',
          ids: { '<categories>': '<category id>' },
          names: { '<categories>': [['<category name>'], '<campaign id>'] },
        },
      },
    ],
    [
      'with other things in place of categories',
      (tiers) =>
        tiers.map(({ id }) => ({ id, categories: ['Coffee'], some: ['Tea', 'Coffee'], none: [], by: { a: 1 } })),
      {
        '<promotions>': { id: '<tier id>', categories: ['Coffee'], some: ['Tea', 'Coffee'], none: [], by: { a: 1 } },
      },
    ],
    [
      'JSON within a text',
      (tiers) => ({ status: 200, body: JSON.stringify(tiers.map(idOf)), other: ' [1]', cut: `[1` }),
      { status: 200, body: { '<json>': ids }, other: ' [1]', cut: '[1' },
    ],
  ];
  test('in each shape', () =>
    checkEachRow(rows, (_, shape, template) => {
      const seen = [first, second, third];
      expect(templateFrom(shape(seen), seen)).toEqual(template);
      for (const tiers of [seen, [third, second], [second], []])
        expect(filledWith(template, ...tiers)).toEqual(shape(tiers));
    }));

  test('The longest entry is the template of all', () => {
    const list = [{ id: first.id }, { id: second.id, name: second.name }, { id: third.id, text: 'x' }];
    const of = (tiers: readonly object[]) => templateFrom(tiers, [first, second, third]);
    const fullest = { '<promotions>': { id: '<tier id>', name: '<tier name>' } };
    expect([of(list), of(list.toReversed())]).toEqual([fullest, fullest]);
    const alike = [
      { id: first.id, a: 1 },
      { id: third.id, b: 1 },
    ];
    expect(of(alike)).toEqual({ '<promotions>': { id: '<tier id>', a: 1 } });
  });

  test('Volatile values are replaced', () => {
    const list = [first, second].map(({ id }) => ({ id, seen: 'now', turn: 3 }));
    const groups = { [spring.id]: [first.id, second.id] };
    const keyed = { [first.id]: { until: 'x' }, [second.id]: { until: 'x' } };
    const body = { list, by: groups, keyed, at: 'now', in: { n: 5 }, is: true, as: [['x'], ['x']] };
    const volatile = ['/list/*/seen', '/list/*/turn', `/keyed/${first.id}/until`, '/at', '/in/n', '/is', '/as/*/*', ''];
    const template = templateFrom(body, [first, second], volatile);
    expect(template).toEqual({
      list: { '<promotions>': { id: '<tier id>', seen: '<volatile>', turn: '<volatile number>' } },
      by: { '<campaigns by id>': { '<promotions>': '<tier id>' } },
      keyed: { '<promotions by id>': { until: '<volatile>' } },
      at: '<volatile>',
      in: { n: '<volatile number>' },
      is: true,
      as: [['<volatile>'], ['<volatile>']],
    });
    expect(filledWith(template, third)).toEqual({
      list: [{ id: third.id, seen: '…7', turn: 7 }],
      by: { [autumn.id]: [third.id] },
      keyed: { [third.id]: { until: '…7' } },
      at: '…7',
      in: { n: 7 },
      is: true,
      as: [['…7'], ['…7']],
    });
  });

  test('Volatile values of a campaign are replaced', () => {
    const groups = { [spring.id]: { at: 'x', tiers: [first.id, second.id] }, [autumn.id]: { tiers: [third.id] } };
    const expected = { at: '<volatile>', tiers: { '<promotions>': '<tier id>' } };
    const all = [first, second, third];
    expect(templateFrom(groups, all, [`/${spring.id}/at`])).toEqual({ '<campaigns by id>': expected });
    expect(templateFrom(Object.values(groups), all, ['/*/at'])).toEqual({ '<campaigns>': expected });
  });

  test('A placeholder without its context is empty or unchanged', () => {
    expect(filledWith(['<tier metadata>', '<tier id>', { '<promotions>': 1, '<json>': 2 }], first)).toEqual([
      {},
      '<tier id>',
      { '<promotions>': 1, '<json>': 2 },
    ]);
    expect(filledWith({ '<categories>': '<category id>' }, first)).toEqual([]);
  });
});

test.describe('A value is replaced only if its meaning is certain', () => {
  const [one, two, other] = [first.id, second.id, third.id];
  const ids = { '<promotions>': '<tier id>' };
  const rows: readonly (readonly [what: string, body: unknown, returned: readonly Tier[], template: unknown])[] = [
    ['a single promotion', { total: 1, list: [one] }, [first], { total: 1, list: ids }],
    ['another number', { total: 3, list: [one, two] }, [first, second], { total: 3, list: ids }],
    ['skipped promotions', { list: [one, two], skipped: [{ id: other }] }, [first, second], { list: ids, skipped: [] }],
    ['empty metadata', [{ id: other, extra: {} }], [third], { '<promotions>': { id: '<tier id>', extra: {} } }],
    [
      'metadata of another tier',
      [{ id: one, extra: second.metadata }],
      [first],
      { '<promotions>': { id: '<tier id>', extra: second.metadata } },
    ],
    ['metadata outside', { list: [one], is: first.metadata }, [first], { list: ids, is: first.metadata }],
    ['an empty list', { list: [], n: 0 }, [], { list: [], n: 0 }],
    ['an empty object', { meta: {} }, [], { meta: {} }],
    [
      'a campaign and another key',
      { [spring.id]: [one, two], total: 'x' },
      [first, second],
      { [spring.id]: ids, total: 'x' },
    ],
    ['a list and other things', [[one, two], 'x'], [first, second], [ids, 'x']],
    ['lists of several campaigns', [[one, other], [two]], [first, second, third], [ids, ids]],
    ['lists in a campaign', { [spring.id]: [[one], [two, one]] }, [first, second], { '<campaigns by id>': [ids, ids] }],
    [
      'a category in a category',
      [{ id: one, in: [{ id: tea.id, also: [tea.id] }] }],
      [first],
      { '<promotions>': { id: '<tier id>', in: { '<categories>': { id: '<category id>', also: ['<category id>'] } } } },
    ],
    ['categories outside', { list: [one], known: ['Tea'] }, [first], { list: ids, known: ['Tea'] }],
    [
      'a promotion in itself',
      [{ id: one, all: [one] }],
      [first],
      { '<promotions>': { id: '<tier id>', all: ['<tier id>'] } },
    ],
    ['no JSON', `<p>${one}`, [first], undefined],
    ['no JSON, no promotion', '<p>', [], undefined],
    ['a linked list', { id: one, next: { id: two } }, [first, second], undefined],
    ['a tree', [{ id: one, tiers: [{ id: two }] }, { id: other }], [first, second, third], undefined],
    ['a promotion twice', [one, one], [first], undefined],
    ['a promotion that names another', [{ id: one, instead_of: two }], [first, second], undefined],
    ['an id in capitals', [one.toUpperCase()], [first], undefined],
    ['an id in a text outside', { text: `see /${one}` }, [first], undefined],
    ['keyed by id, and another key', { [one]: {}, total: 1 }, [first], undefined],
    ['keyed by skipped ids', { [one]: {}, [two]: {} }, [first], undefined],
    ['keyed by its own id', [{ id: one, by: { [one]: 1 } }], [first], undefined],
  ];
  test('Other values stay, or there is no template', () =>
    checkEachRow(rows, (_, body, returned, template) => expect(templateFrom(body, returned)).toEqual(template)));
});

const at = { file: 'cases.yaml', line: 1, column: 1 };
const row = { title: '', requests: new Map(), given: [], unavailable: [] };
const firstOf: QuestionAnswer = { kind: 'first-of', rules: [], evidence: 'plain' };
const errorShape: QuestionAnswer = { kind: 'value', of: 'probe', take: { part: 'error-shape' }, at };
const caseOf = (answer: QuestionAnswer): TestCase => {
  return { kind: 'question', id: 'q', answers: 'q', title: 'Q', at, tags: [], rows: [row], answer };
};

/** Creates an exchange. */
function createExchange(
  expand: unknown,
  [status, body]: readonly [status: number, body: unknown],
  method = 'GET',
): Exchange {
  const request = { method, path: '/', headers: [], body: JSON.stringify({ options: { expand } }) };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { request, response: { status, headers: [['Content-Type', 'text/json; a=secret']], body: text } };
}

function answersOf(
  exchanges: Readonly<Record<string, Exchange>>,
  { testCase = caseOf(firstOf), ...patterns }: { testCase?: TestCase; configuredPatterns?: readonly string[] } = {},
): ResponseTemplates | undefined {
  const background = { world, recognizer, calibration: [], isWorldSeen: true, ...patterns };
  const redact = (text: string) => text.replaceAll('secret', '***');
  return extractTemplates(testCase, [new Map(Object.entries(exchanges))], background, redact);
}

test.describe('Templates are extracted', () => {
  const list = (turn: number) =>
    [200, { secret: 1, turn: `x${turn}`, list: [{ id: first.id }, { id: second.id }] }] as const;
  const expandedList = [200, { list: [first, second].map(({ id }) => ({ id, categories: [tea.id] })) }] as const;
  const taken = { '***': 1, turn: '<volatile>', list: { '<promotions>': { id: '<tier id>' } } };
  const twice = { plain: createExchange([], list(1)), again: createExchange([], list(2)) };

  test('from a request that was sent twice, without volatile values and secrets', () => {
    expect(answersOf(twice)).toEqual({ list: taken });
    expect(answersOf({ ...twice, expanded: createExchange(['category'], expandedList) })).toEqual({
      list: taken,
      expanded: {
        list: { '<promotions>': { id: '<tier id>', categories: { '<categories>': '<category id>' } } },
      },
    });
  });

  test('from the first result: not from errors or other methods', () => {
    const other = { ...list(1)[1], other: 'x' };
    const refused = createExchange([], [400, other]);
    expect(answersOf({ refused, ...twice })).toEqual({ list: taken });
    expect(answersOf({ post: createExchange([], [200, other], 'POST'), ...twice })).toEqual({ list: taken });
    expect(answersOf({ refused, again: refused })).toBeUndefined();
  });

  test('with the stated path of promotions', () => {
    const body = [200, { list: [first.id, second.id], skipped: [third.id] }] as const;
    const both = { plain: createExchange([], body), again: createExchange([], body) };
    expect(answersOf(both)).toBeUndefined();
    expect(answersOf(both, { configuredPatterns: ['/list/*'] })).toEqual({
      list: { list: { '<promotions>': '<tier id>' }, skipped: [] },
    });
  });

  const { plain } = twice;
  const single = createExchange([], [200, [first.id]]);
  const broken: Exchange = { request: plain.request, transportError: 'timed-out', message: 'It took too long.' };
  const rowsOf = [{ ...row, expect: [] }];
  const requirement: TestCase = { kind: 'requirement', id: 'r', verifies: 'r', title: 'R', at, tags: [], rows: rowsOf };
  const rows: readonly (readonly [what: string, exchanges: Readonly<Record<string, Exchange>>, testCase?: TestCase])[] =
    [
      ['nothing sent', {}],
      ['no request is repeated', { plain, expanded: createExchange(['category'], expandedList) }],
      ['a requirement', twice, requirement],
      ['one promotion', { plain: single, again: single }],
      ['no response', { plain: broken, again: broken }],
      [
        'only expanded results',
        { one: createExchange(['category'], expandedList), two: createExchange(['category'], expandedList) },
      ],
      ['no JSON', { plain: createExchange([], [200, '<p>']), again: createExchange([], [200, '<p>']) }],
      ['another value', twice, caseOf({ ...errorShape, of: 'plain', take: { part: 'status' } })],
      ['no error status', { probe: plain }, caseOf(errorShape)],
      ['an error without JSON', { probe: createExchange([], [400, '<p>']) }, caseOf(errorShape)],
      ['a transport error', { probe: broken }, caseOf(errorShape)],
      ['an error of another request', { other: createExchange([], [400, {}]) }, caseOf(errorShape)],
      [
        'another part of the error',
        { probe: createExchange([], [400, {}]) },
        caseOf({ ...errorShape, take: { part: 'media-type' } }),
      ],
    ];
  test('and from nothing else', () =>
    checkEachRow(rows, (_, exchanges, testCase = caseOf(firstOf)) =>
      expect(answersOf(exchanges, { testCase })).toBeUndefined(),
    ));

  test('as expanded if the request has a list in expand', () => {
    const both = (expand: unknown) => ({ one: createExchange(expand, list(1)), two: createExchange(expand, list(2)) });
    for (const expand of [[], undefined, 'category', {}]) expect(answersOf(both(expand))).toEqual({ list: taken });
    expect(answersOf(both(['category']))).toBeUndefined();
    const bare = { ...plain, request: { method: 'GET', path: '/', headers: [] } };
    expect(answersOf({ one: bare, two: bare })).toEqual({ list: { ...taken, turn: 'x1' } });
  });

  test('from errors, without times and request ids', () => {
    const body = {
      code: 400,
      message: 'no secret',
      at: '2024-05-01T12:00:00Z',
      times: ['2024-05-01T12:00:00.123+02:00', '2024-05-01', 'at 2024-05-01T12:00:00Z', '2024-05-01T12:00:00Z or so'],
      request: {
        id: 'req_0123456789',
        no: 'req_1',
        is: null,
        all: ['0123456789ab', '0123456789a', 'abcdefghijkl', 'a 0123456789ab', '0123456789ab c'],
      },
    };
    expect(answersOf({ probe: createExchange([], [400, body]) }, { testCase: caseOf(errorShape) })).toEqual({
      error: {
        media_type: 'text/json; a=***',
        body: {
          code: 400,
          message: 'no ***',
          at: '…',
          times: ['…', '2024-05-01', 'at 2024-05-01T12:00:00Z', '2024-05-01T12:00:00Z or so'],
          request: {
            id: '…',
            no: 'req_1',
            is: null,
            all: ['…', '0123456789a', 'abcdefghijkl', 'a 0123456789ab', '0123456789ab c'],
          },
        },
      },
    });
    const untyped = { request: plain.request, response: { status: 500, headers: [], body: '[]' } };
    expect(answersOf({ probe: untyped }, { testCase: caseOf(errorShape) })).toEqual({
      error: { media_type: 'application/json', body: [] },
    });
  });
});

test('The first templates win, and both results come from the same case', () => {
  const error = { media_type: 'text/json', body: 'first' };
  const whole = { list: 'of a', expanded: 'of a' };
  expect(mergeResponseTemplates(undefined, { list: 'of a' })).toEqual({ list: 'of a' });
  expect(mergeResponseTemplates({ error }, { list: 'of a' })).toEqual({ error, list: 'of a' });
  expect(mergeResponseTemplates({ list: 'of a' }, { list: 'of b', error })).toEqual({ list: 'of a', error });
  expect(mergeResponseTemplates({ list: 'of b', error }, whole)).toEqual({ ...whole, error });
  expect(mergeResponseTemplates(whole, { list: 'of b', expanded: 'of b' })).toEqual(whole);
  expect(mergeResponseTemplates(whole, { list: 'of b' })).toEqual(whole);
});
