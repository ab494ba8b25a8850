/** Responses that can be read in several ways: what the judge proposes for the target file, and when it proposes nothing. */

import { expect, test } from '@playwright/test';
import { createOracle } from '../../src/contract/oracle.js';
import type { Exchange, HttpRequest } from '../../src/http/exchange.js';
import { explainAmbiguity } from '../../src/judge/explain-ambiguity.js';
import { findOtherReadings } from '../../src/judge/other-readings.js';
import { explainOwnPromotions } from '../../src/judge/own-promotions.js';
import { createRecognizer } from '../../src/recognition/recognizer.js';
import { createMentionFilter } from '../../src/recognition/sibling-values.js';
import { determineReading } from '../../src/recognition/tier-reading.js';
import type { Tier } from '../../src/world/world.js';
import { recognizer, suite } from './support/in-process.js';

const { world } = suite;

type Marked = Tier & { readonly valid: boolean };
type Shape = (all: readonly Marked[]) => unknown;

/** Requests of several customers, so that each response has other promotions. */
const requests: readonly HttpRequest[] = [
  ...(suite.cases.find(({ id }) => id === 'reserved-for-one-customer')?.rows[0]?.requests.values() ?? []),
];

/** Responds to each request with all tiers in a shape, each marked as valid or not. */
function respondInShape(shape: Shape, status = 200): Exchange[] {
  return requests.map((request) => {
    const { returned } = createOracle(request, world);
    const marked = world.tiers.map((tier) => ({ ...tier, valid: returned(tier) === 'required' }));
    return { request, response: { status, headers: [], body: JSON.stringify(shape(marked)) } };
  });
}

function readAll(exchanges: readonly Exchange[], stated?: readonly string[]) {
  const bodies = exchanges.flatMap((each) => ('response' in each ? [each.response.body] : []));
  return determineReading(
    bodies.map((body) => recognizer.findMentions(body)),
    stated,
  );
}

const idsOf = (some: readonly Tier[]) => some.map(({ id }) => id);
const split = (all: readonly Marked[]) =>
  [true, false].map((valid) => idsOf(all.filter((each) => each.valid === valid)));

