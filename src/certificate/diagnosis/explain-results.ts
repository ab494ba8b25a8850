import { bodyOfTheFirstRequest } from '../../../reference/faults/request.js';
import { knownMistakes, type Mistake } from '../../../reference/model.js';
import { groupBy, renderShortList } from '../../support/collections.js';
import { type Finding, hedge, minRequests } from './cause.js';
import type { Compared, Observations } from './observation.js';
import { listSizeMistakes } from './observed-mistakes.js';
import type { Hypothesis, ObservedRun, Prediction } from './prediction.js';
import { createCauseId, findCommonFeatures, renderFeatures } from './request-features.js';

const maxMistakes = 4;
const maxNamed = 2;

export const changingResults = 'changing-results';

/** Prefers one mistake to several, and one without a limit to one for requests with some feature. */
export function explainResults(run: ObservedRun, seeds: readonly Hypothesis[]): Finding[] {
  const repeated = [...groupBy(run.compared, ({ key }) => key).values()].filter((group) => group.length > 1);
  // One may be an accident.
  const changing = repeated.length < minRequests ? [] : repeated.flat();
  const ofState = knownMistakes.filter(({ hasState }) => hasState);
  const steady = knownMistakes.filter(({ hasState }) => !hasState);
  if (changing.length === 0) return findMistakes(run, seeds, [...listSizeMistakes(run), ...steady, ...ofState]);
  // State that is kept between requests also explains why equal requests have different results.
  const stateful = findMistakes(run, seeds, ofState);
  if (stateful.length > 0) return stateful;
  const unchanging = { ...run, compared: run.compared.filter((shown) => !changing.includes(shown)) };
  return [
    ...findMistakes(unchanging, seeds, [...listSizeMistakes(unchanging), ...steady]),
    {
      id: changingResults,
      sentence:
        'Equal requests have different results. One of several servers behind the address may have other data or another version, or data of another request is used.',
      evidence: [`${repeated.length} requests that were sent more than once had different results.`],
      rows: new Set(changing.flatMap(({ rows }) => [...rows])),
    },
  ];
}

function findMistakes(run: ObservedRun, seeds: readonly Hypothesis[], tried: readonly Mistake[]): Finding[] {
  const found = [...seeds];
  while (true) {
    const wrong = listWrong(run.compared, run.predict(found));
    if (!wrong.some(isFailing)) return found.slice(seeds.length).map((mistake) => describeMistake(mistake, found, run));
    const next = found.length < seeds.length + maxMistakes ? findMistake(run, wrong, found, tried) : undefined;
    // What explains a part alone may be wrong, too.
    if (next === undefined) return [];
    found.push(next);
  }
}

type Predict = (shown: Compared) => Prediction;

type Wrong = readonly [shown: Compared, positions: readonly number[]];

function isFailing([{ rows }]: Wrong): boolean {
  return [...rows].some((row) => row.isFailing);
}

function isWrong({ returned }: Compared, position: number, expected: Prediction): boolean {
  return expected(position) === (returned[position] ? 'forbidden' : 'required');
}

/** Lists the responses that differ from a prediction. @param other agrees with them */
export function listWrong(compared: readonly Compared[], predict: Predict, other?: Predict): Wrong[] {
  return compared.flatMap((shown): Wrong[] => {
    const [expected, mended] = [predict(shown), other?.(shown)];
    const wrong = [...shown.returned.keys()].filter((position) => isWrong(shown, position, expected));
    const positions = wrong.filter((position) => mended === undefined || !isWrong(shown, position, mended));
    return positions.length === 0 ? [] : [[shown, positions]];
  });
}

/** Finds the mistake that explains everything that is wrong, perhaps for requests with some feature, or else most of it. */
function findMistake(
  { compared, predict, world }: ObservedRun,
  wrong: readonly Wrong[],
  found: readonly Hypothesis[],
  tried: readonly Mistake[],
): Hypothesis | undefined {
  const before = predict(found);
  const isClear = wrong.length >= minRequests;
  const predictWith = (mistake: Mistake) => predict([...found, { mistake, features: [] }]);
  const isContradicting = (shown: Compared, expected: Prediction): boolean => {
    const known = before(shown);
    return shown.returned.some((_, n) => isWrong(shown, n, expected) && !isWrong(shown, n, known));
  };
  const fitting: Mistake[] = [];
  const limited: Hypothesis[] = [];
  for (const mistake of tried) {
    // One wrong response shows no state, and neither do those that something simpler explains.
    if (mistake.hasState && (wrong.length < 2 || fitting.length > 0)) break;
    const after = predictWith(mistake);
    const isLeft = ([shown, positions]: Wrong) => {
      const expected = after(shown);
      return positions.some((n) => isWrong(shown, n, expected));
    };
    const isDecided = ([shown, positions]: Wrong) => {
      const expected = after(shown);
      return positions.filter((n) => expected(n) === 'open').length <= positions.length / 2;
    };
    if (wrong.some(isLeft) || !wrong.some((entry) => isFailing(entry) && isDecided(entry))) continue;
    const isOdd = (shown: Compared) => isContradicting(shown, after(shown));
    if (!compared.some(isOdd)) fitting.push(mistake);
    else if (mistake.isSimple && fitting.length === 0) {
      const shown = wrong.map(([observation]) => observation);
      const features = findCommonFeatures(shown, compared.filter(isOdd), world);
      if (features.length > 0) limited.push({ mistake, features });
    }
    // Few requests may show many mistakes.
    if (fitting.length > (isClear ? 0 : maxNamed)) break;
  }
  if (fitting.length > 0) return combine(fitting);
  const [limit] = limited;
  if (limit !== undefined && (limited.length === 1 || isClear)) return limit;
  // It is one of several: the one that explains most, and that nothing contradicts.
  let best: Hypothesis | undefined;
  let most = minRequests - 1;
  for (const mistake of tried.filter(({ isSimple }) => isSimple)) {
    const after = predictWith(mistake);
    const isExplained = ([shown, positions]: Wrong) => {
      const expected = after(shown);
      return positions.every((n) => expected(n) !== 'open' && !isWrong(shown, n, expected));
    };
    const count = wrong.filter(isExplained).length;
    if (count <= most || compared.some((shown) => isContradicting(shown, after(shown)))) continue;
    best = { mistake, features: [] };
    most = count;
  }
  return best;
}

