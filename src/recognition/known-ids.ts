import type { World } from '../world/world.js';
import { createIdFinder, type IdFinder } from './id-finder.js';

/** What is known of the ids that a response may name. */
export interface KnownIds {
  /** Those of the tiers, which are looked for. */
  readonly tiers: IdFinder;
  /** Every other text that, as an object key, stands for a thing rather than for a field. */
  readonly keys: IdFinder;
}

/** The ids that responses of a deployment which has the world may name. */
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
