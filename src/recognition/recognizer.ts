import type { World } from '../world/world.js';
import { createKnownIds, type KnownIds } from './known-ids.js';
import { findTierMentions, type TierMentions } from './tier-mentions.js';

/** Finds the tiers that bodies mention, for one world. It has a cache, because most responses repeat another one. */
export interface Recognizer {
  readonly ids: KnownIds;
  findMentions(body: string): TierMentions;
}

/** The size of the cache: the number of characters of all cached bodies. */
const maxCharacters = 8 * 1024 * 1024;

/** Creates a recognizer for one or more runs with the same world. */
export function createRecognizer(world: World): Recognizer {
  const ids = createKnownIds(world);
  const cache = new Map<string, TierMentions>();
  let characters = 0;
  const evict = (body: string) => {
    if (cache.delete(body)) characters -= body.length;
  };
  return {
    ids,
    findMentions(body) {
      const mentions = cache.get(body) ?? findTierMentions(body, ids);
      // Insert it last: the first entry is then the least recently used one.
      evict(body);
      cache.set(body, mentions);
      characters += body.length;
      for (const oldest of cache.keys()) {
        if (characters <= maxCharacters) break;
        evict(oldest);
      }
      return mentions;
    },
  };
}
