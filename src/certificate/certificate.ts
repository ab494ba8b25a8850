/**
 * The room of the overall result of a run. In: the results of all cases, and a function that shows their exchanges by id. Out:
 * the certificate, as plain JSON. It has the code of each reason, and its sentence, which `case-entry.ts` renders. The room is
 * pure. It runs in the process that certifies, the one of the reporter; the worker renders the entry of a failing case, too.
 */

import { getRequirementOrQuestionId, type TestCase } from '../cases/test-case.js';
import { type Contract, isWarningOutcome, type Question } from '../contract/contract.js';
import { worldListNames } from '../contract/world.js';
import type { Diagnosis } from '../explanation/diagnose-run.js';
import type { TransportIdentity } from '../http/transport.js';
import type { DeploymentStop } from '../judge/find-deployment-stop.js';
import { findWorstVerdict, type Verdict, verdicts } from '../judge/verdict.js';
import type { DataFileSummary } from '../own-data/data-suite.js';
import type { NewDeviation } from '../record/add-deviations.js';
import type { ScopeEntry } from '../record/declared-scope.js';
import { type Baseline, emptyBaseline, hasLostRecordedAnswer } from '../record/drift.js';
import { createResponseRenderer } from '../record/exchange-text.js';
import type { KnownDeviation, KnownDeviationsFile } from '../record/known-deviations.js';
import {
  type CaseResult,
  getVerdictApartFromKnown,
  notReachedReason,
  notSelectedReason,
  repetitionCaseId,
} from '../run/case-result.js';
import type { ExchangeLookup } from '../run/exchange-store.js';
import { isOwnCase, type Suite } from '../suite/suite.js';
import { groupBy, renderShortList } from '../support/collections.js';
import { createReason, type Reason, renderReason } from '../support/reason.js';
import { toOneLine } from '../support/untrusted-text.js';
import {
  type CaseEntry,
  createCaseEntry,
  createUnstableEntry,
  type EntryRenderingContext,
  renderQuestionAnswer,
} from './case-entry.js';
import { createCauseEntry } from './cause-entry.js';
import { describeOwnCases } from './describe-own-cases.js';
import { createDeviationEntry, type JudgedDeviation, judgeDeviation, listShownDeviations } from './deviation-entry.js';
import type { Disturbances } from './disturbances.js';
import { type DriftEntry, listDriftEntries } from './drift-entry.js';
import { describeDataCoverage, interruptionNotice, quickNotice } from './notices.js';
import { createScopeTest, judgeScopeEntry, listAbsentThings, listExcusedCases, listOutOfScope } from './scope.js';
import { findSharedReasons, listSharedReasons } from './shared-reasons.js';
import { createStopCause } from './withdraw-results-after-stop.js';

/** The report of one run, as in `certificate.json`. `schemas/certificate.schema.json` describes its members. */
export type Certificate = ReturnType<typeof createCertificate> & {
  /** Added when it is written. */
  readonly evidence?: { readonly file: string; readonly digest: string; readonly exchanges: number };
  readonly written_by?: string;
};

export interface CertifiedTarget {
  readonly name: string;
  readonly version?: string;
  readonly file?: string;
  readonly base_url: string;
  readonly transport?: TransportIdentity;
  readonly is_reference?: true;
}

export type RunVerdict = 'conforms' | 'does-not-conform' | 'incomplete';

export interface RequirementEntry {
  readonly id: string;
  readonly part: string;
  readonly statement: string;
  readonly verdict: Verdict;
  readonly known?: readonly KnownDeviation[];
  readonly cases: readonly CaseEntry[];
}

type QuestionEntry = ReturnType<typeof createQuestionEntry>;

