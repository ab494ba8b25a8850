import type { Obligation } from '../../contract/oracle.js';
import type { Tier } from '../../contract/world.js';
import { listRanges } from '../../support/list-ranges.js';
import { renderShortList } from '../../support/render-short-list.js';
import type { CauseKind } from './cause.js';
import type { Observation, Observations } from './observation.js';

/** What one row shows of a mistake. */
export interface Symptom {
  /** In words, such as "50 not returned (ranks 101 to 150)". */
  readonly words: string;
  /** How large it is: the promotions that are wrong. */
  readonly size: number;
}

/** A cause before the rows of the run are assigned to it. */
export interface Finding {
  readonly kind: CauseKind;
  readonly sentence: string;
  readonly evidence: readonly string[];
  /** By the rows that show it. */
  readonly symptoms: ReadonlyMap<string, Symptom>;
}

/** A promotion by which a response differs from a prediction: its position in the list of tiers. */
export interface Deviation {
  readonly position: number;
  readonly isReturned: boolean;
}

/** Compares a response with what a deployment should return. */
export function findDeviations(
  returned: readonly boolean[],
  predict: (position: number) => Obligation,
): readonly Deviation[] {
  return returned.flatMap((isReturned, position) =>
    predict(position) === (isReturned ? 'forbidden' : 'required') ? [{ position, isReturned }] : [],
  );
}

/** The deviations of each response that has some. */
export type DeviationsByResponse = ReadonlyMap<Observation, readonly Deviation[]>;

/** Finds the responses that differ from the documentation. */
export function findUndocumented(some: readonly Observation[], { tiers }: Observations): DeviationsByResponse {
  return new Map(
    some.flatMap((each): [Observation, readonly Deviation[]][] => {
      const deviations = findDeviations(each.returned ?? [], (n) => each.oracle.returned(tiers[n] as Tier));
      return deviations.length === 0 ? [] : [[each, deviations]];
    }),
  );
}

/** Creates the symptom of each row, from the largest deviation of its exchanges. */
export function createSymptoms(found: DeviationsByResponse, observations: Observations): Map<string, Symptom> {
  const symptoms = new Map<string, Symptom>();
  for (const [{ rows }, deviations] of found)
    for (const row of rows)
      if ((symptoms.get(row)?.size ?? 0) < deviations.length)
        symptoms.set(row, { size: deviations.length, words: describeDeviations(deviations, observations) });
  return symptoms;
}

/** Creates symptoms of equal size for all rows of some exchanges: how the deployment answered. */
export function createEqualSymptoms(all: readonly Observation[]): Map<string, Symptom> {
  return new Map(
    all.flatMap(({ rows, exchange }) => {
      const words = 'response' in exchange ? `answered ${exchange.response.status}` : exchange.message;
      return [...rows].map((row) => [row, { words, size: 1 }] as const);
    }),
  );
}

/** Describes deviations: how many promotions, and which. A promotion of several responses counts once. */
export function describeDeviations(deviations: readonly Deviation[], { tiers, ranks }: Observations): string {
  const list = (wanted: boolean, what: string) => {
    const own = deviations.filter(({ isReturned }) => isReturned === wanted);
    const positions = [...new Set(own.map(({ position }) => position))].sort((one, other) => one - other);
    if (positions.length === 0) return [];
    const count = `${positions.length} ${what}`;
    const names = renderShortList(positions.map((n) => `'${tiers[n]?.name}'`));
    if (positions.length <= 3) return [`${count}: ${names}`];
    const ownRanks = positions.flatMap((n) => ranks[n] ?? []);
    const ranges = listRanges(ownRanks, (one, next) => next === one + 1);
    // One range of ranks says more than names.
    if (ranges.length === 1) return [`${count}: rank ${ranges[0]}`];
    return [`${count}: ${names} (rank ${renderShortList(ranges)})`];
  };
  return [...list(false, 'not returned'), ...list(true, 'returned but not valid')].join('; ');
}

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
      keys.length === 1 ? 'One row fails.' : `${keys.length} rows fail.`,
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
