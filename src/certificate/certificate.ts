import { type DrawnData, describeData } from '../cases/data-suite.js';
import { isOwnCase, type Suite } from '../cases/suite.js';
import { getSubjectId, type TestCase } from '../cases/test-case.js';
import { isWarningOutcome, type Question } from '../contract/contract.js';
import { listNames, thingKinds } from '../contract/named-world.js';
import type { TransportIdentity } from '../http/transport.js';
import { findWorstVerdict, type Verdict, verdicts } from '../judge/verdict.js';
import { type Baseline, emptyBaseline, isNotCompared } from '../record/drift.js';
import { createStableRenderer } from '../record/exchange-text.js';
import type { KnownDeviation, KnownFile, ListedDeviation } from '../record/known-deviations.js';
import { getVerdictApart, notSelectedReason, type ResultWithExchanges, samplesCaseId } from '../run/case-result.js';
import type { Examination } from '../run/examine.js';
import type { QuickFigures, QuickRows } from '../run/quick-rows.js';
import { listRanges } from '../support/list-ranges.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { toOneLine } from '../support/untrusted-text.js';
import { type CaseDifference, type CaseEntry, createCaseEntry, createUnstableEntry, findReason } from './case-entry.js';
import type { Cause } from './diagnosis/cause.js';
import type { Diagnosis } from './diagnosis/diagnose-run.js';
import { type DriftEntry, listDriftEntries } from './drift-entry.js';
import { renderQuickNotice } from './notices.js';
import { describeSharedReasons, findSharedReasons } from './shared-reasons.js';

/** The report of one run, as in `certificate.json`. Its schema is `schemas/certificate.schema.json`. */
export interface Certificate {
  readonly verdict: RunVerdict;
  readonly incomplete_because?: readonly string[];
  readonly target: CertifiedTarget;
  /** The results of the cases that were selected by name. */
  readonly selected?: { readonly verdict: RunVerdict; readonly cases: VerdictCounts };
  /** What a run with `--quick` covers. */
  readonly quick?: QuickFigures;
  readonly suite: { readonly name: string; readonly version: string; readonly digest: string };
  /** The data file from which the requests were drawn. */
  readonly data?: DrawnData;
  readonly summary: VerdictCounts;
  /** What most likely is wrong, the cause of most failures first. They change no verdict. */
  readonly causes?: readonly Cause[];
  /** Only of a run with a file of known deviations. */
  readonly known_deviations?: KnownDeviations;
  readonly requirements: readonly RequirementEntry[];
  readonly questions: readonly QuestionEntry[];
  /** The user's own cases. They do not change the other results. */
  readonly own_cases?: OwnCases;
  /** The file of the record that the answers were compared with. */
  readonly compared_with?: string;
  /** The questions whose recorded answers could not be compared, as this run has no answer. */
  readonly not_compared?: readonly string[];
  /** Differences from it, or from the target file. */
  readonly drift: readonly DriftEntry[];
  /** Cases that failed once and passed once: the reason, and both responses. */
  readonly unstable: readonly CaseDifference[];
  readonly notes: readonly string[];
  readonly requests_sent: number;
  /** The file with the exchanges, which is beside the certificate. */
  readonly evidence?: { readonly file: string; readonly digest: string; readonly exchanges: number };
  /** Whether exchanges of an earlier run were judged again. */
  readonly is_replay?: true;
  readonly started_at: string;
  readonly duration_ms: number;
}

export interface CertifiedTarget {
  readonly name: string;
  readonly version?: string;
  /** The target file, relative to the working folder. */
  readonly file?: string;
  readonly base_url: string;
  /** If set, the cases were sent through it: the documented operation was not certified. */
  readonly transport?: TransportIdentity;
  /** Whether it is the reference deployment of the suite. */
  readonly is_reference?: true;
}

export type VerdictCounts = Readonly<Partial<Record<Verdict, number>>>;

export type RunVerdict = 'conforms' | 'does-not-conform' | 'incomplete';

