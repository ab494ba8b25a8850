import { isOwnCase, type Suite } from '../cases/suite.js';
import type { TestCase } from '../cases/test-case.js';
import { isWarningOutcome, type Question } from '../contract/contract.js';
import { listNames, thingKinds } from '../contract/named-world.js';
import { renderCurlCommand } from '../http/curl-command.js';
import { type TransportIdentity, unsupportedPrefix } from '../http/transport.js';
import { findWorstVerdict, type Verdict, verdicts } from '../judge/verdict.js';
import { createStableRenderer, type ResponseRenderer } from '../record/exchange-text.js';
import { countRequests, notSelectedReason, type ResultWithExchanges, samplesCaseId } from '../run/case-result.js';
import type { Examination } from '../run/examine.js';
import type { QuickFigures, QuickRows } from '../run/quick-rows.js';
import { listRanges } from '../support/list-ranges.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { formatLocation } from '../support/problem.js';
import { quoteLines, toOneLine } from '../support/untrusted-text.js';
import type { Cause } from './diagnosis/cause.js';
import { mergeShapeDrift, renderDrift, renderFailure } from './failure-text.js';
import { renderQuickNotice } from './notices.js';
import { describeSharedReasons, findSharedReasons, isSharedReason } from './shared-reasons.js';

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
  readonly summary: VerdictCounts;
  /** What most likely is wrong, the cause of most failures first. They change no verdict. */
  readonly causes?: readonly Cause[];
  readonly requirements: readonly RequirementEntry[];
  readonly questions: readonly QuestionEntry[];
  /** The results of the user's own cases. They do not change the other results. */
  readonly own_cases?: OwnCasesEntry;
  /** Differences from the record, or from the target file. */
  readonly drift: readonly CaseText[];
  /** Cases that failed once and passed once: the reason, and both responses. */
  readonly unstable: readonly CaseText[];
  readonly notes: readonly string[];
  readonly requests_sent: number;
  readonly exchanges_judged: number;
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
  readonly contact?: string;
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
  readonly cases: readonly CaseEntry[];
}

export interface CaseEntry {
  readonly id: string;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly at?: string;
  readonly rows?: readonly { readonly title: string; readonly verdict: Verdict; readonly reason: string }[];
  /** For `fail` and `error`: reason, expected and received, in lines for people. */
  readonly failure?: string;
  readonly repeat_with?: string;
}

export interface QuestionEntry {
  readonly id: string;
  /** The part of the documentation that leaves it open. */
  readonly part: string;
  readonly outcome: string | null;
  readonly reason?: string;
  /** Whether the outcome deserves a warning. */
  readonly warning: boolean;
  readonly drift: boolean;
}

/** The user's own cases, which verify requirements and answer questions with other data. */
export interface OwnCasesEntry {
  readonly folder: string;
  readonly digest: string;
  /** The verdict of those that verify requirements. */
  readonly verdict: RunVerdict;
  readonly cases: readonly OwnCaseEntry[];
}

export type OwnCaseEntry = CaseEntry &
  ({ readonly verifies: string } | { readonly answers: string; readonly outcome: string | null });

/** A text about a case, of several lines. */
export interface CaseText {
  readonly case: string;
  readonly text: string;
}

