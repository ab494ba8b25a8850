/**
 * Mistakes of a loop that removes promotion tiers from the list that it walks. They are proved like those of the reference deployment,
 * which has none of them. Pure.
 */

import { createMistakeOfEveryRequest, type StructuralMistake } from '../../reference/faults/model.js';
import type { Tier } from '../contract/world.js';

/** Walks a list in which each removal moves the next tier to the place that was just looked at, so that it is not looked at. */
function removeWhileWalking(tiers: readonly Tier[], isKept: (tier: Tier) => boolean): Tier[] {
  const kept: Tier[] = [];
  for (let n = 0; n < tiers.length; n += 1) {
    const tier = tiers[n] as Tier;
    if (isKept(tier)) kept.push(tier);
    else if (n + 1 < tiers.length) {
      n += 1;
      kept.push(tiers[n] as Tier);
    }
  }
  return kept;
}

function createLoopMistake(id: string, neighbour: string, sort: (tiers: readonly Tier[]) => Tier[]): StructuralMistake {
  const sentence = `The promotion tier after one that is left out, in the order ${neighbour}, is returned without being checked.`;
  return createMistakeOfEveryRequest(id, sentence, (handlers) => ({
    select: (request) =>
      removeWhileWalking(sort(handlers.candidates(request)), (tier) => handlers.isValid(tier, request)),
  }));
}

export const loopMistakes: readonly StructuralMistake[] = [
  createLoopMistake('unchecked-after-newer', 'newest first', (tiers) => [...tiers]),
  createLoopMistake('unchecked-after-older', 'oldest first', (tiers) => tiers.toReversed()),
];
