import type { Finding } from './finding.js';
import type { Observations } from './observation.js';
import { findCommonFeature } from './refusals.js';

interface UnexplainedRow {
  readonly key: string;
  readonly requirement: string;
}

/** Groups failing rows that no known mistake explains: by what their requests have in common, or by requirement. */
export function groupByFeature(
  { all }: Observations,
  rows: readonly UnexplainedRow[],
): { readonly finding: Finding; readonly keys: ReadonlySet<string> }[] {
  const observationsOf = (keys: ReadonlySet<string>) =>
    all.filter((each) => [...each.rows].some((row) => keys.has(row)));
  const everything = new Set(rows.map(({ key }) => key));
  const others = all.filter(
    ({ rows, returned }) => returned !== undefined && ![...rows].some((row) => everything.has(row)),
  );
  const group = (some: readonly UnexplainedRow[]) => {
    const keys = new Set(some.map(({ key }) => key));
    const own = observationsOf(keys);
    const feature = findCommonFeature(own, others);
    const isCommon =
      feature !== undefined &&
      some.length > 1 &&
      own.length > 1 &&
      some.every(({ key }) => observationsOf(new Set([key])).some(({ features }) => features.has(feature)));
    return { keys, feature: isCommon ? feature : undefined };
  };
  if (rows.length === 0) return [];
  const whole = group(rows);
  const requirements = [...new Set(rows.map(({ requirement }) => requirement))];
  const groups =
    whole.feature === undefined
      ? requirements.map((id) => group(rows.filter(({ requirement }) => requirement === id)))
      : [whole];
  return groups.map(({ keys, feature }) => {
    const count = keys.size === 1 ? 'One row fails' : `${keys.size} rows fail`;
    const symptoms = new Map([...keys].map((key) => [key, { words: '', size: 0 }]));
    const finding: Finding =
      feature === undefined
        ? {
            kind: 'unexplained',
            sentence: `${count}. No single mistake that the suite knows explains it.`,
            evidence: [],
            symptoms,
          }
        : {
            kind: 'common-feature',
            sentence: `Something is wrong with requests ${feature}.`,
            evidence: [
              `${count}, and each has a request ${feature}; no request of the ${others.length} other responses is one.`,
            ],
            symptoms,
          };
    return { finding, keys };
  });
}
