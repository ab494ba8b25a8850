import { expect, test } from '@playwright/test';
import { undetermined } from '../../src/cases/test-case.js';
import { type BodyShape, findMismatches, inferShape, mergeShapes } from '../../src/judge/body-shape.js';
import { type AdditivePolicy, emptyBaseline, findDrift } from '../../src/judge/drift.js';
import { createIdFinder } from '../../src/recognition/id-finder.js';
import { checkEachRow } from './support/check-each-row.js';

const tier = 'promo_aaaaaaaaaaaa';
const ids = { tiers: createIdFinder(new Set([tier])), keys: createIdFinder(new Set(['spring'])) };

/** The shape of bodies that are JSON. */
const shapeOf = (...values: readonly unknown[]) =>
  inferShape(
    values.map((value) => JSON.stringify(value)),
    ids,
  );

/** The shape of an object whose members are all known, and always there unless others are named. */
function record(properties: Readonly<Record<string, BodyShape>>, required = Object.keys(properties)): BodyShape {
  return { type: 'object', properties, required, additionalProperties: false };
}

const integer: BodyShape = { type: 'integer' };
const text: BodyShape = { type: 'string' };

test.describe('the shape of bodies', () => {
  const rows: readonly (readonly [what: string, values: readonly unknown[], shape: BodyShape])[] = [
    ['a text', ['a'], text],
    ['a whole number', [1], integer],
    ['another number', [1.5], { type: 'number' }],
    ['numbers of both kinds are numbers', [1, 1.5], { type: 'number' }],
    ['nothing', [null], { type: 'null' }],
    ['types in the order of the alphabet', [true, null, 1], { type: ['boolean', 'integer', 'null'] }],
    ['a list of nothing', [[]], { type: 'array' }],
    ['a list', [['a', 1]], { type: 'array', items: { type: ['integer', 'string'] } }],
    ['a list of lists', [[['a'], []]], { type: 'array', items: { type: 'array', items: text } }],
    ['an object without members', [{}], record({})],
    ['members in the order of the alphabet', [{ b: 1, a: 'x' }], record({ a: text, b: integer })],
    ['a member that is there each time', [{ a: 1 }, { a: 2 }], record({ a: integer })],
    ['a member that is there at times', [{ a: 1, b: 1 }, { a: 2 }], record({ a: integer, b: integer }, ['a'])],
    ['an object or a text', [{ a: 1 }, 'x'], { ...record({ a: integer }), type: ['object', 'string'] }],
    ['members that are tiers', [{ [tier]: 1 }], { ...record({}), additionalProperties: integer }],
    ['members that are campaigns', [{ spring: 1 }], { ...record({}), additionalProperties: integer }],
    [
      'members that are ids, beside another',
      [{ [tier]: 1, spring: 'x', n: null }],
      { ...record({ n: { type: 'null' } }), additionalProperties: { type: ['integer', 'string'] } },
    ],
    ['members that any object has', [{ constructor: 1 }], record({ constructor: integer })],
    ['half a character', [{ '\ud800': 1 }], { ...record({}), additionalProperties: integer }],
  ];
  test(
    'says what they have in common',
    checkEachRow(rows, (_, values, shape) => expect(shapeOf(...values)).toEqual(shape)),
  );

  test('describes a member of a forbidden name with others', () => {
    expect(inferShape(['{"__proto__":1}'], ids)).toEqual({ ...record({}), additionalProperties: integer });
  });

  test('describes members with others whose names are not to be shown', () => {
    const shape = inferShape(['{"a":1,"secret":"x"}'], ids, (key) => key !== 'secret');
    expect(shape).toEqual({ ...record({ a: integer }), additionalProperties: text });
  });

  test('is none where no body is JSON, and passes over those that are not', () => {
    expect(inferShape(['', '<p>'], ids)).toBeUndefined();
    expect(inferShape(['<p>', '1'], ids)).toEqual(integer);
  });

  const members = (count: number, of: unknown = 0) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`member${n}`, of]));

  test('knows 200 members of an object by name, and describes the rest together', () => {
    expect(shapeOf(members(200))).toMatchObject({ additionalProperties: false });
    const shape = shapeOf({ ...members(200), more: 'x' }, members(200));
    expect(Object.keys(shape?.properties ?? {})).toHaveLength(200);
    expect(shape).toMatchObject({ additionalProperties: text, required: { length: 200 } });
  });

  test('leaves open what stands deeper than 40 objects and lists', () => {
    const nested = (depth: number, what: unknown): unknown =>
      depth === 0 ? what : depth % 2 === 0 ? [nested(depth - 1, what)] : { in: nested(depth - 1, what) };
    const at = (shape: BodyShape | undefined, depth: number): unknown =>
      depth === 0 ? shape : at(depth % 2 === 0 ? shape?.items : shape?.properties?.in, depth - 1);
    expect(at(shapeOf(nested(40, 'x')), 40)).toEqual(text);
    expect(at(shapeOf(nested(41, 'x')), 41)).toEqual({});
    expect(at(shapeOf(nested(40, { [tier]: 'x' })), 40)).toMatchObject({ additionalProperties: {} });
    const keyed = (depth: number): unknown => (depth === 0 ? 'x' : { [tier]: keyed(depth - 1) });
    const within = (shape: BodyShape | undefined, depth: number): unknown =>
      depth === 0 ? shape : within(shape?.additionalProperties || undefined, depth - 1);
    expect([within(shapeOf(keyed(40)), 40), within(shapeOf(keyed(41)), 41)]).toEqual([text, {}]);
  });

  test('is open where it would have more than 64 Ki characters', () => {
    const wide = (name: string) => ({ [name]: members(200), more: Array.from({ length: 4 }, () => members(200)) });
    const size = JSON.stringify(shapeOf(wide('a'))).length;
    const longest = 'a'.repeat(1 + (64 * 1024 - size) / 2);
    expect(JSON.stringify(shapeOf(wide(longest))).length).toBeGreaterThan(64 * 1024 - 2);
    expect(shapeOf(wide(`${longest}a`))).toEqual({});
  });
});

