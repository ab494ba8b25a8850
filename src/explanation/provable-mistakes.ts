/** Lists the mistakes that are tried in every failing run, whatever its responses. Pure. */

import { knownMistakes, type StructuralMistake } from '../../reference/faults/model.js';
import { loopMistakes } from './loop-mistakes.js';
import { ruleLoopMistakes } from './rule-loop-mistakes.js';
import { sharedRuleMistakes } from './shared-rule-mistakes.js';
import { singleTierMistakes } from './single-tier-mistakes.js';

/** Those that may explain a part of what is wrong, while something else explains the rest. */
export const mistakesAmongOthers: readonly StructuralMistake[] = [...knownMistakes, ...ruleLoopMistakes];

/** Those that are named only if they explain nearly all that is wrong. */
export const mistakesAlone: readonly StructuralMistake[] = [
  ...loopMistakes,
  ...singleTierMistakes,
  ...sharedRuleMistakes,
];

export const provableMistakes: readonly StructuralMistake[] = [...mistakesAmongOthers, ...mistakesAlone];
