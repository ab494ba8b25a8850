import { type DrawnData, describeData } from '../cases/data-suite.js';
import { isOwnCase, type Suite } from '../cases/suite.js';
import { getSubjectId, type TestCase } from '../cases/test-case.js';
import { isWarningOutcome, type Question } from '../contract/contract.js';
import { listNames, thingKinds } from '../contract/world.js';
import type { TransportIdentity } from '../http/transport.js';
import { findWorstVerdict, type Verdict, verdicts } from '../judge/verdict.js';
import { type Baseline, emptyBaseline, isNotCompared } from '../record/drift.js';
import { createResponseRenderer } from '../record/exchange-text.js';
import type { KnownDeviation, KnownFile, ListedDeviation } from '../record/known-deviations.js';
import { getVerdictApart, notSelectedReason, type ResultWithExchanges, samplesCaseId } from '../run/case-result.js';
import { listRanges, omitUndefined } from '../support/collections.js';
import { toOneLine } from '../support/untrusted-text.js';
import { type CaseDifference, type CaseEntry, createCaseEntry, createUnstableEntry } from './case-entry.js';
import type { Cause } from './diagnosis/cause.js';
import type { Diagnosis } from './diagnosis/diagnose-run.js';
import { type DriftEntry, listDriftEntries } from './drift-entry.js';
import { quickNotice } from './notices.js';
import { describeSharedReasons, findSharedReasons } from './shared-reasons.js';

/** The report of one run, as in `certificate.json`. `schemas/certificate.schema.json` describes its members. */
export interface Certificate {
  readonly verdict: RunVerdict;
  readonly incomplete_because?: readonly string[];
  readonly target: CertifiedTarget;
  readonly selected?: { readonly verdict: RunVerdict; readonly cases: VerdictCounts };
  readonly quick?: true;
  readonly suite: { readonly name: string; readonly version: string; readonly digest: string };
  readonly data?: DrawnData;
  readonly summary: VerdictCounts;
  readonly causes?: readonly Cause[];
  readonly known_deviations?: KnownDeviations;
  readonly requirements: readonly RequirementEntry[];
  readonly questions: readonly QuestionEntry[];
  readonly own_cases?: OwnCases;
  readonly compared_with?: string;
  readonly not_compared?: readonly string[];
  readonly drift: readonly DriftEntry[];
  readonly unstable: readonly CaseDifference[];
  readonly notes: readonly string[];
  readonly requests_sent: number;
  readonly evidence?: { readonly file: string; readonly digest: string; readonly exchanges: number };
  readonly is_replay?: true;
  readonly started_at: string;
  readonly duration_ms: number;
}

export interface CertifiedTarget {
  readonly name: string;
  readonly version?: string;
  readonly file?: string;
  readonly base_url: string;
  readonly transport?: TransportIdentity;
  readonly is_reference?: true;
}

export type VerdictCounts = Readonly<Partial<Record<Verdict, number>>>;

export type RunVerdict = 'conforms' | 'does-not-conform' | 'incomplete';

export interface RequirementEntry {
  readonly id: string;
  readonly part: string;
  readonly statement: string;
  readonly verdict: Verdict;
  readonly known?: readonly KnownDeviation[];
  readonly cases: readonly CaseEntry[];
}

export interface KnownDeviations {
  readonly file: string;
  readonly verdict: RunVerdict;
  readonly entries: readonly KnownEntry[];
}

export interface KnownEntry extends KnownDeviation {
  readonly at: string;
  /** `stale`: the requirement passes, or the responses do not show the cause. `expired`: its last day is over. */
  readonly state: 'seen' | 'stale' | 'expired' | 'not-judged';
}

export interface QuestionEntry {
  readonly id: string;
  readonly part: string;
  readonly outcome: string | null;
  readonly reason?: string;
  readonly not_run?: true;
  readonly warning: boolean;
  readonly drift: boolean;
}

interface OwnCases {
  readonly folder: string;
  readonly digest: string;
  readonly verdict: RunVerdict;
  readonly cases: readonly CaseEntry[];
}

export interface RunFacts extends Partial<Pick<Diagnosis, 'causes' | 'excused'>> {
  readonly target: CertifiedTarget;
  readonly requestsSent: number;
  readonly only?: readonly string[];
  /** The ids of the selected cases. Arguments for Playwright, such as --grep, leave out those without a result. */
  readonly planned?: readonly string[];
  readonly quick?: true;
  readonly isReplay?: boolean;
  readonly data?: DrawnData;
  readonly expected?: Baseline;
  readonly isCutShort: boolean;
  readonly notes: readonly string[];
  readonly known?: KnownFile;
  readonly startedAt: Date;
  readonly durationMs: number;
}

