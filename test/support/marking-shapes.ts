import type { Tier } from '../../src/contract/world.js';
import type { Shape } from './independent-deployment.js';

type Marked = Tier & { readonly valid: boolean };

/** Presents all promotions, each with whether it is valid. */
export const mark =
  (present: (all: readonly Marked[]) => unknown): Shape =>
  (tiers, world) =>
    present(world.tiers.map((tier) => ({ ...tier, valid: tiers.includes(tier) })));

const idsOf = (tiers: readonly Tier[]) => tiers.map(({ id }) => id);
/** Lists the valid promotions, then the others. */
const split = (all: readonly Marked[]) => [true, false].map((valid) => all.filter((tier) => tier.valid === valid));

/** A shape, and the line that a target file needs. */
interface MarkingShape {
  readonly shape: Shape;
  readonly line: string;
}

const state = (response: string, present: (all: readonly Marked[]) => unknown): MarkingShape => ({
  shape: mark(present),
  line: `response: { ${response} }`,
});
/** @param path of the id in a record */
const list = (where: string, present: (tier: Marked) => object, path = 'id') =>
  state(`tier: /data/*/${path}, where: { ${where} }`, (all) => ({ data: all.map(present) }));
const map = (where: string, present: (tier: Marked) => unknown) =>
  state(`tier: /data/*, where: { ${where} }`, (all) => ({
    data: Object.fromEntries(all.map((tier) => [tier.id, present(tier)])),
  }));
const group = (where: string, present: (ids: readonly string[], valid: boolean) => object, path = 'ids/*') =>
  state(`tier: /*/${path}, where: { ${where} }`, (all) => split(all).map((tiers, n) => present(idsOf(tiers), n === 0)));

const reject = ({ campaign_id }: Tier) => `not for ${campaign_id}`;
const praise = ({ metadata }: Tier) => ('has_budget' in metadata ? 'very good' : 'good');

/** Responses that name all promotions and say which of them are valid. */
export const markingShapes = {
  'groups with a kind': group('kind: ok', (ids, valid) => ({ kind: valid ? 'ok' : 'no', ids })),
  'groups with a nested kind': group(
    'type/name: yes',
    (ids, valid) => ({ type: { name: valid ? 'yes' : 'no' }, list: ids.map((id) => ({ id })) }),
    'list/*/id',
  ),
  'groups by index': state('tier: /groups/0/ids/*', (all) => ({
    groups: split(all).map((tiers) => ({ ids: idsOf(tiers) })),
  })),
  'two lists': state('where: { 0: null }', (all) => split(all).map(idsOf)),
  'a flag': list('valid: true', ({ id, valid }) => ({ id, valid })),
  'texts that need quotes': list('"ok?": "yes, it is"', ({ id, valid }) => ({
    id,
    'ok?': valid ? 'yes, it is' : 'no',
  })),
  'a nested flag': list(
    'at/valid: true',
    ({ id, valid }) => ({ tier: { id }, at: { valid, all: [valid] } }),
    'tier/id',
  ),
  'a flag beside a link': list('is: Y', ({ id, valid }) => ({ id, href: `/t/${id}`, is: valid ? 'Y' : 'N' }), 'href'),
  'two good values': list('is: [good, "very good"]', (tier) => ({
    id: tier.id,
    is: tier.valid ? praise(tier) : 'bad',
  })),
  'an error or null': list('error: null', (tier) => ({ id: tier.id, error: tier.valid ? null : reject(tier) })),
  'a list of errors': list('errors: []', ({ id, name, valid }) => ({ id, errors: valid ? [] : [name] })),
  'ids mapped to booleans': map('value: true', ({ valid }) => valid),
  'ids mapped to objects': map('valid: true', ({ name, valid }) => ({ name, valid })),
  rows: state('where: { 2: true }', (all) => all.map(({ id, name, valid }) => [id, name, valid])),
  columns: state('tier: /id/*, where: { valid: true }', (all) => ({
    id: idsOf(all),
    name: all.map(({ name }) => name),
    valid: all.map(({ valid }) => valid),
  })),
  'a text around each id': state('tier: /*, where: { text: "* is valid" }', (all) =>
    all.map(({ id, valid }) => `${id} is ${valid ? '' : 'not '}valid`),
  ),
} satisfies Readonly<Record<string, MarkingShape>>;
