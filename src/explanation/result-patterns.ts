/**
 * Finds patterns of what is missing that many responses show alike, and none contradicts: one promotion of each campaign, or all
 * but the newest. In: what was observed. Out: causes, each with the rows that it explains. Pure.
 */

import { createOracle, type Obligation } from '../contract/oracle.js';
import { countWindowPlaces, indexPositionsById, type TargetWorld, type Tier } from '../contract/world.js';
import { cacheByObject } from '../support/caches.js';
import type { CauseWithRows } from './cause-with-rows.js';
import type { ComparableObservation, Observations } from './observation.js';
import { minMendedResponses } from './wrong-results.js';

/** What the documentation says of one request, the newest first. */
interface StatedResult {
  /** The promotions that must be returned. */
  readonly required: readonly Tier[];
  /** Those that may be. */
  readonly open: readonly Tier[];
  /** The tiers of the window that match the filters, valid or not. */
  readonly matching: readonly Tier[];
  /** The tiers of the window, whatever the filters. */
  readonly window: readonly Tier[];
  /** Those that may match, or may be in the window. */
  readonly perhapsMatching: readonly Tier[];
}

/** What a pattern predicts of a promotion that must be returned. It may depend on what the documentation leaves open. */
type Expected = 'missing' | 'returned' | 'unknown';

interface MissingPattern {
  readonly id: string;
  readonly sentence: string;
  readonly predict: (tier: Tier, stated: StatedResult, getPosition: (tier: Tier) => number) => Expected;
}

/** What promotions may have in common, so that only one of them is returned. */
const commonParts: readonly (readonly [id: string, words: string, read: (tier: Tier) => string])[] = [
  ['campaign', 'of the same campaign', ({ campaign_id }) => campaign_id],
  ['name', 'with the same name', ({ name }) => name],
  [
    'metadata',
    'with the same metadata',
    cacheByObject(({ metadata }: Tier) => JSON.stringify(Object.entries(metadata).sort())),
  ],
  ['rules', 'with the same rules', cacheByObject(({ rules }: Tier) => JSON.stringify(rules))],
];

/** Which promotions come before another one: one of them is returned in its place. */
const orders = [
  ['newest', (rank: number, other: number) => other < rank],
  ['oldest', (rank: number, other: number) => other > rank],
] as const;

/** Which promotions of a request are compared: those that are valid, all that match the filters, or all of the window. */
const scopes = [
  ['', 'promotions', 'returned', ({ required, open }: StatedResult) => [required, open] as const],
  [
    '-checked',
    'promotion tiers',
    'checked',
    ({ matching, perhapsMatching }: StatedResult) => [matching, perhapsMatching] as const,
  ],
  ['-of-the-window', 'promotion tiers', 'checked', ({ window }: StatedResult) => [window, []] as const],
] as const;

const patterns: readonly MissingPattern[] = [
  ...scopes.flatMap(([scope, things, verb, choose]) => [
    ...commonParts.flatMap(([id, words, read]) =>
      orders.map(
        ([name, comesFirst]): MissingPattern => ({
          id: `${name}-of-each${scope}/${id}`,
          sentence: `Of the ${things} ${words}, only the ${name} is ${verb}.`,
          predict(tier, stated, getPosition) {
            const [certain, possible] = choose(stated);
            const isBefore = (other: Tier) =>
              read(other) === read(tier) && comesFirst(getPosition(tier), getPosition(other));
            if (certain.some(isBefore)) return 'missing';
            return possible.some(isBefore) ? 'unknown' : 'returned';
          },
        }),
      ),
    ),
    ...orders.map(
      ([name, comesFirst]): MissingPattern => ({
        id: `all-but-the-${name}${scope}`,
        sentence: `The ${name} of the ${things} is not ${verb}.`,
        predict(tier, stated, getPosition) {
          const [certain, possible] = choose(stated);
          const isBefore = (other: Tier) => comesFirst(getPosition(tier), getPosition(other));
          if (certain.some(isBefore)) return 'returned';
          return possible.some(isBefore) ? 'unknown' : 'missing';
        },
      }),
    ),
  ]),
];

/** Finds the first pattern that explains everything that is missing in the run. */
export function findMissingPattern({
  compared,
  tiers,
  world,
}: Pick<Observations, 'compared' | 'tiers' | 'world'>): CauseWithRows | undefined {
  const positions = indexPositionsById(tiers);
  const getPosition = ({ id }: Tier) => positions.get(id) ?? -1;
  const results = compared.map((observation) => ({ observation, stated: readStated(observation, tiers, world) }));
  const isMissing = ({ documented, returned }: ComparableObservation) =>
    documented.some((stated, n) => stated === 'required' && returned[n] === false);
  if (!compared.some(isMissing)) return undefined;
  for (const { id, sentence, predict } of patterns) {
    const shown: ComparableObservation[] = [];
    const isContradicted = results.some(({ observation, stated }) => {
      const expected = stated.required.map((tier) => [getPosition(tier), predict(tier, stated, getPosition)] as const);
      if (expected.some(([, is]) => is === 'missing')) shown.push(observation);
      return expected.some(([rank, is]) => is !== 'unknown' && observation.returned[rank] !== (is === 'returned'));
    });
    if (shown.length < minMendedResponses || isContradicted) continue;
    return {
      id,
      sentence,
      evidence: [`${shown.length} responses show it, and none of ${results.length} contradicts it.`],
      rows: new Set(shown.flatMap(({ rows }) => [...rows])),
    };
  }
  return undefined;
}

function readStated(
  { request, documented }: ComparableObservation,
  tiers: readonly Tier[],
  world: TargetWorld,
): StatedResult {
  const oracle = createOracle(request, world);
  const list = (wanted: Obligation) => tiers.filter((_, n) => documented[n] === wanted);
  const candidates = tiers.filter(
    (tier) => oracle.checked(tier) !== 'forbidden' && oracle.matching(tier) !== 'forbidden',
  );
  const isCertain = (tier: Tier) => oracle.checked(tier) === 'required' && oracle.matching(tier) === 'required';
  return {
    required: list('required'),
    open: list('open'),
    matching: candidates.filter(isCertain),
    window: tiers.slice(0, countWindowPlaces(world)),
    perhapsMatching: candidates.filter((tier) => !isCertain(tier)),
  };
}
