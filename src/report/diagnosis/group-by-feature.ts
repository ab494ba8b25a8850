import { groupBy } from '../group-by.js';
import { createSymptoms, type Deviation, describeDeviations, type Finding, findUndocumented } from './finding.js';
import type { Observation, Observations } from './observation.js';
import { findCommonFeature } from './refusals.js';

interface UnexplainedRow {
  readonly key: string;
  readonly requirement: string;
}

/** Groups failing rows that no known mistake explains: by what their requests have in common, or by requirement. */
export function groupByFeature(observations: Observations, rows: readonly UnexplainedRow[]): Finding[] {
  if (rows.length === 0) return [];
  const failing = new Set(rows.map(({ key }) => key));
  const others = observations.all.filter(
    (each) => each.returned !== undefined && ![...each.rows].some((row) => failing.has(row)),
  );
  const whole = createFinding(rows, others, observations);
  if (whole.kind === 'common-feature') return [whole];
  const groups = groupBy(rows, ({ requirement }) => requirement);
  return [...groups.values()].map((group) => createFinding(group, others, observations));
}

function createFinding(
  rows: readonly UnexplainedRow[],
  others: readonly Observation[],
  observations: Observations,
): Finding {
  const keys = new Set(rows.map(({ key }) => key));
  const own = observations.all.filter((each) => [...each.rows].some((row) => keys.has(row)));
  const found = findUndocumented(own, observations);
  const concerned = found.size > 0 ? [...found.keys()] : own;
  const feature = findCommonFeature(concerned, others);
  const isCommon =
    feature !== undefined &&
    // A single request may be the only one with many a feature.
    (concerned.length > 1 || feature.startsWith('sent ')) &&
    concerned.every(({ features }) => features.has(feature));
  const symptoms = createSymptoms(found, observations);
  for (const key of keys) if (!symptoms.has(key)) symptoms.set(key, { words: '', size: 0 });
  const together = [...found.values()].flat();
  const what = describeKind(together);
  const count = keys.size === 1 ? 'One row fails' : `${keys.size} rows fail`;
  const inAll = together.length === 0 ? [] : [`In all: ${describeDeviations(together, observations)}.`];
  return isCommon
    ? {
        kind: 'common-feature',
        sentence: `${what} for requests ${feature}.`,
        evidence: [
          `${count}, each with a request ${feature}; none of the ${others.length} other requests is one.`,
          ...inAll,
        ],
        symptoms,
      }
    : {
        kind: 'unexplained',
        sentence: `${what} in cases of ${[...new Set(rows.map(({ requirement }) => requirement))].join(', ')}. No single mistake that the suite knows explains it.`,
        evidence: [`${count}.`, ...inAll],
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