export interface CertificateInputs extends Partial<Pick<Diagnosis, 'causes' | 'excused'>> {
  /** Results name exchanges by their ids. */
  readonly showExchange: ExchangeLookup;
  readonly target: CertifiedTarget;
  readonly requestsSent: number;
  readonly disturbances?: Disturbances | undefined;
  readonly quick?: true;
  readonly data?: DataFileSummary;
  readonly expected?: Baseline;
  readonly isCutShort: boolean;
  /** What is wrong with the test data, as it seems, and whether it certainly is. */
  readonly load?: { readonly sentence: string; readonly isProven: boolean };
  /** When the deployment stopped working, if it did. */
  readonly stop?: DeploymentStop;
  /** Sentences about what was accepted before the stop. */
  readonly beforeStop?: readonly string[];
  readonly notes: readonly string[];
  readonly known?: KnownDeviationsFile;
  /** The requirements that the target declares not to have. */
  readonly scope?: readonly ScopeEntry[];
  readonly startedAt: Date;
  readonly durationMs: number;
}

/** A run whose certificate is made. */
export interface CertifiedRun {
  readonly certificate: Certificate;
  readonly results: readonly CaseResult[];
  readonly showExchange: ExchangeLookup;
  readonly newDeviations: readonly NewDeviation[];
}

/** Creates the certificate of a run. Cases without a result were not selected. */
export function createCertificate(suite: Suite, all: readonly CaseResult[], inputs: CertificateInputs) {
  const { target, quick, known, load, stop, isCutShort, expected = emptyBaseline, showExchange } = inputs;
  const { contract, world } = suite;
  const context = { contract, baseUrl: target.base_url, renderResponse: createResponseRenderer(world), showExchange };
  const entries = createEntries(all, context, inputs.excused);
  const findEntry = (id: string): CaseEntry => entries.get(id) ?? { id, ...unselected };
  const results = all.filter((result) => !isOwnCase(result));
  // An answer about other data says nothing about a change of the deployment.
  const drift = expected.lost === undefined ? listDriftEntries(results, context) : [];
  const deviations = (known?.entries ?? []).map((entry) => judgeDeviation(entry, { suite, results: all }));
  const requirements = createRequirements(suite, results, findEntry, deviations);
  const questions = contract.questions.map((question) => createQuestionEntry(question, findEntry(question.id), drift));
  const causes = [...createStopCause(stop, inputs.beforeStop ?? [], requirements), ...(inputs.causes ?? [])].map(
    (cause) => createCauseEntry(cause, context),
  );
  const judged = { requirements, questions, entries: [...entries.values()], findEntry };
  const scope = createScopeSection(suite, all, judged, inputs);
  const outOfScope = new Set(listOutOfScope(scope).map(({ requirement }) => requirement));
  const ownCases = createOwnCases(suite, findEntry, isCutShort, outOfScope);
  const ofOwnCases = ownCases === undefined ? [] : createOwnCaseNotes(ownCases, contract, questions);
  const gaps = listGaps(suite, all, inputs, outOfScope);
  const verdict = createVerdict(suite, all, judged, { ...inputs, gaps, outOfScope });
  return {
    verdict: verdict.ofRun,
    ...(load && { load: { sentence: load.sentence, is_certain: load.isProven } }),
    ...(verdict.ofRun === 'incomplete' && {
      incomplete_because: listUnjudged(judged, all, { ...inputs, gaps, outOfScope }),
    }),
    target,
    suite: { name: suite.name, version: suite.version, digest: suite.digest },
    summary: countVerdicts(requirements),
    requirements,
    questions,
    drift,
    unstable: results.flatMap((result) => createUnstableEntry(result, context)),
    notes: createNotes(all, inputs, { gaps, ofOwnCases }),
    requests_sent: inputs.requestsSent,
    disturbances: inputs.disturbances,
    started_at: inputs.startedAt.toISOString(),
    duration_ms: Math.round(inputs.durationMs),
    selected: verdict.ofSelection,
    stopped: stop && createStopEntry(stop),
    quick,
    data: inputs.data,
    causes: causes.length > 0 ? causes : undefined,
    scope,
    known_deviations: known && createKnownSection(known, deviations, requirements, verdict.apartFromKnown),
    own_cases: ownCases,
    compared_with: expected.record && toOneLine(expected.record),
  };
}

