import type { NamedWorld } from '../../contract/named-world.js';
import {
  createSymptoms,
  type Deviation,
  type DeviationsByResponse,
  describeDeviations,
  type Finding,
  findDeviations,
} from './finding.js';
import { describeMissing, listMistakes } from './mistakes.js';
import type { Observation, Observations } from './observation.js';
import { createPredictor, type Mistake, type Predict, type Prediction } from './prediction.js';

type Compared = Observation & { readonly returned: readonly boolean[] };

/** A mistake, perhaps limited to the requests that have a feature. Several features fit if no response distinguishes them. */
interface Hypothesis {
  readonly mistake: Mistake;
  readonly features: readonly string[];
}

const maxMistakes = 6;
/** Each mistake is tried on so many responses, and so many of the best on all of them: the number of trials is bounded. */
const maxScreening = 16;
const maxChecked = 24;
/** Of the responses that show a mistake, this share may contradict it: something else may be wrong with them. */
const maxOddShare = 1 / 20;

/**
 * Explains wrong results by mistakes. A mistake predicts what each request returns. It is a cause only if it explains
 * wrong results and no response contradicts it. Several mistakes are found one after another, each on top of those before.
 *
 * @param failing the rows that fail
 */
export function explainResults(observations: Observations, world: NamedWorld, failing: ReadonlySet<string>): Finding[] {
  const compared = observations.all.filter((each): each is Compared => each.returned !== undefined);
  const predict = createPredictor(observations, world);
  const mistakes = listMistakes(observations, world);
  const missing = [describeMissing(observations)];
  const found: Hypothesis[] = [];
  while (found.length < maxMistakes) {
    // A mistake that also explains what is seen is preferred to one that only describes it.
    const next =
      findNext(mistakes, found, compared, predict, failing) ?? findNext(missing, found, compared, predict, failing);
    if (next === undefined) break;
    found.push(next);
  }
  return found.map((hypothesis, n): Finding => {
    const others = found.filter((_, other) => other !== n);
    const explained = new Map(
      compared.flatMap((each): [Observation, readonly Deviation[]][] => {
        const deviations = findDeviations(each.returned, predictWith(others, each, predict));
        const own = findExplained(deviations, predictWith(found, each, predict), true);
        return own.length === 0 ? [] : [[each, own]];
      }),
    );
    const odd = compared.filter((each) =>
      isContradicted(each, predictWith(found, each, predict), predictWith(others, each, predict)),
    );
    return createFinding(hypothesis, explained, odd.length, observations);
  });
}

function isConcerned({ features }: Hypothesis, observation: Observation): boolean {
  return features.length === 0 || features.some((feature) => observation.features.has(feature));
}

function predictWith(hypotheses: readonly Hypothesis[], observation: Compared, predict: Predict) {
  const active = hypotheses.filter((each) => isConcerned(each, observation));
  const changes = active.map(({ mistake: [, , change] }) => change);
  return predict(changes, observation.exchange.request);
}

/** Returns the deviations from one prediction that another one expects, or that it only allows, too. */
function findExplained(deviations: readonly Deviation[], expected: Prediction, withAllowed: boolean) {
  return deviations.filter(({ position, isReturned }) => {
    const obligation = expected(position);
    return obligation === (isReturned ? 'required' : 'forbidden') || (withAllowed && obligation === 'open');
  });
}

