import type { Mistake } from '../../../reference/model.js';
import type { Obligation } from '../../contract/oracle.js';
import {
  createCauseId,
  createSymptoms,
  type Deviation,
  describeDeviations,
  type Finding,
  findDeviations,
  hedge,
  minRequests,
  renderFeatures,
} from './finding.js';
import { type Compared, isCompared, type Observation, type Observations } from './observation.js';
import type { Prediction, Predictor } from './prediction.js';
import { findCommonFeatures, isPair } from './request-features.js';

/** A mistake, perhaps limited to requests that have a feature. Several features fit if no response distinguishes them. */
export interface Hypothesis {
  readonly mistake: Mistake;
  readonly features: readonly string[];
  /** Whether some responses differ from it in another way, as the order of requests is not known for sure. */
  readonly isUncertain?: boolean;
}

/** The number of mistakes that are found together. */
const maxMistakes = 4;

/** The mistakes that are tried, in the order in which they are preferred. */
export interface MistakeLists {
  /** Those that may also be limited to requests with some feature, or be one of several. */
  readonly simple: readonly Mistake[];
  readonly others: readonly Mistake[];
  /** Those that need the requests before it. */
  readonly ofState: readonly Mistake[];
  /** Whether equal requests had different results, so that state is likely. */
  readonly isChanging: boolean;
}

/** Of the responses that a mistake concerns while others are not known, this share may differ in another way. */
const maxOddShare = 1 / 20;

/** The same of mistakes about state. */
const maxStateOddShare = 1 / 5;

/** The least share of wrong promotions that one of several mistakes explains. */
const minShare = 0.5;

/**
 * Finds mistakes that together explain all wrong results, so that no response contradicts them. One is better than several,
 * and one without a limit is better than one for requests with some feature.
 *
 * @param lists in the order in which they are preferred
 * @param seeds what is known to be wrong
 * @returns with the seeds, unless a response contradicts them, and whether nothing else is wrong
 */
export function findMistakes(
  observations: Observations,
  predictor: Predictor,
  lists: MistakeLists,
  seeds: readonly Hypothesis[],
): { readonly found: readonly Hypothesis[]; readonly isWhole?: true } {
  const found: Hypothesis[] = [...seeds];
  while (found.length < seeds.length + maxMistakes) {
    const search = createSearch(observations, predictor, found);
    if (search.failing.length === 0) return { found, isWhole: true };
    const whole = findWhole(search, lists);
    if (whole !== undefined) return { found: [...found, whole], isWhole: true };
    const part = findPart(search, lists.simple);
    if (part === undefined) break;
    found.push(part);
  }
  // What contradicts a mistake, now that the others are known, refutes it.
  const isPossible = (hypothesis: Hypothesis) => !isRefuted(hypothesis, found, observations, predictor);
  return { found: found.filter((hypothesis) => hypothesis.isUncertain || isPossible(hypothesis)) };
}

/** Whether responses contradict one of several mistakes. @param least their number */
export function isRefuted(
  hypothesis: Hypothesis,
  found: readonly Hypothesis[],
  { all }: Observations,
  predictor: Predictor,
  least = 1,
): boolean {
  const expected = predictWith(found, predictor);
  const others = found.filter((known) => known !== hypothesis);
  const predictWithout = predictWith(others, predictor);
  const isContrary = (shown: Compared) => isOdd(shown, expected(shown), predictWithout(shown));
  return countUpTo(least - 1, all.filter(isCompared), isContrary) >= least;
}

/** Describes one of several mistakes by what it adds to the others. */
export function describeMistake(
  hypothesis: Hypothesis,
  found: readonly Hypothesis[],
  observations: Observations,
  predictor: Predictor,
): Finding {
  return createFinding(hypothesis, findExplained(hypothesis, found, observations, predictor), observations);
}

/** Finds the deviations that one of several mistakes explains. */
export function findExplained(
  hypothesis: Hypothesis,
  found: readonly Hypothesis[],
  observations: Observations,
  predictor: Predictor,
): ReadonlyMap<Observation, readonly Deviation[]> {
  const expected = predictWith(found, predictor);
  const others = found.filter((known) => known !== hypothesis);
  const deviations = findDeviations(observations.all, observations, predictWith(others, predictor));
  return new Map(
    [...deviations].flatMap(([observation, list]) => {
      const predicted = expected(observation);
      const shown = list.filter((deviation) => !isContradicted(deviation, predicted));
      return shown.length === 0 ? [] : [[observation, shown] as const];
    }),
  );
}

/** Predicts what a deployment with some mistakes returns. */
export function predictWith(
  hypotheses: readonly Hypothesis[],
  predictor: Predictor,
): (shown: Observation) => Prediction {
  const byMistakes = new Map<string, (shown: Observation) => Prediction>();
  return (shown) => {
    const concerned = hypotheses.filter(
      ({ features }) => features.length === 0 || features.some((feature) => shown.features.has(feature)),
    );
    const mistakes = concerned.map(({ mistake }) => mistake);
    const key = mistakes.map(({ id }) => id).join(' ');
    const predict = byMistakes.get(key) ?? predictor.predictWith(mistakes);
    byMistakes.set(key, predict);
    return predict(shown);
  };
}