const unselected = {
  verdict: 'not-run',
  code: notSelectedReason.code,
  reason: renderReason(notSelectedReason),
} as const;

/** Creates the entries of all results, by their ids. @param excused the ids of cases that what is known excuses */
function createEntries(
  results: readonly CaseResult[],
  context: EntryRenderingContext,
  excused: readonly string[] = [],
) {
  return new Map(
    results.map((result): readonly [string, CaseEntry] => {
      const entry = createCaseEntry(result, context);
      const isExcused = excused.includes(entry.id) && getVerdictApartFromKnown(entry) === 'inconclusive';
      return [entry.id, isExcused ? { ...entry, apart_from_known: 'pass' } : entry];
    }),
  );
}

/** Lists the cases of the suite that verify requirements. */
function listVerifying({ cases }: Suite): TestCase[] {
  return cases.filter((testCase) => testCase.kind === 'requirement' && !isOwnCase(testCase));
}

type FindEntry = (id: string) => CaseEntry;

function createRequirements(
  suite: Suite,
  results: readonly CaseResult[],
  findEntry: FindEntry,
  known: readonly JudgedDeviation[],
): RequirementEntry[] {
  const verifying = listVerifying(suite);
  // The samples are of no single case: they count as one more case of the requirement that they refute.
  const samples = results.filter(({ id }) => id === repetitionCaseId);
  return suite.contract.requirements.map(({ id, part, statement }): RequirementEntry => {
    const ofCases = verifying.filter((testCase) => getRequirementOrQuestionId(testCase) === id);
    const ofSamples = samples.filter(({ subject }) => subject === id);
    const cases = [...ofCases, ...ofSamples].map((entry) => findEntry(entry.id));
    const entry = { id, part, statement, verdict: findWorstVerdict(listVerdicts(cases)), cases };
    const seen = listShownDeviations(entry, known);
    return seen.length === 0 ? entry : { ...entry, known: seen };
  });
}

/** What was judged: all requirements and questions, and the entry of each selected case. */
interface JudgedEntries {
  readonly requirements: readonly RequirementEntry[];
  readonly questions: readonly QuestionEntry[];
  readonly entries: readonly CaseEntry[];
  readonly findEntry: FindEntry;
}

/** Lists the reasons of a run that is incomplete whatever its requirements say. */
function listGaps(
  suite: Suite,
  all: readonly CaseResult[],
  { isCutShort, quick, showExchange }: CertificateInputs,
  outOfScope: ReadonlySet<string>,
): string[] {
  const verifying = listVerifying(suite);
  const ids = new Set(verifying.map(({ id }) => id));
  const unsupported = all
    .filter(({ id, verdict }) => verdict === 'not-applicable' && ids.has(id))
    .flatMap(({ exchangeId }) => {
      const exchange = showExchange(exchangeId);
      return exchange !== undefined && 'transportError' in exchange ? [exchange.message] : [];
    });
  const lost = all.filter(({ id, verdict }) => id === repetitionCaseId && verdict === 'error');
  return [
    ...(isCutShort ? [interruptionNotice] : []),
    ...(quick === undefined ? [] : [quickNotice]),
    ...all.flatMap(({ hasDataChanged, reason }) => (hasDataChanged ? [renderReason(reason)] : [])),
    // No requirement has it: without this line, a run whose repetition crashed would conform.
    ...lost.map((result) => renderReason(explainLostRepetition(result))),
    ...listUnavailable(verifying, suite, outOfScope),
    ...new Set(unsupported),
  ];
}

