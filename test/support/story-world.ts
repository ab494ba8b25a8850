/** A small world whose ids are names that say what they are for, to read stories of faults and behaviours by. */

import type { Campaign, Tier, TierRule, World } from '../../src/contract/world.js';

const customer = (...any_of: string[]): TierRule => ({ kind: 'customer', any_of });
const product = (id: string, at_least = 1): TierRule => ({ kind: 'product', id, at_least });
const sku = (id: string, at_least = 1): TierRule => ({ kind: 'sku', id, at_least });
const metadata = (key: string, is: string): TierRule => ({ kind: 'metadata', key, is });

type Described = Partial<Pick<Tier, 'rules' | 'metadata' | 'campaign_id'>>;

/** The newest tiers, each named after what it needs. */
const named: Readonly<Record<string, Described>> = {
  everyone: { metadata: { level: 'gold', channel: 'web' } },
  'ann-or-bob': { rules: [customer('ann', 'bob')] },
  'bob-only': { rules: [customer('bob')] },
  'mug-1': { rules: [product('mug')] },
  'mug-2': { rules: [product('mug', 2)] },
  'mug-3': { rules: [product('mug', 3)] },
  'mug-10': { rules: [product('mug', 10)] },
  'mug-1000': { rules: [product('mug', 1000)] },
  'plate-1': { rules: [product('plate')] },
  'shirt-1': { rules: [product('shirt')] },
  'shirt-3': { rules: [product('shirt', 3)] },
  'blue-1': { rules: [sku('shirt-blue')] },
  'blue-2': { rules: [sku('shirt-blue', 2)] },
  'blue-3': { rules: [sku('shirt-blue', 3)] },
  'red-1': { rules: [sku('shirt-red')] },
  broadway: { rules: [metadata('store_name', 'Broadway')] },
  'color-red': { rules: [metadata('color', 'red')] },
  'paid-by-card': { rules: [{ kind: 'order_metadata', key: 'payment', includes: 'card' }] },
  'mug-and-plate': { rules: [product('mug'), product('plate')] },
  'ann-with-a-mug': { rules: [customer('ann'), product('mug')] },
  uncategorized: { campaign_id: 'summer', metadata: { level: 'gold' } },
  silver: { campaign_id: 'autumn', metadata: { level: 'silver' } },
  'true-and-1': { campaign_id: 'autumn', metadata: { has_budget: true, priority: 1 } },
  'without-metadata': { campaign_id: 'autumn' },
  'with-a-space': { metadata: { note: 'a b' } },
  'with-a-plus': { metadata: { note: 'a+b' } },
  'of-winter': { campaign_id: 'winter', rules: [customer('bob')] },
};

/** Tiers by their rank, where the window ends and beyond. */
const ranked: Readonly<Record<number, Described>> = {
  148: {},
  149: {},
  150: {},
  151: {},
  160: { campaign_id: 'spring', rules: [customer('bob')], metadata: { age: 'old' } },
  161: { campaign_id: 'antique', metadata: { age: 'older' } },
  200: {},
};

const campaigns: readonly Campaign[] = [
  { id: 'spring', name: 'Spring', category_ids: ['kitchen'] },
  { id: 'summer', name: 'Summer', category_ids: [] },
  { id: 'autumn', name: 'Autumn', category_ids: ['kitchen', 'sale'] },
  { id: 'winter', name: 'Winter', category_ids: ['sale'] },
  { id: 'antique', name: 'Antique', category_ids: ['sale'] },
];

function createTiers(): Tier[] {
  const names = Object.keys(named);
  return Array.from({ length: 200 }, (_, n) => {
    const rank = n + 1;
    const id = names[n] ?? `rank-${rank}`;
    // All others are for a customer of their own, so that few promotions are valid for anybody else.
    const described: Described = named[id] ?? ranked[rank] ?? { rules: [customer('dan')], campaign_id: 'autumn' };
    const created_at = new Date(Date.UTC(2024, 0, 200 - n)).toISOString();
    return { id, name: id, created_at, campaign_id: 'spring', rules: [], metadata: {}, ...described };
  });
}

export const storyWorld: World = {
  customers: ['ann', 'bob', 'eve', 'dan'].map((id) => ({ id })),
  products: ['mug', 'plate', 'shirt', 'cup'].map((id) => ({ id })),
  skus: [
    { id: 'shirt-blue', product_id: 'shirt' },
    { id: 'shirt-red', product_id: 'shirt' },
    { id: 'cup-white', product_id: 'cup' },
  ],
  categories: ['kitchen', 'sale'].map((id) => ({ id, name: id })),
  campaigns,
  tiers: createTiers(),
};
