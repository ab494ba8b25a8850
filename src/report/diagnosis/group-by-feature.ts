import type { NamedWorld } from '../../world/named-world.js';
import {
  createSymptoms,
  type Deviation,
  describeDeviation,
  type Finding,
  findDeviation,
  mergeDeviations,
} from './finding.js';
import type { Observation, Observations } from './observation.js';
import { findCommonFeature } from './refusals.js';

interface UnexplainedRow {
  readonly key: string;
  readonly requirement: string;
}

/** Failing rows with one finding. */
interface Group {
  readonly finding: Finding;
  readonly keys: ReadonlySet<string>;
}

/** Groups failing rows that no known mistake explains: by what their requests have in common, or by requirement. */
export function groupByFeature(
  observations: Observations,
  rows: readonly UnexplainedRow[],
  world: NamedWorld,
): Group[] {
  if (rows.length === 0) return [];
  const failing = new Set(rows.map(({ key }) => key));
  const others = observations.all.filter(
    (each) => each.returned !== undefined && ![...each.rows].some((row) => failing.has(row)),
  );
  const whole = createGroup(rows, others, observations, world);
  if (whole.finding.kind === 'common-feature') return [whole];
  const requirements = [...new Set(rows.map(({ requirement }) => requirement))];
  return requirements.map((id) =>
    createGroup(
      rows.filter(({ requirement }) => requirement === id),
      others,
      observations,
      world,
    ),
  );
}

function createGroup(
  rows: readonly UnexplainedRow[],
  others: readonly Observation[],
  observations: Observations,
  { tiers }: NamedWorld,
): Group {
  const keys = new Set(rows.map(({ key }) => key));
  const requirements = [...new Set(rows.map(({ requirement }) => requirement))];
  const own = observations.all.filter((each) => [...each.rows].some((row) => keys.has(row)));
  const deviations = new Map(
    own.flatMap((each): [Observation, Deviation][] => {
      const { returned, oracle } = each;
      if (returned === undefined) return [];
      const deviation = findDeviation(returned, (n) =>
        oracle.returned(observations.tiers[n] as (typeof tiers)[number]),
      );
      return deviation.absent.length + deviation.wrong.length === 0 ? [] : [[each, deviation]];
    }),
  );
  const concerned = deviations.size > 0 ? [...deviations.keys()] : own;
  const feature = findCommonFeature(concerned, others);
  const isCommon =
    feature !== undefined &&
    // A single request may be the only one with many a feature.
    (concerned.length > 1 || feature.startsWith('sent ')) &&
    concerned.every(({ features }) => features.has(feature));
  const ranks = new Map(tiers.map(({ id }, n) => [id, n + 1]));
  const rankOf = (n: number) => ranks.get(observations.tiers[n]?.id ?? '') ?? 0;
  const symptoms = createSymptoms(deviations, observations, rankOf);
  for (const key of keys) if (!symptoms.has(key)) symptoms.set(key, { words: '', size: 0 });
  const together = mergeDeviations([...deviations.values()]);
  const what = describeKind(together);
  const count = keys.size === 1 ? 'One row fails' : `${keys.size} rows fail`;
  const shown = describeDeviation(together, observations, rankOf);
  const inAll = shown === '' ? [] : [`In all: ${shown}.`];
  const finding: Finding = isCommon
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
        sentence: `${what} in cases of ${requirements.join(', ')}. No single mistake that the suite knows explains it.`,
        evidence: [`${count}.`, ...inAll],
        symptoms,
      };
  return { finding, keys };
}

function describeKind({ absent, wrong }: Deviation): string {
  if (absent.length > 0 && wrong.length > 0)
    return 'Valid promotions are missing and others are returned in their place';
  if (absent.length > 0) return 'Valid promotions are not returned';
  return wrong.length > 0 ? 'Promotions are returned that should not be' : 'Responses are not as expected';
}
