import {
  createSymptoms,
  type Deviation,
  type Deviations,
  describeDeviations,
  type Finding,
  findDeviations,
} from './finding.js';
import type { Observation, Observations } from './observation.js';
import type { Mistake, Predict, Prediction } from './prediction.js';

/** A mistake, perhaps limited to requests that have a feature. Several features fit if no response distinguishes them. */
export interface Hypothesis {
  readonly mistake: Mistake;
  readonly features: readonly string[];
}

type Compared = Observation & { readonly returned: readonly boolean[] };

const maxMistakes = 6;

/**
 * What a mistake must explain: the least share of the wrong promotions in the responses that it concerns, the least number
 * of requests, and the least share of the failing ones. `maxOddShare` of the responses that show it may contradict it, as
 * something else may be wrong with them. The penalties are taken from the number of promotions that it explains.
 */
const scoring = {
  ofAllRequests: { minShare: 0.5, minRequests: 1, minFailingShare: 0, maxOddShare: 1 / 20, penalty: 0, oddPenalty: 10 },
  /** With a feature to choose, chance explains something. */
  ofSomeRequests: { minShare: 0.9, minRequests: 2, minFailingShare: 0.5, maxOddShare: 0, penalty: 0.5, oddPenalty: 0 },
  /** The order in which a deployment received requests at the same time is not known. */
  ofState: { minShare: 0.5, minRequests: 1, minFailingShare: 0, maxOddShare: 1 / 2, penalty: 0, oddPenalty: 1 },
} as const;
type Terms = (typeof scoring)[keyof typeof scoring];

/** The terms for a mistake that concerns all requests, and for one that concerns those with a feature. */
type Scoring = readonly [all: Terms, some?: Terms];

/** Finds a mistake about state, whichever requests it concerns. */
export function findStateMistake(
  observations: Observations,
  predict: Predict,
  mistakes: readonly Mistake[],
): readonly Hypothesis[] {
  return [findBest(mistakes, createSearch(observations, predict, []), [scoring.ofState]) ?? []].flat();
}

/**
 * Finds mistakes that explain wrong results. A mistake predicts what each request returns. It is a cause only if it explains
 * wrong results and no response contradicts it. Several mistakes are found one after another, each on top of those before.
 *
 * @param known a mistake that was found before
 * @param fallback is tried if none of the others explains anything
 */
export function findMistakes(
  observations: Observations,
  predict: Predict,
  known: readonly Hypothesis[],
  mistakes: readonly Mistake[],
  fallback: Mistake,
): readonly Hypothesis[] {
  const found = [...known];
  while (found.length < maxMistakes) {
    const search = createSearch(observations, predict, found);
    const findIn = (list: readonly Mistake[]) =>
      findBest(list, search, [scoring.ofAllRequests, scoring.ofSomeRequests]);
    const next = findIn(mistakes) ?? findIn([fallback]);
    if (next === undefined) break;
    found.push(next);
  }
  return found;
}

/** Lists the responses that differ from what a deployment with some mistakes returns. */
export function listUnexplained(
  found: readonly Hypothesis[],
  observations: Observations,
  predict: Predict,
): ReadonlySet<Observation> {
  return new Set(findDeviations(observations.all, observations, predictWith(found, predict)).keys());
}

/** Describes each mistake by what it adds to the others. */
export function describeMistakes(
  found: readonly Hypothesis[],
  observations: Observations,
  predict: Predict,
): Finding[] {
  const compared = observations.all.filter(isCompared);
  const expected = predictWith(found, predict);
  return found.map((hypothesis): Finding => {
    const before = predictWith(
      found.filter((known) => known !== hypothesis),
      predict,
    );
    const explained = new Map(
      [...findDeviations(compared, observations, before)].flatMap(([observation, deviations]) => {
        const shown = listExplained(deviations, expected(observation), true);
        return shown.length === 0 ? [] : [[observation, shown] as const];
      }),
    );
    const odd = compared.filter((observation) => isOdd(observation, expected(observation), before(observation)));
    return createFinding(hypothesis, explained, odd.length, observations);
  });
}

