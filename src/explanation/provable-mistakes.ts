/** Lists the mistakes that are tried in every failing run, whatever its responses. Pure. */

import { knownMistakes, type StructuralMistake } from '../../reference/faults/model.js';
import { loopMistakes } from './loop-mistakes.js';
import { ruleLoopMistakes } from './rule-loop-mistakes.js';
import { sharedRuleMistakes } from './shared-rule-mistakes.js';
import { singleTierMistakes } from './single-tier-mistakes.js';

/** Those that may explain a part of what is wrong, while something else explains the rest. */
export const mistakesAmongOthers: readonly StructuralMistake[] = [...knownMistakes, ...dropKnown(ruleLoopMistakes)];

/** Those that are named only if they explain nearly all that is wrong. */
export const mistakesAlone: readonly StructuralMistake[] = [
  ...loopMistakes,
  ...dropKnown([...singleTierMistakes, ...sharedRuleMistakes]),
];

export const provableMistakes: readonly StructuralMistake[] = [...mistakesAmongOthers, ...mistakesAlone];

/** Some mistakes of a family are faults of the reference deployment. */
function dropKnown(mistakes: readonly StructuralMistake[]): StructuralMistake[] {
  return mistakes.filter(({ id }) => !knownMistakes.some((known) => known.id === id));
}
