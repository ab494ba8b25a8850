import type { Suite } from '../../cases/suite.js';
import { isSuccessful } from '../../http/response-status.js';
import type { CaseResult } from '../../run/case-result.js';
import { groupBy } from '../../support/group-by.js';
import type { ExchangeIndex } from '../exchange-index.js';
import { type Cause, type Finding, hedge } from './cause.js';
import { changingResults, explainResults, findIgnoredBody, findNothingReturned, listWrong } from './explain-results.js';
import { isKnownRefusal, type KnownCause, type KnownCauses, listHypotheses } from './known-causes.js';
import { type Observation, type Observations, observe, type Row } from './observation.js';
import { createPredictor, type Hypothesis, type ObservedRun } from './prediction.js';
import { createCauseId, findCommonFeatures, isConcerned, renderFeatures } from './request-features.js';

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

/** Finds what most likely is wrong. Every failing row belongs to a cause. Changes no verdict. Pure. */
export function diagnoseRun(
  suite: Suite,
  results: readonly CaseResult[],
  index: ExchangeIndex,
  statedPatterns?: readonly string[],
  known: KnownCauses = { causes: [], requirements: [] },
): Diagnosis {
  const observed = observe(suite, results, index, statedPatterns, known.requirements);
  const run = { ...observed, predict: createPredictor(observed) };
  const { rows, all, emptyStatuses } = run;
  const seeds = listHypotheses(known.causes);
  const refused = all
    .filter(({ refusedWith }) => refusedWith !== undefined)
    .filter((shown) => !isKnownRefusal(known.causes, shown));
  const unknown = (rows.length === 0 ? [] : findAll(run, seeds, refused)).filter((finding) => {
    const failing = [...finding.rows].filter((row) => row.isFailing);
    return failing.length === 0 || failing.some((row) => !row.isKnown);
  });
  const assumed = [...seeds, ...unknown.flatMap(({ hypothesis }) => hypothesis ?? [])];
  const blamed = new Set(unknown.flatMap((finding) => [...finding.rows]));
  // Nothing says what is wrong. A wrong response may be wrong for that reason.
  const wrong = rows.some((row) => row.isKnown)
    ? [...refused, ...listWrong(run.compared, run.predict(seeds)).map(([shown]) => shown)]
    : [];
  const excused = wrong.flatMap((shown) => [...shown.rows].filter((row) => !row.isFailing && !blamed.has(row)));
  return {
    causes: unknown.map((finding) => createCause(finding, rows)),
    excused: distinct(excused.map((row) => row.case)),
    gone: known.causes.filter((cause) => isGone(cause, assumed, run)).map(({ id }) => id),
    ...(refused.length > 0 ? { emptyStatuses } : {}),
  };
}

function findAll(run: ObservedRun, seeds: readonly Hypothesis[], refused: readonly Observation[]): Finding[] {
  const whole = findNothingReturned(run) ?? findIgnoredBody(run);
  if (whole !== undefined) return [whole];
  const countFailing = ({ rows }: Finding) => [...rows].filter((row) => row.isFailing).length;
  const found = [...findRefusals(refused, run), ...explainResults(run, seeds)]
    .filter(({ rows }) => rows.size > 0)
    .toSorted((left, right) => countFailing(right) - countFailing(left) || right.rows.size - left.rows.size);
  const unexplained = run.rows.filter((row) => row.isFailing && found.every(({ rows }) => !rows.has(row)));
  const changing = found.find(({ id }) => id === changingResults);
  if (changing !== undefined) for (const row of unexplained) changing.rows.add(row);
  const unknown = groupBy(changing === undefined ? unexplained : [], ({ requirement }) => requirement);
  return [
    ...found,
    ...[...unknown].map(([requirement, rows]) => ({
      id: 'unknown',
      sentence: `Cases of ${requirement} fail. No single mistake that the suite knows explains it.`,
      evidence: [rows[0].reason],
      rows: new Set(rows),
    })),
  ];
}

function findRefusals(refused: readonly Observation[], { all, world }: Observations): Finding[] {
  const accepted = all.filter(
    ({ exchange, isDocumented }) => isDocumented && 'response' in exchange && isSuccessful(exchange.response),
  );
  return [...groupBy(refused, ({ refusedWith = 0 }) => refusedWith)].map(([status, group]): Finding => {
    const features = findCommonFeatures(group, accepted, world);
    const isEach = accepted.length === 0;
    const some =
      features.length === 0 ? 'some documented requests' : `every documented request ${renderFeatures(features)}`;
    const sentence = `The deployment answers ${status} to ${isEach ? 'every request' : some}.`;
    const unknown = 'The suite knows nothing that only the refused ones have in common.';
    const counts = `${group.length} requests got ${status}, and ${accepted.length} were accepted.`;
    return {
      id: isEach ? `every-status/${status}` : createCauseId(`refused/${status}`, features),
      sentence: hedge(sentence, group.length),
      evidence: isEach || features.length > 0 ? [counts] : [counts, unknown],
      rows: new Set(group.flatMap(({ rows }) => [...rows])),
    };
  });
}

/** Whether the responses do not show a known cause: it explains no more of them than contradict it. */
function isGone(
  { mistake, features, refusedWith }: KnownCause,
  assumed: readonly Hypothesis[],
  run: ObservedRun,
): boolean {
  if (mistake === undefined)
    return !run.all.some((shown) => shown.refusedWith === refusedWith && isConcerned(shown, features));
  const before = run.predict(assumed.filter((hypothesis) => hypothesis.mistake !== mistake));
  const after = run.predict(assumed);
  const contradicting = new Set(listWrong(run.compared, after, before).map(([shown]) => shown));
  const explained = listWrong(run.compared, before, after).filter(([shown]) => !contradicting.has(shown));
  return explained.length <= contradicting.size;
}

function createCause({ rows, hypothesis: _, ...finding }: Finding, all: readonly Row[]): Cause {
  const failing = new Set(all.filter((row) => row.isFailing).map(({ requirement }) => requirement));
  const listed = [...rows].filter(({ requirement }) => failing.has(requirement));
  const others = [...rows].filter(({ requirement }) => !failing.has(requirement));
  return {
    ...finding,
    requirements: distinct(listed.map(({ requirement }) => requirement)),
    cases: distinct(listed.map((row) => row.case)),
    follows: distinct(others.map(({ requirement }) => requirement)),
  };
}

function distinct(list: readonly string[]): string[] {
  return [...new Set(list)];
}