export interface RequirementEntry {
  readonly id: string;
  readonly part: string;
  readonly statement: string;
  readonly verdict: Verdict;
  /** The known deviations that the run shows of it. */
  readonly known?: readonly KnownDeviation[];
  readonly cases: readonly CaseEntry[];
}

/** What a run shows of the known deviations of its target. */
export interface KnownDeviations {
  readonly file: string;
  /** The overall verdict, apart from the known deviations. */
  readonly verdict: RunVerdict;
  readonly entries: readonly KnownEntry[];
}

export interface KnownEntry extends KnownDeviation {
  /** The place of the entry in its file. */
  readonly at: string;
  /**
   * `seen`: the requirement fails for this reason. `stale`: the requirement passes, or the responses do not show the cause.
   * `expired`: its last day is over. `not-judged`: the run does not show whether it is still true.
   */
  readonly state: 'seen' | 'stale' | 'expired' | 'not-judged';
}

export interface QuestionEntry {
  readonly id: string;
  /** The part of the documentation that leaves it open. */
  readonly part: string;
  readonly outcome: string | null;
  readonly reason?: string;
  /** Whether it was not selected, or not reached. */
  readonly not_run?: true;
  /** Whether the outcome deserves a warning. */
  readonly warning: boolean;
  readonly drift: boolean;
}

interface OwnCases {
  readonly folder: string;
  readonly digest: string;
  /** The verdict of those that verify requirements. */
  readonly verdict: RunVerdict;
  readonly cases: readonly CaseEntry[];
}

/** What is known about a run beside the results of its cases. */
export interface RunFacts {
  readonly target: CertifiedTarget;
  readonly requestsSent: number;
  /** Whether only selected cases or rows were sent. */
  readonly isSelection?: boolean;
  readonly quick?: QuickFigures;
  readonly isReplay?: boolean;
  readonly data?: DrawnData;
  /** What the answers were compared with. */
  readonly expected?: Baseline;
  /** Whether the run ended before all selected cases were judged. */
  readonly isCutShort: boolean;
  readonly notes: readonly string[];
  /** See {@link diagnoseRun}. */
  readonly diagnosis?: Diagnosis;
  /** The file of known deviations, if there is one. */
  readonly known?: KnownFile;
  readonly startedAt: Date;
  readonly durationMs: number;
}

/**
 * Collects facts from the settings of a run.
 *
 * @param examination undefined if the run ended before it
 * @param planned the cases that the settings select. Those without a result were left out by arguments for Playwright,
 *   such as --grep, which is a selection like --only.
 */
export function collectRunFacts(
  results: readonly ResultWithExchanges[],
  examination: Pick<Examination, 'note'> | undefined,
  settings: {
    readonly only?: readonly string[];
    readonly quick?: Pick<QuickRows, 'figures'>;
    readonly notes: readonly string[];
  },
  planned: readonly Pick<TestCase, 'id'>[] = [],
): Pick<RunFacts, 'isSelection' | 'quick' | 'notes'> {
  const { only, notes } = settings;
  const withResult = new Set(results.map(({ id }) => id));
  const isNarrowed = planned.some(({ id }) => !withResult.has(id));
  const figures = settings.quick?.figures;
  // What was not judged catches no fault.
  const areJudged = results.every(({ verdict }) => verdict === 'pass' || verdict === 'fail');
  const quick = figures && (areJudged ? figures : { ...figures, faults_caught: 0 });
  return {
    isSelection: only !== undefined || quick !== undefined || isNarrowed,
    ...omitUndefined({ quick }),
    notes: [quick && renderQuickNotice(quick), examination?.note, ...notes].filter((note) => note !== undefined),
  };
}

