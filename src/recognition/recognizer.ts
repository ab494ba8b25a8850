import type { World } from '../world/world.js';
import { getKnownIds, type KnownIds } from './known-ids.js';
import { isSelected, listIndices, listSiblingValues, type MentionFilter } from './sibling-values.js';
import { findTierMentions, type TierMentions } from './tier-mentions.js';

/** Finds the tiers that bodies mention, for one world. It has a cache, because most responses repeat another one. */
export interface Recognizer {
  readonly ids: KnownIds;
  /** Which mentions count, if the target file states it. */
  readonly filter?: MentionFilter;
  /** @param other replaces the filter of the recognizer */
  findMentions(body: string, other?: MentionFilter): TierMentions;
  /** Lists every mention of a body with the values and the indices around it. */
  listLocatedMentions(body: string): readonly LocatedMention[];
}

/** A mention of a tier, and what is around it. */
export interface LocatedMention {
  readonly id: string;
  readonly pattern: string;
  readonly values: ReadonlyMap<string, string>;
  readonly indices: ReadonlyMap<number, number>;
}

/** The size of the cache: the number of characters of all cached bodies. */
const maxCharacters = 64 * 1024 * 1024;

/** Creates a recognizer for one or more runs with the same world. */
export function createRecognizer(world: World, filter?: MentionFilter): Recognizer {
  const ids = getKnownIds(world);
  const find = (body: string, by: MentionFilter | undefined) =>
    findTierMentions(body, ids, by && ((mention) => isSelected(mention, by)));
  const findByDefault = cacheByBody((body) => find(body, filter));
  const others = new WeakMap<MentionFilter, (body: string) => TierMentions>();
  return {
    ids,
    ...(filter === undefined ? {} : { filter }),
    findMentions(body, other) {
      if (other === undefined || other === filter) return findByDefault(body);
      const findByOther = others.get(other) ?? cacheByBody((each) => find(each, other));
      others.set(other, findByOther);
      return findByOther(body);
    },
    listLocatedMentions: cacheByBody((body) => {
      const found: LocatedMention[] = [];
      findTierMentions(body, ids, (mention) => {
        const { id, pattern } = mention;
        found.push({ id, pattern, values: listSiblingValues(mention), indices: listIndices(mention) });
        return true;
      });
      return found;
    }),
  };
}

/** Caches the results of a function, for the bodies that were used last. */
function cacheByBody<Result>(find: (body: string) => Result): (body: string) => Result {
  const cache = new Map<string, Result>();
  let characters = 0;
  const evict = (body: string) => {
    if (cache.delete(body)) characters -= body.length;
  };
  return (body) => {
    const result = cache.get(body) ?? find(body);
    // Insert it last: the first entry is then the least recently used one.
    evict(body);
    cache.set(body, result);
    characters += body.length;
    for (const oldest of cache.keys()) {
      if (characters <= maxCharacters) break;
      evict(oldest);
    }
    return result;
  };
}
