import { createSymptoms, type Deviation, describeDeviations, type Finding, findUndocumented } from './finding.js';
import type { Observations } from './observation.js';

/** Describes failing rows of a requirement that no known mistake explains. @param keys of the rows */
export function describeUnexplained(requirement: string, keys: readonly string[], observations: Observations): Finding {
  const own = observations.all.filter(({ rows }) => keys.some((key) => rows.has(key)));
  const found = findUndocumented(own, observations);
  const deviations = [...found.values()].flat();
  const symptoms = createSymptoms(found, observations);
  for (const key of keys) if (!symptoms.has(key)) symptoms.set(key, { words: '', size: 0 });
  return {
    kind: 'unexplained',
    sentence: `${describeKind(deviations)} in cases of ${requirement}. No single mistake that the suite knows explains it.`,
    evidence: [
      `Rows that fail: ${keys.length}.`,
      ...(deviations.length === 0 ? [] : [`In all: ${describeDeviations(deviations, observations)}.`]),
    ],
    symptoms,
  };
}

function describeKind(deviations: readonly Deviation[]): string {
  const [isWrong, isAbsent] = [true, false].map((wanted) => deviations.some((each) => each.isReturned === wanted));
  if (isAbsent)
    return isWrong
      ? 'Valid promotions are missing and others are returned in their place'
      : 'Valid promotions are not returned';
  return isWrong ? 'Promotions are returned that should not be' : 'Responses are not as expected';
}
