import { getSubjectId, type TestCase } from '../cases/test-case.js';
import { isWarningOutcome, type Question } from '../contract/contract.js';
import { listNames } from '../contract/world.js';
import type { Diagnosis } from '../explanation/diagnose-run.js';
import type { TransportIdentity } from '../http/transport.js';
import type { Stop } from '../judge/find-stop.js';
import { findWorstVerdict, type Verdict, verdicts } from '../judge/verdict.js';
import type { DrawnData } from '../own-data/data-suite.js';
import { type Baseline, emptyBaseline, isNotCompared } from '../record/drift.js';
import { createResponseRenderer } from '../record/exchange-text.js';
import type { KnownDeviation, KnownFile, ListedDeviation } from '../record/known-deviations.js';
import { getVerdictApart, notSelected, type ResultWithExchanges, samplesCaseId } from '../run/case-result.js';
import { isOwnCase, type Suite } from '../suite/suite.js';
import { groupBy, omitUndefined, renderShortList } from '../support/collections.js';
import { createReason, type Reason, renderReason } from '../support/reason.js';
import { toOneLine } from '../support/untrusted-text.js';
import { createStopCause } from './apply-stop.js';
import { type CaseEntry, createCaseEntry, createUnstableEntry } from './case-entry.js';
import { type DriftEntry, listDriftEntries } from './drift-entry.js';
import { describeData, quickNotice } from './notices.js';
import { describeSharedReasons, findSharedReasons } from './shared-reasons.js';

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

export interface KnownEntry extends KnownDeviation {
  readonly at: string;
  /** `stale`: the requirement passes, or the responses do not show the cause. `expired`: its last day is over. */
  readonly state: 'seen' | 'stale' | 'expired' | 'not-judged';
}

type QuestionEntry = ReturnType<typeof createQuestionEntry>;

export interface RunFacts extends Partial<Pick<Diagnosis, 'causes' | 'excused'>> {
  readonly target: CertifiedTarget;
  readonly requestsSent: number;
  readonly quick?: true;
  readonly data?: DrawnData;
  readonly expected?: Baseline;
  readonly isCutShort: boolean;
  /** What is wrong with the test data, as it seems, and whether it certainly is. */
  readonly load?: { readonly sentence: string; readonly isProven: boolean };
  /** When the deployment stopped working, if it did. */
  readonly stop?: Stop;
  readonly notes: readonly string[];
  readonly known?: KnownFile;
  readonly startedAt: Date;
  readonly durationMs: number;
}