/** What is known about a run beside the results of its cases. */
export interface RunFacts {
  readonly target: CertifiedTarget;
  readonly requestsSent: number;
  /** Whether only selected cases or rows were sent. */
  readonly isSelection?: boolean;
  readonly quick?: QuickFigures;
  readonly isReplay?: boolean;
  /** Whether the run ended before all selected cases were judged. */
  readonly isCutShort: boolean;
  readonly notes: readonly string[];
  /** See {@link diagnoseRun}. */
  readonly causes?: readonly Cause[];
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
export function createCertificate(suite: Suite, all: readonly ResultWithExchanges[], facts: RunFacts): Certificate {
  const ofSuite = { ...suite, cases: suite.cases.filter((testCase) => !isOwnCase(testCase)) };
  const merged = mergeShapeDrift(all);
  const results = merged.filter((result) => !isOwnCase(result));
  const byCase = new Map(results.map((result) => [result.id, result]));
  const renderResponse = createStableRenderer(suite.world);
  const createEntry = (id: string, result: ResultWithExchanges | undefined) =>
    createCaseEntry(id, result, facts.target.base_url, renderResponse);
  const samples = byCase.get(samplesCaseId);
  const requirements = suite.contract.requirements.map(({ id, part, statement }): RequirementEntry => {
    const verifying = ofSuite.cases.filter((each) => each.kind === 'requirement' && each.verifies === id);
    const cases = verifying.map((testCase) => createEntry(testCase.id, byCase.get(testCase.id)));
    // The samples are of no single case: they count as one more case of the requirement that they refute.
    if (samples?.subject === id) cases.push(createEntry(samples.id, samples));
    return { id, part, statement, verdict: findWorstVerdict(cases.map(({ verdict }) => verdict)), cases };
  });
  const questions = suite.contract.questions.map((question) => createQuestionEntry(question, byCase.get(question.id)));
  const unavailable = [...listUnavailable(ofSuite), ...listUnsupported(requirements)];
  const isPartial = requirements.some(({ cases }) => cases.some(({ verdict }) => verdict === 'not-run'));
  const { quick } = facts;
  const interruption = facts.isCutShort ? ['The run was interrupted.'] : [];
  const isWhole = !facts.isCutShort && !isPartial && quick === undefined && unavailable.length === 0;
  const verdict = determineRunVerdict(requirements, !isWhole);
  const shared = findSharedReasons({ requirements, questions });
  const incompleteReasons = [
    ...interruption,
    ...(quick === undefined ? [] : ['Only some rows of the cases were sent, to save requests.']),
    ...unavailable,
    ...describeSharedReasons({ requirements, questions }),
    ...requirements.flatMap(({ id, verdict, cases }) => {
      const reason = cases.find((entry) => entry.verdict === verdict)?.reason ?? 'It has no case.';
      return verdict === 'pass' || isSharedReason(reason, shared) ? [] : [`${id}: ${reason}`];
    }),
  ];
  const own = createOwnCasesEntry(suite, merged, facts, createEntry);
  const drift = results.flatMap((result) => result.drift.map((each) => ({ result, each })));
  return {
    verdict,
    ...(verdict === 'incomplete' ? { incomplete_because: incompleteReasons } : {}),
    target: facts.target,
    ...(facts.isSelection
      ? { selected: { verdict: determineRunVerdict(merged, merged.length === 0), cases: countVerdicts(merged) } }
      : {}),
    ...omitUndefined({ quick }),
    suite: { name: suite.name, version: suite.version, digest: suite.digest },
    summary: countVerdicts(requirements),
    ...(facts.causes === undefined || facts.causes.length === 0 ? {} : { causes: facts.causes }),
    requirements,
    questions,
    ...omitUndefined({ own_cases: own }),
    drift: drift.flatMap(({ result, each }) =>
      each.kind === 'addition' ? [] : [{ case: result.id, text: renderDrift(each, result, renderResponse) }],
    ),
    unstable: results.flatMap((result) => createUnstableEntry(result, renderResponse)),
    notes: [
      ...(verdict === 'incomplete' ? [] : interruption),
      ...facts.notes,
      ...describeOwnCases(own),
      ...drift.flatMap(({ each }) => (each.kind === 'addition' ? [toOneLine(each.message)] : [])),
    ],
    requests_sent: facts.requestsSent,
    exchanges_judged: countRequests(all).exchangesJudged,
    ...(facts.isReplay ? { is_replay: true } : {}),
    started_at: facts.startedAt.toISOString(),
    duration_ms: Math.round(facts.durationMs),
  };
}

function createOwnCasesEntry(
  { own, cases }: Suite,
  results: readonly ResultWithExchanges[],
  { isCutShort }: RunFacts,
  createEntry: (id: string, result: ResultWithExchanges | undefined) => CaseEntry,
): OwnCasesEntry | undefined {
  if (own === undefined) return undefined;
  const entries = cases.filter(isOwnCase).map((testCase: TestCase): OwnCaseEntry => {
    const result = results.find(({ id }) => id === testCase.id);
    const entry = createEntry(testCase.id, result);
    return testCase.kind === 'question'
      ? { ...entry, answers: testCase.answers, outcome: result?.outcome ?? null }
      : { ...entry, verifies: testCase.verifies };
  });
  const verifying = entries.filter((entry) => 'verifies' in entry);
  return { ...own, verdict: determineRunVerdict(verifying, isCutShort), cases: entries };
}

function describeOwnCases(own: OwnCasesEntry | undefined): string[] {
  if (own === undefined) return [];
  const counts = Object.entries(countVerdicts(own.cases)).map(([verdict, count]) => `${count} ${verdict}`);
  const unpassed = own.cases.filter(({ verdict, reason }) => verdict !== 'pass' && reason !== notSelectedReason);
  return [
    `Own cases, which do not change the verdict: ${toOneLine(own.folder)}, ${counts.join(', ')}.`,
    ...unpassed.map(({ id, verdict, at, reason }) =>
      toOneLine(`${verdict}  ${id}${at === undefined ? '' : ` (${at})`}: ${reason}`),
    ),
  ];
}

function createUnstableEntry(
  { id, reason, exchange, repeatedExchange }: ResultWithExchanges,
  renderResponse: ResponseRenderer,
): CaseText[] {
  if (exchange === undefined || repeatedExchange === undefined) return [];
  const [first, then] = [exchange, repeatedExchange].map((each) => quoteLines(renderResponse(each)).join('\n'));
  return [{ case: id, text: [toOneLine(reason), '', 'First:', first, '', 'Then:', then].join('\n') }];
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
  const counts = verdicts.map((each) => [each, judged.filter(({ verdict }) => verdict === each).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

/** Lists what the target needs so that all requirement cases apply, a line per kind of thing. */
function listUnavailable({ cases, world }: Suite): string[] {
  const verifying = cases.filter(({ kind }) => kind === 'requirement');
  const needed = new Set(verifying.flatMap(({ rows }) => rows.flatMap(({ unavailable }) => unavailable)));
  const things = [...world.unavailable.values()].filter(({ kind, name }) => needed.has(`${kind} ${name}`));
  const capabilities = [...new Set(things.flatMap((thing) => thing.capabilities))];
  return [
    ...thingKinds.flatMap((kind) => {
      const missing = things.filter((thing) => thing.kind === kind && thing.capabilities.length === 0);
      const names = missing.map(({ name }) => name);
      const ranges = listRanges(names, isNextName);
      return ranges.length === 0
        ? []
        : [`With ids of these ${listNames[kind]} it would be complete: ${ranges.join(', ')}.`];
    }),
    ...(capabilities.length === 0 ? [] : [`With these capabilities it would be complete: ${capabilities.join(', ')}.`]),
  ];
}

function listUnsupported(requirements: readonly RequirementEntry[]): string[] {
  const entries = requirements.flatMap(({ cases }) => cases.flatMap(({ rows = [], ...entry }) => [entry, ...rows]));
  const reasons = entries.map(({ reason }) => reason).filter((reason) => reason.startsWith(unsupportedPrefix));
  return [...new Set(reasons)];
}

function isNextName(one: string, next: string): boolean {
  return next === one.replace(/(?<=-)\d+$/, (number) => String(Number(number) + 1));
}

function createCaseEntry(
  id: string,
  result: ResultWithExchanges | undefined,
  baseUrl: string,
  renderResponse: ResponseRenderer,
): CaseEntry {
  if (result === undefined) return { id, verdict: 'not-run', reason: notSelectedReason };
  const { verdict, reason, at, rows, exchange } = result;
  if (verdict === 'pass') return { id, verdict, reason };
  const unpassed = rows.flatMap(({ title, verdict, reason }) =>
    verdict === 'pass' || title === '' ? [] : [{ title, verdict, reason }],
  );
  const isFailure = verdict === 'fail' || verdict === 'error';
  return {
    id,
    verdict,
    reason,
    at: formatLocation(at),
    ...omitUndefined({
      rows: unpassed.length > 0 ? unpassed : undefined,
      failure: isFailure ? renderFailure(result, baseUrl, renderResponse) : undefined,
      repeat_with: exchange && renderCurlCommand(exchange.request, baseUrl),
    }),
  };
}

function createQuestionEntry(question: Question, result: ResultWithExchanges | undefined): QuestionEntry {
  const reason = result === undefined ? notSelectedReason : result.reason;
  return {
    id: question.id,
    part: question.part,
    outcome: result?.outcome ?? null,
    ...(reason === '' ? {} : { reason }),
    warning: isWarningOutcome(question, result?.outcome),
    drift: result?.drift.some(({ kind }) => kind === 'outcome') ?? false,
  };
}
