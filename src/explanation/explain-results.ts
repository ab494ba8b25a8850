/** Explains wrong results: which mistakes of the reference deployment give the results of the run. */

import { knownMistakes, type StructuralMistake } from '../../reference/model.js';
import { groupBy, renderShortList } from '../support/collections.js';
import { findMistake } from './find-mistake.js';
import type { Compared, ObservedRow } from './observation.js';
import { listSizeMistakes } from './observed-mistakes.js';
import type { Hypothesis, ObservedRun } from './prediction.js';
import { renderFeatures } from './request-features.js';
import { isFailing, listWrong, minRequests } from './wrong-results.js';

/** A part of what is wrong with a deployment, and the rows that it explains. */
export interface CauseFinding {
  /** Stable, with the size that it has, such as `window-size/100`; `unknown` if no known mistake explains the failures. */
  readonly id: string;
  readonly sentence: string;
  /** The facts that show it, in numbers, a sentence each. */
  readonly evidence: readonly string[];
  readonly rows: Set<ObservedRow>;
  /** What was assumed, if the reference deployment can answer with it. */
  readonly hypothesis?: Hypothesis;
}

/** Marks a sentence as possible alone if few requests show it. */
export function hedge(sentence: string, requests: number): string {
  return requests < minRequests ? `Possibly: ${sentence}` : sentence;
}

const maxMistakes = 4;
/** The id of the finding that equal requests have different results. */
export const changingResults = 'changing-results';

const statefulMistakes = knownMistakes.filter(({ hasState }) => hasState);
const steadyMistakes = knownMistakes.filter(({ hasState }) => !hasState);

/** Explains the results of a run by as few mistakes as possible. @param seeds what is known, and not explained again */
export function explainResults(run: ObservedRun, seeds: readonly Hypothesis[]): CauseFinding[] {
  const groups = groupBy(run.compared, ({ key }) => key).values();
  const repeated = [...groups].filter((group) => group.length > 1);
  // A single request whose results differ may be an accident.
  if (repeated.length < minRequests) {
    return findMistakes(run, seeds, [...listSizeMistakes(run), ...steadyMistakes, ...statefulMistakes]);
  }
  // State that is kept between requests also explains why equal requests have different results.
  const stateful = findMistakes(run, seeds, statefulMistakes);
  if (stateful.length > 0) return stateful;
  const changing = repeated.flat();
  const unchanging = { ...run, compared: run.compared.filter((shown) => !changing.includes(shown)) };
  return [
    ...findMistakes(unchanging, seeds, [...listSizeMistakes(unchanging), ...steadyMistakes]),
    describeChanging(changing, repeated.length),
  ];
}

function describeChanging(changing: readonly Compared[], requests: number): CauseFinding {
  return {
    id: changingResults,
    sentence:
      'Equal requests have different results. One of several servers behind the address may have other data or another version, or data of another request is used.',
    evidence: [`${requests} requests that were sent more than once had different results.`],
    rows: new Set(changing.flatMap(({ rows }) => [...rows])),
  };
}

/** Adds mistakes until they explain every failure; none if a few mistakes do not. */
function findMistakes(
  run: ObservedRun,
  seeds: readonly Hypothesis[],
  tried: readonly StructuralMistake[],
): CauseFinding[] {
  const found: Hypothesis[] = [];
  const listWrongNow = () => listWrong(run.compared, run.predict([...seeds, ...found]));
  let wrong = listWrongNow();
  while (wrong.some(isFailing)) {
    const next = found.length < maxMistakes ? findMistake(run, wrong, [...seeds, ...found], tried) : undefined;
    // A part of an explanation may be wrong, so a part alone is not reported.
    if (next === undefined) return [];
    found.push(next);
    wrong = listWrongNow();
  }
  return found.map((hypothesis) => describeMistake(hypothesis, [...seeds, ...found], run));
}

function describeMistake(
  hypothesis: Hypothesis,
  found: readonly Hypothesis[],
  { compared, predict, tiers }: ObservedRun,
): CauseFinding {
  const { id, features, mistake } = hypothesis;
  const explained = listWrong(compared, predict(found.filter((known) => known !== hypothesis)), predict(found));
  const count = `Requests that show it: ${explained.length}`;
  const limit = features.length === 0 ? '' : `Only for requests ${renderFeatures(features)}: `;
  const wrong = new Set(explained.flatMap(([, positions]) => positions));
  const names = tiers.filter((_, n) => wrong.has(n)).map(({ name }) => `'${name}'`);
  return {
    id,
    // If several features fit, perhaps none of them is the right one.
    sentence: hedge(`${limit}${mistake?.sentence}`, features.length > 1 ? 0 : explained.length),
    evidence: [`${count}. Wrong: ${renderShortList(names)}. No response contradicts it.`],
    rows: new Set(explained.flatMap(([{ rows }]) => [...rows])),
    hypothesis,
  };
}
