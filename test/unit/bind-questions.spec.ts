import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import type { Assertion } from '../../src/assertions/assertion.js';
import type { QuestionCase } from '../../src/cases/test-case.js';
import { pickWorldLists, type Tier, type World } from '../../src/contract/world.js';
import { createQuestionBinder } from '../../src/own-data/bind-questions.js';
import { limitQuestions } from '../../src/own-data/limit-questions.js';
import { packageRoot } from '../../src/support/package-root.js';
import { suite } from '../support/in-process.js';

const { world } = suite;
const at = { file: 'cases/questions/example.yaml', line: 1, column: 1 };
const getId = (kind: keyof typeof world.ids, name: string) => world.ids[kind].get(name) as string;
const greeting = getId('tier', 'greeting');
const mug = getId('product', 'mug');

/** The test data under other ids, where promotions ask for `times` as many units of a product. */
function createData(times = 1): World {
  const text = JSON.stringify(pickWorldLists(world)).replaceAll(/\b(cust|prod|sku|cat|camp|promo)_/g, 'own-$1-');
  const data = JSON.parse(text) as World;
  const tiers = data.tiers.map((tier) => ({
    ...tier,
    rules: tier.rules.map((rule) => (rule.kind === 'product' ? { ...rule, at_least: rule.at_least * times } : rule)),
  }));
  return { ...data, tiers };
}

/** Binds a question that sends this body and expects this of the response. */
function bind(body: string, when: readonly Assertion[], data = createData()) {
  const path = '/v1/promotions/validation';
  const request = { method: 'GET', path, headers: [], body };
  const question: QuestionCase = {
    kind: 'question',
    id: 'example',
    answers: 'example',
    title: 'An example',
    at,
    tags: [],
    rows: [{ title: '', requests: new Map([['probe', request]]), given: [], unavailable: [] }],
    answer: { kind: 'first-of', rules: [{ outcome: 'yes', when }], evidence: 'probe' },
  };
  const bound = createQuestionBinder(world, data)(question);
  const [row] = bound.rows;
  return { unavailable: row.unavailable, body: row.requests.get('probe')?.body, answer: JSON.stringify(bound.answer) };
}

const include: Assertion = { kind: 'returned.include', of: 'probe', at, data: { tiers: [greeting] } };
const mention = (...texts: string[]): Assertion => ({ kind: 'body.mentions', of: 'probe', at, data: { texts } });

test('A tier that must be returned is replaced by one of the data', () => {
  const { unavailable, answer } = bind('{}', [include]);
  expect(unavailable).toEqual([]);
  expect(answer).not.toContain(greeting);
  expect(answer).toContain('own-promo-');
});

const searched: readonly (readonly Assertion[])[] = [
  [mention(greeting)],
  [mention('any text', `"${greeting}"`)],
  // Marks of JSON inside a text end no list.
  [mention('[x]', greeting)],
  [mention('"]', greeting)],
  [mention('}', greeting), include],
  [{ kind: 'any-of', at, lists: [[include], [mention('a]b', `in ${greeting}`)]] }],
];
for (const [n, when] of searched.entries())
  test(`A question that searches a body for an id is not asked about other data (${n + 1})`, () => {
    expect(bind('{}', when).unavailable).toEqual([
      'enough of what the question needs: a promotion whose id no response contains by chance',
    ]);
  });

test('A text that only looks like a list of searched texts changes nothing', () => {
  const texts = JSON.stringify({ texts: [greeting] });
  const looksAlike: Assertion = { kind: 'header.equals', of: 'probe', at, data: { value: texts } };
  expect(bind('{}', [include, looksAlike]).unavailable).toEqual([]);
});

const bodies: readonly [what: string, body: string, bound: string][] = [
  ['an item', `{"order":{"items":[{"product_id":"${mug}","quantity":1}]}}`, '"quantity":3'],
  ['white space', `{"order": {"items": [{"product_id": "${mug}",\n  "quantity" : 1\n}]}}`, '"quantity" : 3\n}'],
  ['another order of members', `{"order":{"items":[{"quantity":1,"product_id":"${mug}"}]}}`, '{"quantity":3,'],
  [
    'a member twice',
    `{"order":{"items":[{"product_id":"${mug}","quantity":1,"quantity":1}]}}`,
    '"quantity":3,"quantity":3',
  ],
  ['more than one unit', `{"order":{"items":[{"product_id":"${mug}","quantity":2}]}}`, '"quantity":2'],
  ['a text', `{"metadata":{"note":"\\"quantity\\":1"},"order":{"items":[]}}`, '"note":"\\"quantity\\":1"'],
  [
    'two quantities',
    `{"order":{"items":[{"product_id":"${mug}","quantity":1},{"quantity":12}]}}`,
    '"quantity":3},{"quantity":12',
  ],
];
for (const [what, body, bound] of bodies)
  test(`Where promotions ask for three units, three stand for one: a body with ${what}`, () => {
    const result = bind(body, [{ kind: 'answered', of: 'probe', at, data: {} }], createData(3));
    expect(result.unavailable).toEqual([]);
    expect(result.body).toContain(bound);
    expect(result.body).not.toContain(mug);
  });