/** Creates the certificate of a run. Cases without a result were not selected. */
export function createCertificate(suite: Suite, all: readonly ResultWithExchanges[], facts: RunFacts): Certificate {
  const { target, quick, known, causes = [], isCutShort, expected = emptyBaseline } = facts;
  const { contract, world } = suite;
  const baseUrl = target.base_url;
  const renderResponse = createResponseRenderer(world);
  const entries = new Map(
    all.map((result) => {
      const entry = createCaseEntry(result, baseUrl, renderResponse);
      const isExcused = facts.excused?.includes(entry.id) && getVerdictApart(entry) === 'inconclusive';
      return [entry.id, isExcused ? { ...entry, apart_from_known: 'pass' as const } : entry];
    }),
  );
  const findEntry = (id: string): CaseEntry => entries.get(id) ?? { id, verdict: 'not-run', reason: notSelectedReason };
  const results = all.filter((result) => !isOwnCase(result));
  const drift = listDriftEntries(results, { contract, baseUrl, renderResponse });
  const verifying = suite.cases.filter((testCase) => testCase.kind === 'requirement' && !isOwnCase(testCase));
  // The samples are of no single case: they count as one more case of the requirement that they refute.
  const samples = results.find(({ id }) => id === samplesCaseId);
  const requirements = contract.requirements.map(({ id, part, statement }): RequirementEntry => {
    const ofCases = verifying.filter((testCase) => getSubjectId(testCase) === id);
    const cases = [...ofCases, ...(samples?.subject === id ? [samples] : [])].map((entry) => findEntry(entry.id));
    const verdict = findWorstVerdict(cases.map((entry) => entry.verdict));
    const entry = { id, part, statement, verdict, cases };
    const seen = verdict === 'fail' ? listSeen(entry, known?.entries ?? []) : [];
    return seen.length === 0 ? entry : { ...entry, known: seen };
  });
  const questions = contract.questions.map((question) => createQuestionEntry(question, findEntry(question.id), drift));
  const notCompared = results.flatMap((result) => (isNotCompared(result, expected) ? [result.subject] : []));
  const ownCases = createOwnCases(suite, findEntry, isCutShort);
  const gaps = [
    ...(isCutShort ? ['The run was interrupted.'] : []),
    ...all.flatMap(({ hasDataChanged, reason }) => (hasDataChanged ? [reason] : [])),
    ...listUnavailable(verifying, world),
    ...listUnsupported(results.filter((result) => verifying.some(({ id }) => id === result.id))),
  ];
  const isUnrun = requirements.some(({ cases }) => cases.some(({ verdict }) => verdict === 'not-run'));
  const isPartial = quick !== undefined || gaps.length > 0 || isUnrun;
  const verdict = determineRunVerdict(requirements, isPartial);
  const isSelection =
    facts.only !== undefined || quick !== undefined || facts.planned?.some((id) => !entries.has(id)) === true;
  const selected = isSelection && { verdict: determineRunVerdict(all, all.length === 0), cases: countVerdicts(all) };
  const apart = isSelection ? [...entries.values()].map((entry) => [entry]) : requirements.map(({ cases }) => cases);
  const verdictApart = determineRunVerdict(
    apart.map((cases) => ({ verdict: findVerdictApart(cases) })),
    isSelection ? all.length === 0 : isPartial,
  );
  return {
    verdict,
    ...(verdict === 'incomplete' && {
      incomplete_because: [
        ...gaps,
        ...(quick === undefined ? [] : ['Only some rows of the cases were sent, to save requests.']),
        ...describeSharedReasons({ requirements, questions }),
        ...listReasons(requirements, questions),
      ],
    }),
    target,
    ...(selected && { selected }),
    ...omitUndefined({ quick }),
    suite: { name: suite.name, version: suite.version, digest: suite.digest },
    ...omitUndefined({ data: facts.data }),
    summary: countVerdicts(requirements),
    ...(causes.length > 0 && { causes }),
    ...(known && {
      known_deviations: {
        file: toOneLine(known.file),
        verdict: verdictApart,
        entries: describeEntries(known.entries, requirements),
      },
    }),
    requirements,
    questions,
    ...omitUndefined({ own_cases: ownCases, compared_with: expected.record && toOneLine(expected.record) }),
    ...(notCompared.length > 0 && { not_compared: notCompared }),
    drift,
    unstable: results.flatMap((result) => createUnstableEntry(result, renderResponse)),
    notes: [
      ...gaps,
      ...(facts.data === undefined ? [] : describeData(facts.data)),
      ...(quick === undefined ? [] : [quickNotice]),
      ...facts.notes,
      ...(ownCases === undefined ? [] : describeOwnCases(ownCases)),
    ],
    requests_sent: facts.requestsSent,
    ...(facts.isReplay && { is_replay: true }),
    started_at: facts.startedAt.toISOString(),
    duration_ms: Math.round(facts.durationMs),
  };
}