/** Lists what concerns the whole run. What fails the run is a cause, and no reason for an incomplete run. */
function listOfRun(all: readonly CaseResult[]): string[] {
  const ofRun = all.filter(({ verdict, concernsRun }) => concernsRun && verdict !== 'fail');
  return ofRun.map(({ reason }) => renderReason(reason));
}

interface VerdictInputs extends CertificateInputs {
  /** The reasons of a run that is incomplete whatever its requirements say. */
  readonly gaps: readonly string[];
  /** The ids of requirements that the target declares not to have, and that it does not have. */
  readonly outOfScope: ReadonlySet<string>;
}

/**
 * Judges the declared scope. It names the requirements that may be declared, too, if the run would then conform, apart from what is
 * known. Undefined if there is neither.
 */
function createScopeSection(
  suite: Suite,
  all: readonly CaseResult[],
  judged: JudgedEntries,
  inputs: CertificateInputs,
) {
  const { requirements } = judged;
  const lacking = requirements.filter(createScopeTest(suite)).map(({ id }) => id);
  const entries = (inputs.scope ?? []).map((entry) => judgeScopeEntry(entry, requirements, lacking));
  const outOfScope = listOutOfScope({ not_applicable: entries }).map(({ requirement }) => requirement);
  const undeclared = lacking.filter((id) => !outOfScope.includes(id));
  const extended = new Set(lacking);
  const gaps = listGaps(suite, all, inputs, extended);
  const { ofRun, apartFromKnown } = createVerdict(suite, all, judged, { ...inputs, gaps, outOfScope: extended });
  const isMissing = undeclared.length > 0 && ofRun !== 'incomplete' && apartFromKnown === 'conforms';
  if (entries.length === 0 && !isMissing) return undefined;
  return {
    requirements: requirements.length - outOfScope.length,
    of: requirements.length,
    not_applicable: entries,
    ...(isMissing && { undeclared }),
  };
}

/** Determines the verdict of the run, and apart from known deviations; if only some cases are selected, theirs, too. */
function createVerdict(
  suite: Suite,
  all: readonly CaseResult[],
  { requirements, entries, findEntry }: JudgedEntries,
  { quick, load, gaps, outOfScope }: VerdictInputs,
) {
  const isUnrun = requirements.some(({ cases }) => cases.some(({ verdict }) => verdict === 'not-run'));
  const isPartial = gaps.length > 0 || listOfRun(all).length > 0 || isUnrun || load?.isProven === true;
  const inScope = requirements.filter(({ id }) => !outOfScope.has(id));
  // Nothing conforms within a scope without requirements.
  const isWithoutVerdict = isPartial || inScope.length === 0;
  const ofRun = determineRunVerdict(listVerdicts(inScope), isWithoutVerdict);
  const ids = new Set(entries.map(({ id }) => id));
  const isSelection = quick !== undefined || suite.cases.some(({ id }) => !ids.has(id));
  if (!isSelection) {
    const apart = inScope.map(({ cases }) => findVerdictApart(cases));
    return { ofRun, apartFromKnown: determineRunVerdict(apart, isWithoutVerdict) };
  }
  const excused = listExcusedCases(outOfScope, suite, findEntry);
  const selected = all.filter(({ id }) => !excused.has(id));
  const apart = entries.filter(({ id }) => !excused.has(id)).map(getVerdictApartFromKnown);
  const isEmpty = selected.length === 0;
  return {
    ofRun,
    apartFromKnown: determineRunVerdict(apart, isEmpty),
    ofSelection: { verdict: determineRunVerdict(listVerdicts(selected), isEmpty), cases: countVerdicts(all) },
  };
}

/** Lists why the run is incomplete, what explains most first. */
function listUnjudged(
  { requirements, questions }: JudgedEntries,
  all: readonly CaseResult[],
  { load, gaps, outOfScope }: VerdictInputs,
): string[] {
  const inScope = requirements.filter(({ id }) => !outOfScope.has(id));
  return [
    ...(load === undefined ? [] : [load.sentence]),
    ...listOfRun(all),
    ...gaps,
    ...listSharedReasons({ requirements, questions }).flatMap(({ isAboutRequirements, sentence }) =>
      isAboutRequirements ? [sentence] : [],
    ),
    ...listReasons(inScope, questions),
  ];
}

