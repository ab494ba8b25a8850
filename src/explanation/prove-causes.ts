/**
 * Finds structural mistakes that the responses of a run prove. In: what was observed. Out: causes, each with the rows that it
 * explains. A mistake is proved if it mends at least six wrong responses entirely, if no response contradicts it, and if no
 * other mistake that is tried mends other responses as well. Pure.
 */

import type { StructuralMistake } from '../../reference/faults/model.js';
import { windowSize } from '../contract/world.js';
import type { ProvedMistakes } from '../run/case-report.js';
import { cacheByObject } from '../support/caches.js';
import { renderShortList } from '../support/collections.js';
import type { CauseWithRows } from './cause-with-rows.js';
import { describeCheckedRanks, findWronglyCheckedRanks, listExplanationsOfWindowSize } from './checked-ranks.js';
import { listFixedPartMistakes } from './fixed-parts.js';
import type { ComparableObservation, UnpassedRow } from './observation.js';
import { listWindowAndLimitMistakes, otherCheckedRanksCauseId, readWindowSizeOfCauseId } from './observed-mistakes.js';
import type { ObservationsWithPredictor, Predict } from './prediction.js';
import { mistakesAlone, mistakesAmongOthers } from './provable-mistakes.js';
import { createPredictorOfAnySum, repeatsProduct } from './repeated-products.js';
import { findMissingPattern } from './result-patterns.js';
import { isOfEmptyIndex } from './single-tier-mistakes.js';
import {
  isTierWrong,
  listWrongResponses,
  makesRowFail,
  minMendedResponses,
  type WrongResponse,
} from './wrong-results.js';

/** No deployment of the measurements had more structural mistakes at once. */
const maxMistakes = 4;

/** A mistake that no response contradicts, with the wrong responses that are right if it is assumed. */
interface Candidate {
  readonly mistake: StructuralMistake;
  readonly mended: readonly WrongResponse[];
  /** Whether it mends enough of them. */
  readonly isProved: boolean;
}

/** A mistake that too few responses show. */
export interface SuspectedMistake {
  readonly mistake: StructuralMistake;
  /** How many wrong responses it explains. */
  readonly mended: number;
  readonly rows: ReadonlySet<UnpassedRow>;
  /** Predicts with all mistakes that are proved. */
  readonly predict: Predict;
}

/** Mistakes that are proved, and those that may be. */
interface ProvedCauses {
  readonly causes: readonly CauseWithRows[];
  readonly proved: ProvedMistakes;
  /** What explains most comes first. */
  readonly suspected: readonly SuspectedMistake[];
}

/**
 * Lists the mistakes that are proved, one after another: each explains what those before it leave.
 *
 * @param proved what was proved before by the same responses: then nothing else is tried
 * @param isDataSuspect whether other entries of the data file explain what is wrong, single promotions that are missing too
 */
export function proveCauses(
  run: ObservationsWithPredictor,
  seeds: readonly StructuralMistake[],
  proved?: ProvedMistakes,
  isDataSuspect = false,
): ProvedCauses {
  const isOfSameResponses = proved?.compared === run.compared.length;
  const isTried = ({ id }: StructuralMistake) => !isOfSameResponses || proved.ids.includes(id);
  const windows = listWindowAndLimitMistakes(run).filter(isTried);
  const amongOthers = [...windows, ...mistakesAmongOthers.filter(isTried)];
  const alone = [...mistakesAlone, ...listFixedPartMistakes(run)].filter(isTried);
  const tried: TriedMistake[] = [
    ...amongOthers.map((mistake) => ({ mistake, explainsNearlyAll: false })),
    ...alone.map((mistake) => ({ mistake, explainsNearlyAll: true })),
  ];
  const found: StructuralMistake[] = [];
  const ids: string[] = [];
  const causes: CauseWithRows[] = [];
  while (causes.length < maxMistakes) {
    const assumed = [...seeds, ...found];
    const wrong = listWrongResponses(run.compared, run.predict(assumed));
    const candidates = wrong.some(makesRowFail) ? listCandidates(run, wrong, assumed, tried) : [];
    const whole = chooseProved(candidates.filter(({ isProved }) => isProved));
    const alike = whole.length > 0 || isDataSuspect ? whole : findPartlyMendingWindow(run, wrong, assumed, windows);
    if (alike[0] === undefined) return conclude(listSuspected(run, assumed, candidates));
    found.push(alike[0].mistake);
    ids.push(...alike.map(({ mistake }) => mistake.id));
    causes.push(describeProved(alike, run));
  }
  return conclude([]);

  function conclude(suspected: readonly SuspectedMistake[]): ProvedCauses {
    return { causes, suspected, proved: { ids, compared: run.compared.length } };
  }
}

/** Fewer promotions at the end of the window may be missing for another reason, which they share with others: a pattern shows it. */
const minLeftOut = 3;

