import type { Obligation } from '../../contract/oracle.js';
import type { Tier } from '../../contract/world.js';
import { listRanges } from '../../support/list-ranges.js';
import { renderShortList } from '../../support/render-short-list.js';
import type { Observation, Observations, Row } from './observation.js';

/** A cause before it is known which rows fail because of no other. */
export interface Finding {
  readonly id: string;
  readonly sentence: string;
  readonly evidence: readonly string[];
  /** What the rows show of it. */
  readonly symptoms: ReadonlyMap<Row, Symptom>;
}

interface Symptom {
  /** In words, such as "50 not returned: rank 101 to 150". */
  readonly words: string;
  /** The number of promotions that are wrong. */
  readonly size: number;
}

/** From fewer requests than these, a cause is only possible. */
export const minRequests = 3;

/** Says of a cause from few requests that it is only possible. */
export function hedge(sentence: string, requests: number): string {
  return requests < minRequests ? `Possibly: ${sentence}` : sentence;
}

/** The number of equally good features of requests that are named. */
const maxNamed = 3;

/** Names the features of the requests that a cause concerns; empty if it concerns all. */
export function renderFeatures(features: readonly string[]): string {
  return features.slice(0, maxNamed).join(', or ');
}

/** Adds the first feature of the requests that a cause concerns to its id. */
export function createCauseId(id: string, [feature]: readonly string[]): string {
  if (feature === undefined) return id;
  const words = feature.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return `${id}/${words.replaceAll(/^-|-$/g, '')}`;
}

/** A promotion by which a response differs from a prediction: its position in the list of tiers. */
export interface Deviation {
  readonly position: number;
  readonly isReturned: boolean;
}

/** Compares responses with what a deployment should return. Default: as documented. */
export function findDeviations<T extends Observation>(
  observations: readonly T[],
  { tiers }: Observations,
  predict = ({ oracle }: T): ((position: number) => Obligation) => {
    return (position) => oracle.returned(tiers[position] as Tier);
  },
): Map<T, readonly Deviation[]> {
  const found = new Map<T, readonly Deviation[]>();
  for (const observation of observations) {
    const { returned = [] } = observation;
    const expected = predict(observation);
    const deviations: Deviation[] = [];
    // A run has tens of thousands of them.
    for (let position = 0; position < returned.length; position += 1) {
      const isReturned = returned[position] === true;
      if (expected(position) === (isReturned ? 'forbidden' : 'required')) deviations.push({ position, isReturned });
    }
    if (deviations.length > 0) found.set(observation, deviations);
  }
  return found;
}

/** Creates the symptom of each row, from the largest deviation of its exchanges. */
export function createSymptoms(
  found: ReadonlyMap<Observation, readonly Deviation[]>,
  observations: Observations,
): Map<Row, Symptom> {
  const symptoms = new Map<Row, Symptom>();
  for (const [{ rows }, deviations] of found)
    for (const row of rows)
      if ((symptoms.get(row)?.size ?? 0) < deviations.length)
        symptoms.set(row, { size: deviations.length, words: describeDeviations(deviations, observations) });
  return symptoms;
}

/** Creates symptoms of equal size for all rows of some exchanges: how the deployment answered. */
export function createEqualSymptoms(all: readonly Observation[]): Map<Row, Symptom> {
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
    const concerned = deviations.filter(({ isReturned }) => isReturned === wanted);
    const positions = [...new Set(concerned.map(({ position }) => position))].sort((left, right) => left - right);
    if (positions.length === 0) return [];
    const count = `${positions.length} ${what}`;
    const names = renderShortList(positions.map((n) => `'${tiers[n]?.name}'`));
    if (positions.length <= 3) return [`${count}: ${names}`];
    const ranges = listRanges(
      positions.flatMap((n) => ranks[n] ?? []),
      (rank, next) => next === rank + 1,
    );
    // One range of ranks says more than names.
    return ranges.length === 1
      ? [`${count}: rank ${ranges[0]}`]
      : [`${count}: ${names} (rank ${renderShortList(ranges)})`];
  };
  return [...list(false, 'not returned'), ...list(true, 'returned but not valid')].join('; ');
}

/** Describes failing rows of a requirement that no known mistake explains. @param expected apart from known deviations */
export function describeUnexplained(
  requirement: string,
  rows: readonly Row[],
  observations: Observations,
  expected: (shown: Observation) => (position: number) => Obligation,
): Finding {
  const concerned = observations.all.filter((observation) => rows.some((row) => observation.rows.has(row)));
  const found = findDeviations(concerned, observations, expected);
  const deviations = [...found.values()].flat();
  const unseen = rows.map((row) => [row, { words: '', size: 0 }] as const);
  return {
    id: 'unknown',
    sentence: `${describeKind(deviations)} in cases of ${requirement}. No single mistake that the suite knows explains it.`,
    evidence: [
      rows.length === 1 ? 'One row fails.' : `${rows.length} rows fail.`,
      ...(deviations.length === 0 ? [] : [`In all: ${describeDeviations(deviations, observations)}.`]),
    ],
    symptoms: new Map([...unseen, ...createSymptoms(found, observations)]),
  };
}

function describeKind(deviations: readonly Deviation[]): string {
  const isWrong = deviations.some(({ isReturned }) => isReturned);
  if (!deviations.some(({ isReturned }) => !isReturned))
    return isWrong ? 'Promotions are returned that should not be' : 'Responses are not as expected';
  return isWrong
    ? 'Valid promotions are missing and others are returned in their place'
    : 'Valid promotions are not returned';
}