function isContradicted({ position, isReturned }: Deviation, expected: Prediction): boolean {
  return expected(position) === (isReturned ? 'forbidden' : 'required');
}

function isConfirmed({ position, isReturned }: Deviation, expected: Prediction): boolean {
  return expected(position) === (isReturned ? 'required' : 'forbidden');
}

/** Whether a response refutes what a mistake changes. */
function isOdd({ returned }: Compared, expected: Prediction, before: Prediction): boolean {
  return returned.some((isReturned, position) => {
    const refuted: Obligation = isReturned ? 'forbidden' : 'required';
    return expected(position) === refuted && before(position) !== refuted;
  });
}

type Search = ReturnType<typeof createSearch>;

/** Collects what the known mistakes leave unexplained. */
function createSearch(observations: Observations, predictor: Predictor, found: readonly Hypothesis[]) {
  const compared = observations.all.filter(isCompared);
  const predictKnown = predictWith(found, predictor);
  const known = new Map(compared.map((observation) => [observation, predictKnown(observation)]));
  const predictBefore = (observation: Observation) => known.get(observation as Compared) as Prediction;
  const deviations = findDeviations(compared, observations, predictBefore);
  const isFailing = ({ rows }: Observation) => [...rows].some((row) => row.isFailing);
  return {
    compared,
    predictBefore,
    deviations,
    isFailing,
    failing: [...deviations.keys()].filter(isFailing),
    expect: (mistake: Mistake) => predictWith([...found, { mistake, features: [] }], predictor),
  };
}

/**
 * Finds the simplest mistake that explains everything that is left: always, because of the requests before it, or for
 * requests with some feature.
 */
function findWhole(search: Search, { simple, others, ofState, isChanging }: MistakeLists): Hypothesis | undefined {
  const { compared, deviations, predictBefore, expect } = search;
  const isClear = deviations.size >= minRequests;
  const fitting: Mistake[] = [];
  const contradicted: Explanation[] = [];
  for (const mistake of [...simple, ...others]) {
    const expected = expect(mistake);
    if (!explainsAll(expected, search)) continue;
    if (compared.some((shown) => isOdd(shown, expected(shown), predictBefore(shown)))) {
      if (simple.includes(mistake)) contradicted.push({ mistake, expected });
      continue;
    }
    fitting.push(mistake);
    // Few requests may show many mistakes.
    if (isClear || fitting.length > maxNamed) break;
  }
  const whole = combine(fitting);
  if (fitting.length > 0) return whole && { mistake: whole, features: [] };
  const stateful = deviations.size > 1 ? findStateful(search, ofState, isChanging ? maxStateOddShare : 0) : undefined;
  if (stateful !== undefined) return stateful;
  const limited = contradicted.flatMap((explanation) => limit(explanation, search) ?? []);
  return isClear || limited.length === 1 ? limited[0] : undefined;
}

/** Describes several mistakes that the responses do not distinguish, if they concern one requirement. */
function combine([first, ...others]: readonly Mistake[]): Mistake | undefined {
  if (first === undefined || others.length === 0) return first;
  const { breaks } = first;
  if (others.some((mistake) => mistake.breaks !== breaks)) return undefined;
  const sentences = [...new Set([first, ...others].map(({ sentence }) => sentence))].slice(0, maxNamed);
  if (sentences.length === 1) return first;
  const sentence = `Several mistakes explain it, such as these. ${sentences.join(' Or: ')}`;
  return { ...first, id: `one-of-several/${breaks}`, sentence };
}

/** The number of mistakes that are named if the responses do not distinguish them. */
const maxNamed = 2;

/** Whether a mistake explains everything that is left, and a failure is a part of it. */
function explainsAll(expected: (shown: Observation) => Prediction, { deviations, isFailing }: Search): boolean {
  let isShown = false;
  for (const [observation, list] of deviations) {
    const predicted = expected(observation);
    if (list.some((deviation) => isContradicted(deviation, predicted))) return false;
    const undecided = list.filter(({ position }) => predicted(position) === 'open');
    if (undecided.length <= list.length / 2) isShown ||= isFailing(observation);
  }
  return isShown;
}

/** A mistake that explains everything that is left. */
interface Explanation {
  readonly mistake: Mistake;
  readonly expected: (shown: Observation) => Prediction;
}