type NewTier = Pick<Tier, 'campaign_id' | 'rules'>;

/** The shop of the examples, with more promotions, newer than all. */
function createShop(more: readonly NewTier[] = []): World {
  const shop: World = JSON.parse(readFileSync(path.join(packageRoot, 'examples', 'small-shop', 'shop.json'), 'utf8'));
  const newer = more.map((tier, n): Tier => {
    const createdAt = new Date(Date.parse('2027-01-01T00:00:00Z') - n * 1_000).toISOString();
    return { id: `more-${n}`, name: `More ${n}`, created_at: createdAt, metadata: {}, ...tier };
  });
  return { ...shop, tiers: [...newer, ...shop.tiers] };
}

/** Says why each question is not asked about a shop; an empty text for those that are. */
function explainQuestions(shop: World, requests: number, selects: (question: QuestionCase) => boolean = () => true) {
  const stated = suite.cases.filter((testCase) => testCase.kind === 'question').filter(selects);
  const { questions } = limitQuestions(stated.map(createQuestionBinder(world, shop)), requests, 10);
  return new Map(questions.map(({ answers, rows: [row] }) => [answers, row.unavailable.join()]));
}

const everybody = (campaign: string): NewTier => ({ campaign_id: campaign, rules: [] });
const forUnits = (count: number): NewTier => ({
  campaign_id: 'spring',
  rules: [{ kind: 'product', id: 'filter', at_least: count }],
});
/** What a reason says that the shop lacks, and what has all of it. */
const lackingRows: readonly [question: string, lacks: readonly string[], more: readonly NewTier[]][] = [
  [
    'filter-unknown-campaign',
    [
      "2 of these: a promotion for everybody in the campaign 'spring' (the data file has 1)",
      "2 of these: a promotion for everybody in the campaign 'welcome' (the data file has 1)",
    ],
    [everybody('spring'), everybody('welcome')],
  ],
  [
    'quantity-zero',
    [
      "a promotion that asks for 2 units of 'filter', and nothing else",
      "a promotion that asks for 3 units of 'filter', and nothing else",
    ],
    [forUnits(2), forUnits(3)],
  ],
];
for (const [question, lacks, more] of lackingRows)
  test(`A question is asked once the data has what it lacked: ${question}`, () => {
    const only = ({ answers }: QuestionCase) => answers === question;
    const explain = (shop: World) => explainQuestions(shop, 1_000, only).get(question);
    expect(explain(createShop())).toBe(`enough of what the question needs: ${lacks.join('; ')}`);
    expect(explain(createShop(more))).toBe('');
    for (const [n] of more.entries()) expect(explain(createShop(more.toSpliced(n, 1)))).not.toBe('');
  });

test('A reason says with how many requests there is room for a question', () => {
  const shop = createShop();
  const listWithoutRoom = (requests: number) =>
    [...explainQuestions(shop, requests)].flatMap(([question, why]) =>
      why.startsWith('room') ? [[question, why]] : [],
    );
  const plain = listWithoutRoom(230).filter(([, why = '']) => why.endsWith('all that are not intrusive'));
  expect(plain.length).toBeGreaterThan(0);
  const enough = Number(/With (\d+)/.exec(plain[0]?.[1] ?? '')?.[1]);
  const isIntrusive = (why = '') => why.endsWith('room for all');
  expect(listWithoutRoom(enough).filter(([, why]) => !isIntrusive(why))).toEqual([]);
  expect(listWithoutRoom(enough - 1).filter(([, why]) => !isIntrusive(why)).length).toBeGreaterThan(0);
  const forAll = Number(/With (\d+)/.exec(listWithoutRoom(enough)[0]?.[1] ?? '')?.[1]);
  expect(listWithoutRoom(forAll)).toEqual([]);
});
