import type { World } from '../world/world.js';
import { createIdFinder, type IdFinder } from './id-finder.js';

/** The ids of a world that a response may name. */
export interface KnownIds {
  readonly tiers: IdFinder;
  /** All other texts that are data, and not names of fields, if they are object keys. */
  readonly keys: IdFinder;
}

const knownIds = new WeakMap<World, KnownIds>();

/** Returns the ids of a world. They are collected once: that takes longer than to judge a case. */
export function getKnownIds(world: World): KnownIds {
  const known = knownIds.get(world) ?? collectIds(world);
  knownIds.set(world, known);
  return known;
}

function collectIds({ tiers, customers, products, skus, categories, campaigns }: World): KnownIds {
  return {
    tiers: createIdFinder(new Set(tiers.map(({ id }) => id))),
    keys: createIdFinder(
      new Set([
        ...[customers, products, skus].flatMap((list) => list.map(({ id }) => id)),
        ...[...categories, ...campaigns].flatMap(({ id, name }) => [id, name]),
      ]),
    ),
  };
}
