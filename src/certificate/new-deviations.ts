import type { NamedWorld } from '../contract/named-world.js';
import type { NewDeviation } from '../record/known-deviations.js';
import { getVerdictApart } from '../run/case-result.js';
import type { Certificate } from './certificate.js';
import { readCause } from './diagnosis/known-causes.js';

/** Lists what a run shows to be wrong and no file lists. One entry for a cause covers all requirements that it breaks. */
export function listNewDeviations(
  { causes = [], requirements }: Pick<Certificate, 'causes' | 'requirements'>,
  world: NamedWorld,
): NewDeviation[] {
  const found = new Map<string, NewDeviation>();
  for (const { id, sentence: comment, requirements: broken } of causes) {
    const cause = readCause(id, world);
    const main = broken.find((requirement) => requirement === cause?.mistake?.breaks) ?? broken[0];
    if (cause === undefined) for (const requirement of broken) found.set(requirement, { requirement, comment });
    else if (main !== undefined) found.set(`${main} ${id}`, { requirement: main, cause: id, comment });
  }
  const covered = new Set(causes.flatMap((cause) => cause.requirements));
  for (const { id, statement, cases } of requirements)
    if (!covered.has(id) && cases.some((entry) => getVerdictApart(entry) === 'fail'))
      found.set(id, { requirement: id, comment: statement });
  return [...found.values()];
}