function createNotes(
  all: readonly CaseResult[],
  { stop, data, notes, expected = emptyBaseline }: CertificateInputs,
  { gaps, ofOwnCases }: { readonly gaps: readonly string[]; readonly ofOwnCases: readonly string[] },
): string[] {
  const ofSuite = all.filter((result) => !isOwnCase(result));
  const notCompared = ofSuite.flatMap((result) => (hasLostRecordedAnswer(result, expected) ? [result.subject] : []));
  return [
    ...(stop === undefined ? listOfRun(all) : []),
    ...gaps,
    ...(data === undefined ? [] : describeDataCoverage(data)),
    ...notes,
    ...(notCompared.length === 0
      ? []
      : [`Answers of the record that could not be compared: ${renderShortList(notCompared)}.`]),
    ...ofOwnCases,
  ];
}

function createStopEntry({ since, verdict, reason }: DeploymentStop) {
  return { since, verdict, code: reason.code, reason: renderReason(reason) };
}

/** @param verdict that of the run apart from known deviations */
function createKnownSection(
  { file }: KnownDeviationsFile,
  judged: readonly JudgedDeviation[],
  requirements: readonly RequirementEntry[],
  verdict: RunVerdict,
) {
  const entries = judged.map((known) => {
    const { verdict: shown = 'not-run' } = requirements.find(({ id }) => id === known.deviation.requirement) ?? {};
    return createDeviationEntry(known, shown);
  });
  return { file: toOneLine(file), verdict, entries };
}

/** If the data of a deployment changed during the run, or its export is broken, no failure proves anything. */
export function withdrawFailuresOfWrongData(
  results: readonly CaseResult[],
  { lost }: Pick<Baseline, 'lost'>,
): readonly CaseResult[] {
  const changed = results.find(({ hasDataChanged }) => hasDataChanged);
  const doubt = changed === undefined ? lost && explainLostData(lost) : (changed.reason ?? notReachedReason);
  if (doubt === undefined) return results;
  return results.map((result): CaseResult => {
    if (result.verdict !== 'fail') return result;
    const { apart_from_known: _, reason: failure = notReachedReason, ...rest } = result;
    return { ...rest, verdict: 'inconclusive', reason: createReason('withdrawn', { reason: doubt, failure }) };
  });
}

export function explainLostData(lost: readonly string[]): Reason {
  return createReason('data-lost', { names: lost });
}

function explainLostRepetition({ reason = notReachedReason }: CaseResult): Reason {
  return createReason('repetition-lost', { reason });
}

function listReasons(requirements: readonly RequirementEntry[], questions: readonly QuestionEntry[]): string[] {
  const shared = findSharedReasons({ requirements, questions });
  return requirements.flatMap((requirement) => {
    const reason = findDecisiveCase(requirement)?.reason ?? 'It has no case.';
    return requirement.verdict === 'pass' || shared.has(reason) ? [] : [`${requirement.id}: ${reason}`];
  });
}

/** Finds the first case that has the verdict of its requirement, if possible one that is not known. */
export function findDecisiveCase({ verdict, cases }: RequirementEntry): CaseEntry | undefined {
  const decisive = cases.filter((entry) => entry.verdict === verdict);
  return decisive.find((entry) => getVerdictApartFromKnown(entry) === verdict) ?? decisive[0];
}

const findVerdictApart = (cases: readonly CaseEntry[]): Verdict =>
  findWorstVerdict(cases.map(getVerdictApartFromKnown));