/** Creates the certificate of a run. Cases without a result were not selected. */
export function createCertificate(suite: Suite, stated: readonly ResultWithExchanges[], facts: RunFacts): Certificate {
  const all = withdrawFailures(stated);
  const { quick, known, expected = emptyBaseline, diagnosis: { causes, excused } = nothingFound } = facts;
  const results = all.filter((result) => !isOwnCase(result));
  const byCase = new Map(all.map((result) => [result.id, result]));
  const renderResponse = createStableRenderer(suite.world);
  const createEntry = (id: string): CaseEntry => {
    const result = byCase.get(id);
    if (result === undefined) return { id, verdict: 'not-run', reason: notSelectedReason };
    const entry = createCaseEntry(result, facts.target.base_url, renderResponse);
    const isExcused = excused.includes(id) && getVerdictApart(entry) === 'inconclusive';
    return isExcused ? { ...entry, apart_from_known: 'pass' } : entry;
  };
  const verifying = suite.cases.flatMap((testCase) =>
    testCase.kind === 'requirement' && !isOwnCase(testCase) ? [testCase] : [],
  );
  const samples = byCase.get(samplesCaseId);
  const requirements = suite.contract.requirements.map(({ id, part, statement }): RequirementEntry => {
    const cases = verifying.filter((testCase) => testCase.verifies === id).map((testCase) => createEntry(testCase.id));
    // The samples are of no single case: they count as one more case of the requirement that they refute.
    if (samples?.subject === id) cases.push(createEntry(samples.id));
    const verdict = findWorstVerdict(cases.map((entry) => entry.verdict));
    const entry = { id, part, statement, verdict, cases };
    const seen = verdict === 'fail' ? listSeen(entry, known?.entries ?? []) : [];
    return seen.length === 0 ? entry : { ...entry, known: seen };
  });
  const questions = suite.contract.questions.map((question) => createQuestionEntry(question, byCase.get(question.id)));
  const notCompared = results.flatMap((result) => (isNotCompared(result, expected) ? [result.subject] : []));
  const unavailable = [
    ...listUnavailable(verifying, suite.world),
    ...listUnsupported(verifying.flatMap(({ id }) => byCase.get(id) ?? [])),
  ];
  const interruption = facts.isCutShort ? ['The run was interrupted.'] : [];
  const changes = all.flatMap(({ hasDataChanged, reason }) => (hasDataChanged ? [reason] : []));
  const isUnrun = requirements.some(({ cases }) => cases.some(({ verdict }) => verdict === 'not-run'));
  const isPartial = facts.isCutShort || quick !== undefined || unavailable.length + changes.length > 0 || isUnrun;
  const verdict = determineRunVerdict(requirements, isPartial);
  const shared = findSharedReasons({ requirements, questions });
  const reasons = requirements.flatMap((requirement) => {
    if (requirement.verdict === 'pass') return [];
    const reason = findDecisive(requirement)?.reason ?? 'It has no case.';
    return shared.has(reason) ? [] : [`${requirement.id}: ${reason}`];
  });
  const ownCases = createOwnCases(suite, createEntry, facts.isCutShort);
  const verdictApart = facts.isSelection
    ? determineRunVerdict(
        all.map((result) => ({ verdict: getVerdictApart(createEntry(result.id)) })),
        all.length === 0,
      )
    : determineRunVerdict(
        requirements.map(({ cases }) => ({ verdict: findWorstVerdict(cases.map(getVerdictApart)) })),
        isPartial,
      );
  return {
    verdict,
    ...(verdict === 'incomplete'
      ? {
          incomplete_because: [
            ...interruption,
            ...changes,
            ...(quick === undefined ? [] : ['Only some rows of the cases were sent, to save requests.']),
            ...unavailable,
            ...describeSharedReasons({ requirements, questions }),
            ...reasons,
          ],
        }
      : {}),
    target: facts.target,
    ...(facts.isSelection
      ? { selected: { verdict: determineRunVerdict(all, all.length === 0), cases: countVerdicts(all) } }
      : {}),
    ...omitUndefined({ quick }),
    suite: { name: suite.name, version: suite.version, digest: suite.digest },
    ...omitUndefined({ data: facts.data }),
    summary: countVerdicts(requirements),
    ...(causes.length === 0 ? {} : { causes }),
    ...(known && {
      known_deviations: {
        file: toOneLine(known.file),
        verdict: verdictApart,
        entries: describeEntries(known.entries, requirements),
      },
    }),
    requirements,
    questions,
    ...omitUndefined({ own_cases: ownCases }),
    ...omitUndefined({ compared_with: expected.record && toOneLine(expected.record) }),
    ...(notCompared.length === 0 ? {} : { not_compared: notCompared }),
    drift: listDriftEntries(results, { contract: suite.contract, baseUrl: facts.target.base_url, renderResponse }),
    unstable: results.flatMap((result) => createUnstableEntry(result, renderResponse)),
    notes: [
      ...interruption,
      ...changes,
      ...unavailable,
      ...(facts.data === undefined ? [] : [...describeData(facts.data), ...describeBoundQuestions(questions)]),
      ...facts.notes,
      ...(ownCases === undefined ? [] : describeOwnCases(ownCases)),
    ],
    requests_sent: facts.requestsSent,
    ...(facts.isReplay ? { is_replay: true } : {}),
    started_at: facts.startedAt.toISOString(),
    duration_ms: Math.round(facts.durationMs),
  };
}

