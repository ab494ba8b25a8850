import { createSymptoms, describeDeviations, type Finding, findUndocumented } from './finding.js';
import type { Observations } from './observation.js';

/** Describes failing rows of a requirement that no known mistake explains. @param keys of the rows */
export function describeUnexplained(requirement: string, keys: readonly string[], observations: Observations): Finding {
  const own = observations.all.filter(({ rows }) => keys.some((key) => rows.has(key)));
  const found = findUndocumented(own, observations);
  const shown = describeDeviations([...found.values()].flat(), observations);
  const symptoms = createSymptoms(found, observations);
  for (const key of keys) if (!symptoms.has(key)) symptoms.set(key, { words: '', size: 0 });
  return {
    kind: 'unexplained',
    sentence: `Responses in cases of ${requirement} are not as expected. No single mistake that the suite knows explains it.`,
    evidence: [`Rows that fail: ${keys.length}. ${shown}`.trimEnd()],
    symptoms,
  };
}
