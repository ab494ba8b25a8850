import { cacheByText } from '../support/cache-by-text.js';
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

/** Creates a recognizer for one or more runs with the same world. */
export function createRecognizer(world: World, filter?: MentionFilter): Recognizer {
  const ids = getKnownIds(world);
  const find = (body: string, by: MentionFilter | undefined) =>
    findTierMentions(body, ids, by && ((mention) => isSelected(mention, by, ids.tiers)));
  const findByDefault = cacheByText((body) => find(body, filter));
  const others = new WeakMap<MentionFilter, (body: string) => TierMentions>();
  return {
    ids,
    ...(filter === undefined ? {} : { filter }),
    findMentions(body, other) {
      if (other === undefined || other === filter) return findByDefault(body);
      const findByOther = others.get(other) ?? cacheByText((each) => find(each, other));
      others.set(other, findByOther);
      return findByOther(body);
    },
    listLocatedMentions: cacheByText((body) => {
      const found: LocatedMention[] = [];
      findTierMentions(body, ids, (mention) => {
        const { id, pattern } = mention;
        found.push({ id, pattern, values: listSiblingValues(mention, ids.tiers), indices: listIndices(mention) });
        return true;
      });
      return found;
    }),
  };
}
