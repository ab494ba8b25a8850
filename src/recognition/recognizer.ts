/**
 * Recognition finds the tiers that a response names, whatever its shape. The body of a response goes in; out come the tiers
 * that it mentions, with the paths where it does, and, once the bodies of a target show where it names what it returns, the
 * tiers that it returned. It is pure: the worker uses it to judge, and the reporter to explain failures.
 */

import type { World } from '../contract/world.js';
import { cacheByText } from '../support/caches.js';
import { getIdFinders } from './id-finders.js';
import {
  listIndicesAroundMention,
  listSiblingValues,
  type MentionFilter,
  matchesMentionFilter,
} from './sibling-values.js';
import { findTierMentions, type TierMentions } from './tier-mentions.js';

export type Recognizer = ReturnType<typeof createRecognizer>;

export interface MentionWithSiblings {
  readonly id: string;
  readonly pattern: string;
  readonly values: ReadonlyMap<string, string>;
  readonly indices: ReadonlyMap<number, string>;
}

/** Has caches: most responses repeat another one. @param filter which mentions count, if the target file states it */
export function createRecognizer(world: World, filter?: MentionFilter) {
  const ids = getIdFinders(world);
  const find = (body: string, by: MentionFilter | undefined) =>
    findTierMentions(body, ids, by && ((mention) => matchesMentionFilter(mention, by, ids.tiers)));
  const findByDefault = cacheByText((body) => find(body, filter));
  return {
    ids,
    filter,
    findMentions: (body: string, used = filter): TierMentions =>
      used === filter ? findByDefault(body) : find(body, used),
    listLocatedMentions: cacheByText((body): readonly MentionWithSiblings[] => {
      const found: MentionWithSiblings[] = [];
      findTierMentions(body, ids, (mention) => {
        const { id, pattern } = mention;
        found.push({
          id,
          pattern,
          values: listSiblingValues(mention, ids.tiers),
          indices: listIndicesAroundMention(mention),
        });
        return true;
      });
      return found;
    }),
  };
}
