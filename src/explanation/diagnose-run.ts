/**
 * This room says what is wrong with a deployment, from what was seen. The results of a run, its exchanges and the known causes
 * go in; causes and contrasts come out, each with the rows that it explains.
 *
 * Proved causes: `observation.ts` reads from each exchange which tiers were returned. `prediction.ts` says what a deployment with
 * some structural mistakes returns for the same request. `prove-causes.ts` finds the mistakes that mend the wrong responses.
 * Contrasts: `narrow-failures.ts` takes what no proved cause explains, and sends requests until it knows what makes the
 * difference; what to ask next is pure (`narrow.ts` and the files that it uses). It runs in the worker after the last case.
 * This file runs in the worker, to know what is left to narrow, and in the reporter's process, with the reports of all workers.
 */

import type { StructuralMistake } from '../../reference/faults/model.js';
import { bodyOfTheFirstRequest } from '../../reference/faults/request.js';
import { nameData } from '../contract/world.js';
import type { FailingRow } from '../judge/judge-case.js';
import type { Contrast, Explanation, ProvedMistakes } from '../run/case-report.js';
import type { CaseResult } from '../run/case-result.js';
import type { ExchangeIndex } from '../run/exchange-index.js';
import type { Suite } from '../suite/suite.js';
import { groupBy } from '../support/collections.js';
import { createReason, renderReason } from '../support/reason.js';
import { findBrokenResponses } from './broken-responses.js';
import { findEmptyFrom } from './empty-from.js';
import type { KnownCauses } from './known-causes.js';
import { findLostInTime } from './lost-in-time.js';
import {
  type ComparableObservation,
  collectObservations,
  maxOverlap,
  minChanging,
  type Observation,
  type UnpassedRow,
} from './observation.js';
import { isWindowMistakeId, nothingReturnedSentence } from './observed-mistakes.js';
import { suspectOutdatedData } from './outdated-data.js';
import { createMistakePredictor, type ObservationsWithPredictor } from './prediction.js';
import { type CauseWithRows, minMendedResponses, proveCauses, type SuspectedMistake } from './prove-causes.js';
import {
  findRefusedFeature,
  findRefusedFeatureByCauseId,
  isKnownRefusal,
  type RefusedFeature,
} from './refused-features.js';
import { findMissingPattern } from './result-patterns.js';
import { listWrongResponses } from './wrong-results.js';
import { countObservedResults, describeTraitsOfWrongTiers } from './wrong-tier-traits.js';

/** What is wrong with a deployment: it was seen. */
export interface Cause extends Omit<CauseWithRows, 'rows' | 'mistake'> {
  /** The failing rows that it explains, without those that are known. */
  readonly failures: readonly FailingRow[];
  /** Empty if nothing could be judged. Another cause may have the same requirements and cases. */
  readonly requirements: readonly string[];
  readonly cases: readonly string[];
  /** Requirements that could not be judged only because of it. */
  readonly follows: readonly string[];
  /** The requests that show it, and the nearest right one, if it is a contrast. */
  readonly shown?: Pick<Contrast, 'wrong' | 'right'>;
}

const noKnownCauses: Pick<KnownCauses, 'causes' | 'refusals' | 'isFailureKnown'> = {
  causes: [],
  refusals: [],
  isFailureKnown: () => false,
};

export type Diagnosis = ReturnType<typeof diagnoseRun>;

/** What the causes of a run are found in. */
export interface DiagnosisInput {
  readonly suite: Suite;
  readonly results: readonly CaseResult[];
  readonly index: ExchangeIndex;
  /** The places that the target file names for promotions. */
  readonly statedPatterns: readonly string[] | undefined;
  readonly known: KnownCauses | undefined;
  /** What the worker found out; undefined where the worker itself asks. Several workers prove nothing together. */
  readonly explanation?: Explanation;
  /** Whether a transport of the user sent the requests. */
  readonly isThroughTransport?: boolean;
}

