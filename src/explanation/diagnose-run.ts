/**
 * This room says what most likely is wrong with a deployment. The results of a run, its exchanges and the known causes go
 * in; causes come out, each with the rows that it explains. It is pure. The reporter's process runs it after the last
 * case; the worker loads `known-causes.ts` alone, to judge as if the known causes were right.
 *
 * The search: `observation.ts` reads from each exchange which tiers were returned. `prediction.ts` says what a deployment
 * with some mistakes returns for the same request, and a response that differs from the prediction is wrong.
 * `find-mistake.ts` tries each known mistake and chooses one that explains the wrong responses and that no response
 * contradicts. `explain-results.ts` repeats this until no failure is left, and reports nothing if a few mistakes do not
 * suffice. This file first takes what needs no such search (findings of the examination, an ignored body, refusals), and
 * in the end calls the cause of every other failure `unknown`.
 */

import { bodyOfTheFirstRequest } from '../../reference/faults/request.js';
import type { CaseResult } from '../run/case-result.js';
import type { ExchangeIndex } from '../run/exchange-index.js';
import type { Suite } from '../suite/suite.js';
import { groupBy } from '../support/collections.js';
import { renderReason } from '../support/reason.js';
import { type CauseFinding, changingResults, explainResults, hedge } from './explain-results.js';
import type { KnownCauses } from './known-causes.js';
import { type Compared, type Observation, type ObservedRow, observe } from './observation.js';
import { nothingReturned } from './observed-mistakes.js';
import { createPredictor, type Hypothesis, isRefusalPredicted, type ObservedRun } from './prediction.js';
import { createCauseId, listDistinguishingFeatures, renderFeatures } from './request-features.js';
import { listWrong, minRequests } from './wrong-results.js';

/** What most likely is wrong with a deployment: the facts of the run bear it out, and none contradicts it. */
export interface Cause extends Omit<CauseFinding, 'rows' | 'hypothesis'> {
  /** Empty if nothing could be judged. Another cause may have the same requirements and cases. */
  readonly requirements: readonly string[];
  readonly cases: readonly string[];
  /** Requirements that could not be judged only because of it. */
  readonly follows: readonly string[];
}

export type Diagnosis = ReturnType<typeof diagnoseRun>;

/**
 * Finds what most likely is wrong. Every failing row that the load of the test data does not explain belongs to a cause.
 * Changes no verdict.
 *
 * @param statedPatterns the places that the target file names for promotions
 */
export function diagnoseRun(
  suite: Suite,
  results: readonly CaseResult[],
  index: ExchangeIndex,
  statedPatterns?: readonly string[],
  { causes: seeds, requirements }: KnownCauses = { causes: [], requirements: [], emptyStatuses: undefined },
) {
  const observed = observe(suite, results, index, statedPatterns, requirements);
  const run = { ...observed, predict: createPredictor(observed) };
  const { rows, emptyStatuses } = run;
  const failing = new Set(rows.filter((row) => row.isFailing).map(({ requirement }) => requirement));
  const refused = run.all.filter((shown) => shown.refusedWith && !isRefusalPredicted(seeds, shown, shown.refusedWith));
  const found = rows.length === 0 ? [] : findAll(run, seeds, refused);
  const unknown = found.filter((finding) => !isKnown(finding));
  const assumed = [...seeds, ...unknown.flatMap(({ hypothesis }) => hypothesis ?? [])];
  return {
    /** The cause of most failures first; none if no requirement fails or is inconclusive. Without what is known. */
    causes: unknown.map((finding) => createCause(finding, failing)),
    excused: listExcused(run, seeds, refused, unknown),
    gone: seeds.filter((cause) => isGone(cause, assumed, run)).map(({ id }) => id),
    /** If requests are refused for no known reason: the other statuses that an empty result has. */
    ...(refused.length > 0 ? { emptyStatuses } : {}),
  };
}

/** Whether a finding explains failures, and all of them are known. */
function isKnown({ rows }: CauseFinding): boolean {
  const failures = [...rows].filter((row) => row.isFailing);
  return failures.length > 0 && failures.every((row) => row.isKnown);
}

/**
 * Lists the inconclusive cases that a known failure may explain. An entry without a cause does not say what is wrong, so
 * any wrong response may be wrong for its reason.
 */
function listExcused(
  { rows, compared, predict }: ObservedRun,
  seeds: readonly Hypothesis[],
  refused: readonly Observation[],
  unknown: readonly CauseFinding[],
): string[] {
  if (!rows.some((row) => row.isKnown)) return [];
  const blamed = new Set(unknown.flatMap((finding) => [...finding.rows]));
  const wrong = [...refused, ...listWrong(compared, predict(seeds)).map(([shown]) => shown)];
  const excused = wrong.flatMap((shown) => [...shown.rows].filter((row) => !row.isFailing && !blamed.has(row)));
  return [...new Set(excused.map((row) => row.case))];
}

