import type { World } from '../world/world.js';
import { createKnownIds, type KnownIds } from './known-ids.js';
import { findTierMentions, type TierMentions } from './tier-mentions.js';

/** Finds the tiers that bodies name, for one world. It remembers what it read last: most responses repeat another. */
export interface Recognizer {
  readonly ids: KnownIds;
  findMentions(body: string): TierMentions;
}

/** How many characters the bodies may have together that are remembered with what they name. */
const maxCharacters = 8 * 1024 * 1024;

/** Makes a recognizer, for one run or for several against deployments that have the same world. */
export function createRecognizer(world: World): Recognizer {
  const ids = createKnownIds(world);
  const remembered = new Map<string, TierMentions>();
  let characters = 0;
  const forget = (body: string) => {
    if (remembered.delete(body)) characters -= body.length;
  };
  return {
    ids,
    findMentions(body) {
      const naming = remembered.get(body) ?? findTierMentions(body, ids);
      // Put last, whereupon the first is the one that was longest of no use.
      forget(body);
      remembered.set(body, naming);
      characters += body.length;
      for (const oldest of remembered.keys()) {
        if (characters <= maxCharacters) break;
        forget(oldest);
      }
      return naming;
    },
  };
}
