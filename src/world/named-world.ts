import type { Rule, World } from './world.js';

/** The kinds of things in a world, as references in case files name them. */
export const thingKinds = ['customer', 'product', 'sku', 'category', 'campaign', 'tier'] as const;
export type ThingKind = (typeof thingKinds)[number];

/** The kinds as a world lists them. */
export const listNames = {
  customer: 'customers',
  product: 'products',
  sku: 'skus',
  category: 'categories',
  campaign: 'campaigns',
  tier: 'tiers',
} as const satisfies Record<ThingKind, keyof World>;

/** A world with the names by which cases speak of it. */
export interface NamedWorld extends World {
  readonly ids: Readonly<Record<ThingKind, ReadonlyMap<string, string>>>;
  /** What the deployment under test does not have, by the id that stands for it in this world. */
  readonly unavailable: ReadonlyMap<string, UnavailableThing>;
}

/** Something of the world that a deployment does not have, as far as is known. */
export interface UnavailableThing {
  readonly kind: ThingKind;
  readonly name: string;
  /** Rule kinds that the deployment would need for it. Without any, it is the id that is not known. */
  readonly capabilities: readonly Rule['kind'][];
}

/** How many of the newest tiers the documentation says are checked. */
export const windowSize = 150;

/** What the names of everything begin with that is not of the suite: its cases, and what they need of the world. */
export const ownPrefix = 'own-';
