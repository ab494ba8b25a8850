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
import type { FailingRow } from '../judge/judgement.js';
import type { Contrast, Explanation, ProvedMistakes } from '../run/case-report.js';
import type { CaseResult } from '../run/case-result.js';
import type { ExchangeIndex } from '../run/exchange-index.js';
import type { Suite } from '../suite/suite.js';
import { findBrokenResponses } from './broken-responses.js';
import type { CauseWithRows } from './cause-with-rows.js';
import { changingResultsId, findChanging, listConfirmed, mergeChanging } from './changing-results.js';
import { findExamined } from './examined-causes.js';
import { isExcusedFinding, isGone, isKnownFinding, isNewFinding, isRefusalShown, listExcused } from './excused-rows.js';
import { findKeptResults } from './kept-results.js';
import type { KnownCauses } from './known-causes.js';
import { collectObservations, type Observation, type UnpassedRow } from './observation.js';
import { isWindowMistakeId } from './observed-mistakes.js';
import { suspectOutdatedData } from './outdated-data.js';
import { createMistakePredictor, type ObservationsWithPredictor } from './prediction.js';
import { proveCauses, type SuspectedMistake } from './prove-causes.js';
import { findRefusedFeatureByCauseId } from './refused-features.js';
import { findRefusals, listEmptied, listRefused } from './refused-requests.js';
import { listExplainedByOtherSums } from './repeated-products.js';
import { findResultLimit } from './result-limits.js';
import { findMissingPattern } from './result-patterns.js';
import { describeContrasts, listLeftOver, listUnexplained } from './unexplained-rows.js';
import { findWhole } from './whole-causes.js';
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
  const ofOtherSums = listExplainedByOtherSums(run, assumed);
  const withMistake = proved.find(({ mistake }) => mistake !== undefined);
  for (const row of [...ofOtherSums].flatMap((shown) => [...shown.rows])) withMistake?.rows.add(row);
  const unexplained = listUnexplained(run, explaining);
  const changed = proved.filter(({ id }) => id === changingResultsId).flatMap(({ rows: unstable }) => [...unstable]);
  const unclear = [...unexplained, ...listLeftOver(run, explaining, assumed, assumedRefusals, ofOtherSums), ...changed];
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
    unknown: found.filter((finding) => !isKnownFinding(finding) && isNewFinding(finding)),
  });
  const unknown = found.filter(
    (finding) => !isKnownFinding(finding) && (isNewFinding(finding) || !isExcusedFinding(finding, excused)),
  );
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
      ...refusals.filter((refusal) => !run.all.some((shown) => isRefusalShown(refusal, shown))),
    ].map(({ id }) => id),
    /** If requests are refused for no known reason: the other statuses that an empty result has. */
    ...(refused.length > 0 ? { emptyStatuses } : {}),
  };
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

/** Lists structural mistakes; where there are none, a cache, a pattern of what is missing, or what the missing promotions share. */
function proveAll(
  run: ObservationsWithPredictor,
  { seeds, proved, isDataSuspect }: Pick<FindingTerms, 'seeds' | 'proved' | 'isDataSuspect'>,
): Findings {
  const found = proveCauses(run, seeds, proved, isDataSuspect);
  const isProved = found.causes.length > 0 || seeds.length > 0;
  const causes = isProved
    ? found.causes
    : [
        findKeptResults(run) ?? findResultLimit(run) ?? findMissingPattern(run) ?? findTraitsBesideLoad(run) ?? [],
      ].flat();
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

/** Sorts by the number of failing rows, then by that of all rows. */
function sortByFailures(findings: readonly CauseWithRows[]): CauseWithRows[] {
  const countFailing = ({ rows }: CauseWithRows) => [...rows].filter((row) => row.isFailing).length;
  return findings.toSorted(
    (left, right) => countFailing(right) - countFailing(left) || right.rows.size - left.rows.size,
  );
}

/** Whether the results of most responses are clear. What a few of them show may be the opposite of what all would show. */
function isMostlyReadable({ all, compared }: ObservationsWithPredictor): boolean {
  return all.filter(({ isUnclear }) => isUnclear).length <= compared.length;
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