/** Creates the certificate of a run. Cases without a result were not selected. */
export function createCertificate(suite: Suite, all: readonly ResultWithExchanges[], facts: RunFacts) {
  const { target, quick, known, load, stop, excused = [], isCutShort, expected = emptyBaseline } = facts;
  const { contract, world } = suite;
  const terms = { contract, baseUrl: target.base_url, renderResponse: createResponseRenderer(world) };
  const entries = new Map(
    all.map((result) => {
      const entry = createCaseEntry(result, terms);
      const isExcused = excused.includes(entry.id) && getVerdictApart(entry) === 'inconclusive';
      return [entry.id, isExcused ? { ...entry, apart_from_known: 'pass' as const } : entry];
    }),
  );
  const unselected = { verdict: 'not-run', code: notSelected.code, reason: renderReason(notSelected) } as const;
  const findEntry = (id: string): CaseEntry => entries.get(id) ?? { id, ...unselected };
  const results = all.filter((result) => !isOwnCase(result));
  const drift = listDriftEntries(results, terms);
  const verifying = suite.cases.filter((testCase) => testCase.kind === 'requirement' && !isOwnCase(testCase));
  // The samples are of no single case: they count as one more case of the requirement that they refute.
  const samples = results.filter(({ id }) => id === samplesCaseId);
  const requirements = contract.requirements.map(({ id, part, statement }): RequirementEntry => {
    const ofCases = verifying.filter((testCase) => getSubjectId(testCase) === id);
    const ofSamples = samples.filter(({ subject }) => subject === id);
    const cases = [...ofCases, ...ofSamples].map((entry) => findEntry(entry.id));
    const entry = { id, part, statement, verdict: findWorstVerdict(listVerdicts(cases)), cases };
    const seen = listSeen(entry, known?.entries ?? []);
    return seen.length === 0 ? entry : { ...entry, known: seen };
  });
  const questions = contract.questions.map((question) => createQuestionEntry(question, findEntry(question.id), drift));
  const notCompared = results.flatMap((result) => (isNotCompared(result, expected) ? [result.subject] : []));
  const ownCases = createOwnCases(suite, findEntry, isCutShort);
  const unsupported = results
    .filter(({ id, verdict }) => verdict === 'not-applicable' && verifying.some((testCase) => testCase.id === id))
    .flatMap(({ exchange }) => (exchange !== undefined && 'transportError' in exchange ? [exchange.message] : []));
  const causes = [...createStopCause(stop, requirements), ...(facts.causes ?? [])];
  // What fails the run is a cause.
  const ofRun = all.filter(({ verdict, concernsRun }) => concernsRun && verdict !== 'fail');
  const gaps = [
    ...(isCutShort ? ['The run was interrupted.'] : []),
    ...(quick === undefined ? [] : [quickNotice]),
    ...all.flatMap(({ hasDataChanged, reason }) => (hasDataChanged ? [renderReason(reason)] : [])),
    // No requirement has it: without this line, a run whose repetition crashed would conform.
    ...samples.flatMap((result) => (result.verdict === 'error' ? [renderReason(explainLostRepetition(result))] : [])),
    ...listUnavailable(verifying, world),
    ...new Set(unsupported),
  ];
  const isUnrun = requirements.some(({ cases }) => cases.some(({ verdict }) => verdict === 'not-run'));
  const isPartial = gaps.length > 0 || ofRun.length > 0 || isUnrun || load?.isProven === true;
  const verdict = determineRunVerdict(listVerdicts(requirements), isPartial);
  const isSelection = quick !== undefined || suite.cases.some(({ id }) => !entries.has(id));
  const apart = isSelection
    ? [...entries.values()].map(getVerdictApart)
    : requirements.map(({ cases }) => findVerdictApart(cases));
  const isLacking = isSelection ? all.length === 0 : isPartial;
  const reasons = [
    ...(load === undefined ? [] : [load.sentence]),
    ...ofRun.map(({ reason }) => renderReason(reason)),
    ...gaps,
    ...describeSharedReasons({ requirements, questions }),
    ...listReasons(requirements, questions),
  ];
  return {
    verdict,
    ...(load && { load: { sentence: load.sentence, is_certain: load.isProven } }),
    ...(verdict === 'incomplete' && { incomplete_because: reasons }),
    target,
    suite: { name: suite.name, version: suite.version, digest: suite.digest },
    summary: countVerdicts(requirements),
    requirements,
    questions,
    drift,
    unstable: results.flatMap((result) => createUnstableEntry(result, terms)),
    notes: [
      ...(stop === undefined ? ofRun.map(({ reason }) => renderReason(reason)) : []),
      ...gaps,
      ...(facts.data === undefined ? [] : describeData(facts.data)),
      ...facts.notes,
      ...(notCompared.length === 0
        ? []
        : [`Answers of the record that could not be compared: ${renderShortList(notCompared)}.`]),
      ...(ownCases === undefined ? [] : describeOwnCases(ownCases)),
    ],
    requests_sent: facts.requestsSent,
    started_at: facts.startedAt.toISOString(),
    duration_ms: Math.round(facts.durationMs),
    ...omitUndefined({
      selected: isSelection
        ? { verdict: determineRunVerdict(listVerdicts(all), isLacking), cases: countVerdicts(all) }
        : undefined,
      stopped: stop && {
        since: stop.since,
        verdict: stop.verdict,
        code: stop.reason.code,
        reason: renderReason(stop.reason),
      },
      quick,
      data: facts.data,
      causes: causes.length > 0 ? causes : undefined,
      known_deviations: known && {
        file: toOneLine(known.file),
        verdict: determineRunVerdict(apart, isLacking),
        entries: describeEntries(known.entries, requirements),
      },
      own_cases: ownCases,
      compared_with: expected.record && toOneLine(expected.record),
    }),
  };
}