/** What the examination of the target found comes first, and what follows from it is not explained again. */
function findAll(run: ObservedRun, seeds: readonly Hypothesis[], refused: readonly Observation[]): CauseFinding[] {
  const examined = findExamined(run);
  const isExplained = (row: ObservedRow) => examined.some(({ rows }) => rows.has(row));
  if (examined.length > 0 && run.rows.every(isExplained)) return examined;
  return [...examined, ...findInResults(run, seeds, refused).filter(({ rows }) => ![...rows].every(isExplained))];
}

/** The codes of what the examination finds out before the cases. */
const examinedCodes: readonly string[] = [
  'web-pages',
  'alike',
  'alike-over-https',
  'body-refused',
  'part-refused',
  'empty-part-refused',
  'part-perhaps-unknown',
  'part-perhaps-refused',
];

/** Lists the refusals that the examination found. They explain what else fails in the same requirement. */
function findExamined({ rows }: ObservedRun): CauseFinding[] {
  const shown = rows.filter(({ reason }) => examinedCodes.includes(reason?.code ?? ''));
  return [...groupBy(shown, ({ reason }) => renderReason(reason))].map(([sentence, alike]) => {
    const broken = alike.filter((row) => row.isFailing).map(({ requirement }) => requirement);
    const explained = rows.filter((row) => alike.includes(row) || broken.includes(row.requirement));
    return { id: alike[0].reason?.code ?? '', sentence, evidence: [], rows: new Set(explained) };
  });
}

/** Finds causes in the responses. A cause that explains everything is the only one. */
function findInResults(
  run: ObservedRun,
  seeds: readonly Hypothesis[],
  refused: readonly Observation[],
): CauseFinding[] {
  const isReadable = isMostlyReadable(run);
  const whole = isReadable ? (findNothingReturned(run) ?? findIgnoredBody(run)) : undefined;
  if (whole !== undefined) return [whole];
  const explained = isReadable ? explainResults(run, seeds) : [];
  const empty = listEmptied(run, refused, [...seeds, ...explained.flatMap(({ hypothesis }) => hypothesis ?? [])]);
  for (const row of empty.flatMap(({ rows }) => [...rows])) explained[0]?.rows.add(row);
  const others = refused.filter((shown) => !empty.includes(shown));
  const found = sortByFailures([...findRefusals(others, run), ...explained].filter(({ rows }) => rows.size > 0));
  return [...found, ...assignUnexplained(run, found)];
}

/**
 * Lists the refusals that are empty results: the assumed mistakes may leave nothing to return, and an empty result has their
 * status. With a filter, a mistake about the window may do so in one of two readings: then tiers are open.
 */
function listEmptied(
  { predict, emptyStatuses }: ObservedRun,
  refused: readonly Observation[],
  assumed: readonly Hypothesis[],
): Observation[] {
  const predictAssumed = predict(assumed);
  return refused.filter((shown) => {
    const prediction = predictAssumed(shown);
    const mayBeEmpty = emptyStatuses.includes(shown.refusedWith ?? 0);
    return mayBeEmpty && shown.documented.every((_, position) => prediction(position) !== 'required');
  });
}

/** Sorts by the number of failing rows, then by that of all rows. */
function sortByFailures(findings: readonly CauseFinding[]): CauseFinding[] {
  const countFailing = ({ rows }: CauseFinding) => [...rows].filter((row) => row.isFailing).length;
  return findings.toSorted(
    (left, right) => countFailing(right) - countFailing(left) || right.rows.size - left.rows.size,
  );
}

/** Adds the failures that nothing explains to results that change, or else returns an unknown cause for each requirement. */
function assignUnexplained(run: ObservedRun, found: readonly CauseFinding[]): CauseFinding[] {
  // If the load of the test data explains a failure, the report says so before all causes.
  const needsCause = ({ isFailing, reason }: ObservedRow) => isFailing && reason?.code !== 'load-explains';
  const unexplained = run.rows.filter((row) => needsCause(row) && found.every(({ rows }) => !rows.has(row)));
  const changing = found.find(({ id }) => id === changingResults);
  if (changing !== undefined) {
    for (const row of unexplained) changing.rows.add(row);
    return [];
  }
  return [...groupBy(unexplained, ({ requirement }) => requirement)].map(([requirement, rows]) => ({
    id: 'unknown',
    sentence: `Cases of ${requirement} fail. No single mistake that the suite knows explains it.`,
    evidence: [renderReason(rows[0].reason)],
    rows: new Set(rows),
  }));
}