/** Finds what is wrong. Every failing row that the load of the test data does not explain belongs to a cause. Changes no verdict. */
export function diagnoseRun({
  suite,
  results,
  index,
  statedPatterns,
  known,
  explanation,
  isThroughTransport = false,
}: DiagnosisInput) {
  const { causes: seeds, refusals, isFailureKnown } = known ?? noKnownCauses;
  const observed = collectObservations(suite, results, index, statedPatterns, isFailureKnown);
  const run = { ...observed, predict: createMistakePredictor(observed) };
  const { rows, emptyStatuses } = run;
  const failing = new Set(rows.filter((row) => row.isFailing).map(({ requirement }) => requirement));
  const refused = listRefused(run, refusals);
  const broken = findBrokenResponses(index.all, rows);
  const outdatedData = rows.some((row) => !row.isKnown) ? suspectOutdatedData(run) : undefined;
  const isDataSuspect = outdatedData !== undefined;
  const findings =
    rows.length === 0
      ? { causes: [], suspected: [] }
      : findAll(run, { seeds, refused, proved: explanation?.proved, isThroughTransport, isDataSuspect });
  const proved = [...findings.causes, ...(broken === undefined ? [] : [broken])];
  const assumed = [...seeds, ...proved.flatMap(({ mistake }) => mistake ?? [])];
  const assumedRefusals = [...refusals, ...proved.flatMap(({ id }) => findRefusedFeatureByCauseId(id) ?? [])];
  // That equal requests have different results is said only where it is not found out which earlier request decides.
  const explaining = proved.filter(({ id }) => id !== changingResultsId);
  const unexplained = listUnexplained(run, explaining);
  const changed = proved.filter(({ id }) => id === changingResultsId).flatMap(({ rows: unstable }) => [...unstable]);
  const unclear = [...unexplained, ...listLeftOver(run, explaining, assumed, assumedRefusals), ...changed];
  // What a wrong load may explain is looked at if nothing else is: it may be a mistake of the deployment.
  const ofLoad = rows.filter(
    (row) => row.reason?.code === 'load-explains' && proved.every((cause) => !cause.rows.has(row)),
  );
  const leftOver = unclear.length > 0 ? unclear : ofLoad;
  const found = mergeChanging(
    proved,
    describeContrasts(leftOver, listUnexplained(run, proved), {
      contrasts: explanation?.contrasts ?? [],
      isDataSuspect,
    }),
  );
  const excused = listExcused(run, {
    seeds,
    refused,
    unknown: found.filter((finding) => !isKnown(finding) && isNew(finding)),
  });
  const unknown = found.filter((finding) => !isKnown(finding) && (isNew(finding) || !isExcused(finding, excused)));
  return {
    /** The cause of most failures first; none if no requirement fails or is inconclusive. Without what is known. */
    causes: unknown.map((finding) => createCause(finding, failing)),
    /** What a data file that is out of date, or not complete, explains as well. */
    outdatedData,
    /** Failing rows that no proved cause explains fully. Known ones are left out. */
    unexplained: [...new Set(leftOver)].filter((row) => !row.isKnown),
    /** Structural mistakes that explain some of them, too few to be proved. */
    suspected: findings.suspected,
    /** What the responses prove. Undefined if no mistake was tried. */
    proved: findings.proved,
    /** What is known, and what was proved. */
    assumed: { causes: assumed, refusals: assumedRefusals, emptyStatuses },
    /** The ids of inconclusive cases that what is known explains. */
    excused,
    gone: [
      ...seeds.filter((cause) => isGone(cause, assumed, run)),
      ...refusals.filter((refusal) => !run.all.some((shown) => shows(refusal, shown))),
    ].map(({ id }) => id),
    /** If requests are refused for no known reason: the other statuses that an empty result has. */
    ...(refused.length > 0 ? { emptyStatuses } : {}),
  };
}

