import { listItemMistakes, listQuantityMistakes } from './item-mistakes.js';
import type { Observations } from './observation.js';
import type { Mistake } from './prediction.js';
import { carelessMistakes, ruleMistakes } from './rule-mistakes.js';
import { listFilterMistakes, listTextMistakes } from './text-mistakes.js';
import { listResultMistakes, listWindowMistakes } from './window-mistakes.js';

/** Lists the mistakes that may explain the observations. Their sizes are those that the responses show. */
export function listMistakes(observations: Observations): readonly Mistake[] {
  return [
    ...ruleMistakes,
    ...listFilterMistakes(observations.world),
    ...listWindowMistakes(observations),
    ...listResultMistakes(observations),
    ...listQuantityMistakes(observations.world),
    ...listItemMistakes(observations.world),
    ...listTextMistakes(observations.world),
    ...carelessMistakes,
  ];
}
