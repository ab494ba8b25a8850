import type { Campaign, Tier, World } from '../../src/contract/world.js';

/** The type of a metadata entry, as `typeof` names it. */
type EntryType = 'string' | 'number' | 'boolean';

/** The world, indexed once for all requests. */
export interface Catalogue {
  /** Newest first, whatever the order in which the world lists them. */
  readonly tiers: readonly Tier[];
  readonly campaignOfTier: ReadonlyMap<string, string>;
  readonly campaigns: ReadonlyMap<string, Campaign>;
  readonly categories: ReadonlyMap<string, { readonly id: string; readonly name: string }>;
  readonly customers: ReadonlySet<string>;
  readonly products: ReadonlySet<string>;
  /** The product of each SKU. */
  readonly skus: ReadonlyMap<string, string>;
  /** What the tiers' metadata holds: key, text of the value, and the types in which that text occurs. */
  readonly metadata: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<EntryType>>>;
}

export function createCatalogue(world: World): Catalogue {
  return {
    tiers: world.tiers.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at)),
    campaignOfTier: new Map(world.tiers.map((tier) => [tier.id, tier.campaign_id])),
    campaigns: new Map(world.campaigns.map((campaign) => [campaign.id, campaign])),
    categories: new Map(world.categories.map((category) => [category.id, category])),
    customers: new Set(world.customers.map(({ id }) => id)),
    products: new Set(world.products.map(({ id }) => id)),
    skus: new Map(world.skus.map((sku) => [sku.id, sku.product_id])),
    metadata: metadataOf(world.tiers),
  };
}

function metadataOf(tiers: readonly Tier[]): Map<string, Map<string, Set<EntryType>>> {
  const index = new Map<string, Map<string, Set<EntryType>>>();
  for (const tier of tiers) {
    for (const [key, entry] of Object.entries(tier.metadata)) {
      const texts = index.get(key) ?? new Map<string, Set<EntryType>>();
      const types = texts.get(String(entry)) ?? new Set<EntryType>();
      types.add(typeof entry as EntryType);
      index.set(key, texts.set(String(entry), types));
    }
  }
  return index;
}