/** Lists the requests that were refused, apart from some refusals. */
function listRefused({ all }: Pick<ObservationsWithPredictor, 'all'>, apart: readonly RefusedFeature[]): Observation[] {
  return all.filter(({ request, refusedWith }) => {
    return refusedWith !== undefined && !isKnownRefusal(apart, request, refusedWith);
  });
}

/** Whether a finding explains failures, and all of them are known. */
function isKnown({ rows }: CauseWithRows): boolean {
  const failures = [...rows].filter((row) => row.isFailing);
  return failures.length > 0 && failures.every((row) => row.isKnown);
}

/**
 * Whether a finding shows that something new is wrong: it was proved, or a row fails that is not known. A contrast of rows that
 * are inconclusive alone may have the reason of what is known, like these rows.
 */
function isNew({ id, shown, rows }: CauseWithRows): boolean {
  const isProved = shown === undefined && id !== unexplainedId;
  return isProved || [...rows].some((row) => row.isFailing && !row.isKnown);
}

function isExcused({ rows }: CauseWithRows, excused: readonly string[]): boolean {
  return [...rows].every((row) => row.isKnown || excused.includes(row.case));
}

interface ExcuseTerms {
  readonly seeds: readonly StructuralMistake[];
  readonly refused: readonly Observation[];
  readonly unknown: readonly CauseWithRows[];
}

/**
 * Lists the inconclusive cases that a known failure may explain. An entry without a cause does not say what is wrong, so
 * any wrong response may be wrong for its reason. A row that passed when it was sent again is another matter.
 */
function listExcused(
  { rows, compared, predict }: ObservationsWithPredictor,
  { seeds, refused, unknown }: ExcuseTerms,
): string[] {
  if (!rows.some((row) => row.isKnown)) return [];
  const blamed = new Set(unknown.flatMap((finding) => [...finding.rows]));
  const wrong = [...refused, ...listWrongResponses(compared, predict(seeds)).map(([shown]) => shown)];
  const explained = new Set(wrong.flatMap((shown) => [...shown.rows]));
  const isRowExcused = (row: UnpassedRow) => explained.has(row) && !blamed.has(row) && row.reason?.code !== 'unstable';
  const unjudged = groupBy(
    rows.filter((row) => !row.isFailing),
    (row) => row.case,
  );
  return [...unjudged].flatMap(([id, ofCase]) => (ofCase.every(isRowExcused) ? id : []));
}

/** What a run shows to be wrong, and mistakes that too few responses show. */
interface Findings {
  readonly causes: readonly CauseWithRows[];
  readonly suspected: readonly SuspectedMistake[];
  readonly proved?: ProvedMistakes;
}

/** What is known before causes are looked for. */
interface FindingTerms {
  /** Known mistakes. */
  readonly seeds: readonly StructuralMistake[];
  readonly refused: readonly Observation[];
  /** What the same responses proved before. */
  readonly proved: ProvedMistakes | undefined;
  readonly isThroughTransport: boolean;
  /** Whether a data file that is out of date, or not complete, explains what is wrong as well. */
  readonly isDataSuspect: boolean;
}