test.describe('a shape that fits what fits one of two', () => {
  const rows: readonly (readonly [what: string, one: unknown, other: unknown])[] = [
    ['texts', 'a', 'b'],
    ['numbers of both kinds', 1, 1.5],
    ['a list and an object', [1], { a: 1 }],
    ['lists of nothing and of something', [], ['a']],
    ['lists of different things', [1], ['a']],
    ['objects with the same members', { a: 1, b: 2 }, { b: 1, a: 2 }],
    ['objects with different members', { b: 1, c: 2 }, { a: 1, b: 'x' }],
    ['an object and none', { a: 1 }, 1],
    ['objects with ids for members', { [tier]: 1 }, { spring: 'x', a: 1 }],
    ['objects of which one has ids for members', { [tier]: 1, b: 1 }, { b: 1 }],
    ['members that any object has', { a: 1 }, { constructor: 1 }],
    ['members in members', { a: { b: 1 } }, { a: { c: 1 } }],
  ];
  test(
    'is the shape of both, whichever comes first',
    checkEachRow(rows, (_, one, other) => {
      const [first, second] = [shapeOf(one) as BodyShape, shapeOf(other) as BodyShape];
      // As text, since the order of keys and types is to be the same, too.
      const both = [mergeShapes(first, second), mergeShapes(second, first)].map((shape) => JSON.stringify(shape));
      const expected = JSON.stringify(shapeOf(one, other));
      expect(both).toEqual([expected, expected]);
    }),
  );

  test('is open where one is, and the other where there is none yet', () => {
    expect(mergeShapes({}, text)).toEqual({});
    expect(mergeShapes(text, {})).toEqual({});
    expect(mergeShapes(undefined, text)).toBe(text);
  });

  test('takes what a shape leaves out as nothing', () => {
    const bare: BodyShape = { type: 'object', properties: { a: text } };
    const whole = { ...record({ a: text }, []) };
    expect(mergeShapes(bare, text)).toEqual({ ...whole, type: ['object', 'string'] });
    expect(mergeShapes(bare, record({ a: text }))).toEqual(whole);
    expect(mergeShapes(record({ a: text }), bare)).toEqual(whole);
  });
});

