import { listKnownMistakes } from '../../../reference/model.js';
import type { Suite } from '../../cases/suite.js';
import type { ResultWithExchanges } from '../../run/case-result.js';
import { groupBy } from '../../support/group-by.js';
import type { ExchangeIndex } from '../exchange-index.js';
import type { Cause } from './cause.js';
import { describeChanging, listChanging } from './changing-results.js';
import { findCachedUrl, findDeploymentCause } from './deployment-cause.js';
import { describeMistakes, findMistakes, type MistakeLists } from './explain-results.js';
import { describeUnexplained, type Finding, findFilteredWindow } from './finding.js';
import { type Observations, observe, type Row } from './observation.js';
import { createPredictor } from './prediction.js';
import { findRefusals } from './refusals.js';
import { listSizeMistakes } from './window-mistakes.js';

/**
 * Finds what most likely is wrong with a deployment, the cause of most failures first. Every failing row belongs to a
 * cause. Changes no verdict. Pure.
 *
 * @param statedPatterns the patterns under which, by the target file, returned tiers are named
 * @returns nothing if no requirement fails or is inconclusive
 */
export function diagnoseRun(
  suite: Suite,
  results: readonly ResultWithExchanges[],
  index: ExchangeIndex,
  statedPatterns?: readonly string[],
): Cause[] {
  const observations = observe(suite, results, index, statedPatterns);
  const { rows } = observations;
  if (rows.length === 0) return [];
  const whole = findDeploymentCause(observations, index) ?? findCachedUrl(observations);
  if (whole !== undefined) return [createCause(whole, rows, rows)];
  const failing = rows.filter(({ isFailing }) => isFailing);
  const { causes, changing } = findKnownCauses(observations);
  const listUnowned = (findings: readonly Finding[]) => failing.filter((row) => findOwner(findings, row) === undefined);
  const found = [...causes, ...changing];
  const filtered = changing.length > 0 ? undefined : findFilteredWindow(listUnowned(found), observations);
  const known = filtered === undefined ? found : [...found, filtered];
  const unknown = changing.length > 0 ? [] : listUnowned(known);
  const unexplained = [...groupBy(unknown, ({ requirement }) => requirement)].map(([requirement, group]) =>
    describeUnexplained(requirement, group, observations),
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
  return ranked
    .filter(({ concerned }) => concerned.length > 0)
    .toSorted((left, right) => compareRanks(right.rank, left.rank))
    .map(({ finding, concerned }) => createCause(finding, concerned, rows));
}

function compareRanks(left: readonly number[], right: readonly number[]): number {
  return left.map((number, n) => number - (right[n] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/**
 * Finds causes of some of the requests. State that is kept between requests also explains why equal requests have different
 * results. Where nothing explains that, these results say nothing about other mistakes.
 */
function findKnownCauses(observations: Observations): Readonly<Record<'causes' | 'changing', readonly Finding[]>> {
  const predictor = createPredictor(observations);
  const changing = listChanging(observations);
  const isChanging = changing.length > 0;
  const mistakes = listKnownMistakes();
  const ofState = mistakes.filter(({ hasState }) => hasState);
  const others = mistakes.filter(({ hasState }) => !hasState);
  const search = (searched: Observations, tried: MistakeLists): Finding[] =>
    describeMistakes(findMistakes(searched, predictor, tried), searched, predictor);
  const stateful = isChanging ? search(observations, { simple: [], others: [], ofState, isChanging }) : [];
  if (stateful.length > 0) return { causes: [...findRefusals(observations.all), ...stateful], changing: [] };
  const steady = observations.all.filter((observation) => !changing.includes(observation));
  const searched = isChanging ? { ...observations, all: steady } : observations;
  const found = search(searched, {
    simple: [...listSizeMistakes(searched), ...others.filter(({ isSimple }) => isSimple)],
    others: others.filter(({ isSimple }) => !isSimple),
    ofState: isChanging ? [] : ofState,
    isChanging,
  });
  return {
    causes: [...findRefusals(searched.all), ...found],
    changing: isChanging ? [describeChanging(changing, observations)] : [],
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
