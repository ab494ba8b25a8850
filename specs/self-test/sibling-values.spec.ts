/** Deployments that name all promotions, and say beside each whether it is valid for the request. */

import { expect, test } from '@playwright/test';
import { faults } from '../../reference/faults/index.js';
import { createMentionFilter, type ResponseSettings } from '../../src/recognition/sibling-values.js';
import type { Certificate } from '../../src/report/certificate.js';
import { omitUndefined } from '../../src/support/omit-undefined.js';
import type { Tier } from '../../src/world/world.js';
import {
  type Answer,
  certifyInProcess,
  createReference,
  renderUnpassed,
  requirementSuite as suite,
} from './support/in-process.js';

type Marked = readonly (Tier & { readonly valid: boolean })[];
type Shape = (all: Marked) => unknown;

const { world } = suite;
const idsOf = (some: Marked) => some.map(({ id }) => id);
const groupBy = (all: Marked, name: (valid: boolean) => object, list: string) =>
  [true, false].map((valid) => ({ ...name(valid), [list]: idsOf(all.filter((tier) => tier.valid === valid)) }));
const mapEach = (all: Marked, entry: (tier: Marked[number]) => object) => ({ promotions: all.map(entry) });

/** One of each kind is in the short run. */
const quick = [
  'groups with a kind',
  'two lists by index',
  'a flag beside each id',
  'an error or null',
  'ids mapped to booleans',
  'columns',
  'a text around each id',
];

/** With the statement that the target file needs. */
const shapes: Readonly<Record<string, readonly [shape: Shape, stated: ResponseSettings]>> = {
  'groups with a kind': [
    (all) => ({ groups: groupBy(all, (valid) => ({ kind: valid ? 'valid' : 'invalid' }), 'ids') }),
    { tier: '/groups/*/ids/*', where: { kind: 'valid' } },
  ],
  'groups with a number': [
    (all) => ({ groups: groupBy(all, (valid) => ({ code: valid ? 0 : 17 }), 'ids') }),
    { tier: '/groups/*/ids/*', where: { code: 0 } },
  ],
  'groups of objects': [
    (all) =>
      [true, false].map((valid) => ({
        type: { name: valid ? 'yes' : 'no' },
        list: all.filter((tier) => tier.valid === valid).map(({ id }) => ({ id })),
      })),
    { tier: '/*/list/*/id', where: { 'type/name': 'yes' } },
  ],
  'two lists by index': [
    (all) => [true, false].map((valid) => idsOf(all.filter((tier) => tier.valid === valid))),
    { tier: '/0/*' },
  ],
  'two lists under numbers as keys': [
    (all) => Object.fromEntries([1, 0].map((key) => [key, idsOf(all.filter((tier) => Number(tier.valid) === key))])),
    { tier: '/1/*' },
  ],
  'a flag beside each id': [
    (all) => mapEach(all, ({ id, valid }) => ({ id, valid })),
    { tier: '/promotions/*/id', where: { valid: true } },
  ],
  'a flag as a text': [
    (all) => mapEach(all, ({ id, valid }) => ({ id, valid: String(valid) })),
    { tier: '/promotions/*/id', where: { valid: true } },
  ],
  'a status with two good values': [
    (all) =>
      mapEach(all, ({ id, valid, campaign_id }) => ({
        id,
        status: valid ? (campaign_id < 'camp_8' ? 'valid' : 'valid with a note') : 'rejected',
      })),
    { tier: '/promotions/*/id', where: { status: ['valid', 'valid with a note'] } },
  ],
  'a nested flag': [
    (all) => mapEach(all, ({ id, name, valid }) => ({ tier: { id, name }, result: { valid } })),
    { tier: '/promotions/*/tier/id', where: { 'result/valid': true } },
  ],
  'a flag around the tier': [
    (all) => mapEach(all, ({ id, name, valid }) => ({ valid, tier: { id, name } })),
    { tier: '/promotions/*/tier/id', where: { valid: true } },
  ],
  'an error or null': [
    (all) => mapEach(all, ({ id, name, valid }) => ({ id, error: valid ? null : `not for ${name}` })),
    { tier: '/promotions/*/id', where: { error: null } },
  ],
  'an error or nothing': [
    (all) => mapEach(all, ({ id, name, valid }) => (valid ? { id } : { id, error: `not for ${name}` })),
    { tier: '/promotions/*/id', where: { error: null } },
  ],
  'a list of errors': [
    (all) => mapEach(all, ({ id, name, valid }) => ({ id, errors: valid ? [] : [`not for ${name}`] })),
    { tier: '/promotions/*/id', where: { errors: [] } },
  ],
  'ids mapped to booleans': [
    (all) => ({ promotions: Object.fromEntries(all.map(({ id, valid }) => [id, valid])) }),
    { tier: '/promotions/*', where: { value: true } },
  ],
  'ids mapped to objects with a flag': [
    (all) => ({ promotions: Object.fromEntries(all.map(({ id, name, valid }) => [id, { name, valid }])) }),
    { tier: '/promotions/*', where: { valid: true } },
  ],
  'rows with a column': [
    (all) => ({ rows: all.map(({ id, name, valid }) => [id, name, valid]) }),
    { tier: '/rows/*/*', where: { 2: true } },
  ],
  columns: [
    (all) => ({ id: idsOf(all), name: all.map(({ name }) => name), valid: all.map(({ valid }) => valid) }),
    { tier: '/id/*', where: { valid: true } },
  ],
  'a text around each id': [
    (all) => ({ messages: all.map(({ id, valid }) => `${id} is ${valid ? '' : 'not '}valid`) }),
    { tier: '/messages/*', where: { text: '* is valid' } },
  ],
  'links with a flag': [
    (all) => mapEach(all, ({ id, valid }) => ({ id, href: `/tiers/${id}`, eligible: valid ? 'Y' : 'N' })),
    { tier: '/promotions/*/id', where: { eligible: 'Y' } },
  ],
};

