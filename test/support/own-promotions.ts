import type { NamedWorld, Tier } from '../../src/contract/world.js';

/** Adds promotions of a deployment to the test data. @param at their place: 0 if they are newer than the test data */
export function addPromotions(world: NamedWorld, count: number, at = 0): NamedWorld {
  const first = world.tiers[0] as Tier;
  const near = world.tiers[at] ?? first;
  const campaign = { id: 'camp_of_the_deployment', name: 'own', category_ids: [] };
  const own = Array.from({ length: count }, (_, n) => ({
    ...first,
    id: `promo_of_the_deployment_${n + 1}`,
    campaign_id: campaign.id,
    name: `own ${n + 1}`,
    created_at: new Date(Date.parse(near.created_at) + (count - n) * 1000).toISOString(),
    metadata: { has_budget: 'true', level: 'gold', stock: 'many' },
    rules: [],
  }));
  return { ...world, campaigns: [...world.campaigns, campaign], tiers: world.tiers.toSpliced(at, 0, ...own) };
}
