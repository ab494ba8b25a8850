import type { TargetWorld } from '../contract/world.js';
import { findMistakeByCauseId } from '../explanation/known-causes.js';
import { findRefusedFeatureByCauseId } from '../explanation/refused-features.js';
import type { NewDeviation } from '../record/add-deviations.js';
import { getVerdictApartFromKnown } from '../run/case-result.js';
import type { Certificate } from './certificate.js';

/** Lists what a run shows to be wrong and no file lists. One entry for a cause covers all requirements that it breaks. */
export function listNewDeviations(
  { causes = [], requirements, known_deviations: known }: Certificate,
  world: TargetWorld,
): NewDeviation[] {
  const ofCauses = causes.flatMap(({ id, sentence: comment, requirements: broken }): NewDeviation[] => {
    const mistake = findMistakeByCauseId(id, world);
    if (mistake === undefined && findRefusedFeatureByCauseId(id) === undefined)
      return broken.map((requirement) => ({ requirement, comment }));
    const main = broken.find((requirement) => requirement === mistake?.breaks) ?? broken[0];
    return main === undefined ? [] : [{ requirement: main, cause: id, comment }];
  });
  const covered = new Set(causes.flatMap((cause) => cause.requirements));
  const others = requirements
    .filter(({ id, cases }) => !covered.has(id) && cases.some((entry) => getVerdictApartFromKnown(entry) === 'fail'))
    .map(({ id, statement }): NewDeviation => ({ requirement: id, comment: statement }));
  const getKey = ({ requirement, cause = '' }: Omit<NewDeviation, 'comment'>) => `${requirement} ${cause}`;
  // An expired entry needs another day, and no second entry.
  const listed = new Set((known?.entries ?? []).map(getKey));
  const found = new Map([...ofCauses, ...others].map((deviation) => [getKey(deviation), deviation]));
  return [...found].flatMap(([key, deviation]) => (listed.has(key) ? [] : [deviation]));
}