/** Whether the results of most responses are clear. What a few of them show may be the opposite of what all would show. */
function isMostlyReadable({ all, compared }: ObservedRun): boolean {
  return all.filter(({ isUnclear }) => isUnclear).length <= compared.length;
}

/** Finds out whether nothing was ever returned, while no row fails: then it is not certain that the test data is loaded. */
function findNothingReturned({ all, compared, rows }: ObservedRun): CauseFinding | undefined {
  const isReturned = compared.some(({ returned }) => returned.some(Boolean)) || all.some(({ isUnclear }) => isUnclear);
  if (isReturned || compared.length < minRequests || rows.some((row) => row.isFailing)) return undefined;
  const evidence = [`${compared.length} responses name no promotion of the test data.`];
  return { id: 'nothing-returned', sentence: nothingReturned, evidence, rows: new Set(rows) };
}

/** Finds a cache whose key is the URL alone. It is not known which request fills it. */
function findIgnoredBody({ compared, predict, tiers, rows }: ObservedRun): CauseFinding | undefined {
  // A deployment that names all promotions and marks the valid ones is no cache.
  if (rows.some(({ reason }) => reason?.code === 'named-or-returned')) return undefined;
  const ofUrl = takeLargestGroup(compared, ({ request }) => request.path);
  const equal = takeLargestGroup(ofUrl, ({ returned }) => JSON.stringify(returned));
  const returned = equal[0]?.returned ?? [];
  const bodies = new Set(equal.map(({ request }) => request.body)).size;
  // Requests at the same time are answered before a cache is filled.
  if (bodies < minRequests || equal.length < 0.8 * ofUrl.length) return undefined;
  // Promotions without rules are valid for requests without a body, too. Where everything is returned, nothing is cached.
  const hasRules = tiers.some(({ rules }, position) => returned[position] && rules.length > 0);
  const isAnyRight = listWrong(equal, predict([])).length < equal.length;
  if (!hasRules || returned.every(Boolean) || !isAnyRight) return undefined;
  const { id, sentence } = bodyOfTheFirstRequest;
  const evidence = `${equal.length} of ${ofUrl.length} requests to one URL have the same result, with ${bodies} bodies.`;
  return { id, sentence, evidence: [evidence], rows: new Set(rows) };
}

function takeLargestGroup(shown: readonly Compared[], getKey: (shown: Compared) => string): readonly Compared[] {
  const groups = [...groupBy(shown, getKey).values()];
  return groups.toSorted((left, right) => right.length - left.length)[0] ?? [];
}

/** Finds which requests are refused, status by status, and what they have in common. */
function findRefusals(refused: readonly Observation[], { all, world }: ObservedRun): CauseFinding[] {
  const accepted = all.filter(({ isDocumented, isAccepted }) => isDocumented && isAccepted);
  const isEach = accepted.length === 0;
  return [...groupBy(refused, ({ refusedWith = 0 }) => refusedWith)].map(([status, group]): CauseFinding => {
    const features = listDistinguishingFeatures(group, accepted, world);
    const some =
      features.length === 0 ? 'some documented requests' : `every documented request ${renderFeatures(features)}`;
    return {
      id: isEach ? `every-status/${status}` : createCauseId(`refused/${status}`, features),
      sentence: hedge(`The deployment answers ${status} to ${isEach ? 'every request' : some}.`, group.length),
      evidence: [`${group.length} requests got ${status}, and ${accepted.length} were accepted.`],
      rows: new Set(group.flatMap(({ rows }) => [...rows])),
    };
  });
}

/** Whether the responses do not show a known cause: it explains no more of them than contradict it. */
function isGone(cause: Hypothesis, assumed: readonly Hypothesis[], { all, compared, predict }: ObservedRun): boolean {
  if (cause.mistake === undefined) return !all.some((shown) => isRefusalPredicted([cause], shown, shown.refusedWith));
  const before = predict(assumed.filter(({ mistake }) => mistake !== cause.mistake));
  const after = predict(assumed);
  const contradicting = new Set(listWrong(compared, after, before).map(([shown]) => shown));
  const explained = listWrong(compared, before, after).filter(([shown]) => !contradicting.has(shown));
  return explained.length <= contradicting.size;
}

function createCause({ hypothesis: _, rows, ...finding }: CauseFinding, failing: ReadonlySet<string>): Cause {
  const requirements = [...new Set([...rows].map(({ requirement }) => requirement))];
  const listed = [...rows].filter(({ requirement }) => failing.has(requirement));
  return {
    ...finding,
    requirements: requirements.filter((id) => failing.has(id)),
    cases: [...new Set(listed.map((row) => row.case))],
    follows: requirements.filter((id) => !failing.has(id)),
  };
}