/** Says how many questions were asked about the data of the deployment. */
function describeBoundQuestions(questions: readonly QuestionEntry[]): string[] {
  const answered = questions.filter(({ outcome }) => outcome !== null).length;
  const others = 'The others need the test data of the suite, or were not asked.';
  return answered === 0
    ? []
    : [`${answered} of ${questions.length} questions were answered with ids of the data. ${others}`];
}

/** If the data of a deployment changed during the run, no failure proves anything. */
export function withdrawFailures(results: readonly ResultWithExchanges[]): readonly ResultWithExchanges[] {
  const changed = results.find(({ hasDataChanged }) => hasDataChanged);
  if (changed === undefined) return results;
  return results.map((result): ResultWithExchanges => {
    if (result.verdict !== 'fail') return result;
    const { apart_from_known: _, ...failure } = result;
    return { ...failure, verdict: 'inconclusive', reason: `${changed.reason} Before that: ${failure.reason}` };
  });
}

const nothingFound: Diagnosis = { causes: [], excused: [], gone: [] };

/** Lists the known deviations that a failing requirement shows. A cause may break further requirements than the listed one. */
function listSeen({ id, cases }: RequirementEntry, known: readonly ListedDeviation[]) {
  const current = known.filter(({ isExpired, isGone }) => !isExpired && !isGone);
  const listed = current.filter(({ requirement }) => requirement === id);
  const isKnown = cases.some((entry) => entry.verdict === 'fail' && getVerdictApart(entry) !== 'fail');
  const shown = listed.length > 0 || !isKnown ? listed : current.filter(({ cause }) => cause !== undefined);
  return shown.map(({ at: _, ...deviation }): KnownDeviation => deviation);
}

function describeEntries(known: readonly ListedDeviation[], requirements: readonly RequirementEntry[]): KnownEntry[] {
  return known.map(({ isExpired, isGone, ...entry }): KnownEntry => {
    const { verdict = 'not-run' } = requirements.find(({ id }) => id === entry.requirement) ?? {};
    if (isExpired) return { ...entry, state: 'expired' };
    if (verdict === 'pass' || (verdict === 'fail' && isGone)) return { ...entry, state: 'stale' };
    return { ...entry, state: verdict === 'fail' ? 'seen' : 'not-judged' };
  });
}

/** Finds the first case that has the verdict of its requirement, if possible one that is not known. */
export function findDecisive({ verdict, cases }: RequirementEntry): CaseEntry | undefined {
  const decisive = cases.filter((entry) => entry.verdict === verdict);
  return decisive.find((entry) => getVerdictApart(entry) === verdict) ?? decisive[0];
}