/** Finds the requests that a mistake is limited to, as other responses contradict it. */
function limit(
  { mistake, expected }: Explanation,
  { compared, deviations, predictBefore }: Search,
): Hypothesis | undefined {
  const odd = compared.filter((shown) => isOdd(shown, expected(shown), predictBefore(shown)));
  if (odd.some((observation) => deviations.has(observation))) return undefined;
  const features = findCommonFeatures([...deviations.keys()], odd);
  // One request has every pair of its features.
  const shown = deviations.size === 1 ? features.filter((feature) => !isPair(feature)) : features;
  return shown.length === 0 ? undefined : { mistake, features: shown };
}

/**
 * Finds the mistake about state that explains most.
 *
 * @param maxShare of the responses may contradict it: the order in which a deployment received requests at the same time is
 *   not known
 */
function findStateful(
  { compared, deviations, predictBefore, expect }: Search,
  mistakes: readonly Mistake[],
  maxShare: number,
): Hypothesis | undefined {
  const most = maxShare * deviations.size;
  let best: { readonly hypothesis: Hypothesis; readonly rank: number } | undefined;
  for (const mistake of mistakes) {
    const expected = expect(mistake);
    const odd = countUpTo(most, compared, (observation) => {
      const list = deviations.get(observation) ?? [];
      const predicted = expected(observation);
      const isRefuted = list.some((deviation) => isContradicted(deviation, predicted));
      return isRefuted || isOdd(observation, predicted, predictBefore(observation));
    });
    if (odd > most) continue;
    const shown = [...deviations].filter(([observation, list]) => {
      const predicted = expected(observation);
      return list.every((deviation) => isConfirmed(deviation, predicted));
    });
    const rank = shown.length - 2 * odd;
    // One wrong response shows no state.
    if (shown.length < 2 || rank <= (best?.rank ?? 0)) continue;
    best = { hypothesis: { mistake, features: [], isUncertain: odd > 0 }, rank };
  }
  return best?.hypothesis;
}

/** Finds the mistake that explains most of what is left, if it is one of several. */
function findPart(search: Search, mistakes: readonly Mistake[]): Hypothesis | undefined {
  const { compared, isFailing, predictBefore, expect } = search;
  const deviations = [...search.deviations].map(([observation, list]) => [observation, takeSample(list)] as const);
  let best: { readonly mistake: Mistake; readonly count: number } | undefined;
  for (const mistake of mistakes) {
    const expected = expect(mistake);
    const shown = deviations.flatMap(([observation, list]) => {
      const predicted = expected(observation);
      const count = list.filter((deviation) => isConfirmed(deviation, predicted)).length;
      return count === 0 ? [] : [{ observation, count, wrong: list.length }];
    });
    const count = shown.reduce((sum, entry) => sum + entry.count, 0);
    const wrong = shown.reduce((sum, entry) => sum + entry.wrong, 0);
    if (count <= (best?.count ?? 0) || count < minShare * wrong || shown.length < minRequests) continue;
    if (!shown.some(({ observation }) => isFailing(observation))) continue;
    const most = maxOddShare * shown.length;
    const odd = countUpTo(most, compared, (observation) =>
      isOdd(observation, expected(observation), predictBefore(observation)),
    );
    if (odd <= most) best = { mistake, count };
  }
  return best === undefined ? undefined : { mistake: best.mistake, features: [] };
}

/** Takes wrong promotions from all over a response. Where hundreds are wrong, they show what all show. */
function takeSample(list: readonly Deviation[]): readonly Deviation[] {
  const step = Math.ceil(list.length / maxSample);
  return list.filter((_, n) => n % step === 0);
}

const maxSample = 16;

/** Counts the entries that meet a condition, until they are more than some. */
function countUpTo<T>(most: number, entries: readonly T[], isMet: (entry: T) => boolean): number {
  let count = 0;
  for (const entry of entries) {
    if (isMet(entry)) count += 1;
    if (count > most) break;
  }
  return count;
}

function createFinding(
  { mistake: { id, sentence }, features, isUncertain = false }: Hypothesis,
  explained: ReadonlyMap<Observation, readonly Deviation[]>,
  observations: Observations,
): Finding {
  const shown = describeDeviations([...explained.values()].flat(), observations);
  const limit = renderFeatures(features);
  const unclear = features.length < 2 ? '' : ' The responses do not show which of these decides.';
  const contradictions = isUncertain ? 'A few responses differ from it.' : 'No response contradicts it.';
  const count = explained.size === 1 ? 'One request shows' : `${explained.size} requests show`;
  const limited = limit === '' ? sentence : `Only for requests ${limit}: ${sentence}`;
  return {
    id: createCauseId(id, features),
    // Where several limits fit, none of them may be the right one.
    sentence: hedge(limited, isUncertain || features.length > 1 ? 0 : explained.size),
    evidence: [
      `${count} it: ${shown}. ${contradictions}${unclear}`,
      // What a rank is, where an output first shows one.
      ...(shown.includes('rank ') ? ['Rank 1 is the newest promotion tier.'] : []),
    ],
    symptoms: createSymptoms(explained, observations),
  };
}
