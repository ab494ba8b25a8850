import { knownMistakes, type StructuralMistake } from '../../reference/model.js';
import type { HttpRequest } from '../http/exchange.js';
import { groupBy, renderShortList } from '../support/collections.js';
import type { Compared, Row } from './observation.js';
import { listSizeMistakes } from './observed-mistakes.js';
import type { Hypothesis, ObservedRun, Prediction } from './prediction.js';
import { createCauseId, type Feature, listCommonFeatures, renderFeatures } from './request-features.js';

export interface Finding {
  /** Stable, with the size that it has, such as `window-size/100`; `unknown` if no known mistake explains the failures. */
  readonly id: string;
  readonly sentence: string;
  /** The facts that show it, in numbers, a sentence each. */
  readonly evidence: readonly string[];
  readonly rows: Set<Row>;
  /** What was assumed, if the reference deployment can answer with it. */
  readonly hypothesis?: Hypothesis;
}

/** From fewer requests than these, a cause is only possible. */
export const minRequests = 3;

export function hedge(sentence: string, requests: number): string {
  return requests < minRequests ? `Possibly: ${sentence}` : sentence;
}

const maxMistakes = 4;
const maxFitting = 2;
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

function findMistakes(run: ObservedRun, seeds: readonly Hypothesis[], tried: readonly StructuralMistake[]): Finding[] {
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

const isFailing = ([{ rows }]: Wrong): boolean => [...rows].some((row) => row.isFailing);

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

/** How many of the wrong responses show whether a mistake explains any. */
const sampleSize = 16;

/** Finds the mistake that explains everything that is wrong, perhaps for requests with some feature, or else most of it. */
function findMistake(
  { compared, predict, world, history }: ObservedRun,
  unordered: readonly Wrong[],
  found: readonly Hypothesis[],
  tried: readonly StructuralMistake[],
): Hypothesis | undefined {
  const before = predict(found);
  // What takes the least time to predict comes first: without a query, then what is short, or sent first if there is state.
  const sort = (getCost: (request: HttpRequest) => number) =>
    unordered.toSorted(([left], [right]) => getCost(left.request) - getCost(right.request));
  const getQueryCost = ({ path }: HttpRequest) => (path.includes('?') ? 1e9 : 0);
  const turns = new Map(history.map((request, n) => [request, n + getQueryCost(request)]));
  const wrong = sort((request) => turns.get(request) ?? 0);
  const shortest = sort((request) => (request.body ?? '').length + getQueryCost(request));
  const isClear = wrong.length >= minRequests;
  const tryMistake = (mistake: StructuralMistake) => {
    const hypothesis = assume(mistake);
    const after = predict([...found, hypothesis]);
    return {
      hypothesis,
      isLeft: ([shown, positions]: Wrong) => positions.some((n) => isWrong(shown, n, after(shown))),
      countOpen: ([shown, positions]: Wrong) => positions.filter((n) => after(shown)(n) === 'open').length,
      isContradicting: (shown: Compared) =>
        shown.returned.some((_, n) => isWrong(shown, n, after(shown)) && !isWrong(shown, n, before(shown))),
    };
  };
  const fitting: StructuralMistake[] = [];
  const limited: Hypothesis[] = [];
  for (const mistake of tried) {
    // One wrong response shows no state, and neither do those that something simpler explains.
    if (mistake.hasState && (wrong.length < 2 || fitting.length > 0)) break;
    const { isLeft, countOpen, isContradicting } = tryMistake(mistake);
    const isDecided = (entry: Wrong) => countOpen(entry) <= entry[1].length / 2;
    const sorted = mistake.hasState ? wrong : shortest;
    // Almost none explains the first one.
    if (sorted.slice(0, 1).some(isLeft)) continue;
    const isContradicted = compared.some(isContradicting);
    if (isContradicted && !(mistake.isSimple && fitting.length === 0)) continue;
    if (sorted.some(isLeft) || !wrong.some((entry) => isFailing(entry) && isDecided(entry))) continue;
    if (!isContradicted) fitting.push(mistake);
    else {
      const group = wrong.map(([shown]) => shown);
      const features = listCommonFeatures(group, compared.filter(isContradicting), world);
      if (features.length > 0) limited.push(assume(mistake, features));
    }
    // Few requests may show many mistakes.
    if (fitting.length > (isClear ? 0 : maxFitting)) break;
  }
  const [simplest] = fitting;
  if (simplest !== undefined)
    return fitting.every(({ breaks }) => breaks === simplest.breaks) ? assume(simplest) : undefined;
  if (limited.length === 1 || (limited.length > 1 && isClear)) return limited[0];
  // It is one of several: the one that explains most, and that nothing contradicts. A sample excludes almost all others.
  const isSteady = tried.some(({ hasState }) => !hasState);
  const step = isSteady ? Math.ceil(wrong.length / sampleSize) : 1;
  const sample = wrong.filter((_, n) => n % step === 0).slice(0, sampleSize);
  const isExplained = (entry: Wrong, { isLeft, countOpen }: ReturnType<typeof tryMistake>) =>
    !isLeft(entry) && countOpen(entry) === 0;
  return tried
    .filter(({ isSimple, hasState }) => isSimple && !(isSteady && hasState))
    .map(tryMistake)
    .filter((trial) => sample.some((entry) => isExplained(entry, trial)))
    .filter(({ isContradicting }) => !sample.some(([shown]) => isContradicting(shown)))
    .map((trial) => ({ ...trial, count: wrong.filter((entry) => isExplained(entry, trial)).length }))
    .filter(({ count }) => count >= minRequests)
    .toSorted((left, right) => right.count - left.count)
    .find(({ isContradicting }) => !compared.some(isContradicting))?.hypothesis;
}

function assume(mistake: StructuralMistake, features: readonly Feature[] = []): Hypothesis {
  return { id: createCauseId(mistake.id, features), mistake, features };
}

function describeMistake(
  hypothesis: Hypothesis,
  found: readonly Hypothesis[],
  { compared, predict, tiers }: ObservedRun,
): Finding {
  const { id, features, mistake } = hypothesis;
  const explained = listWrong(compared, predict(found.filter((known) => known !== hypothesis)), predict(found));
  const count = `Requests that show it: ${explained.length}`;
  const limit = features.length === 0 ? '' : `Only for requests ${renderFeatures(features)}: `;
  const wrong = new Set(explained.flatMap(([, positions]) => positions));
  const names = tiers.filter((_, n) => wrong.has(n)).map(({ name }) => `'${name}'`);
  return {
    id,
    // Where several limits fit, none of them may be the right one.
    sentence: hedge(`${limit}${mistake?.sentence}`, features.length > 1 ? 0 : explained.length),
    evidence: [`${count}. Wrong: ${renderShortList(names)}. No response contradicts it.`],
    rows: new Set(explained.flatMap(([{ rows }]) => [...rows])),
    hypothesis,
  };
}