function listReasons(requirements: readonly RequirementEntry[], questions: readonly QuestionEntry[]): string[] {
  const shared = findSharedReasons({ requirements, questions });
  return requirements.flatMap((requirement) => {
    const reason = findDecisive(requirement)?.reason ?? 'It has no case.';
    return requirement.verdict === 'pass' || shared.has(reason) ? [] : [`${requirement.id}: ${reason}`];
  });
}

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

function findVerdictApart(cases: readonly CaseEntry[]): Verdict {
  return findWorstVerdict(cases.map(getVerdictApart));
}

export function isKnownFailure({ verdict, cases }: RequirementEntry): boolean {
  return verdict !== 'pass' && findVerdictApart(cases) === 'pass';
}

function createOwnCases(
  { own: source, cases }: Suite,
  findEntry: (id: string) => CaseEntry,
  isCutShort: boolean,
): OwnCases | undefined {
  if (source === undefined) return undefined;
  const judged = cases.filter(isOwnCase).map((testCase: TestCase) => ({
    kind: testCase.kind,
    entry: { ...findEntry(testCase.id), subject: getSubjectId(testCase) },
  }));
  const verifying = judged.filter(({ kind }) => kind === 'requirement').map(({ entry }) => entry);
  return { ...source, verdict: determineRunVerdict(verifying, isCutShort), cases: judged.map(({ entry }) => entry) };
}

function describeOwnCases({ folder, cases }: OwnCases): string[] {
  const counts = Object.entries(countVerdicts(cases)).map(([verdict, count]) => `${count} ${verdict}`);
  const unpassed = cases.filter(({ verdict, reason }) => verdict !== 'pass' && reason !== notSelectedReason);
  return [
    `Own cases, which do not change the verdict: ${toOneLine(folder)}, ${counts.join(', ')}.`,
    ...unpassed.map(({ id, verdict, at = '', reason }) => toOneLine(`${verdict}  ${id} (${at}): ${reason}`)),
  ];
}

/** @param isPartial whether a part of what verifies the requirements was not sent */
function determineRunVerdict(judged: readonly { readonly verdict: Verdict }[], isPartial = false): RunVerdict {
  if (judged.some(({ verdict }) => verdict === 'fail')) return 'does-not-conform';
  return judged.every(({ verdict }) => verdict === 'pass') && !isPartial ? 'conforms' : 'incomplete';
}

function countVerdicts(judged: readonly { readonly verdict: Verdict }[]): VerdictCounts {
  const counts = verdicts.map((name) => [name, judged.filter(({ verdict }) => verdict === name).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

function listUnavailable(verifying: readonly TestCase[], world: Suite['world']): string[] {
  if (world.unavailable.size === 0) return [];
  const needed = new Set(verifying.flatMap(({ rows }) => rows.flatMap(({ unavailable }) => unavailable)));
  const things = [...world.unavailable.values()].filter(({ kind, name }) => needed.has(`${kind} ${name}`));
  return thingKinds.flatMap((kind) => {
    const names = things.filter((thing) => thing.kind === kind).map(({ name }) => name);
    const isNext = (name: string, next: string) =>
      next === name.replace(/(?<=-)\d+$/, (number) => String(Number(number) + 1));
    const ranges = listRanges(names, isNext).join(', ');
    return ranges === '' ? [] : [`With ids of these ${listNames[kind]} it would be complete: ${ranges}.`];
  });
}

function listUnsupported(results: readonly ResultWithExchanges[]): string[] {
  const messages = results.flatMap(({ verdict, exchange }) =>
    verdict === 'not-applicable' && exchange !== undefined && 'transportError' in exchange ? [exchange.message] : [],
  );
  return [...new Set(messages)];
}

function createQuestionEntry(
  question: Question,
  { verdict, outcome, reason }: CaseEntry,
  drift: readonly DriftEntry[],
): QuestionEntry {
  const { id, part } = question;
  return {
    id,
    part,
    outcome: outcome ?? null,
    ...(reason !== '' && { reason }),
    ...(verdict === 'not-run' && { not_run: true }),
    warning: isWarningOutcome(question, outcome),
    drift: drift.some((entry) => entry.kind === 'answer' && entry.case === id),
  };
}