export function isKnownFailure({ verdict, cases }: RequirementEntry): boolean {
  const selected = cases.filter(({ code }) => code !== notSelectedReason.code);
  return verdict !== 'pass' && selected.length > 0 && findVerdictApart(selected) === 'pass';
}

function createOwnCases(suite: Suite, findEntry: FindEntry, isCutShort: boolean, outOfScope: ReadonlySet<string>) {
  const { own: source, cases } = suite;
  if (source === undefined) return undefined;
  const ownCases = cases.filter(isOwnCase);
  const excused = listExcusedCases(outOfScope, suite, findEntry);
  const verifying = ownCases
    .filter(({ kind, id }) => kind === 'requirement' && !excused.has(id))
    .map(({ id }) => findEntry(id));
  const verdict = determineRunVerdict(listVerdicts(verifying), isCutShort);
  const apart = determineRunVerdict(verifying.map(getVerdictApartFromKnown), isCutShort);
  return {
    ...source,
    verdict,
    ...(apart !== verdict && { apart_from_known: apart }),
    cases: ownCases.map((testCase) => ({ ...findEntry(testCase.id), subject: getRequirementOrQuestionId(testCase) })),
  };
}

/** Creates the notes about the user's own cases. */
export function createOwnCaseNotes(
  { folder, cases }: NonNullable<ReturnType<typeof createOwnCases>>,
  contract: Contract,
  entries: readonly QuestionEntry[],
): string[] {
  const counts = Object.entries(countVerdicts(cases)).map(([verdict, count]) => `${count} ${verdict}`);
  const suiteOutcomes = new Map(entries.map(({ id, outcome }) => [id, outcome]));
  return describeOwnCases({ folder, counts, cases, questions: contract.questions, suiteOutcomes });
}

/** @param isPartial whether a part of what verifies the requirements was not sent */
function determineRunVerdict(judged: readonly Verdict[], isPartial: boolean): RunVerdict {
  if (judged.includes('fail')) return 'does-not-conform';
  return judged.every((verdict) => verdict === 'pass') && !isPartial ? 'conforms' : 'incomplete';
}

function listVerdicts(judged: readonly { readonly verdict: Verdict }[]): Verdict[] {
  return judged.map(({ verdict }) => verdict);
}

function countVerdicts(judged: readonly { readonly verdict: Verdict }[]): Partial<Record<Verdict, number>> {
  const counts = verdicts.map((name) => [name, judged.filter(({ verdict }) => verdict === name).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

function listUnavailable(verifying: readonly TestCase[], suite: Suite, outOfScope: ReadonlySet<string>): string[] {
  const { unavailable } = suite.world;
  // The requests of a data file would be drawn for their rows.
  if (unavailable.size === 0) return [];
  const needed = new Set(verifying.flatMap(({ rows }) => rows.flatMap((row) => row.unavailable)));
  const absent = listAbsentThings(outOfScope, suite);
  const things = [...unavailable.values()].filter(({ kind, name }) => {
    const thing = `${kind} ${name}`;
    return needed.has(thing) && !absent.has(thing);
  });
  return [...groupBy(things, ({ kind }) => kind)].map(([kind, alike]) => {
    const names = renderShortList(alike.map(({ name }) => name));
    return `With ids of these ${worldListNames[kind]} it would be complete: ${names}.`;
  });
}

function createQuestionEntry(question: Question, entry: CaseEntry, drift: readonly DriftEntry[]) {
  const { id, part } = question;
  const { verdict, outcome, code, reason } = entry;
  const isWarning = isWarningOutcome(question, outcome);
  return {
    id,
    part,
    outcome: outcome ?? null,
    ...(code !== undefined && { code, reason }),
    ...(verdict === 'not-run' && { not_run: true }),
    warning: isWarning,
    ...(isWarning && { sentence: renderQuestionAnswer(question, outcome ?? '') }),
    drift: drift.some((change) => change.kind === 'answer' && change.case === id),
  };
}