function isCompared(observation: Observation): observation is Compared {
  return observation.returned !== undefined;
}

function predictWith(hypotheses: readonly Hypothesis[], predict: Predict): (observation: Observation) => Prediction {
  return ({ exchange, features }) => {
    const isConcerned = (hypothesis: Hypothesis) =>
      hypothesis.features.length === 0 || hypothesis.features.some((feature) => features.has(feature));
    return predict(
      hypotheses.filter(isConcerned).map(({ mistake: [, change] }) => change),
      exchange.request,
    );
  };
}

/** Lists the deviations from one prediction that another one expects, or that it only allows, too. */
function listExplained(deviations: readonly Deviation[], expected: Prediction, withAllowed: boolean) {
  return deviations.filter(({ position, isReturned }) => {
    const obligation = expected(position);
    return obligation === (isReturned ? 'required' : 'forbidden') || (withAllowed && obligation === 'open');
  });
}

/** Whether a response refutes what a mistake changes. */
function isOdd({ returned }: Compared, expected: Prediction, before: Prediction): boolean {
  return returned.some((isReturned, position) => {
    const obligation = expected(position);
    return obligation === (isReturned ? 'forbidden' : 'required') && obligation !== before(position);
  });
}

type Search = ReturnType<typeof createSearch>;

/** Collects what the known mistakes leave unexplained. */
function createSearch(observations: Observations, predict: Predict, found: readonly Hypothesis[]) {
  const compared = observations.all.filter(isCompared);
  const predictBefore = predictWith(found, predict);
  const before = new Map(compared.map((observation) => [observation, predictBefore(observation)]));
  const deviations = findDeviations(compared, observations, (observation) => before.get(observation) as Prediction);
  const isFailing = ({ rows }: Observation) => [...rows].some((row) => row.isFailing);
  return {
    before,
    deviations,
    isFailing,
    failing: [...deviations.keys()].filter(isFailing),
    /** Those that deviate contradict most, so they come first. */
    ordered: [...deviations.keys(), ...compared.filter((observation) => !deviations.has(observation))],
    expect: (mistake: Mistake) => predictWith([...found, { mistake, features: [] }], predict),
  };
}

/** The number of requests by which mistakes are sorted before all requests are compared. */
const sampleSize = 8;

/** Finds the mistake that explains most of what the known ones leave unexplained; of equal ones, the first. */
function findBest(mistakes: readonly Mistake[], search: Search, terms: Scoring): Hypothesis | undefined {
  const deviating = [...search.deviations];
  const sample = deviating.filter((_, n) => n % Math.ceil(deviating.length / sampleSize) === 0);
  const promising = mistakes
    .map((mistake, place) => {
      const expected = search.expect(mistake);
      const estimate = sum(sample, ([shown, list]) => listExplained(list, expected(shown), false).length);
      return { mistake, place, estimate };
    })
    .sort((left, right) => right.estimate - left.estimate || left.place - right.place);
  let best: { hypothesis: Hypothesis; rank: number; place: number } | undefined;
  for (const { mistake, place } of promising) {
    const ranked = rankFeatures(mistake, search, terms, best?.rank ?? 0);
    const rank = Math.max(...ranked.values());
    if (rank <= 0 || (best !== undefined && (rank < best.rank || (rank === best.rank && place > best.place)))) continue;
    const features = [...ranked].flatMap(([feature, value]) => (value === rank && feature !== '' ? [feature] : []));
    // A pair of features says no more than one of them that fits as well.
    const isNeeded = (pair: string) => !features.some((feature) => feature !== pair && pair.includes(feature));
    best = { rank, place, hypothesis: { mistake, features: features.filter(isNeeded) } };
  }
  return best?.hypothesis;
}

