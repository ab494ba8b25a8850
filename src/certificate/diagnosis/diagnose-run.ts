import { listKnownMistakes } from '../../../reference/model.js';
import type { Suite } from '../../cases/suite.js';
import type { ResultWithExchanges } from '../../run/case-result.js';
import { groupBy } from '../../support/group-by.js';
import type { ExchangeIndex } from '../exchange-index.js';
import type { Cause } from './cause.js';
import { describeChanging, listChanging } from './changing-results.js';
import { findCachedUrl, findDeploymentCause } from './deployment-cause.js';
import {
  describeMistake,
  findExplained,
  findMistakes,
  type Hypothesis,
  isRefuted,
  type MistakeLists,
  predictWith,
} from './explain-results.js';
import { describeUnexplained, type Finding, findDeviations, minRequests } from './finding.js';
import { isConcerned, type KnownCause, type KnownCauses } from './known-causes.js';
import { type Observation, type Observations, observe, type Row } from './observation.js';
import { createPredictor, type Predictor } from './prediction.js';
import { findRefusals } from './refusals.js';
import { listSizeMistakes } from './window-mistakes.js';

/** What most likely is wrong with a deployment. */
export interface Diagnosis {
  /** The cause of most failures first; none if no requirement fails or is inconclusive. Without what is known. */
  readonly causes: readonly Cause[];
  /** The ids of cases that cannot be judged because of what is known. */
  readonly excused: readonly string[];
  /** The ids of known causes that do not explain the responses. */
  readonly gone: readonly string[];
  /** If requests are refused for no known reason: the other statuses that an empty result has. */
  readonly emptyStatuses?: readonly number[];
}

const nothingKnown: KnownCauses = { causes: [], requirements: [] };

/**
 * Finds what most likely is wrong with a deployment. Every failing row belongs to a cause. Changes no verdict. Pure.
 *
 * @param statedPatterns the patterns under which, by the target file, returned tiers are named
 * @param known what is known to be wrong
 */
export function diagnoseRun(
  suite: Suite,
  results: readonly ResultWithExchanges[],
  index: ExchangeIndex,
  statedPatterns?: readonly string[],
  known = nothingKnown,
): Diagnosis {
  const observations = observe(suite, results, index, statedPatterns, known.requirements);
  const { rows } = observations;
  const whole =
    rows.length === 0 ? undefined : (findDeploymentCause(observations, index) ?? findCachedUrl(observations));
  if (whole !== undefined) return { causes: [createCause(whole, rows, rows)], excused: [], gone: [] };
  const predictor = createPredictor(observations);
  const seeds = listHypotheses(known.causes);
  const { ranked, explaining } = rankFindings(observations, predictor, known, seeds);
  const isKnown = ({ concerned }: (typeof ranked)[number]) => {
    const failing = concerned.filter(({ isFailing }) => isFailing);
    return failing.length > 0 && failing.every((row) => row.isKnown);
  };
  const isRefused = observations.all.some((shown) => shown.refusedWith !== undefined && !isKnownRefusal(shown, known));
  const unknown = ranked.filter((found) => !isKnown(found));
  const blamed = new Set(unknown.flatMap(({ concerned }) => concerned));
  const isNewFailing = rows.some((row) => row.isFailing && !row.isKnown);
  const following = new Set(ranked.flatMap(({ concerned }) => concerned));
  if (!isNewFailing && rows.some((row) => row.isKnown)) {
    // Nothing says what is wrong. A wrong response may be wrong for that reason.
    const expected = predictWith(seeds, predictor);
    for (const [shown] of findDeviations(observations.all, observations, expected))
      for (const row of shown.rows) following.add(row);
  }
  const excused = [...following].filter((row) => !row.isFailing && !blamed.has(row));
  return {
    causes: unknown.map(({ finding, concerned }) => createCause(finding, concerned, rows)),
    excused: distinct(excused.map((row) => row.case)),
    gone: listGone(observations, predictor, known, seeds, explaining),
    ...(isRefused ? { emptyStatuses: observations.emptyStatuses } : {}),
  };
}

function isKnownRefusal(shown: Observation, { causes }: KnownCauses): boolean {
  // Features take long to find, so only where they matter.
  if (shown.refusedWith === undefined) return false;
  return causes.some((cause) => cause.refusedWith === shown.refusedWith && isConcerned(cause, shown.features));
}

/**
 * Lists the ids of known causes that the responses do not show: it explains no wrong response, or several contradict it, and
 * nothing else is wrong, or something that explains all.
 *
 * @param seeds what is known to be wrong
 * @param explaining what explains all failures. Without it, something unknown may be the reason of a contradiction.
 */
function listGone(
  observations: Observations,
  predictor: Predictor,
  { causes }: KnownCauses,
  seeds: readonly Hypothesis[],
  explaining: readonly Hypothesis[] | undefined,
): string[] {
  return causes.flatMap(({ id, features, refusedWith }) => {
    const hypothesis = seeds.find(({ mistake }) => mistake.id === id);
    if (hypothesis === undefined) {
      const isSeen = observations.all.some(
        (shown) => shown.refusedWith === refusedWith && isConcerned({ features }, shown.features),
      );
      return isSeen ? [] : [id];
    }
    const explainsNothing = (found: readonly Hypothesis[]) =>
      findExplained(hypothesis, found, observations, predictor).size === 0;
    const isReplaced = explaining?.length === seeds.length || (explaining !== undefined && explainsNothing(explaining));
    const isContradicted = () => isRefuted(hypothesis, seeds, observations, predictor, minRequests);
    return explainsNothing(seeds) || (isReplaced && isContradicted()) ? [id] : [];
  });
}