test.describe('Other readings', () => {
  const find = (shape: Shape, stated?: readonly string[]) => {
    const exchanges = respondInShape(shape);
    return findOtherReadings(exchanges, readAll(exchanges, stated), { world, recognizer });
  };

  const lists: Shape = (all) => ({ groups: split(all).map((ids) => ({ ids })) });
  const flags: Shape = (all) => all.map(({ id, valid }) => ({ id, valid }));
  const readings: readonly (readonly [what: string, shape: Shape, stated: readonly string[]])[] = [
    ['a flag beside each id', flags, ['response: { tier: /*/id, where: { valid: true } }']],
    [
      'a flag one level deeper',
      (all) => all.map(({ id, valid }) => ({ id, result: { valid, at: [valid] } })),
      ['response: { tier: /*/id, where: { result/valid: true } }'],
    ],
    [
      'a flag one level higher',
      (all) => all.map(({ id, valid }) => ({ valid, promotion: { id } })),
      ['response: { tier: /*/promotion/id, where: { valid: true } }'],
    ],
    [
      'a text that needs quotes',
      (all) => all.map(({ id, valid }) => ({ id, 'is it?': valid ? 'yes, it is' : 'no' })),
      ['response: { tier: /*/id, where: { "is it?": "yes, it is" } }'],
    ],
    [
      'an error or null',
      (all) => all.map(({ id, valid }) => ({ id, error: valid ? null : 'expired' })),
      ['response: { tier: /*/id, where: { error: null } }'],
    ],
    [
      'an error or nothing',
      (all) => all.map(({ id, valid }) => (valid ? { id } : { id, error: 'expired' })),
      ['response: { tier: /*/id, where: { error: null } }'],
    ],
    [
      'two values for valid promotions',
      (all) => all.map(({ id, valid }, n) => ({ id, state: valid ? ['new', 'old'][n % 2] : 'expired' })),
      ['response: { tier: /*/id, where: { state: [new, old] } }'],
    ],
    [
      'ids mapped to values',
      (all) => Object.fromEntries(all.map(({ id, valid }) => [id, valid])),
      ['response: { tier: /*, where: { value: true } }'],
    ],
    [
      'ids mapped to objects',
      (all) => Object.fromEntries(all.map(({ id, valid }) => [id, { valid }])),
      ['response: { tier: /*, where: { valid: true } }'],
    ],
    [
      'columns',
      (all) => ({ ids: idsOf(all), valid: all.map(({ valid }) => valid) }),
      ['response: { tier: /ids/*, where: { valid: true } }'],
    ],
    ['rows', (all) => all.map(({ id, valid }) => [id, valid ? 1 : 0]), ['response: { where: { 1: 1 } }']],
    ['lists by index', lists, ['response: { tier: /groups/0/ids/* }']],
    [
      'objects with a list each',
      (all) => split(all).map((ids, n) => ({ kind: n === 0 ? 'valid' : 'invalid', ids })),
      ['response: { tier: /*/ids/*, where: { kind: valid } }', 'response: { tier: /0/ids/* }'],
    ],
  ];
  for (const [what, shape, stated] of readings)
    test(`${what}: the line that the target file needs`, () => {
      const found = find(shape);
      expect(found.map((each) => each.stated)).toEqual(stated);
      // So read, each response has what is required and nothing else.
      for (const { reading } of found) {
        const own = createRecognizer(world, reading.filter);
        for (const exchange of respondInShape(shape)) {
          if (!('response' in exchange)) continue;
          const ids = new Set([...own.findMentions(exchange.response.body).idsByPattern.values()].flat());
          const { returned } = createOracle(exchange.request, world);
          for (const tier of world.tiers) expect(ids.has(tier.id), tier.name).toBe(returned(tier) === 'required');
        }
      }
    });

  test('A reading names the values, or the place, that count', () => {
    expect(find(flags)[0]?.words).toBe('with valid: true');
    expect(find(lists)[0]?.words).toBe('under /groups/0/ids/*');
    const long = 'a'.repeat(70);
    const [found] = find((all) => all.map(({ id, valid }) => ({ id, [long]: valid })));
    expect(found?.words).toBe(`with ${'a'.repeat(60)}: true`);
    expect(found?.stated).toContain(long);
  });

  test('A stated path stays in the line, and other paths do not count', () => {
    const shape: Shape = (all) => ({ list: flags(all), log: idsOf(all) });
    expect(find(shape, ['/list/*/id']).map(({ stated }) => stated)).toEqual([
      'response: { tier: /list/*/id, where: { valid: true } }',
    ]);
    const both = (all: readonly Marked[]) => ({ one: flags(all), two: flags(all) });
    expect(find(both, ['/one/*/id', '/two/*/id']).map(({ stated }) => stated)).toEqual([
      'response: { tier: [/one/*/id, /two/*/id], where: { valid: true } }',
    ]);
  });

  const readInNoOtherWay: Readonly<Record<string, Shape>> = {
    'only valid promotions': (all) => all.filter(({ valid }) => valid).map(({ id }) => ({ id, kind: 'any' })),
    'the same value for all': (all) => all.map(({ id }) => ({ id, kind: 'any' })),
    'a value that says nothing about one promotion': (all) => ({ total: split(all)[0]?.length, ids: idsOf(all) }),
    'a wrong promotion with the flag': (all) =>
      all.map(({ id, name, valid }) => ({ id, valid: valid || name === 'for-ben' || name === 'for-cleo' })),
    'a valid promotion without the flag': (all) =>
      all.map(({ id, name, valid }) => ({ id, valid: valid && name !== 'greeting' })),
    'more values than may fit by chance': (all) =>
      all.map(({ id, valid }, n) => ({ id, state: valid ? `state ${n % 4}` : 'expired' })),
    'a list beside each id': (all) => all.map(({ id, valid }) => ({ id, list: [valid] })),
    'members that are named after promotions': (all) =>
      all.map(({ id, valid }, n) => ({ id, [all[(n + 1) % all.length]?.id ?? '']: valid })),
  };
  for (const [what, shape] of Object.entries(readInNoOtherWay))
    test(`Nothing is proposed for ${what}`, () => {
      expect(find(shape)).toEqual([]);
    });

  test('Nothing is proposed if the target file says it, if paths disagree, or if no response is successful', () => {
    const exchanges = respondInShape(flags);
    const reading = readAll(exchanges);
    const stating = createRecognizer(world, createMentionFilter({ where: {} }));
    expect(findOtherReadings(exchanges, reading, { world, recognizer: stating })).toEqual([]);
    const refused = respondInShape(flags, 400);
    expect(findOtherReadings(refused, reading, { world, recognizer })).toEqual([]);
    const ambiguous = { kind: 'ambiguous', patterns: reading.patterns } as const;
    expect(findOtherReadings(exchanges, ambiguous, { world, recognizer })).toEqual([]);
  });
});

