import type { World } from '../world/world.js';
import { createIdFinder, type IdFinder } from './id-finder.js';

/** The ids of a world that a response may name. */
export interface KnownIds {
  /** The ids of tiers. */
  readonly tiers: IdFinder;
  /** All other texts that are data, and not names of fields, if they are object keys. */
  readonly keys: IdFinder;
}

/** Collects the ids of a world. */
export function createKnownIds({ tiers, customers, products, skus, categories, campaigns }: World): KnownIds {
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