/**
 * Finds a smaller window that mends nearly every wrong response in part. The promotions that it leaves out are missing in all of
 * them, so that a second mistake leaves few responses that the window alone would mend. It may leave out the last promotions of
 * the window, too, so the size is not exact.
 */
function findPartlyMendingWindow(
  run: ObservationsWithPredictor,
  wrong: readonly WrongResponse[],
  assumed: readonly StructuralMistake[],
  windows: readonly StructuralMistake[],
): Candidate[] {
  const least = Math.max(minMendedResponses, nearlyAll * wrong.length);
  const before = run.predict(assumed);
  const absence =
    run.world.isDataFile === true
      ? 'the data file is older than the data of the deployment, which lacks these promotion tiers'
      : 'these promotion tiers are not loaded';
  const candidates = windows.flatMap((mistake): Candidate[] => {
    const size = readWindowSizeOfCauseId(mistake.id) ?? windowSize;
    const after = run.predict([...assumed, mistake]);
    const isFew = size > windowSize - minLeftOut && size < windowSize;
    const isOther = size >= windowSize || (isFew && findMissingPattern(run) !== undefined);
    if (isOther || isContradicted(run, before, { mistakes: [...assumed, mistake], after })) return [];
    const sentence = `No promotion tier from rank ${size + 1} on is returned: the deployment checks the newest ${size}, or a few more that another mistake leaves out. Or ${absence}.`;
    const mended = wrong.flatMap(([shown, positions]): WrongResponse[] => {
      const right = positions.filter(createMendTest(shown, after));
      return right.length === 0 ? [] : [[shown, right]];
    });
    return mended.length >= least ? [{ mistake: { ...mistake, sentence }, mended, isProved: true }] : [];
  });
  const sorted = candidates.toSorted((left, right) => right.mended.length - left.mended.length);
  return sorted.slice(0, 1);
}

function listSuspected(
  run: ObservationsWithPredictor,
  assumed: readonly StructuralMistake[],
  candidates: readonly Candidate[],
): SuspectedMistake[] {
  const sorted = candidates.toSorted((left, right) => right.mended.length - left.mended.length);
  return sorted.map(({ mistake, mended }) => ({
    mistake,
    mended: mended.length,
    rows: new Set(mended.flatMap(([{ rows }]) => [...rows])),
    predict: run.predict([...assumed, mistake]),
  }));
}

/** One response may be right by chance. */
const minSuspected = 2;

/**
 * Lists the mistakes that no response contradicts, and that mend some wrong ones. If one is proved, those that mend fewer are left
 * out: they would not be chosen.
 */
function listCandidates(
  run: ObservationsWithPredictor,
  wrong: readonly WrongResponse[],
  assumed: readonly StructuralMistake[],
  tried: readonly TriedMistake[],
): Candidate[] {
  const before = run.predict(assumed);
  const predicting = tried.map((entry, place) => ({
    ...entry,
    place,
    after: run.predict([...assumed, entry.mistake]),
  }));
  let mostProved = 0;
  const found = sortByPromise(predicting, wrong).flatMap(({ mistake, explainsNearlyAll, after, place }) => {
    const leastOfAll = explainsNearlyAll ? nearlyAll * wrong.length : 0;
    const mended = listMended(wrong, after, Math.max(minSuspected, mostProved, leastOfAll));
    const isCandidate =
      mended.some(makesRowFail) &&
      !isContradicted(run, before, { mistakes: [...assumed, mistake], after }) &&
      mended.length >= leastShare * countChanged(wrong, before, after);
    const isProved = mended.length >= Math.max(minMendedResponses, leastShareOfAll * wrong.length);
    if (isCandidate && isProved) mostProved = mended.length;
    return isCandidate ? [{ place, mistake, mended, isProved }] : [];
  });
  return found.toSorted((left, right) => left.place - right.place);
}

/** How many wrong responses show which mistakes are looked at first. */
const sampleSize = 8;

/** Sorts by how many of some wrong responses a mistake mends: if the first one explains most, the others are soon done with. */
function sortByPromise<Entry extends { readonly after: Predict }>(
  entries: readonly Entry[],
  wrong: readonly WrongResponse[],
): Entry[] {
  const step = Math.ceil(wrong.length / sampleSize);
  const sample = wrong.filter((_, n) => n % step === 0);
  const counted = entries.map((entry) => ({ entry, mended: listMended(sample, entry.after, 0).length }));
  return counted.toSorted((left, right) => right.mended - left.mended).map(({ entry }) => entry);
}

/** Chooses the mistake that mends most; several if they mend the same responses. */
function chooseProved(candidates: readonly Candidate[]): Candidate[] {
  const most = Math.max(0, ...candidates.map(({ mended }) => mended.length));
  const best = candidates.filter(({ mended }) => mended.length === most);
  const ofEmptyIndex = best.filter(({ mistake }) => isOfEmptyIndex(mistake));
  if (ofEmptyIndex.length > 0) return ofEmptyIndex;
  const first = new Set(best[0]?.mended);
  // Mistakes that mend different responses, and as many, are rivals: neither is proved.
  return best.every(({ mended }) => mended.every((entry) => first.has(entry))) ? best : [];
}

