import { cacheByObject } from '../support/caches.js';
import type { NumberText } from '../support/json.js';

/** What a deployment contains: the test data of the suite, or the content of a data file. Tiers are newest first. */
export interface World {
  readonly customers: readonly WorldEntity[];
  readonly products: readonly WorldEntity[];
  readonly skus: readonly (WorldEntity & { readonly product_id: string })[];
  readonly categories: readonly { readonly id: string; readonly name: string }[];
  readonly campaigns: readonly Campaign[];
  readonly tiers: readonly Tier[];
}

/** A thing with an id, and the name that cases use. Data of a user may lack the name. */
export interface WorldEntity {
  readonly id: string;
  readonly name?: string;
}

export interface Campaign {
  readonly id: string;
  readonly name: string;
  readonly category_ids: readonly string[];
}

/** A promotion tier: what the operation returns for a request if the tier is valid for it and among the newest 150. */
export interface Tier {
  readonly id: string;
  readonly campaign_id: string;
  readonly name: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly created_at: string;
  readonly metadata: Readonly<Record<string, string | number | boolean | NumberText>>;
  /** A tier is valid for a request when all its rules hold; without rules it is valid for everybody. */
  readonly rules: readonly TierRule[];
}

export type TierRule =
  | { readonly kind: 'customer'; readonly any_of: readonly string[] }
  | { readonly kind: 'product'; readonly id: string; readonly at_least: number }
  | { readonly kind: 'sku'; readonly id: string; readonly at_least: number }
  | { readonly kind: 'order_metadata'; readonly key: string; readonly includes: string }
  | { readonly kind: 'metadata'; readonly key: string; readonly is: string }
  /** In a data file only: what no other kind expresses. */
  | { readonly kind: 'other'; readonly description: string };

/** A rule of a tier that requires a quantity of one product or SKU (`id`) in the order: at least `at_least`. */
export type ItemRule = Extract<TierRule, { readonly id: string }>;

/** The lists of a world by the kind of their things, as references in case files name it. */
export const worldListNames = {
  customer: 'customers',
  product: 'products',
  sku: 'skus',
  category: 'categories',
  campaign: 'campaigns',
  tier: 'tiers',
} as const satisfies Record<string, keyof World>;

export type EntityKind = keyof typeof worldListNames;
export const entityKinds = Object.keys(worldListNames) as EntityKind[];

export interface TargetWorld extends World {
  readonly ids: Readonly<Record<EntityKind, ReadonlyMap<string, string>>>;
  /** The things that the deployment under test does not have, by their ids in this world. */
  readonly unavailable: ReadonlyMap<string, { readonly kind: EntityKind; readonly name: string }>;
  /** How many of the newest 150 tiers of the deployment are promotions of its own; undefined if nobody says so. */
  readonly ownPromotions?: number;
  /** Whether the target has ids of its own, which messages show beside names. */
  readonly hasOwnIds?: true;
  /** In which order the file with these ids names the tiers: a loader prints each when it has created it. */
  readonly listedOrder?: 'newest-first' | 'oldest-first';
  /** Whether it was read from a data file, which may be out of date. Its ids may be short, or ordinary words. */
  readonly isDataFile?: true;
}

/** What reasons need to say whose data is meant, the test data of the suite or a data file: `the-data` in templates/reasons.yaml. */
export function tellDataFile({ isDataFile }: Pick<TargetWorld, 'isDataFile'>): { readonly ofFile: 0 | 1 } {
  return { ofFile: isDataFile === true ? 1 : 0 };
}

/** Names the data of a world in a sentence. */
export function nameData({ isDataFile }: Pick<TargetWorld, 'isDataFile'>): string {
  return isDataFile === true ? 'the data file' : 'the test data';
}

/** Returns the position of each thing in a list. Data files have many things, and each request looks some up. */
export const indexPositionsById = cacheByObject(
  (things: readonly WorldEntity[]): ReadonlyMap<string, number> => new Map(things.map(({ id }, n) => [id, n])),
);

/** Finds a thing of a list by its id. */
export function findById<Entity extends WorldEntity>(things: readonly Entity[], id: string): Entity | undefined {
  const position = indexPositionsById(things).get(id);
  return position === undefined ? undefined : things[position];
}

export function findProductIdOfSku(skus: World['skus'], id: string): string | undefined {
  return findById(skus, id)?.product_id;
}

export function listAvailableTiers({ tiers, unavailable }: TargetWorld): Tier[] {
  return tiers.filter(({ id }) => !unavailable.has(id));
}

export function pickWorldLists({ customers, products, skus, categories, campaigns, tiers }: TargetWorld): World {
  return { customers, products, skus, categories, campaigns, tiers };
}

/** The number of newest tiers that are checked, according to the documentation. */
export const windowSize = 150;

/** The number of the newest tiers of a world that are checked: promotions of the deployment take the other places. */
export function countWindowPlaces({ ownPromotions = 0 }: World & Pick<TargetWorld, 'ownPromotions'>): number {
  return windowSize - ownPromotions;
}