/** Finds the mistake that explains most of what the known ones leave unexplained. */
function findNext(
  mistakes: readonly Mistake[],
  found: readonly Hypothesis[],
  compared: readonly Compared[],
  predict: Predict,
  failing: ReadonlySet<string>,
): Hypothesis | undefined {
  const before = new Map(compared.map((each) => [each, predictWith(found, each, predict)]));
  const deviations = new Map(
    compared.map((each) => [each, findDeviations(each.returned, before.get(each) as Prediction)]),
  );
  const countDeviations = (each: Compared) => deviations.get(each)?.length ?? 0;
  const isFailing = ({ rows }: Observation) => [...rows].some((row) => failing.has(row));
  const deviating = compared.filter((each) => countDeviations(each) > 0);
  const expect = (mistake: Mistake, each: Compared) =>
    predictWith([...found, { mistake, features: [] }], each, predict);
  const countExplained = (mistake: Mistake, each: Compared, withAllowed: boolean) =>
    findExplained(deviations.get(each) ?? [], expect(mistake, each), withAllowed).length;
  // Most mistakes explain nothing, which few responses show.
  const sample = takeEvenly(deviating.filter(isFailing), maxScreening);
  const screened = mistakes
    .map((mistake) => ({ mistake, score: sum(sample, (each) => countExplained(mistake, each, false)) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, maxChecked);
  // Those that deviate contradict most.
  const ordered = [...deviating, ...compared.filter((each) => countDeviations(each) === 0)];
  let best: { hypothesis: Hypothesis; rank: number } | undefined;
  for (const { mistake } of screened) {
    const showing = deviating.filter((each) => countExplained(mistake, each, true) > 0);
    const possible = new Set<string | undefined>([undefined]);
    for (const { features } of showing) for (const each of features) possible.add(each);
    // Without a limit to some requests, a few odd responses do not refute a mistake that many show.
    let odd = 0;
    for (const each of ordered) {
      const concerned = [undefined, ...each.features].filter((feature) => possible.has(feature));
      const isOdd = () => isContradicted(each, expect(mistake, each), before.get(each) as Prediction);
      if (concerned.length === 0 || !isOdd()) continue;
      odd += 1;
      for (const feature of concerned)
        if (feature !== undefined || odd > maxOddShare * showing.length) possible.delete(feature);
      if (possible.size === 0) break;
    }
    const fitting = possible.has(undefined) ? [undefined] : [...possible];
    const ranked = fitting.flatMap((feature) => {
      const isConcerned = ({ features }: Observation) => feature === undefined || features.has(feature);
      const own = showing.filter(isConcerned);
      const explained = sum(own, (each) => countExplained(mistake, each, true));
      const wrong = sum(feature === undefined ? own : deviating.filter(isConcerned), countDeviations);
      // With a feature to choose, chance explains something: the mistake must explain nearly everything, more than once.
      const isChance =
        feature === undefined
          ? explained < 0.5 * wrong
          : explained < 0.9 * wrong ||
            2 * own.length < deviating.filter(isFailing).length ||
            new Set(own.map(({ requestKey }) => requestKey)).size < 2;
      if (isChance || !own.some(isFailing)) return [];
      const surely = sum(own, (each) => countExplained(mistake, each, false));
      return [{ feature, rank: surely - (feature === undefined ? 10 * odd : 0.5) }];
    });
    const rank = Math.max(...ranked.map((each) => each.rank));
    if (rank <= (best?.rank ?? 0)) continue;
    const features = ranked.flatMap((each) => (each.rank === rank && each.feature !== undefined ? [each.feature] : []));
    // A pair of features says no more than one of them that fits as well.
    const isNeeded = (one: string) => !features.some((other) => other !== one && one.includes(other));
    best = { rank, hypothesis: { mistake, features: features.filter(isNeeded) } };
  }
  return best?.hypothesis;
}

function takeEvenly<T>(list: readonly T[], max: number): T[] {
  return list.filter((_, n) => Math.floor((n * max) / list.length) > Math.floor(((n - 1) * max) / list.length));
}

function sum<T>(list: readonly T[], numberOf: (each: T) => number): number {
  return list.reduce((total, each) => total + numberOf(each), 0);
}

/** Whether a response refutes what a mistake changes. */
function isContradicted({ returned }: Compared, expected: Prediction, before: Prediction): boolean {
  return returned.some((isReturned, n) => {
    const one = expected(n);
    return one === (isReturned ? 'forbidden' : 'required') && one !== before(n);
  });
}

function createFinding(
  { mistake: [kind, sentence], features }: Hypothesis,
  explained: DeviationsByResponse,
  odd: number,
  observations: Observations,
): Finding {
  const shown = describeDeviations([...explained.values()].flat(), observations);
  const limit = features.slice(0, maxNamed).join(', or ');
  const unclear = features.length < 2 ? '' : ' The responses do not show which of these decides.';
  const contradictions =
    odd === 0
      ? 'No response contradicts it.'
      : `${odd} ${odd === 1 ? 'response differs' : 'responses differ'} from it in another way.`;
  const count = explained.size === 1 ? 'One request shows' : `${explained.size} requests show`;
  return {
    kind,
    sentence: limit === '' ? sentence : `Only for requests ${limit}: ${sentence}`,
    evidence: [`${count} it: ${shown}. ${contradictions}${unclear}`, ...(shown.includes('rank ') ? [rankNotice] : [])],
    symptoms: createSymptoms(explained, observations),
  };
}

/** What a rank is, where an output first shows one. */
const rankNotice = 'Rank 1 is the newest promotion tier.';

/** So many features are named that fit equally well. */
const maxNamed = 3;