test.describe('what does not fit a schema', () => {
  const schema = { ...record({ list: { type: 'array', items: record({ n: integer }) } }, []) };
  const found = (...bodies: readonly string[]) =>
    findMismatches(bodies, { schema, statedBy: 'the record' }).map(({ message }) => message);

  test('is nothing for bodies that fit, or are empty', () => expect(found('{"list":[{"n":1}]}', '')).toEqual([]));

  test('is a body that is no JSON', () =>
    expect(findMismatches(['<p>', '<b>'], { schema, statedBy: 'the record' })).toEqual([
      { message: 'A body is not JSON, as the schema of the record requires.', isAddition: false },
    ]));

  test('is said with its place, and once where it recurs', () => {
    const body = JSON.stringify({ list: [{ n: 'x' }, { n: 'y' }, { n: 1, m: 1 }, { n: 1, o: 1 }] });
    expect(found(body, `${body} `)).toEqual([
      'A body does not fit the schema of the record at /list/*/n: must be integer.',
      "A body does not fit the schema of the record at /list/*: must not have the member 'm'.",
      "A body does not fit the schema of the record at /list/*: must not have the member 'o'.",
    ]);
    const long = JSON.stringify({ list: Array.from({ length: 12 }, () => ({ n: 'x' })) });
    expect(found(long)).toEqual(['A body does not fit the schema of the record at /list/*/n: must be integer.']);
    expect(found('[]')).toEqual(['A body does not fit the schema of the record at its root: must be object.']);
  });

  test('is all, where the schema allows nothing', () =>
    expect(findMismatches(['1'], { schema: false, statedBy: 'the target file' })).toEqual([
      {
        message: 'A body does not fit the schema of the target file at its root: boolean schema is false.',
        isAddition: false,
      },
    ]));

  test('recurs by the places of lists, not by digits in names', () => {
    const named = record({ '1a': text, '2a': text }, []);
    const bodies = ['{"1a":1,"2a":1}'];
    expect(findMismatches(bodies, { schema: named, statedBy: 'the record' })).toHaveLength(2);
  });
});

test.describe('drift', () => {
  const expected = (outcome: string) => ({
    ...emptyBaseline,
    outcomes: new Map([['a-question', { outcome, statedBy: 'the record' }]]),
  });
  const about = { subject: 'a-question', outcome: 'one', extracted: 'the-one' };
  const rows: readonly (readonly [
    what: string,
    recorded: string,
    seen: Parameters<typeof findDrift>[0],
    count: number,
  ])[] = [
    ['the same', 'one', about, 0],
    ['the same as the deployment gave it', 'the-one', about, 0],
    ['another', 'two', about, 1],
    ['no answer now', 'two', { subject: 'a-question' }, 0],
    ['no answer when it was recorded', undetermined, about, 0],
    ['another question', 'two', { ...about, subject: 'another' }, 0],
  ];
  test(
    'is another outcome than the one that is expected',
    checkEachRow(rows, (_, recorded, seen, count) =>
      expect(findDrift(seen, [], expected(recorded))).toHaveLength(count),
    ),
  );

  test('says which, and who expects it', () => {
    expect(findDrift(about, [], expected('two'))).toEqual([
      {
        kind: 'outcome',
        question: 'a-question',
        outcome: 'one',
        expected: { outcome: 'two', statedBy: 'the record' },
      },
    ]);
  });

  test('is a body that fits not every schema', () => {
    const schemas = [
      { schema: integer, statedBy: 'the record' },
      { schema: text, statedBy: 'the target file' },
    ];
    expect(findDrift(about, ['1'], { ...emptyBaseline, schemas })).toEqual([
      {
        kind: 'shape',
        message: 'A body does not fit the schema of the target file at its root: must be string.',
      },
    ]);
  });

  test('is a member too many, unless additions are noted or ignored; what is wrong otherwise is always', () => {
    const schemas = [{ schema: record({ a: integer }), statedBy: 'the record' }];
    const at = 'A body does not fit the schema of the record at';
    const wrong = { kind: 'shape', message: `${at} /a: must be integer.` } as const;
    const message = `${at} its root: must not have the member 'b'.`;
    const driftWith = (own: { readonly additive?: AdditivePolicy }) =>
      findDrift(about, ['{"a":"x","b":1}'], { ...emptyBaseline, schemas, ...own });
    expect(driftWith({ additive: 'ignore' })).toEqual([wrong]);
    for (const [own, kind] of [
      [{ additive: 'note' }, 'addition'],
      [{ additive: 'fail' }, 'shape'],
      [{}, 'shape'],
    ] as const) {
      const drift = driftWith(own);
      expect(drift).toHaveLength(2);
      expect(drift).toEqual(expect.arrayContaining([wrong, { kind, message }]));
    }
  });
});
