import type { Obligation } from '../../contract/oracle.js';
import type { Rule, Tier } from '../../world/world.js';
import type { CauseKind, Picture } from './cause.js';
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
  readonly picture?: Picture;
  /** By the rows that show it. */
  readonly symptoms: ReadonlyMap<string, Symptom>;
}

/** The promotions by which a response differs from the documentation: positions in the list of tiers. */
export interface Deviation {
  readonly absent: readonly number[];
  readonly wrong: readonly number[];
}

/** Compares a response with what a deployment should return. */
export function findDeviation(returned: readonly boolean[], predict: (position: number) => Obligation): Deviation {
  const absent: number[] = [];
  const wrong: number[] = [];
  returned.forEach((isReturned, n) => {
    if (isReturned ? predict(n) === 'forbidden' : predict(n) === 'required') (isReturned ? wrong : absent).push(n);
  });
  return { absent, wrong };
}

/** Merges deviations: each promotion once. */
export function mergeDeviations(all: readonly Deviation[]): Deviation {
  const collect = (pick: (each: Deviation) => readonly number[]) => [...new Set(all.flatMap(pick))];
  return { absent: collect(({ absent }) => absent), wrong: collect(({ wrong }) => wrong) };
}

/** Creates the symptom of each row, from the largest deviation of its exchanges. */
export function createSymptoms(
  deviations: ReadonlyMap<Observation, Deviation>,
  observations: Observations,
  rankOf: (position: number) => number,
): Map<string, Symptom> {
  const symptoms = new Map<string, Symptom>();
  for (const [{ rows }, deviation] of deviations) {
    const size = deviation.absent.length + deviation.wrong.length;
    for (const row of rows) {
      if ((symptoms.get(row)?.size ?? 0) < size)
        symptoms.set(row, { size, words: describeDeviation(deviation, observations, rankOf) });
    }
  }
  return symptoms;
}

/** Describes a deviation: how many promotions, and which. */
export function describeDeviation(
  { absent, wrong }: Deviation,
  { tiers }: Observations,
  rankOf: (position: number) => number,
): string {
  const list = (unsorted: readonly number[], what: string) => {
    const positions = unsorted.toSorted((one, other) => one - other);
    if (positions.length === 0) return [];
    const names = positions.slice(0, 3).map((n) => `'${tiers[n]?.name}'`);
    if (positions.length <= 3) return [`${positions.length} ${what}: ${names.join(', ')}`];
    const ranges = renderRanges(positions.map(rankOf));
    // One range of ranks says more than names.
    if (/^\d+ to \d+$/.test(ranges)) return [`${positions.length} ${what}: rank ${ranges}`];
    const common = describeCommonRules(positions.flatMap((n) => tiers[n] ?? []));
    return [
      `${positions.length} ${what}: ${names.join(', ')} and ${positions.length - 3} more${common} (rank ${ranges})`,
    ];
  };
  return [...list(absent, 'not returned'), ...list(wrong, 'returned but not valid')].join('; ');
}

const ruleWords: readonly (readonly [words: string, kinds: readonly Rule['kind'][]])[] = [
  ['a customer', ['customer']],
  ['a product', ['product']],
  ['a SKU', ['sku']],
  ['a product or SKU', ['product', 'sku']],
  ['order metadata', ['order_metadata']],
  ['metadata', ['metadata']],
];

/** Says which kind of rule all tiers have. */
function describeCommonRules(tiers: readonly Tier[]): string {
  const common = ruleWords.find(([, kinds]) =>
    tiers.every(({ rules }) => rules.some(({ kind }) => kinds.includes(kind))),
  );
  return common === undefined ? '' : `, all with a rule about ${common[0]}`;
}

/** What a rank is, where an output first shows one. */
export const rankNotice = 'Rank 1 is the newest promotion tier.';

/** Renders ranks as ranges: "3, 7 to 9 …". */
function renderRanges(ranks: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const rank of ranks.toSorted((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range !== undefined && rank === range.last + 1) range.last = rank;
    else ranges.push({ first: rank, last: rank });
  }
  const shown = ranges.slice(0, 3).map(({ first, last }) => (first === last ? `${first}` : `${first} to ${last}`));
  return `${shown.join(', ')}${ranges.length > 3 ? ' …' : ''}`;
}
