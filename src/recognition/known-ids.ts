import type { World } from '../contract/world.js';
import { createIdFinder, type IdFinder, numberBoundaries } from './id-finder.js';

/** The ids of a world that a response may name. */
export interface KnownIds {
  readonly tiers: IdFinder;
  /** For the ids of tiers that are any part of a text, as in `tier-promo_1`. */
  readonly tiersInWords: IdFinder;
  /** All other texts that are data, and not names of fields, if they are object keys. */
  readonly keys: IdFinder;
}

const knownIds = new WeakMap<World, KnownIds>();

/** Returns the ids of a world. They are collected once: that takes longer than to judge a case. */
export function getIdFinders(world: World): KnownIds {
  const { tiers, customers, products, skus, categories, campaigns } = world;
  const others = [customers, products, skus, categories, campaigns].flat().map(({ id }) => id);
  const keys = [...others, ...[...categories, ...campaigns].map(({ name }) => name)];
  const ids = tiers.map(({ id }) => id);
  const known = knownIds.get(world) ?? createKnownIds(ids, keys);
  knownIds.set(world, known);
  return known;
}

/** @param keys all other ids, and names that may be keys */
export function createKnownIds(tiers: readonly string[], keys: readonly string[]): KnownIds {
  const ids = new Set(tiers);
  return {
    tiers: createIdFinder(ids),
    tiersInWords: createIdFinder(ids, numberBoundaries),
    keys: createIdFinder(new Set(keys)),
  };
}
