import { expect, test } from '@playwright/test';
import { undeterminedOutcome } from '../../src/cases/test-case.js';
import { createIdFinders } from '../../src/recognition/id-finders.js';
import { type BodyShape, findShapeDrift, inferShape } from '../../src/record/body-shape.js';
import { emptyBaseline, findDrift } from '../../src/record/drift.js';
import { checkEachRow } from '../support/check-each-row.js';

const tier = 'promo_aaaaaaaaaaaa';
const ids = createIdFinders([tier], ['spring']);

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

test.describe('The shape of bodies', () => {
  const rows: readonly (readonly [what: string, values: readonly unknown[], shape: BodyShape])[] = [
    ['a text', ['a'], text],
    ['a whole number', [1], integer],
    ['numbers of both kinds', [1, 1.5], { type: 'number' }],
    ['nothing', [null], { type: 'null' }],
    ['a list', [['a', 1]], { type: 'array', items: { type: ['integer', 'string'] } }],
    ['a list of lists', [[['a'], []]], { type: 'array', items: { type: 'array', items: text } }],
    ['sorted members', [{ b: 1, a: 'x' }], record({ a: text, b: integer })],
    ['a required member', [{ a: 1 }, { a: 2 }], record({ a: integer })],
    ['an optional member', [{ a: 1, b: 1 }, { a: 2 }], record({ a: integer, b: integer }, ['a'])],
    ['an object or a text', [{ a: 1 }, 'x'], { ...record({ a: integer }), type: ['object', 'string'] }],
    ['members that are tiers', [{ [tier]: 1 }], { ...record({}), additionalProperties: integer }],
    [
      'ids and another member',
      [{ [tier]: 1, spring: 'x', n: null }],
      { ...record({ n: { type: 'null' } }), additionalProperties: { type: ['integer', 'string'] } },
    ],
    ['a lone surrogate', [{ '\ud800': 1 }], { ...record({}), additionalProperties: integer }],
  ];
  test('describes what they have in common', () =>
    checkEachRow(rows, (_, values, shape) => expect(shapeOf(...values)).toEqual(shape)));

  test('ignores bodies that are not JSON', () => {
    expect(inferShape(['', '<p>'], ids)).toBeUndefined();
    expect(inferShape(['<p>', '1'], ids)).toEqual(integer);
  });

  test('describes at most 20 levels', () => {
    const nested = (depth: number, what: unknown): unknown =>
      depth === 0 ? what : depth % 2 === 0 ? [nested(depth - 1, what)] : { in: nested(depth - 1, what) };
    const at = (shape: BodyShape | undefined, depth: number): unknown =>
      depth === 0 ? shape : at(depth % 2 === 0 ? shape?.items : shape?.properties?.in, depth - 1);
    expect(at(shapeOf(nested(20, 'x')), 20)).toEqual(text);
    expect(at(shapeOf(nested(21, 'x')), 21)).toEqual({});
  });

  test('does not describe metadata, which is data', () => {
    const shape = shapeOf({ metadata: { color: 'red' } }, { metadata: { size: 3 } });
    expect(shape).toEqual(record({ metadata: { type: 'object' } }));
    expect(findShapeDrift(['{"metadata":{"year":2026}}'], shape ?? {})).toEqual([]);
    expect(findShapeDrift(['{"metadata":[]}'], shape ?? {})).toHaveLength(1);
  });
});

test.describe('Drift', () => {
  const expected = (outcome: string) => ({
    ...emptyBaseline,
    outcomes: { 'a-question': { outcome, statedBy: 'the record' as const } },
  });
  const about = { subject: 'a-question', outcome: 'one' };
  const rows: [what: string, recorded: string, seen: Parameters<typeof findDrift>[0], count: number][] = [
    ['the same', 'one', about, 0],
    ['another', 'two', about, 1],
    ['no answer now', 'two', { subject: 'a-question' }, 0],
    ['no answer when it was recorded', undeterminedOutcome, about, 0],
    ['another question', 'two', { ...about, subject: 'another' }, 0],
  ];
  test('is an outcome that differs from the baseline', () =>
    checkEachRow(rows, (_, recorded, seen, count) =>
      expect(findDrift(seen, [], expected(recorded))).toHaveLength(count),
    ));

  test('is a body that does not match the schema of the record, in values or in members', () => {
    const schema = record({ a: integer });
    const drift = findDrift(about, ['{"a":"x","b":1}', '{}'], { ...emptyBaseline, schema });
    expect(drift).toHaveLength(3);
    expect(drift).toEqual(
      expect.arrayContaining([
        { kind: 'shape', message: 'A value at /a does not fit the record: it must be a whole number.' },
        { kind: 'shape', message: "A value at the top does not fit the record: it must have required property 'a'." },
        { kind: 'new-member', message: '/b' },
      ]),
    );
  });
});
