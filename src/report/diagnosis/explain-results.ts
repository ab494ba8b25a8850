import type { Obligation } from '../../contract/oracle.js';
import type { NamedWorld } from '../../world/named-world.js';
import {
  createSymptoms,
  type Deviation,
  describeDeviation,
  type Finding,
  findDeviation,
  mergeDeviations,
} from './finding.js';
import { createPredictor, listMistakes, type Mistake, type Predict, type Prediction } from './mistakes.js';
import type { Observation, Observations } from './observation.js';

/** A response that can be compared, with what it returned. */
type Compared = Observation & { readonly returned: readonly boolean[] };

/** A mistake, perhaps limited to the requests with a feature. */
interface Hypothesis {
  readonly mistake: Mistake;
  readonly feature?: string;
}

const maxMistakes = 6;
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
  const ranks = new Map(world.tiers.map(({ id }, index) => [id, index + 1]));
  const rankOf = (n: number) => ranks.get(observations.tiers[n]?.id ?? '') ?? 0;
  const mistakes = listMistakes(observations, world);
  const named = mistakes.filter(({ isDescription }) => !isDescription);
  const descriptions = mistakes.filter(({ isDescription }) => isDescription);
  const found: Hypothesis[] = [];
  while (found.length < maxMistakes) {
    const next =
      findNext(named, found, compared, predict, failing) ?? findNext(descriptions, found, compared, predict, failing);
    if (next === undefined) break;
    found.push(next);
  }
  return found.flatMap((hypothesis, n): Finding[] => {
    const others = found.filter((_, other) => other !== n);
    const deviations = new Map(
      compared.flatMap((each): [Observation, Deviation][] => {
        const explained = findExplained(
          findDeviation(each.returned, predictWith(others, each, predict)),
          predictWith(found, each, predict),
          true,
        );
        return countDeviation(explained) === 0 ? [] : [[each, explained]];
      }),
    );
    const odd = compared.filter((each) => {
      const [expected, before] = [predictWith(found, each, predict), predictWith(others, each, predict)];
      return isContradicted(each, expected, before);
    });
    return [createFinding(hypothesis, deviations, compared, odd.length, observations, rankOf)];
  });
}

function predictWith(hypotheses: readonly Hypothesis[], observation: Compared, predict: Predict) {
  const active = hypotheses.filter(({ feature }) => feature === undefined || observation.features.has(feature));
  return predict(
    active.map(({ mistake }) => mistake),
    observation,
  );
}

/** Returns the deviations from one prediction that another one expects, or that it only allows, too. */
function findExplained({ absent, wrong }: Deviation, expected: Prediction, withAllowed = false): Deviation {
  const isExplained = (n: number, obligation: Obligation) =>
    expected(n) === obligation || (withAllowed && expected(n) === 'open');
  return {
    absent: absent.filter((n) => isExplained(n, 'forbidden')),
    wrong: wrong.filter((n) => isExplained(n, 'required')),
  };
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
    compared.flatMap((each): [Compared, Deviation][] => {
      const deviation = findDeviation(each.returned, before.get(each) as Prediction);
      return countDeviation(deviation) === 0 ? [] : [[each, deviation]];
    }),
  );
  if (deviations.size === 0) return undefined;
  const deviating = [...deviations.keys()];
  // Those that deviate contradict most.
  const ordered = [...deviating, ...compared.filter((each) => !deviations.has(each))];
  const sizes = new Map([...deviations].map(([each, deviation]) => [each, countDeviation(deviation)]));
  const isFailing = ({ rows }: Observation) => [...rows].some((row) => failing.has(row));
  let best: { hypothesis: Hypothesis; rank: number } | undefined;
  for (const mistake of mistakes) {
    const expected = new Map<Compared, Prediction>();
    const expect = (each: Compared): Prediction => {
      const known = expected.get(each) ?? predictWith([...found, { mistake }], each, predict);
      expected.set(each, known);
      return known;
    };
    const explained = new Map<Compared, { readonly surely: number; readonly perhaps: number }>();
    for (const [each, deviation] of deviations) {
      const perhaps = countDeviation(findExplained(deviation, expect(each), true));
      if (perhaps > 0) explained.set(each, { perhaps, surely: countDeviation(findExplained(deviation, expect(each))) });
    }
    const explaining = [...explained.keys()];
    if (!explaining.some((each) => isFailing(each) && explained.get(each)?.surely)) continue;
    const possible = new Set<string | undefined>([undefined]);
    if (!mistake.isDescription) for (const { features } of explaining) for (const each of features) possible.add(each);
    // Without a limit to some requests, a few odd responses do not refute a mistake that many show.
    let odd = 0;
    for (const each of ordered) {
      const concerned = [undefined, ...each.features].filter((feature) => possible.has(feature));
      if (concerned.length === 0 || !isContradicted(each, expect(each), before.get(each) as Prediction)) continue;
      odd += 1;
      for (const feature of concerned)
        if (feature !== undefined || odd > maxOddShare * explaining.length) possible.delete(feature);
      if (possible.size === 0) break;
    }
    for (const feature of possible.has(undefined) ? [undefined] : possible) {
      const isConcerned = ({ features }: Observation) => feature === undefined || features.has(feature);
      const showing = explaining.filter(isConcerned);
      const rank = sum(showing, (each) => explained.get(each)?.surely ?? 0) - (feature === undefined ? 10 * odd : 0.5);
      if (rank <= (best?.rank ?? 0) || !showing.some(isFailing)) continue;
      // With a feature to choose, chance explains something: the mistake must explain nearly everything, more than once.
      const wrong = sum(deviating.filter(isConcerned), (each) => sizes.get(each) ?? 0);
      const isChance =
        2 * showing.length < deviating.filter(isFailing).length ||
        sum(showing, (each) => explained.get(each)?.perhaps ?? 0) < 0.9 * wrong ||
        new Set(showing.map(({ requestKey }) => requestKey)).size < 2;
      if (feature === undefined || !isChance)
        best = { rank, hypothesis: { mistake, ...(feature === undefined ? {} : { feature }) } };
    }
  }
  return best?.hypothesis;
}

function countDeviation({ absent, wrong }: Deviation): number {
  return absent.length + wrong.length;
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
  { mistake, feature }: Hypothesis,
  deviations: ReadonlyMap<Observation, Deviation>,
  compared: readonly Compared[],
  odd: number,
  observations: Observations,
  rankOf: (n: number) => number,
): Finding {
  const { kind, sentence, picture } = mistake;
  const together = mergeDeviations([...deviations.values()]);
  const concerned = compared.filter(({ features }) => feature === undefined || features.has(feature)).length;
  return {
    kind,
    sentence: feature === undefined ? sentence : `Only for requests ${feature}: ${sentence}`,
    evidence: [
      `${deviations.size} of ${concerned} different requests${feature === undefined ? '' : ` ${feature}`} show it: ${describeDeviation(together, observations, rankOf)}. ${odd === 0 ? 'No response contradicts it.' : `${odd} ${odd === 1 ? 'response differs' : 'responses differ'} from it in another way.`}`,
    ],
    ...(picture === undefined ? {} : { picture }),
    symptoms: createSymptoms(deviations, observations, rankOf),
  };
}