test.describe('Paths that disagree', () => {
  const explain = (shape: Shape) => {
    const exchanges = respondInShape(shape);
    return explainAmbiguity(readAll(exchanges).patterns, exchanges, { world, recognizer });
  };
  const lists: Shape = (all) => ({ valid: split(all)[0], skipped: split(all)[1] });

  test('What each path names is shown for one response, and the path that agrees with the documentation is proposed', () => {
    const text = explain(lists);
    expect(text).toMatch(
      /\/skipped\/\* names \d+ promotions, among them 'for-.*\), and not 'greeting', which is valid/,
    );
    expect(text).toMatch(/\/valid\/\* names \d+ promotions, none that is not valid/);
    expect(text).toContain('Only /valid/* agrees');
    expect(text).toContain('response: { tier: /valid/* }');
  });

  test('No path is proposed if none agrees in all responses', () => {
    const text = explain((all) => ({ all: idsOf(all), skipped: split(all)[1] }));
    expect(text).toContain('None of them agrees');
    expect(text).not.toContain('write in the target file');
  });

  test('Five paths are shown, and the others are counted', () => {
    const text = explain((all) => Object.fromEntries(all.slice(0, 7).map(({ id }, n) => [`list_${n}`, [id]])));
    expect(text).toContain('/list_4/* names 1 promotions');
    expect(text).not.toContain('/list_5/* names');
    expect(text).toContain('; 2 more paths.');
  });

  test('Nothing is explained where one path names promotions, or where paths are too long to read', () => {
    expect(explain((all) => idsOf(all))).toBeUndefined();
    const long: Shape = (all) => Object.fromEntries(all.map(({ id }, n) => [`${'long'.repeat(20)} ${n}`, [id]]));
    expect(explain(long)).toBeUndefined();
  });
});

test.describe('Promotions of the deployment', () => {
  const own = ['promo_of_the_deployment_1', 'promo_of_the_deployment_2'];
  const explain = (shape: Shape, ownWorld = world) => {
    const exchanges = respondInShape(shape);
    return explainOwnPromotions(exchanges, {
      world: ownWorld,
      recognizer,
      reading: readAll(exchanges),
      calibration: [],
    });
  };
  /** Responds with what is valid, except the oldest of the newest 150, and with other promotions. */
  const withoutLast =
    (added: readonly string[], count: number): Shape =>
    (all) => ({
      data: [...added, ...idsOf(all.slice(0, 150 - count).filter((each) => each.valid))].map((id) => ({ id })),
    });

  test('are named and counted if the oldest of the newest 150 are absent from all responses', () => {
    const text = explain(withoutLast(own, 60));
    expect(text).toContain(
      'Responses name promotions that the test data does not have: promo_of_the_deployment_1, promo_of_the_deployment_2',
    );
    expect(text).toContain('own_promotions: 2, or 0');
  });

  test('explain nothing if none is named, if nothing is absent, or if what is absent is newer than what is returned', () => {
    expect(explain(withoutLast([], 60))).toBeUndefined();
    expect(explain((all) => ({ data: [...own, ...(split(all)[0] ?? [])].map((id) => ({ id })) }))).toBeUndefined();
    const withoutFirst: Shape = (all) => ({ data: [...own, ...(split(all)[0] ?? []).slice(1)].map((id) => ({ id })) });
    expect(explain(withoutFirst)).toBeUndefined();
  });

  test('explain nothing if a promotion is returned that is not valid, or if the target file counts them', () => {
    const shape = withoutLast(own, 60);
    const wrong: Shape = (all) => ({
      data: [...(shape(all) as { data: object[] }).data, { id: world.ids.tier.get('beyond-first') }],
    });
    expect(explain(wrong)).toBeUndefined();
    for (const count of [0, 2])
      expect(explain(shape, { ...world, ownPromotions: count }), String(count)).toBeUndefined();
    expect(explain(shape, { ...world, ownPromotions: 1 })).toContain('own_promotions: 2');
  });
});
