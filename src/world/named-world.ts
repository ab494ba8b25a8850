import type { Rule, World } from './world.js';

/** The kinds of things in a world, as references in case files name them. */
export const thingKinds = ['customer', 'product', 'sku', 'category', 'campaign', 'tier'] as const;
export type ThingKind = (typeof thingKinds)[number];

export const listNames = {
  customer: 'customers',
  product: 'products',
  sku: 'skus',
  category: 'categories',
  campaign: 'campaigns',
  tier: 'tiers',
} as const satisfies Record<ThingKind, keyof World>;

/** A world with the names that cases use. */
export interface NamedWorld extends World {
  readonly ids: Readonly<Record<ThingKind, ReadonlyMap<string, string>>>;
  /** The things that the deployment under test does not have, by their ids in this world. */
  readonly unavailable: ReadonlyMap<string, UnavailableThing>;
  /** Whether the target has ids of its own, which messages show beside names. */
  readonly hasOwnIds?: true;
}

/** A thing of the world that a deployment does not have. */
export interface UnavailableThing {
  readonly kind: ThingKind;
  readonly name: string;
  /** The rule kinds that the deployment does not support. If empty, only the id is missing. */
  readonly capabilities: readonly Rule['kind'][];
}

/** The number of newest tiers that are checked, according to the documentation. */
export const windowSize = 150;

/** The prefix of the names of a user's own cases and test data. */
export const ownPrefix = 'own-';