/** What the examination of the target found comes first, and what follows from it is not explained again. */
function findAll(run: ObservationsWithPredictor, terms: FindingTerms): Findings {
  const examined = findExamined(run);
  const isExplained = (row: UnpassedRow) => examined.some(({ rows }) => rows.has(row));
  if (examined.length > 0 && run.rows.every(isExplained)) return { causes: examined, suspected: [] };
  const { causes, ...found } = findInResults(run, terms);
  return { ...found, causes: [...examined, ...causes.filter(({ rows }) => ![...rows].every(isExplained))] };
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
function findExamined({ rows }: ObservationsWithPredictor): CauseWithRows[] {
  const shown = rows.filter(({ reason }) => examinedCodes.includes(reason?.code ?? ''));
  return [...groupBy(shown, ({ reason }) => renderReason(reason))].map(([sentence, alike]) => {
    const broken = alike.filter((row) => row.isFailing).map(({ requirement }) => requirement);
    const explained = rows.filter((row) => alike.includes(row) || broken.includes(row.requirement));
    return { id: alike[0].reason?.code ?? '', sentence, evidence: [], rows: new Set(explained) };
  });
}

/** Finds causes in the responses. A cause that explains everything is the only one. */
function findInResults(run: ObservationsWithPredictor, terms: FindingTerms): Findings {
  const { seeds, refused, isThroughTransport } = terms;
  const isReadable = isMostlyReadable(run);
  const whole = isReadable ? findWhole(run) : undefined;
  if (whole !== undefined) return { causes: [whole], suspected: [] };
  const changing = isReadable ? findChanging(run) : undefined;
  const unchanging = changing === undefined ? run : { ...run, compared: listConfirmed(run) };
  const proved = isReadable ? proveAll(unchanging, terms) : { causes: [], suspected: [] };
  const explained = [...proved.causes, ...(changing === undefined ? [] : [changing])];
  const empty = listEmptied(run, refused, [...seeds, ...explained.flatMap(({ mistake }) => mistake ?? [])]);
  for (const row of empty.flatMap(({ rows }) => [...rows])) explained[0]?.rows.add(row);
  // A window that is wrong is wrong before the filter and after it.
  const ofWindow = explained.find(({ id }) => isWindowMistakeId(id));
  for (const row of run.rows.filter(({ reason }) => reason?.code === 'windows-differ')) ofWindow?.rows.add(row);
  const others = refused.filter((shown) => !empty.includes(shown));
  return {
    causes: sortByFailures(
      [...findRefusals(others, run, isThroughTransport), ...explained].filter(({ rows }) => rows.size > 0),
    ),
    // Where results change by themselves, a further response proves nothing.
    suspected: changing === undefined ? proved.suspected : [],
    proved: proved.proved,
  };
}

/** Lists structural mistakes; where there are none, a pattern of what is missing, or what the missing promotions share. */
function proveAll(
  run: ObservationsWithPredictor,
  { seeds, proved, isDataSuspect }: Pick<FindingTerms, 'seeds' | 'proved' | 'isDataSuspect'>,
): Findings {
  const found = proveCauses(run, seeds, proved, isDataSuspect);
  const isProved = found.causes.length > 0 || seeds.length > 0;
  const causes = isProved ? found.causes : [findMissingPattern(run) ?? findTraitsBesideLoad(run) ?? []].flat();
  return { ...found, causes: isDataSuspect ? causes.map(limitToRightData) : causes };
}

/** What the data file explains as well says nothing of the deployment while the file may be wrong. */
function limitToRightData(cause: CauseWithRows): CauseWithRows {
  return { ...cause, sentence: `If the data file is right: ${cause.sentence}` };
}

/** Where a wrong load of the test data explains failures, nothing is narrowed. What the missing promotions share is said. */
function findTraitsBesideLoad({ compared, tiers, world, rows }: ObservationsWithPredictor): CauseWithRows | undefined {
  const ofLoad = rows.filter(({ reason }) => reason?.code === 'load-explains');
  if (ofLoad.length === 0) return undefined;
  const counts = countObservedResults(compared, tiers, world);
  const sentence = describeTraitsOfWrongTiers(counts, 'missing', world);
  return sentence === undefined
    ? undefined
    : { id: 'missing-in-common', sentence, evidence: [], rows: new Set(ofLoad) };
}

/**
 * Lists the refusals that are empty results: the assumed mistakes may leave nothing to return, and an empty result has their
 * status. With a filter, a mistake about the window may do so in one of two readings: then tiers are open.
 */
function listEmptied(
  { predict, emptyStatuses }: ObservationsWithPredictor,
  refused: readonly Observation[],
  assumed: readonly StructuralMistake[],
): Observation[] {
  const predictAssumed = predict(assumed);
  return refused.filter((shown) => {
    const prediction = predictAssumed(shown);
    const mayBeEmpty = emptyStatuses.includes(shown.refusedWith ?? 0);
    return mayBeEmpty && shown.documented.every((_, position) => prediction(position) !== 'required');
  });
}

/** Sorts by the number of failing rows, then by that of all rows. */
function sortByFailures(findings: readonly CauseWithRows[]): CauseWithRows[] {
  const countFailing = ({ rows }: CauseWithRows) => [...rows].filter((row) => row.isFailing).length;
  return findings.toSorted(
    (left, right) => countFailing(right) - countFailing(left) || right.rows.size - left.rows.size,
  );
}

/** Lists the failing rows that no cause explains. If the load of the test data explains a failure, the report says so first. */
function listUnexplained({ rows }: ObservationsWithPredictor, found: readonly CauseWithRows[]): UnpassedRow[] {
  const needsCause = ({ isFailing, reason }: UnpassedRow) => isFailing && reason?.code !== 'load-explains';
  return rows.filter((row) => needsCause(row) && found.every((cause) => !cause.rows.has(row)));
}

/**
 * Lists failing rows that proved causes do not explain fully: assuming all of them, a response is still wrong. So a cause hides
 * no other mistake. Rows that a cause explains as a whole, such as a body that is ignored, are left out.
 */
function listLeftOver(
  run: ObservationsWithPredictor,
  proved: readonly CauseWithRows[],
  assumed: readonly StructuralMistake[],
  refusals: readonly RefusedFeature[],
): UnpassedRow[] {
  const { compared, predict } = run;
  const whole = proved.filter(
    ({ id, mistake }) => mistake === undefined && findRefusedFeatureByCauseId(id) === undefined,
  );
  // A row that a cause keeps from being judged may show another mistake.
  const wrong = listWrongResponses(compared, predict(assumed)).flatMap(([{ rows }]) => [...rows]);
  const refused = listRefused(run, refusals);
  const empty = new Set(listEmptied(run, refused, assumed));
  const ofRefused = refused.filter((shown) => !empty.has(shown)).flatMap(({ rows }) => [...rows]);
  return [...wrong, ...ofRefused].filter(
    (row) => row.reason?.code !== 'load-explains' && whole.every(({ rows }) => !rows.has(row)),
  );
}

const unexplainedId = 'unexplained';

/**
 * Creates a finding for each contrast. What neither a cause nor a contrast explains gets one finding for each requirement.
 *
 * @param leftOver failing rows that no cause explains fully
 * @param unexplained those of them that no cause explains at all
 */
function describeContrasts(
  leftOver: readonly UnpassedRow[],
  unexplained: readonly UnpassedRow[],
  { contrasts, isDataSuspect }: { readonly contrasts: readonly Contrast[]; readonly isDataSuspect: boolean },
): CauseWithRows[] {
  const narrowed = contrasts.flatMap(({ cause, sentence, evidence, rows, ...shown }, n): CauseWithRows[] => {
    const places = new Set(rows.map(getPlace));
    const explained = leftOver.filter((row) => places.has(getPlace(row)));
    const id = cause ?? `${shown.right === undefined ? 'unexplained' : 'contrast'}/${n + 1}`;
    return explained.length === 0 ? [] : [{ id, sentence, evidence, rows: new Set(explained), shown }];
  });
  const left = unexplained.filter((row) => narrowed.every(({ rows }) => !rows.has(row)));
  if (isDataSuspect && left.length > 0) return [...narrowed, describeOfSuspectData(left)];
  const others = [...groupBy(left, ({ requirement }) => requirement)].map(
    ([requirement, rows]): CauseWithRows => ({
      id: unexplainedId,
      sentence: `Cases of ${requirement} fail, and it was not found out what makes the difference.`,
      evidence: [renderReason(rows[0].reason)],
      rows: new Set(rows),
    }),
  );
  return [...narrowed, ...others];
}

/** Where the data file explains all failures, one finding is enough. */
function describeOfSuspectData(rows: readonly UnpassedRow[]): CauseWithRows {
  const sentence = 'If the data file is right: it was not found out what makes the difference.';
  return { id: unexplainedId, sentence, evidence: [], rows: new Set(rows) };
}

function getPlace({ case: id, row }: Pick<UnpassedRow, 'case' | 'row'>): string {
  return JSON.stringify([id, row]);
}

/** Whether the results of most responses are clear. What a few of them show may be the opposite of what all would show. */
function isMostlyReadable({ all, compared }: ObservationsWithPredictor): boolean {
  return all.filter(({ isUnclear }) => isUnclear).length <= compared.length;
}

/** Finds what explains everything. */
function findWhole(run: ObservationsWithPredictor): CauseWithRows | undefined {
  return findNothingReturned(run) ?? findLostInTime(run) ?? findIgnoredBody(run) ?? findEmptyFrom(run);
}

/** Finds out whether nothing was ever returned, while no row fails: then it is not certain that the test data is loaded. */
function findNothingReturned({ all, compared, rows, world }: ObservationsWithPredictor): CauseWithRows | undefined {
  const isReturned = compared.some(({ returned }) => returned.some(Boolean)) || all.some(({ isUnclear }) => isUnclear);
  if (isReturned || compared.length < minMendedResponses || rows.some((row) => row.isFailing)) return undefined;
  const evidence = [`${compared.length} responses name no promotion of ${nameData(world)}.`];
  return { id: 'nothing-returned', sentence: nothingReturnedSentence, evidence, rows: new Set(rows) };
}

/** Finds a cache whose key is the URL alone. It is not known which request fills it. */
function findIgnoredBody({ compared, predict, tiers, rows }: ObservationsWithPredictor): CauseWithRows | undefined {
  // A deployment that names all promotions and marks the valid ones is no cache.
  if (rows.some(({ reason }) => reason?.code === 'named-or-returned')) return undefined;
  const ofUrl = takeLargestGroup(compared, ({ request }) => request.path);
  const equal = takeLargestGroup(ofUrl, ({ returned }) => JSON.stringify(returned));
  const returned = equal[0]?.returned ?? [];
  const bodies = new Set(equal.map(({ request }) => request.body)).size;
  // Requests at the same time are answered before a cache is filled.
  const inOrder = ofUrl.toSorted((left, right) => Math.min(...left.numbers) - Math.min(...right.numbers));
  const isLate = inOrder.findIndex((shown) => equal.includes(shown)) > maxOverlap;
  if (bodies < minMendedResponses || equal.length < 0.8 * ofUrl.length || isLate) return undefined;
  // Promotions without rules are valid for requests without a body, too. Where everything is returned, nothing is cached.
  const hasRules = tiers.some(({ rules }, position) => returned[position] && rules.length > 0);
  const isAnyRight = listWrongResponses(equal, predict([])).length < equal.length;
  if (!hasRules || returned.every(Boolean) || !isAnyRight) return undefined;
  const { id, sentence } = bodyOfTheFirstRequest;
  const evidence = `${equal.length} of ${ofUrl.length} requests to one URL have the same result, although they have ${bodies} different bodies.`;
  return { id, sentence, evidence: [evidence], rows: new Set(rows) };
}

function takeLargestGroup(
  shown: readonly ComparableObservation[],
  getKey: (shown: ComparableObservation) => string,
): readonly ComparableObservation[] {
  const groups = [...groupBy(shown, getKey).values()];
  return groups.toSorted((left, right) => right.length - left.length)[0] ?? [];
}

/** Lists the requests that were sent more than once and had different results, each with all of its results. */
function listChanging({ compared }: ObservationsWithPredictor): ComparableObservation[][] {
  return [...groupBy(compared, ({ key }) => key).values()].filter((group) => group.length > 1);
}

/** Leaves out changing results, and wrong ones that were seen once: where results change, a single one proves nothing. */
function listConfirmed(run: ObservationsWithPredictor): ComparableObservation[] {
  const changing = new Set(listChanging(run).flat());
  const wrong = new Set(listWrongResponses(run.compared, run.predict([])).map(([shown]) => shown));
  return run.compared.filter((shown) => !changing.has(shown) && (!wrong.has(shown) || shown.numbers.length > 1));
}

const changingResultsId = 'changing-results';

/** A contrast says what the different results of equal requests depend on: then they are a fact beside it. */
function mergeChanging(proved: readonly CauseWithRows[], contrasts: readonly CauseWithRows[]): CauseWithRows[] {
  const changing = proved.find(({ id }) => id === changingResultsId);
  const others = proved.filter((cause) => cause !== changing);
  const [first, ...rest] = contrasts;
  if (changing === undefined || first?.shown?.right === undefined) return [...proved, ...contrasts];
  return [...others, { ...first, evidence: [...changing.evidence, ...first.evidence] }, ...rest];
}

/** Finds out whether equal requests have different results. Then that is what is to be explained, and not each failure. */
function findChanging(run: ObservationsWithPredictor): CauseWithRows | undefined {
  const changing = listChanging(run);
  if (changing.length < minChanging) return undefined;
  return {
    id: changingResultsId,
    sentence: 'Equal requests have different results.',
    evidence: [`${changing.length} requests that were sent more than once had different results.`],
    rows: new Set([...changing.flat().flatMap(({ rows }) => [...rows]), ...run.rows.filter((row) => row.isFailing)]),
  };
}

/** Finds a status that answers every documented request, or all with some part. What else is refused is narrowed. */
function findRefusals(
  refused: readonly Observation[],
  { all }: ObservationsWithPredictor,
  isThroughTransport: boolean,
): CauseWithRows[] {
  const accepted = all.filter(({ isDocumented, isAccepted }) => isDocumented && isAccepted);
  const byStatus = [...groupBy(refused, ({ refusedWith = 0 }) => refusedWith)];
  if (accepted.length > 0)
    return byStatus.flatMap(([status, group]) => findRefusedFeature(status, group, accepted) ?? []);
  return byStatus.map(([status, group]) => ({
    id: `every-status/${status}`,
    sentence: describeRefusal(status, group, isThroughTransport),
    evidence: [`${group.length} requests got ${status}, and none was accepted.`],
    rows: new Set(group.flatMap(({ rows }) => [...rows])),
  }));
}

function describeRefusal(status: number, refused: readonly Observation[], isThroughTransport: boolean): string {
  const sentence = `The deployment answers ${status} to every request.`;
  if (!refused.every(({ allowsPostAlone }) => allowsPostAlone)) return sentence;
  const wayOut = createReason('allows-post-alone', { throughTransport: isThroughTransport ? 1 : 0 });
  return `${sentence} ${renderReason(wayOut)}`;
}

function shows({ status, feature }: RefusedFeature, { request, refusedWith }: Observation): boolean {
  return refusedWith === status && feature.isMet(request);
}

/** Whether the responses do not show a known cause: it explains no more of them than contradict it. */
function isGone(
  cause: StructuralMistake,
  assumed: readonly StructuralMistake[],
  run: ObservationsWithPredictor,
): boolean {
  const { compared, predict } = run;
  const before = predict(assumed.filter((mistake) => mistake !== cause));
  const after = predict(assumed);
  const contradicting = new Set(listWrongResponses(compared, after, before).map(([shown]) => shown));
  const explained = listWrongResponses(compared, before, after).filter(([shown]) => !contradicting.has(shown));
  return explained.length <= contradicting.size;
}

function createCause({ mistake: _, rows, ...finding }: CauseWithRows, failing: ReadonlySet<string>): Cause {
  const requirements = [...new Set([...rows].map(({ requirement }) => requirement))];
  const listed = [...rows].filter(({ requirement }) => failing.has(requirement));
  return {
    ...finding,
    failures: [...rows].filter((row) => row.isFailing && !row.isKnown),
    requirements: requirements.filter((id) => failing.has(id)),
    cases: [...new Set(listed.map((row) => row.case))],
    follows: requirements.filter((id) => !failing.has(id)),
  };
}