/** Finds what explains the rows, and ranks it: the explanation of most failures first. */
function rankFindings(
  observations: Observations,
  predictor: Predictor,
  knownCauses: KnownCauses,
  seeds: readonly Hypothesis[],
) {
  const { rows } = observations;
  if (rows.length === 0) return { ranked: [], explaining: seeds };
  const failing = rows.filter(({ isFailing }) => isFailing);
  const isUnknown = (shown: Observation) => !isKnownRefusal(shown, knownCauses);
  const unknownRefusals = { ...observations, all: observations.all.filter(isUnknown) };
  const { causes, changing, explaining } = findKnownCauses(unknownRefusals, predictor, seeds);
  const known = [...causes, ...changing];
  const unknown = changing.length > 0 ? [] : failing.filter((row) => findOwner(known, row) === undefined);
  const unexplained = [...groupBy(unknown, ({ requirement }) => requirement)].map(([requirement, group]) =>
    describeUnexplained(requirement, group, observations, predictWith(seeds, predictor)),
  );
  const findings = [...known, ...unexplained];
  const owned = groupBy(failing, (row) => findOwner(findings, row) ?? changing[0]);
  const ranked = findings.map((finding) => {
    const ownRows: readonly Row[] = owned.get(finding) ?? [];
    // Several mistakes may show in one row.
    const concerned = rows.filter(
      (row) => ownRows.includes(row) || (row.isFailing ? sizeOf(finding, row) > 0 : finding.symptoms.has(row)),
    );
    const following = concerned.filter(({ isFailing }) => !isFailing).length;
    // What can be named comes first.
    return { finding, concerned, rank: [unexplained.includes(finding) ? 0 : 1, ownRows.length, following] };
  });
  const shown = ranked.filter(({ concerned }) => concerned.length > 0);
  return { ranked: shown.toSorted((left, right) => compareRanks(right.rank, left.rank)), explaining };
}

function listHypotheses(causes: readonly KnownCause[]): Hypothesis[] {
  return causes.flatMap(({ mistake, features }) => (mistake === undefined ? [] : [{ mistake, features }]));
}

function compareRanks(left: readonly number[], right: readonly number[]): number {
  return left.map((number, n) => number - (right[n] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/**
 * Finds causes of some of the requests. State that is kept between requests also explains why equal requests have different
 * results. Where nothing explains that, these results say nothing about other mistakes.
 */
function findKnownCauses(
  observations: Observations,
  predictor: Predictor,
  seeds: readonly Hypothesis[],
): Readonly<Record<'causes' | 'changing', readonly Finding[]>> & { readonly explaining?: readonly Hypothesis[] } {
  const changing = listChanging(observations);
  const isChanging = changing.length > 0;
  const mistakes = listKnownMistakes();
  const ofState = mistakes.filter(({ hasState }) => hasState);
  const others = mistakes.filter(({ hasState }) => !hasState);
  const search = (searched: Observations, tried: MistakeLists) => {
    const { found, isWhole } = findMistakes(searched, predictor, tried, seeds);
    const added = found.filter((hypothesis) => !seeds.includes(hypothesis));
    const findings = added.map((hypothesis) => describeMistake(hypothesis, found, searched, predictor));
    return { findings, explaining: isWhole && found };
  };
  const stateful = isChanging ? search(observations, { simple: [], others: [], ofState, isChanging }).findings : [];
  if (stateful.length > 0) return { causes: [...findRefusals(observations.all), ...stateful], changing: [] };
  const steady = observations.all.filter((observation) => !changing.includes(observation));
  const searched = isChanging ? { ...observations, all: steady } : observations;
  const { findings, explaining } = search(searched, {
    simple: [...listSizeMistakes(searched), ...others.filter(({ isSimple }) => isSimple)],
    others: others.filter(({ isSimple }) => !isSimple),
    ofState: isChanging ? [] : ofState,
    isChanging,
  });
  return {
    causes: [...findRefusals(searched.all), ...findings],
    changing: isChanging ? [describeChanging(changing, observations)] : [],
    ...(explaining && !isChanging ? { explaining } : {}),
  };
}

/** @param concerned the rows that show it @param all rows of the run */
function createCause(finding: Finding, concerned: readonly Row[], all: readonly Row[]): Cause {
  const { id, sentence, evidence, symptoms } = finding;
  const sizes = (row: Row) => [Number(row.isFailing), sizeOf(finding, row)];
  const [example] = concerned.toSorted((left, right) => compareRanks(sizes(right), sizes(left))) as [Row];
  const failing = new Set(all.flatMap(({ isFailing, requirement }) => (isFailing ? [requirement] : [])));
  const listed = concerned.filter(({ requirement }) => failing.has(requirement));
  return {
    id,
    sentence,
    evidence,
    example: {
      requirement: example.requirement,
      case: example.case,
      ...(example.title === '' ? {} : { row: example.title }),
      shows: symptoms.get(example)?.words ?? '',
    },
    requirements: distinct(listed.map(({ requirement }) => requirement)),
    cases: distinct(listed.map((row) => row.case)),
    follows: distinct(concerned.map(({ requirement }) => requirement).filter((id) => !failing.has(id))),
  };
}

function distinct(list: readonly string[]): string[] {
  return [...new Set(list)];
}

function sizeOf({ symptoms }: Finding, row: Row): number {
  return symptoms.get(row)?.size ?? -1;
}

/** Finds the finding that explains most of a row. */
function findOwner(findings: readonly Finding[], row: Row): Finding | undefined {
  const showing = findings.filter(({ symptoms }) => symptoms.has(row));
  return showing.toSorted((left, right) => sizeOf(right, row) - sizeOf(left, row))[0];
}