/** If the data of a deployment changed during the run, no failure proves anything. */
export function withdrawFailures(results: readonly ResultWithExchanges[]): readonly ResultWithExchanges[] {
  const changed = results.find(({ hasDataChanged }) => hasDataChanged);
  if (changed === undefined) return results;
  return results.map((result): ResultWithExchanges => {
    if (result.verdict !== 'fail') return result;
    const { apart_from_known: _, reason: failure, ...rest } = result;
    const reason = createReason('withdrawn', omitUndefined({ reason: changed.reason, failure }));
    return { ...rest, verdict: 'inconclusive', reason };
  });
}

function explainLostRepetition({ reason = createReason('not-reached') }: ResultWithExchanges): Reason {
  return createReason('repetition-lost', { reason });
}

function listReasons(requirements: readonly RequirementEntry[], questions: readonly QuestionEntry[]): string[] {
  const shared = findSharedReasons({ requirements, questions });
  return requirements.flatMap((requirement) => {
    const reason = findDecisive(requirement)?.reason ?? 'It has no case.';
    return requirement.verdict === 'pass' || shared.has(reason) ? [] : [`${requirement.id}: ${reason}`];
  });
}

/** Lists the known deviations that a failing requirement shows. A cause may break further requirements than the listed one. */
function listSeen({ id, verdict, cases }: RequirementEntry, known: readonly ListedDeviation[]): KnownDeviation[] {
  if (verdict !== 'fail') return [];
  const current = known.filter(({ isExpired, isGone }) => !isExpired && !isGone);
  const listed = current.filter(({ requirement }) => requirement === id);
  const isKnown = cases.some((entry) => entry.verdict === 'fail' && getVerdictApart(entry) !== 'fail');
  const shown = listed.length > 0 || !isKnown ? listed : current.filter(({ cause }) => cause !== undefined);
  return shown.map(({ at: _, ...deviation }) => deviation);
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

const findVerdictApart = (cases: readonly CaseEntry[]): Verdict => findWorstVerdict(cases.map(getVerdictApart));

export function isKnownFailure({ verdict, cases }: RequirementEntry): boolean {
  return verdict !== 'pass' && findVerdictApart(cases) === 'pass';
}

function createOwnCases({ own: source, cases }: Suite, findEntry: (id: string) => CaseEntry, isCutShort: boolean) {
  if (source === undefined) return undefined;
  const ownCases = cases.filter(isOwnCase);
  const verifying = ownCases.filter(({ kind }) => kind === 'requirement').map(({ id }) => findEntry(id));
  return {
    ...source,
    verdict: determineRunVerdict(listVerdicts(verifying), isCutShort),
    cases: ownCases.map((testCase) => ({ ...findEntry(testCase.id), subject: getSubjectId(testCase) })),
  };
}

function describeOwnCases({ folder, cases }: { folder: string; cases: readonly CaseEntry[] }): string[] {
  const counts = Object.entries(countVerdicts(cases)).map(([verdict, count]) => `${count} ${verdict}`);
  const unpassed = cases.filter(({ verdict, code }) => verdict !== 'pass' && code !== notSelected.code);
  return [
    `Own cases, which do not change the verdict: ${toOneLine(folder)}, ${counts.join(', ')}.`,
    ...unpassed.map(({ id, verdict, at = '', reason }) => toOneLine(`${verdict}  ${id} (${at}): ${reason}`)),
  ];
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

function listUnavailable(verifying: readonly TestCase[], { unavailable }: Suite['world']): string[] {
  // The requests of a data file would be drawn for their rows.
  if (unavailable.size === 0) return [];
  const needed = new Set(verifying.flatMap(({ rows }) => rows.flatMap((row) => row.unavailable)));
  const things = [...unavailable.values()].filter(({ kind, name }) => needed.has(`${kind} ${name}`));
  return [...groupBy(things, ({ kind }) => kind)].map(([kind, alike]) => {
    const names = renderShortList(alike.map(({ name }) => name));
    return `With ids of these ${listNames[kind]} it would be complete: ${names}.`;
  });
}

function createQuestionEntry(question: Question, entry: CaseEntry, drift: readonly DriftEntry[]) {
  const { id, part } = question;
  const { verdict, outcome, code, reason } = entry;
  return {
    id,
    part,
    outcome: outcome ?? null,
    ...(code !== undefined && { code, reason }),
    ...(verdict === 'not-run' && { not_run: true }),
    warning: isWarningOutcome(question, outcome),
    drift: drift.some((change) => change.kind === 'answer' && change.case === id),
  };
}
