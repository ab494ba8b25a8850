import type { Tier, World } from './world.js';

/** The lists of a world by the kind of their things, as references in case files name it. */
export const listNames = {
  customer: 'customers',
  product: 'products',
  sku: 'skus',
  category: 'categories',
  campaign: 'campaigns',
  tier: 'tiers',
} as const satisfies Record<string, keyof World>;

export type ThingKind = keyof typeof listNames;
export const thingKinds = Object.keys(listNames) as ThingKind[];

export interface NamedWorld extends World {
  readonly ids: Readonly<Record<ThingKind, ReadonlyMap<string, string>>>;
  /** The things that the deployment under test does not have, by their ids in this world. */
  readonly unavailable: ReadonlyMap<string, { readonly kind: ThingKind; readonly name: string }>;
  /** How many of the newest 150 tiers of the deployment are promotions of its own; undefined if nobody says so. */
  readonly ownPromotions?: number;
  /** Whether the target has ids of its own, which messages show beside names. */
  readonly hasOwnIds?: true;
  /** Whether it was read from a data file, which may be out of date. Its ids may be short, or ordinary words. */
  readonly isDataFile?: true;
}

export function listAvailableTiers({ tiers, unavailable }: NamedWorld): Tier[] {
  return tiers.filter(({ id }) => !unavailable.has(id));
}

/** Returns the data alone, without what the suite keeps beside it. */
export function exportWorld({ customers, products, skus, categories, campaigns, tiers }: NamedWorld): World {
  return { customers, products, skus, categories, campaigns, tiers };
}

/** The number of newest tiers that are checked, according to the documentation. */
export const windowSize = 150;

/** The number of the newest tiers of a world that are checked: promotions of the deployment take the other places. */
export function getWindowSize({ ownPromotions = 0 }: World & Pick<NamedWorld, 'ownPromotions'>): number {
  return windowSize - ownPromotions;
}

/** The prefix of the names of a user's own cases and test data. */
export const ownPrefix = 'own-';