interface Mistake {
  readonly faults?: readonly string[];
  readonly breakList?: (valid: Set<string>) => void;
}

/** The reference deployment, which names every promotion in such a shape. */
function respondWith(shape: Shape, { faults = [], breakList }: Mistake = {}): Answer {
  return createReference({
    faults,
    change: (handlers) => ({
      list: (tiers, request) => {
        const valid = new Set(tiers.map(({ id }) => id));
        breakList?.(valid);
        const body = JSON.stringify(shape(world.tiers.map((tier) => ({ ...tier, valid: valid.has(tier.id) }))));
        return { ...handlers.list([], request), body };
      },
    }),
  });
}

async function certify(respond: Answer, stated: ResponseSettings = {}): Promise<Certificate> {
  const mentionFilter = createMentionFilter(stated);
  const options = omitUndefined({
    mentionFilter,
    tierPatterns: stated.tier === undefined ? undefined : [stated.tier].flat(),
  });
  return (await certifyInProcess(respond, { suite, ...options })).certificate;
}

for (const [what, [shape, stated]] of Object.entries(shapes)) {
  test(`${what}: incomplete with the line for the target file, and conforms with it`, {
    tag: quick.includes(what) ? [] : '@long',
  }, async () => {
    const without = await certify(respondWith(shape));
    expect(without.verdict, renderUnpassed(without)).toBe('incomplete');
    expect(without.incomplete_because?.join(' ')).toContain('in the target file');
    const withLine = await certify(respondWith(shape), stated);
    expect(withLine.verdict, renderUnpassed(withLine)).toBe('conforms');
  });
}

const mistakes: Readonly<Record<string, Mistake>> = {
  'an older promotion is said to be valid': {
    breakList: (valid) => valid.add(world.ids.tier.get('beyond-first') ?? ''),
  },
  'a valid promotion is said to be invalid': { breakList: (valid) => valid.delete(world.tiers[0]?.id ?? '') },
  ...Object.fromEntries(faults.filter((_, n) => n % 7 === 0).map(({ id }) => [id, { faults: [id] }])),
};

for (const [n, [what, mistake]] of Object.entries(mistakes).entries()) {
  test(`Fails, with and without the line, if ${what}`, { tag: n === 0 ? [] : '@long' }, async () => {
    const some = Object.entries(shapes).filter((_, at) => (n === 0 ? at === 6 : at % 5 === 0));
    for (const [name, [shape, stated]] of some)
      for (const line of [{}, stated]) {
        const certificate = await certify(respondWith(shape, mistake), line);
        expect(certificate.verdict, `${name}\n${renderUnpassed(certificate)}`).toBe('does-not-conform');
      }
  });
}

test('A flag is no reason for doubt if the target file says that all were returned', async () => {
  const [shape] = shapes['a flag beside each id'] ?? [];
  if (shape === undefined) throw new Error('There is no such shape.');
  expect((await certify(respondWith(shape), { where: {} })).verdict).toBe('does-not-conform');
});

for (const at of [0, 1])
  test(`A list of two promotions is no row with columns: a wrong one is at index ${at}`, async () => {
    const wrong = world.ids.tier.get('beyond-first') ?? '';
    const shape: Shape = (all) => {
      const ids = idsOf(all.filter(({ valid }) => valid));
      return ids.length === 1 ? ids.toSpliced(at, 0, wrong) : ids;
    };
    expect((await certify(respondWith(shape))).verdict).toBe('does-not-conform');
  });
