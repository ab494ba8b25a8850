import type { World } from '../world/world.js';
import { type KnownIds, knownIdsOf } from './known-ids.js';
import { type Naming, namingOf } from './naming.js';

/** Finds the tiers that bodies name, for one world. It remembers what it read last: most responses repeat another. */
export interface Recognizer {
  readonly ids: KnownIds;
  naming(body: string): Naming;
}

/** How many characters the bodies may have together that are remembered with what they name. */
const maxCharacters = 8 * 1024 * 1024;

/** Makes a recognizer, for one run or for several against deployments that have the same world. */
export function recognizerFor(world: World): Recognizer {
  const ids = knownIdsOf(world);
  const remembered = new Map<string, Naming>();
  let characters = 0;
  const forget = (body: string) => {
    if (remembered.delete(body)) characters -= body.length;
  };
  return {
    ids,
    naming(body) {
      const naming = remembered.get(body) ?? namingOf(body, ids);
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
