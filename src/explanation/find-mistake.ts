/**
 * The search for one mistake. Each mistake that is tried has a score: which wrong responses it explains, what it leaves open
 * of them, and which right responses contradict it. Choosers then read the scores, from the strictest to the mildest:
 * a mistake that explains everything, one that does for requests with a common feature, one that explains most.
 */

import type { StructuralMistake } from '../../reference/model.js';
import type { HttpRequest } from '../http/exchange.js';
import type { Compared } from './observation.js';
import type { Hypothesis, ObservedRun } from './prediction.js';
import { createCauseId, type Feature, listDistinguishingFeatures } from './request-features.js';
import { isFailing, isWrong, minRequests, type Wrong } from './wrong-results.js';

/** What a mistake is to explain, in two orders: what takes the least time to predict comes first. */
interface Search {
  readonly run: ObservedRun;
  /** What is assumed already. */
  readonly found: readonly Hypothesis[];
  /** In the order of sending, without a query first: what a mistake about state does depends on the requests before. */
  readonly bySending: readonly Wrong[];
  /** The shortest body first, without a query first. */
  readonly byLength: readonly Wrong[];
}

/** How a mistake fits the responses. A response is compared when it is asked for: most mistakes fail at the first one. */
interface MistakeScore {
  readonly mistake: StructuralMistake;
  /** Whether it explains all of a wrong response, or leaves it open. */
  readonly explains: (wrong: Wrong) => boolean;
  /** How many wrong tiers of a response it leaves open. */
  readonly countOpen: (wrong: Wrong) => number;
  /** Whether a response that was right before is wrong if the mistake is assumed. */
  readonly isContradictedBy: (shown: Compared) => boolean;
}

/** The score of a mistake that explains every wrong response. */
interface RankedMistake extends MistakeScore {
  readonly isContradicted: boolean;
}

/** One wrong response may be explained by state in many ways. */
const minWrongForState = 2;
/** If few responses are wrong, several mistakes may fit. This many show whether they break different requirements. */
const enoughIfUnclear = 3;

/** Finds the mistake that explains everything that is wrong, perhaps for requests with some feature, or else most of it. */
export function findMistake(
  run: ObservedRun,
  wrong: readonly Wrong[],
  found: readonly Hypothesis[],
  tried: readonly StructuralMistake[],
): Hypothesis | undefined {
  const search = createSearch(run, wrong, found);
  const ranked = rankMistakes(search, tried);
  const fitting = ranked.filter(({ isContradicted }) => !isContradicted);
  if (fitting.length > 0) return chooseSimplest(fitting);
  return limitByFeature(search, ranked) ?? chooseMostExplaining(search, tried);
}

function createSearch(run: ObservedRun, wrong: readonly Wrong[], found: readonly Hypothesis[]): Search {
  const sortBy = (getCost: (request: HttpRequest) => number) =>
    wrong.toSorted(([left], [right]) => getCost(left.request) - getCost(right.request));
  const getQueryCost = ({ path }: HttpRequest) => (path.includes('?') ? 1e9 : 0);
  const turns = new Map(run.history.map((request, turn) => [request, turn + getQueryCost(request)]));
  return {
    run,
    found,
    bySending: sortBy((request) => turns.get(request) ?? 0),
    byLength: sortBy((request) => (request.body ?? '').length + getQueryCost(request)),
  };
}

function assume(mistake: StructuralMistake, features: readonly Feature[] = []): Hypothesis {
  return { id: createCauseId(mistake.id, features), mistake, features };
}

function scoreMistake({ run, found }: Search, mistake: StructuralMistake): MistakeScore {
  const before = run.predict(found);
  const after = run.predict([...found, assume(mistake)]);
  return {
    mistake,
    explains: ([shown, positions]) => !positions.some((position) => isWrong(shown, position, after(shown))),
    countOpen: ([shown, positions]) => positions.filter((position) => after(shown)(position) === 'open').length,
    isContradictedBy: (shown) =>
      shown.returned.some(
        (_, position) => isWrong(shown, position, after(shown)) && !isWrong(shown, position, before(shown)),
      ),
  };
}

/**
 * Lists the mistakes that explain everything, the simplest first, until enough fit. Mistakes about state are tried if
 * nothing simpler fits.
 */