/** Lists the wrong responses that are right if a mistake is assumed; none if they are fewer than the least. */
function listMended(wrong: readonly WrongResponse[], after: Predict, least: number): WrongResponse[] {
  const mended: WrongResponse[] = [];
  for (const [n, response] of wrong.entries()) {
    const [shown, positions] = response;
    if (positions.every(createMendTest(shown, after))) mended.push(response);
    if (mended.length + wrong.length - n - 1 < least) return [];
  }
  return mended;
}

/** Creates a test of whether a wrong position of a response is right by a prediction. What that leaves open, it does not explain. */
function createMendTest(shown: ComparableObservation, predict: Predict): (position: number) => boolean {
  const expected = predict(shown);
  return (position) => expected(position) !== 'open' && !isTierWrong(shown, position, expected);
}

/** A mistake that changes what is expected of wrong responses, and mends few of them, is not what made them wrong. */
const leastShare = 0.6;
/** What mends few of all wrong responses may fit by coincidence: something else made most of them wrong. */
const leastShareOfAll = 0.12;
/** The share of a mistake that has to explain nearly all wrong responses. A second mistake may make some responses wrong. */
const nearlyAll = 0.8;

interface TriedMistake {
  readonly mistake: StructuralMistake;
  /** Whether it has to explain nearly all wrong responses. Then most others are soon done with. */
  readonly explainsNearlyAll: boolean;
}

/** Counts the wrong responses for which the mistake predicts another result than without it. */
function countChanged(wrong: readonly WrongResponse[], before: Predict, after: Predict): number {
  return wrong.filter(([shown]) => {
    const [documented, changed] = [before(shown), after(shown)];
    return shown.returned.some((_, position) => documented(position) !== changed(position));
  }).length;
}

/** Whether a response that is right without a mistake is wrong with it, however the quantities of equal products add up. */
function isContradicted(
  run: ObservationsWithPredictor,
  before: Predict,
  { mistakes, after }: { readonly mistakes: readonly StructuralMistake[]; readonly after: Predict },
): boolean {
  const contradicts = (predict: Predict) => (shown: ComparableObservation) => {
    const [documented, changed] = [before(shown), predict(shown)];
    return shown.returned.some(
      (_, position) => isTierWrong(shown, position, changed) && !isTierWrong(shown, position, documented),
    );
  };
  const { once, repeating } = splitByRepetition(run);
  if (once.some(contradicts(after))) return true;
  const doubtful = repeating.filter(contradicts(after));
  return doubtful.length > 0 && doubtful.some(contradicts(getPredictorOfAnySum(run)(mistakes)));
}

/** Tells the orders that have each product once from the others. Hundreds of mistakes are tried on one run. */
const splitByRepetition = cacheByObject(({ compared }: ObservationsWithPredictor) => ({
  once: compared.filter(({ request }) => !repeatsProduct(request)),
  repeating: compared.filter(({ request }) => repeatsProduct(request)),
}));

/** It is needed where nothing but orders with a repeated product contradict a mistake. */
const getPredictorOfAnySum = cacheByObject(createPredictorOfAnySum);

/** The maximum number of mistakes that one sentence names. */
const maxNamed = 3;

function describeProved(proved: readonly Candidate[], run: ObservationsWithPredictor): CauseWithRows {
  const { compared, tiers } = run;
  const [first, ...others] = proved as [Candidate, ...Candidate[]];
  const positions = new Set(first.mended.flatMap(([, wrong]) => wrong));
  const names = tiers.filter((_, n) => positions.has(n)).map(({ name }) => `'${name}'`);
  const sentences = new Set([first, ...others].slice(0, maxNamed).map(({ mistake }) => mistake.sentence));
  return {
    id: first.mistake.id,
    sentence: sentences.size === 1 ? first.mistake.sentence : `One of these: ${[...sentences].join(' Or: ')}`,
    evidence: [
      `It explains ${first.mended.length} wrong responses, and none of ${compared.length} contradicts it. Promotions with a wrong result: ${renderShortList(names)}.`,
      ...listFactsOfWindow(first.mistake.id, run),
    ],
    rows: new Set(first.mended.flatMap(([{ rows }]) => [...rows])),
    mistake: first.mistake,
  };
}

/** Lists facts about the tiers of a window that has not the newest 150. */
function listFactsOfWindow(id: string, run: ObservationsWithPredictor): string[] {
  const ranks = id === otherCheckedRanksCauseId ? findWronglyCheckedRanks(run) : undefined;
  if (ranks !== undefined) return describeCheckedRanks(ranks, run.world);
  const size = readWindowSizeOfCauseId(id);
  return size === undefined ? [] : listExplanationsOfWindowSize(size, run.world.tiers);
}
