/** Data of deployments as a user may have it, made by a small generator: the same seed gives the same data. */

import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Tier, TierRule, World } from '../../src/contract/world.js';
import { createRandom } from '../../tools/own-data/random.js';
import type { Traits } from './independent-deployment.js';

/** How the data looks. */
interface Look {
  readonly seed: number;
  readonly tiers: number;
  readonly customers: number;
  readonly products: number;
  readonly skus: number;
  readonly campaigns: number;
  /** The share of rules that the format cannot express. */
  readonly others: number;
  readonly nameId: (kind: string, n: number) => string;
  readonly texts: readonly string[];
}

const ordinaryTexts = 'gold,silver,web,store,north,south,true,false,Broadway,summer sale'.split(',');

const awkwardTexts = [
  ...'true¦TRUE ¦0¦10¦010¦1e1¦10.0¦null¦constructor¦__proto__¦a.b¦a-b¦a_b¦a b¦50% off¦50%25 off¦a+b¦a&b'.split('¦'),
  ...'a&amp;b¦a=b¦a#b¦Größe¦Grösse¦café¦cafe¦特価¦🎁¦ x¦x ¦"quoted"¦it\'s¦<b>¦a,b¦a;b¦a/b¦a\\b'.split('¦'),
  `${'long text '.repeat(30)}end`,
];

/** Ids as in tables that people made: numbers, words, ids within others. */
function nameAwkwardId(kind: string, n: number): string {
  const words = 'name,id,data,total,promo,true,null,0,x'.split(',');
  const names = [`${100 + n}`, `${kind} ${n}`, `${kind}-${n}`, `${kind}-${n}-b`, `Größe ${n}`, `${n}/2 & more`];
  return words[n] ?? [...names, `${kind}+${n}`][n % (names.length + 1)] ?? '';
}

const looks = {
  small: {
    seed: 1,
    tiers: 40,
    customers: 30,
    products: 12,
    skus: 10,
    campaigns: 6,
    others: 0,
    nameId: (kind, n) => `${kind}_${String(n + 1).padStart(4, '0')}`,
    texts: ordinaryTexts,
  },
  large: {
    seed: 2,
    tiers: 500,
    customers: 300,
    products: 60,
    skus: 80,
    campaigns: 25,
    others: 0.05,
    nameId: (kind, n) => `${kind}_${((n + 17) * 2_654_435_761).toString(36)}x${n}`,
    texts: [...ordinaryTexts, ...awkwardTexts.slice(0, 10)],
  },
  awkward: {
    seed: 3,
    tiers: 200,
    customers: 40,
    products: 25,
    skus: 20,
    campaigns: 12,
    others: 0.02,
    nameId: nameAwkwardId,
    texts: awkwardTexts,
  },
} satisfies Record<string, Look>;

export type DataName = keyof typeof looks;
export const dataNames = Object.keys(looks) as DataName[];

export function createData(name: DataName): World {
  const look: Look = looks[name];
  const { next: random, pick } = createRandom(look.seed);
  const create = (kind: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ id: look.nameId(kind, n) }));
  const customers = create('customer', look.customers);
  const products = create('product', look.products);
  const skus = create('sku', look.skus).map(({ id }) => ({ id, product_id: pick(products).id }));
  const categories = create('category', 4).map(({ id }) => ({ id, name: `Category ${id}` }));
  const campaigns = create('campaign', look.campaigns).map(({ id }) => ({
    id,
    name: `Campaign ${id}`,
    category_ids: categories.filter(() => random() < 0.3).map((category) => category.id),
  }));
  const keys =
    name === 'awkward'
      ? ['store', 'store name', 'größe', 'a.b', 'id', '1', 'x&y', 'constructor']
      : ['store', 'level', 'channel'];
  const createRule = (): TierRule => {
    if (random() < look.others) return { kind: 'other', description: 'The weather is fine.' };
    switch (
      pick(['customer', 'customer', 'product', 'product', 'sku', 'metadata', 'metadata', 'order_metadata'] as const)
    ) {
      case 'customer': {
        const list = Array.from(
          { length: random() < 0.5 ? 1 : 2 + Math.floor(random() * 8) },
          () => pick(customers).id,
        );
        return { kind: 'customer', any_of: [...new Set(list)] };
      }
      case 'product':
        return { kind: 'product', id: pick(products).id, at_least: pick([1, 1, 2, 3, 5, 10]) };
      case 'sku':
        return { kind: 'sku', id: pick(skus).id, at_least: pick([1, 1, 2, 4]) };
      case 'metadata':
        return { kind: 'metadata', key: pick(keys), is: pick(look.texts) };
      default:
        return random() < 0.3
          ? { kind: 'order_metadata', key: 'payment_mean', includes: 'credit-card' }
          : { kind: 'metadata', key: pick(keys), is: pick(look.texts) };
    }
  };
  const newest = Date.parse('2026-05-01T12:00:00.000Z');
  const tiers = create('promo', look.tiers).map(({ id }, n): Tier => {
    const rules = Array.from({ length: pick([0, 1, 1, 1, 2, 2, 3]) }, createRule);
    const metadata = keys.filter(() => random() < 0.4).map((key) => [key, pick(look.texts)] as const);
    return {
      id,
      campaign_id: pick(campaigns).id,
      name: `Promotion ${n + 1}`,
      created_at: new Date(newest - n * 3_600_000).toISOString(),
      metadata: Object.fromEntries(metadata),
      rules,
    };
  });
  return { customers, products, skus, categories, campaigns, tiers };
}

/** Writes data to a file of its own. @returns its path */
export function writeData(world: World, name: string): string {
  const folder = path.join(os.tmpdir(), `own-data-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(world));
  return file;
}

/** A new one in each run, unless the environment states that of an earlier run. The workers inherit it from the main process. */
process.env.OWN_DATA_SEED ??= String(Date.now() % 1_000_000);

/** Generated data depends on it. */
export const ownDataSeed = Number(process.env.OWN_DATA_SEED);

/** Shapes and choices of deployments that conform. */
export const conformingTraits: readonly Traits[] = [
  {},
  { shape: 'nested', empty: 404 },
  { shape: 'renamed', empty: 204, order: 'oldest-first' },
  { shape: 'result-ids', empty: 'no-body' },
  { shape: 'grouped-by-campaign', filteredWindow: 'filter-first' },
  { shape: 'agreeing-paths', bothFilters: 'union' },
  { shape: 'extra-fields', repeated: 'each-item-alone' },
  { shape: 'bare-array', orderMetadataRules: 'ignored', omitted: 'rejected' },
  { shape: 'packed-in-a-string', audienceRulesOnly: 'skips-order-rules' },
  { shape: 'tree', audienceRulesOnly: 'returns-nothing', numericStrings: 'rejected' },
  { shape: 'linked-list', unknownCustomer: 'rejected', order: 'by-name' },
  { shape: 'indices-as-keys', status: 203 },
  { shape: 'keyed-by-id', empty: 404 },
];