function rankMistakes(search: Search, tried: readonly StructuralMistake[]): RankedMistake[] {
  const isClear = search.byLength.length >= minRequests;
  const steady = tried.filter(({ hasState }) => !hasState);
  const ranked = rankUntil(isClear ? 1 : enoughIfUnclear, search, steady);
  const isFitting = ranked.some(({ isContradicted }) => !isContradicted);
  if (isFitting || search.bySending.length < minWrongForState) return ranked;
  const stateful = tried.filter(({ hasState }) => hasState);
  return [...ranked, ...rankUntil(1, search, stateful)];
}

/** @param enough how many mistakes that nothing contradicts end the search */
function rankUntil(enough: number, search: Search, tried: readonly StructuralMistake[]): RankedMistake[] {
  const ranked: RankedMistake[] = [];
  let fitting = 0;
  for (const mistake of tried) {
    const entry = rankMistake(search, mistake);
    if (entry !== undefined) ranked.push(entry);
    if (entry?.isContradicted === false) fitting += 1;
    if (fitting === enough) return ranked;
  }
  return ranked;
}

/** Returns the score of a mistake if it explains everything. If a response contradicts it, it has to be a simple mistake. */
function rankMistake(search: Search, mistake: StructuralMistake): RankedMistake | undefined {
  const score = scoreMistake(search, mistake);
  const wrong = mistake.hasState ? search.bySending : search.byLength;
  // Few mistakes explain the first wrong response, so the others are compared for those few alone.
  if (!wrong.slice(0, 1).every(score.explains)) return undefined;
  const isContradicted = search.run.compared.some(score.isContradictedBy);
  if (isContradicted && !mistake.isSimple) return undefined;
  const isMostlyDecided = (entry: Wrong) => score.countOpen(entry) <= entry[1].length / 2;
  const isProven = () => wrong.some((entry) => isFailing(entry) && isMostlyDecided(entry));
  return wrong.every(score.explains) && isProven() ? { ...score, isContradicted } : undefined;
}

/** Chooses the simplest of the mistakes that fit; none if they break different requirements. */
function chooseSimplest([first, ...others]: readonly RankedMistake[]): Hypothesis | undefined {
  const areAlike = others.every(({ mistake }) => mistake.breaks === first?.mistake.breaks);
  return first !== undefined && areAlike ? assume(first.mistake) : undefined;
}

/** Limits a mistake to the requests with a feature that all wrong responses have and that no contradicting one has. */
function limitByFeature(
  { run, byLength, bySending }: Search,
  ranked: readonly RankedMistake[],
): Hypothesis | undefined {
  const group = bySending.map(([shown]) => shown);
  const limited = ranked.flatMap(({ mistake, isContradictedBy }) => {
    const features = listDistinguishingFeatures(group, run.compared.filter(isContradictedBy), run.world);
    return features.length > 0 ? [assume(mistake, features)] : [];
  });
  const isClear = byLength.length >= minRequests;
  return limited.length === 1 || isClear ? limited[0] : undefined;
}

/** How many of the wrong responses show whether a mistake explains any. */
const sampleSize = 16;

/** Chooses the simple mistake that explains most and that nothing contradicts: one of several that were made. */
function chooseMostExplaining(search: Search, tried: readonly StructuralMistake[]): Hypothesis | undefined {
  const { run, bySending: wrong } = search;
  const isSteady = tried.some(({ hasState }) => !hasState);
  const sample = isSteady ? takeSample(wrong) : wrong.slice(0, sampleSize);
  const isExplained = (entry: Wrong, score: MistakeScore) => score.explains(entry) && score.countOpen(entry) === 0;
  const isTried = ({ isSimple, hasState }: StructuralMistake) => isSimple && !(isSteady && hasState);
  // A sample excludes almost all mistakes, in a small part of the time.
  const promising = tried
    .filter(isTried)
    .map((mistake) => scoreMistake(search, mistake))
    .filter((score) => sample.some((entry) => isExplained(entry, score)))
    .filter((score) => !sample.some(([shown]) => score.isContradictedBy(shown)));
  const counted = promising
    .map((score) => ({ ...score, count: wrong.filter((entry) => isExplained(entry, score)).length }))
    .filter(({ count }) => count >= minRequests)
    .toSorted((left, right) => right.count - left.count);
  const best = counted.find(({ isContradictedBy }) => !run.compared.some(isContradictedBy));
  return best && assume(best.mistake);
}

/** Takes wrong responses from the whole run, at equal distances. */
function takeSample(wrong: readonly Wrong[]): readonly Wrong[] {
  const step = Math.ceil(wrong.length / sampleSize);
  return wrong.filter((_, position) => position % step === 0).slice(0, sampleSize);
}