function combine([first, ...others]: readonly Mistake[]): Hypothesis | undefined {
  if (first === undefined || others.some(({ breaks }) => breaks !== first.breaks)) return undefined;
  const sentences = [...new Set([first, ...others].map(({ sentence }) => sentence))].slice(0, maxNamed);
  if (sentences.length === 1) return { mistake: first, features: [] };
  const sentence = `Several mistakes explain it, such as these. ${sentences.join(' Or: ')}`;
  return { mistake: { ...first, id: `one-of-several/${first.breaks}`, sentence }, features: [] };
}

function describeMistake(
  hypothesis: Hypothesis,
  found: readonly Hypothesis[],
  { compared, predict, tiers }: ObservedRun,
): Finding {
  const { mistake, features } = hypothesis;
  const others = found.filter((known) => known !== hypothesis);
  const explained = listWrong(compared, predict(others), predict(found));
  const limit = features.length === 0 ? '' : `Only for requests ${renderFeatures(features)}: `;
  const unclear = features.length < 2 ? '' : ' The responses do not show which of these decides.';
  const count = explained.length === 1 ? 'One request shows' : `${explained.length} requests show`;
  const wrong = new Set(explained.flatMap(([, positions]) => positions));
  const names = tiers.filter((_, n) => wrong.has(n)).map(({ name }) => `'${name}'`);
  return {
    id: createCauseId(mistake.id, features),
    // Where several limits fit, none of them may be the right one.
    sentence: hedge(`${limit}${mistake.sentence}`, features.length > 1 ? 0 : explained.length),
    evidence: [`${count} it. Wrong: ${renderShortList(names)}. No response contradicts it.${unclear}`],
    rows: new Set(explained.flatMap(([{ rows }]) => [...rows])),
    hypothesis,
  };
}

/** The least share of equal results of one URL that shows a cache: requests at the same time are answered before it is filled. */
const minCachedShare = 0.8;

/** Finds out whether nothing was ever returned, while no row fails: then it is not certain that the test data is loaded. */
export function findNothingReturned({ compared, rows }: Observations): Finding | undefined {
  const isReturned = compared.some(({ returned }) => returned.some(Boolean));
  if (isReturned || compared.length < minRequests || rows.some((row) => row.isFailing)) return undefined;
  const sentence =
    'No promotion is ever returned: the test data is not loaded under these ids, or the result is always empty.';
  const evidence = [`${compared.length} responses name no promotion of the test data. Load it: npx conformance world.`];
  return { id: 'nothing-returned', sentence, evidence, rows: new Set(rows) };
}

/** Finds a constant answer, or a cache whose key is the URL alone. It is not known which request fills the cache. */
export function findIgnoredBody({ compared, tiers, rows }: Observations): Finding | undefined {
  const takeLargest = (shown: readonly Compared[], by: (shown: Compared) => string) =>
    [...groupBy(shown, by).values()].toSorted((left, right) => right.length - left.length)[0] ?? [];
  const ofUrl = takeLargest(compared, ({ request }) => request.path);
  const equal = takeLargest(ofUrl, ({ returned }) => JSON.stringify(returned));
  const [first] = equal;
  const bodies = new Set(equal.map(({ request }) => request.body)).size;
  // Where everything or nothing is returned, that is no result of another request.
  if (first === undefined || bodies < minRequests || new Set(first.returned).size < 2) return undefined;
  const count = `${equal.length} of ${ofUrl.length} requests to one URL have the same result`;
  const evidence = [`${count}, with ${bodies} different bodies.`];
  if (compared.every(({ returned }) => returned.every((isReturned, n) => isReturned === first.returned[n]))) {
    const sentence = 'The deployment gives one constant answer to every request.';
    return { id: 'constant-answer', sentence, evidence, rows: new Set(rows) };
  }
  // Promotions without rules are valid for requests without a body, too.
  const hasRules = first.returned.some((isReturned, n) => isReturned && tiers[n]?.rules.length !== 0);
  const isRight = (shown: Compared) =>
    shown.returned.every((_, n) => !isWrong(shown, n, (position) => shown.documented[position] ?? 'open'));
  if (!hasRules || equal.length < minCachedShare * ofUrl.length || !equal.some(isRight)) return undefined;
  const { id, sentence } = bodyOfTheFirstRequest;
  return { id, sentence, evidence, rows: new Set(rows) };
}
