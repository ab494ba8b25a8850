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
import { createPredictor, type Hypothesis, isRefusal, type ObservedRun } from './prediction.js';
import { createCauseId, listCommonFeatures, renderFeatures } from './request-features.js';
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

/** Finds what most likely is wrong. Every failing row that the load of the test data does not explain belongs to a cause. Changes no verdict. Pure. */
export function diagnoseRun(
  suite: Suite,
  results: readonly CaseResult[],
  index: ExchangeIndex,
  statedPatterns?: readonly string[],
  { causes: seeds, requirements }: KnownCauses = { causes: [], requirements: [] },
) {
  const observed = observe(suite, results, index, statedPatterns, requirements);
  const run = { ...observed, predict: createPredictor(observed) };
  const { rows, compared, emptyStatuses } = run;
  const failing = new Set(rows.filter((row) => row.isFailing).map(({ requirement }) => requirement));
  const refused = run.all.filter((shown) => shown.refusedWith && !isRefusal(seeds, shown, shown.refusedWith));
  const found = rows.length === 0 ? [] : findAll(run, seeds, refused);
  const unknown = found.filter((finding) => {
    const failures = [...finding.rows].filter((row) => row.isFailing);
    return failures.length === 0 || failures.some((row) => !row.isKnown);
  });
  const assumed = [...seeds, ...unknown.flatMap(({ hypothesis }) => hypothesis ?? [])];
  const blamed = new Set(unknown.flatMap((finding) => [...finding.rows]));
  // Nothing says what is wrong. A wrong response may be wrong for that reason.
  const wrong = rows.some((row) => row.isKnown)
    ? [...refused, ...listWrong(compared, run.predict(seeds)).map(([shown]) => shown)]
    : [];
  const excused = wrong.flatMap((shown) => [...shown.rows].filter((row) => !row.isFailing && !blamed.has(row)));
  return {
    /** The cause of most failures first; none if no requirement fails or is inconclusive. Without what is known. */
    causes: unknown.map((finding) => createCause(finding, failing)),
    excused: [...new Set(excused.map((row) => row.case))],
    gone: seeds.filter((cause) => isGone(cause, assumed, run)).map(({ id }) => id),
    /** If requests are refused for no known reason: the other statuses that an empty result has. */
    ...(refused.length > 0 ? { emptyStatuses } : {}),
  };
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

function findInResults(
  run: ObservedRun,
  seeds: readonly Hypothesis[],
  refused: readonly Observation[],
): CauseFinding[] {
  const isReadable = isMostlyReadable(run);
  const whole = isReadable ? (findNothingReturned(run) ?? findIgnoredBody(run)) : undefined;
  if (whole !== undefined) return [whole];
  const countFailing = ({ rows }: CauseFinding) => [...rows].filter((row) => row.isFailing).length;
  const explained = isReadable ? explainResults(run, seeds) : [];
  const predict = run.predict([...seeds, ...explained.flatMap(({ hypothesis }) => hypothesis ?? [])]);
  const returnsNothing = (shown: Observation) => shown.documented.every((_, n) => predict(shown)(n) === 'forbidden');
  const mayBeEmpty = ({ refusedWith = 0 }: Observation) => run.emptyStatuses.includes(refusedWith);
  const empty = refused.filter((shown) => mayBeEmpty(shown) && returnsNothing(shown));
  for (const row of empty.flatMap(({ rows }) => [...rows])) explained[0]?.rows.add(row);
  const others = refused.filter((shown) => !empty.includes(shown));
  const found = [...findRefusals(others, run), ...explained]
    .filter(({ rows }) => rows.size > 0)
    .toSorted((left, right) => countFailing(right) - countFailing(left) || right.rows.size - left.rows.size);
  // Where the load of the test data explains a failure, the report begins with it.
  const isUnexplained = ({ isFailing, reason }: ObservedRow) => isFailing && reason?.code !== 'load-explains';
  const unexplained = run.rows.filter((row) => isUnexplained(row) && found.every(({ rows }) => !rows.has(row)));
  const changing = found.find(({ id }) => id === changingResults);
  if (changing !== undefined) for (const row of unexplained) changing.rows.add(row);
  const unknown = groupBy(changing === undefined ? unexplained : [], ({ requirement }) => requirement);
  return [
    ...found,
    ...[...unknown].map(([requirement, rows]) => ({
      id: 'unknown',
      sentence: `Cases of ${requirement} fail. No single mistake that the suite knows explains it.`,
      evidence: [renderReason(rows[0].reason)],
      rows: new Set(rows),
    })),
  ];
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
  const takeLargest = (shown: readonly Compared[], by: (shown: Compared) => string) =>
    [...groupBy(shown, by).values()].toSorted((left, right) => right.length - left.length)[0] ?? [];
  const ofUrl = takeLargest(compared, ({ request }) => request.path);
  const equal = takeLargest(ofUrl, ({ returned }) => JSON.stringify(returned));
  const returned = equal[0]?.returned ?? [];
  const bodies = new Set(equal.map(({ request }) => request.body)).size;
  // A deployment that names all promotions and marks the valid ones is no cache.
  if (rows.some(({ reason }) => reason?.code === 'named-or-returned')) return undefined;
  // Requests at the same time are answered before a cache is filled.
  if (bodies < minRequests || equal.length < 0.8 * ofUrl.length) return undefined;
  // Promotions without rules are valid for requests without a body, too. Where everything is returned, nothing is cached.
  const hasRules = tiers.some(({ rules }, n) => returned[n] && rules.length > 0);
  const isAnyRight = listWrong(equal, predict([])).length < equal.length;
  if (!hasRules || returned.every(Boolean) || !isAnyRight) return undefined;
  const { id, sentence } = bodyOfTheFirstRequest;
  const evidence = `${equal.length} of ${ofUrl.length} requests to one URL have the same result, with ${bodies} bodies.`;
  return { id, sentence, evidence: [evidence], rows: new Set(rows) };
}

function findRefusals(refused: readonly Observation[], { all, world }: ObservedRun): CauseFinding[] {
  const accepted = all.filter(({ isDocumented, isAccepted }) => isDocumented && isAccepted);
  const isEach = accepted.length === 0;
  return [...groupBy(refused, ({ refusedWith = 0 }) => refusedWith)].map(([status, group]): CauseFinding => {
    const features = listCommonFeatures(group, accepted, world);
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
  if (cause.mistake === undefined) return !all.some((shown) => isRefusal([cause], shown, shown.refusedWith));
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
