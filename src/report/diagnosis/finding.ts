import type { Obligation } from '../../contract/oracle.js';
import type { Exchange } from '../../http/exchange.js';
import type { Rule, Tier } from '../../world/world.js';
import { listRanges } from '../list-ranges.js';
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

/** Creates the symptom of each row, from the largest deviation of its exchanges. */
export function createSymptoms(found: DeviationsByResponse, observations: Observations): Map<string, Symptom> {
  const symptoms = new Map<string, Symptom>();
  for (const [{ rows }, deviations] of found)
    for (const row of rows)
      if ((symptoms.get(row)?.size ?? 0) < deviations.length)
        symptoms.set(row, { size: deviations.length, words: describeDeviations(deviations, observations) });
  return symptoms;
}

/** Creates symptoms of equal size for all rows of some exchanges. */
export function createEqualSymptoms(
  all: readonly Observation[],
  describe: (exchange: Exchange) => string,
): Map<string, Symptom> {
  return new Map(
    all.flatMap(({ rows, exchange }) => [...rows].map((row) => [row, { words: describe(exchange), size: 1 }])),
  );
}

/** Describes deviations: how many promotions, and which. A promotion of several responses counts once. */
export function describeDeviations(deviations: readonly Deviation[], { tiers, ranks }: Observations): string {
  const list = (wanted: boolean, what: string) => {
    const own = deviations.filter(({ isReturned }) => isReturned === wanted);
    const positions = [...new Set(own.map(({ position }) => position))].sort((one, other) => one - other);
    if (positions.length === 0) return [];
    const count = `${positions.length} ${what}`;
    const names = positions
      .slice(0, 3)
      .map((n) => `'${tiers[n]?.name}'`)
      .join(', ');
    if (positions.length <= 3) return [`${count}: ${names}`];
    const ranges = listRanges(
      positions.flatMap((n) => ranks[n] ?? []),
      (one, next) => next === one + 1,
    );
    // One range of ranks says more than names.
    if (ranges.length === 1) return [`${count}: rank ${ranges[0]}`];
    const common = describeCommonRules(positions.flatMap((n) => tiers[n] ?? []));
    const shown = `${ranges.slice(0, 3).join(', ')}${ranges.length > 3 ? ' …' : ''}`;
    return [`${count}: ${names} and ${positions.length - 3} more${common} (rank ${shown})`];
  };
  return [...list(false, 'not returned'), ...list(true, 'returned but not valid')].join('; ');
}

const ruleWords: readonly (readonly [words: string, kinds: readonly Rule['kind'][]])[] = [
  ['a customer', ['customer']],
  ['a product', ['product']],
  ['a SKU', ['sku']],
  ['a product or SKU', ['product', 'sku']],
  ['order metadata', ['order_metadata']],
  ['metadata', ['metadata']],
];

function describeCommonRules(tiers: readonly Tier[]): string {
  const common = ruleWords.find(([, kinds]) =>
    tiers.every(({ rules }) => rules.some(({ kind }) => kinds.includes(kind))),
  );
  return common === undefined ? '' : `, all with a rule about ${common[0]}`;
}

/** What a rank is, where an output first shows one. */
export const rankNotice = 'Rank 1 is the newest promotion tier.';