/** Whether everything that is wrong with a requirement is known. */
export function isKnownFailure({ verdict, cases }: RequirementEntry): boolean {
  const apart = findWorstVerdict(cases.map(getVerdictApart));
  return apart === 'pass' && verdict !== 'pass';
}

function createOwnCases(
  { own: source, cases }: Suite,
  createEntry: (id: string) => CaseEntry,
  isCutShort: boolean,
): OwnCases | undefined {
  if (source === undefined) return undefined;
  const entries = cases.filter(isOwnCase).map((testCase: TestCase) => ({
    kind: testCase.kind,
    entry: { ...createEntry(testCase.id), subject: getSubjectId(testCase) },
  }));
  const verifying = entries.flatMap(({ kind, entry }) => (kind === 'requirement' ? [entry] : []));
  return { ...source, verdict: determineRunVerdict(verifying, isCutShort), cases: entries.map(({ entry }) => entry) };
}

function describeOwnCases({ folder, cases }: OwnCases): string[] {
  const counts = Object.entries(countVerdicts(cases)).map(([verdict, count]) => `${count} ${verdict}`);
  const unpassed = cases.filter(({ verdict, reason }) => verdict !== 'pass' && reason !== notSelectedReason);
  return [
    `Own cases, which do not change the verdict: ${toOneLine(folder)}, ${counts.join(', ')}.`,
    ...unpassed.map(({ id, verdict, at = '', reason }) => toOneLine(`${verdict}  ${id} (${at}): ${reason}`)),
  ];
}

/**
 * Determines the verdict of a run: a failure decides it, and only passes make it conform.
 *
 * @param isPartial whether a part of what verifies the requirements was not sent
 */
export function determineRunVerdict(judged: readonly { readonly verdict: Verdict }[], isPartial = false): RunVerdict {
  if (judged.some(({ verdict }) => verdict === 'fail')) return 'does-not-conform';
  return judged.every(({ verdict }) => verdict === 'pass') && !isPartial ? 'conforms' : 'incomplete';
}

function countVerdicts(judged: readonly { readonly verdict: Verdict }[]): VerdictCounts {
  const counts = verdicts.map((name) => [name, judged.filter(({ verdict }) => verdict === name).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

/** Lists what the target needs so that all requirement cases apply, a line per kind of thing. */
function listUnavailable(verifying: readonly TestCase[], world: Suite['world']): string[] {
  if (world.unavailable.size === 0) return [];
  const needed = new Set(verifying.flatMap(({ rows }) => rows.flatMap(({ unavailable }) => unavailable)));
  const things = [...world.unavailable.values()].filter(({ kind, name }) => needed.has(`${kind} ${name}`));
  return thingKinds.flatMap((kind) => {
    const names = things.filter((thing) => thing.kind === kind).map(({ name }) => name);
    const ranges = listRanges(names, isNextName);
    return ranges.length === 0
      ? []
      : [`With ids of these ${listNames[kind]} it would be complete: ${ranges.join(', ')}.`];
  });
}

/** Lists what the transport cannot express. */
function listUnsupported(results: readonly ResultWithExchanges[]): string[] {
  const messages = results.flatMap(({ verdict, exchange }) =>
    verdict === 'not-applicable' && exchange !== undefined && 'transportError' in exchange ? [exchange.message] : [],
  );
  return [...new Set(messages)];
}

function isNextName(name: string, next: string): boolean {
  return next === name.replace(/(?<=-)\d+$/, (number) => String(Number(number) + 1));
}

function createQuestionEntry(question: Question, result: ResultWithExchanges | undefined): QuestionEntry {
  const reason = result === undefined ? notSelectedReason : findReason(result);
  return {
    id: question.id,
    part: question.part,
    outcome: result?.outcome ?? null,
    ...(reason === '' ? {} : { reason }),
    ...(result === undefined || result.verdict === 'not-run' ? { not_run: true } : {}),
    warning: isWarningOutcome(question, result?.outcome),
    drift: result?.drift.some(({ kind }) => kind === 'outcome') ?? false,
  };
}