/**
 * Ranks the features to which a mistake may be limited; '' stands for all requests.
 *
 * @param least none is ranked if none can reach this
 */
function rankFeatures(
  mistake: Mistake,
  search: Search,
  [ofAll, ofSome]: Scoring,
  least: number,
): ReadonlyMap<string, number> {
  const { before, deviations, failing, isFailing, ordered, expect } = search;
  const termsOf = (feature: string) => (feature === '' ? ofAll : (ofSome ?? ofAll));
  const expected = expect(mistake);
  const surely = new Map<Observation, number>();
  let possibly = sum([...deviations.values()], ({ length }) => length);
  for (const [shown, all] of deviations) {
    const { length } = listExplained(all, expected(shown), false);
    surely.set(shown, length);
    possibly -= all.length - length;
    if (possibly < least) return new Map();
  }
  if (![...surely].some(([shown, count]) => count > 0 && isFailing(shown))) return new Map();
  const perhaps = new Map(
    [...deviations].map(([shown, all]) => [shown, listExplained(all, expected(shown), true).length]),
  );
  const showing = [...deviations.keys()].filter((observation) => perhaps.get(observation) !== 0);
  const possible = new Set(['', ...(ofSome === undefined ? [] : showing.flatMap(({ features }) => [...features]))]);
  let odd = 0;
  for (const observation of ordered) {
    const concerned = ['', ...observation.features].filter((feature) => possible.has(feature));
    if (concerned.length === 0 || !isOdd(observation, expected(observation), before.get(observation) as Prediction))
      continue;
    odd += 1;
    for (const feature of concerned) if (odd > termsOf(feature).maxOddShare * showing.length) possible.delete(feature);
  }
  const fitting = possible.has('') ? [''] : [...possible];
  return new Map(
    fitting.flatMap((feature): [string, number][] => {
      const { minShare, minRequests, minFailingShare, penalty, oddPenalty } = termsOf(feature);
      const isConcerned = ({ features }: Observation) => feature === '' || features.has(feature);
      const shown = showing.filter(isConcerned);
      const deviating = feature === '' ? shown : [...deviations.keys()].filter(isConcerned);
      const wrong = sum(deviating, (observation) => deviations.get(observation)?.length ?? 0);
      const isExplained =
        shown.some(isFailing) &&
        sum(shown, (observation) => perhaps.get(observation) ?? 0) >= minShare * wrong &&
        shown.length >= minFailingShare * failing.length &&
        new Set(shown.map(({ requestKey }) => requestKey)).size >= minRequests;
      const count = sum(shown, (observation) => surely.get(observation) ?? 0);
      return isExplained ? [[feature, count - penalty - oddPenalty * odd]] : [];
    }),
  );
}

function sum<T>(list: readonly T[], numberOf: (entry: T) => number): number {
  return list.reduce((total, entry) => total + numberOf(entry), 0);
}

/** The number of equally good features that are named. */
const maxNamed = 3;

function createFinding(
  { mistake: [sentence], features }: Hypothesis,
  explained: Deviations,
  odd: number,
  observations: Observations,
): Finding {
  const shown = describeDeviations([...explained.values()].flat(), observations);
  const limit = features.slice(0, maxNamed).join(', or ');
  const unclear = features.length < 2 ? '' : ' The responses do not show which of these decides.';
  const differing = `${odd} ${odd === 1 ? 'response differs' : 'responses differ'} from it in another way.`;
  const contradictions = odd === 0 ? 'No response contradicts it.' : differing;
  const count = explained.size === 1 ? 'One request shows' : `${explained.size} requests show`;
  return {
    sentence: limit === '' ? sentence : `Only for requests ${limit}: ${sentence}`,
    evidence: [
      `${count} it: ${shown}. ${contradictions}${unclear}`,
      // What a rank is, where an output first shows one.
      ...(shown.includes('rank ') ? ['Rank 1 is the newest promotion tier.'] : []),
    ],
    symptoms: createSymptoms(explained, observations),
  };
}
