import { isOwnCase, type Suite } from '../cases/suite.js';
import { isWarningOutcome, type Question } from '../contract/contract.js';
import type { Calibration } from '../engine/calibrate.js';
import {
  countRequests,
  explorationId,
  notReachedReason,
  notSelectedReason,
  type ShownResult,
  sampleId,
} from '../engine/case-result.js';
import type { Profile, ProfileFigures } from '../engine/profile.js';
import { renderCurlCommand } from '../http/curl-command.js';
import { findWorstVerdict, type Verdict, verdicts } from '../judge/verdict.js';
import { formatLocation } from '../support/problem.js';
import { quoteLines, toOneLine } from '../support/untrusted-text.js';
import { listNames, thingKinds } from '../world/named-world.js';
import { mergeShapeDrift, renderDrift } from './drift-text.js';
import { createResponseRenderer, type ResponseRenderer } from './exchange-text.js';
import { findFailurePattern } from './failure-pattern.js';
import { renderFailure } from './failure-text.js';
import { renderProfileNotice } from './notices.js';
import { describeSharedReasons, findSharedReasons, isSharedReason } from './shared-reasons.js';

/** The report of one run, as `certificate.json` holds it. Its schema is `schemas/certificate.schema.json`. */
export interface Certificate {
  readonly verdict: RunVerdict;
  readonly incomplete_because?: readonly string[];
  readonly target: CertifiedTarget;
  /** What the cases come to that were selected by name, where some were. */
  readonly selected?: SelectedCases;
  /** That few requests were to be sent: which of the rows were, and how telling they are. */
  readonly profile?: ProfileFigures;
  readonly suite: { readonly name: string; readonly version: string; readonly digest: string };
  readonly summary: Readonly<Partial<Record<Verdict, number>>>;
  readonly requirements: readonly RequirementEntry[];
  readonly questions: readonly QuestionEntry[];
  /** What came of cases that somebody added: it changes nothing of the rest. */
  readonly own_cases?: OwnCasesEntry;
  readonly drift: readonly DriftEntry[];
  readonly unstable: readonly UnstableEntry[];
  readonly notes: readonly string[];
  readonly requests_sent: number;
  readonly exchanges_judged: number;
  /** The file beside it that holds the exchanges, its digest, and how many there are. */
  readonly evidence?: { readonly file: string; readonly digest: string; readonly exchanges: number };
  /** That nothing was sent: exchanges of an earlier run were judged again. */
  readonly is_replay?: true;
  readonly started_at: string;
  readonly duration_ms: number;
}

/** What was certified, and who answers for it. */
export interface CertifiedTarget {
  readonly name: string;
  readonly version?: string;
  readonly contact?: string;
  readonly base_url: string;
  /** That it is the reference deployment, and none of a user. */
  readonly is_reference?: true;
}

export interface SelectedCases {
  readonly verdict: RunVerdict;
  /** How many cases have each verdict. */
  readonly cases: Readonly<Partial<Record<Verdict, number>>>;
}

export type RunVerdict = 'conforms' | 'does-not-conform' | 'incomplete';

export interface RequirementEntry {
  readonly id: string;
  /** Of the documentation. */
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
  /** For fail and error: the reason with what was expected and received, in lines for people. */
  readonly failure?: string;
  readonly repeat_with?: string;
  readonly as_case?: string;
}

export interface QuestionEntry {
  readonly id: string;
  /** Of the documentation: the one that leaves it open. */
  readonly part: string;
  readonly outcome: string | null;
  readonly reason?: string;
  /** Whether the outcome deserves a warning. */
  readonly warning: boolean;
  readonly drift: boolean;
}

/** Cases that are not of the suite, which verify its requirements and answer its questions with data of their own. */
export interface OwnCasesEntry {
  readonly folder: string;
  readonly digest: string;
  /** Of those that verify requirements. */
  readonly verdict: RunVerdict;
  readonly cases: readonly OwnCaseEntry[];
}

export type OwnCaseEntry = CaseEntry &
  ({ readonly verifies: string } | { readonly answers: string; readonly outcome: string | null });

/** A difference from the record, or from what the target file states. */
export interface DriftEntry {
  readonly case: string;
  readonly text: string;
}

/** A case that was refuted once of the two times that it was sent. */
export interface UnstableEntry {
  readonly case: string;
  /** Why, and what came back each time. */
  readonly text: string;
}

/** What a run knows beside the results of its cases. */
export interface RunFacts {
  readonly target: CertifiedTarget;
  readonly requestsSent: number;
  /** Whether the results are of cases that were selected by name, or of some of their rows. */
  readonly isSelection?: boolean;
  /** What the rows come to, where only some of them were to be sent. */
  readonly profile?: ProfileFigures;
  /** Whether exchanges of an earlier run were judged again. */
  readonly isReplay?: boolean;
  /** Whether it ended before everything that was selected was judged. */
  readonly isCutShort: boolean;
  /** A sentence for each share of the run that is not there. */
  readonly gaps?: readonly string[];
  /** What the reader should know of the run. */
  readonly notes: readonly string[];
  readonly startedAt: Date;
  readonly durationMs: number;
}

/**
 * What a run knows from how it began, what it came to, and what was wanted of it.
 *
 * @param calibration undefined where the run did not come so far
 */
export function collectRunFacts(
  results: readonly ShownResult[],
  calibration: Pick<Calibration, 'requestsSent' | 'note'> | undefined,
  {
    only,
    profile,
    notes,
  }: {
    readonly only?: readonly string[];
    readonly profile?: Pick<Profile, 'figures'>;
    readonly notes: readonly string[];
  },
): Pick<RunFacts, 'requestsSent' | 'isSelection' | 'profile' | 'notes'> {
  return {
    requestsSent: (calibration?.requestsSent ?? 0) + countRequests(results).requestsSent,
    isSelection: only !== undefined || profile !== undefined,
    ...(profile === undefined ? {} : { profile: profile.figures }),
    notes: [
      ...(profile === undefined ? [] : [renderProfileNotice(profile.figures)]),
      ...(calibration?.note === undefined ? [] : [calibration.note]),
      ...notes,
    ],
  };
}

/** Sums the results of cases up to a certificate. Cases of the suite without a result were not selected. */
export function createCertificate(whole: Suite, all: readonly ShownResult[], facts: RunFacts): Certificate {
  const suite = { ...whole, cases: whole.cases.filter((testCase) => !isOwnCase(testCase)) };
  const ofAll = mergeShapeDrift(all);
  const results = ofAll.filter((result) => !isOwnCase(result));
  const responseText = createResponseRenderer(suite.world);
  const byCase = new Map(results.map((result) => [result.id, result]));
  // What is of no single case is one more case of the requirement that it refutes.
  const others = [sampleId, explorationId].flatMap((id) => byCase.get(id) ?? []);
  const found = byCase.get(explorationId);
  const requirements = suite.contract.requirements.map(({ id, part, statement }): RequirementEntry => {
    const cases = suite.cases
      .filter((testCase) => testCase.kind === 'requirement' && testCase.verifies === id)
      .map((testCase) => caseEntry(testCase.id, byCase.get(testCase.id), facts.target.base_url, responseText));
    for (const other of others) {
      if (other.subject === id) cases.push(caseEntry(other.id, other, facts.target.base_url, responseText));
    }
    return { id, part, statement, verdict: findWorstVerdict(cases.map(({ verdict }) => verdict)), cases };
  });
  const questions = suite.contract.questions.map((question) => questionEntry(question, byCase.get(question.id)));
  const unavailable = unavailableIn(suite);
  const isPartial = requirements.some(({ cases }) => cases.some(({ reason }) => unsentReasons.includes(reason)));
  const { profile, gaps: otherGaps = [] } = facts;
  const gaps = [...(facts.isCutShort ? [cutShort] : []), ...otherGaps];
  const isWhole = gaps.length === 0 && !isPartial && profile === undefined && unavailable.length === 0;
  const verdict = determineRunVerdict(requirements, !isWhole);
  const shared = findSharedReasons({ requirements, questions });
  const reasons = reasonsFrom(requirements).filter(([, reason]) => !isSharedReason(reason, shared));
  const incompleteBecause = [
    ...gaps,
    ...(profile === undefined ? [] : [someRows]),
    ...unavailable,
    ...describeSharedReasons({ requirements, questions }),
    ...reasons.map(([id, reason]) => `${id}: ${reason}`),
  ];
  const own = ownCasesEntry(whole, ofAll, facts, responseText);
  const pattern = findFailurePattern(suite.cases, results, suite.world);
  return {
    verdict,
    ...(verdict === 'incomplete' ? { incomplete_because: incompleteBecause } : {}),
    target: facts.target,
    ...(facts.isSelection ? { selected: { verdict: determineRunVerdict(ofAll), cases: countsOf(ofAll) } } : {}),
    ...(profile === undefined ? {} : { profile }),
    suite: { name: suite.name, version: suite.version, digest: suite.digest },
    summary: countsOf(requirements),
    requirements,
    questions,
    ...(own === undefined ? {} : { own_cases: own }),
    drift: results.flatMap((result) =>
      result.drift
        .filter(({ kind }) => kind !== 'addition')
        .map((drift) => ({ case: result.id, text: renderDrift(drift, result, responseText) })),
    ),
    unstable: results.flatMap((result) => unstableEntry(result, responseText)),
    notes: [
      ...(verdict === 'incomplete' ? [] : gaps),
      ...facts.notes,
      ...ownNotes(own),
      ...results.flatMap(({ drift }) =>
        drift.flatMap((each) => (each.kind === 'addition' ? [toOneLine(each.message)] : [])),
      ),
      ...(pattern === undefined ? [] : [pattern]),
      ...(found?.subject === explorationId ? [found.reason] : []),
    ],
    requests_sent: facts.requestsSent,
    exchanges_judged: countRequests(all).exchangesJudged,
    ...(facts.isReplay ? { is_replay: true } : {}),
    started_at: facts.startedAt.toISOString(),
    duration_ms: Math.round(facts.durationMs),
  };
}

function ownCasesEntry(
  { own, cases }: Suite,
  results: readonly ShownResult[],
  { target, isCutShort }: RunFacts,
  responseText: ResponseRenderer,
): OwnCasesEntry | undefined {
  if (own === undefined) return undefined;
  const byCase = new Map(results.map((result) => [result.id, result]));
  const entries = cases.filter(isOwnCase).map((testCase): OwnCaseEntry => {
    const result = byCase.get(testCase.id);
    const entry = caseEntry(testCase.id, result, target.base_url, responseText);
    return testCase.kind === 'question'
      ? { ...entry, answers: testCase.answers, outcome: result?.outcome ?? null }
      : { ...entry, verifies: testCase.verifies };
  });
  const verdict = determineRunVerdict(
    entries.filter((entry) => 'verifies' in entry),
    isCutShort,
  );
  return { ...own, verdict, cases: entries };
}

/** For every rendering: own cases are named wherever there are some, and those that do not pass. */
function ownNotes(own: OwnCasesEntry | undefined): string[] {
  if (own === undefined) return [];
  const sums = Object.entries(countsOf(own.cases)).map(([verdict, count]) => `${count} ${verdict}`);
  const unpassed = own.cases.filter(({ verdict, reason }) => verdict !== 'pass' && reason !== notSelectedReason);
  return [
    `Own cases, which are not of the suite and change no verdict of it: ${toOneLine(own.folder)}, ${sums.join(', ')}.`,
    ...unpassed.map(({ id, verdict, at, reason }) =>
      toOneLine(`${verdict}  ${id}${at === undefined ? '' : ` (${at})`}: ${reason}`),
    ),
  ];
}

function unstableEntry(
  { id, reason, exchange: evidence, repeatedExchange: again }: ShownResult,
  responseText: ResponseRenderer,
): UnstableEntry[] {
  if (evidence === undefined || again === undefined) return [];
  const [first, then] = [evidence, again].map((exchange) => quoteLines(responseText(exchange))) as [string[], string[]];
  const lines = [toOneLine(reason), '', 'First:', ...first, '', 'Then:', ...then];
  return [{ case: id, text: lines.join('\n') }];
}

/**
 * A run's verdict: a failure decides it, and only passes make it conform.
 *
 * @param isPartial whether some of what verifies the requirements was not sent
 */
export function determineRunVerdict(
  requirements: readonly Pick<RequirementEntry, 'verdict'>[],
  isPartial = false,
): RunVerdict {
  if (requirements.some(({ verdict }) => verdict === 'fail')) return 'does-not-conform';
  return requirements.every(({ verdict }) => verdict === 'pass') && !isPartial ? 'conforms' : 'incomplete';
}

/**
 * What a run comes to for whoever goes by one word. Of a selection, it speaks of that; otherwise a case of the user's own
 * that fails, or could not be judged, counts as one of the suite.
 */
export function determineOverallVerdict({
  verdict,
  selected,
  own_cases: own,
}: Pick<Certificate, 'verdict' | 'selected' | 'own_cases'>): RunVerdict {
  if (selected !== undefined) return selected.verdict;
  const both = [verdict, own?.verdict];
  const worse = (['does-not-conform', 'incomplete'] as const).find((each) => both.includes(each));
  return worse ?? 'conforms';
}

/** How many have each verdict. */
function countsOf(judged: readonly { readonly verdict: Verdict }[]): Partial<Record<Verdict, number>> {
  const counts = verdicts.map((each) => [each, judged.filter(({ verdict }) => verdict === each).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

/** What the target would need for all requirement cases to apply, a line per kind of thing. */
function unavailableIn({ cases, world }: Suite): string[] {
  const needed = new Set(
    cases.flatMap((testCase) =>
      testCase.kind === 'requirement' ? testCase.rows.flatMap(({ unavailable }) => unavailable) : [],
    ),
  );
  const things = [...world.unavailable.values()].filter(({ kind, name }) => needed.has(`${kind} ${name}`));
  const withoutId = things.filter(({ capabilities }) => capabilities.length === 0);
  const capabilities = [...new Set(things.flatMap(({ capabilities }) => capabilities))];
  return [
    ...thingKinds.flatMap((kind) => {
      const names = withoutId.filter((thing) => thing.kind === kind).map(({ name }) => name);
      return names.length === 0
        ? []
        : [`Ids that would complete it, of ${listNames[kind]}: ${folded(names).join(', ')}.`];
    }),
    ...(capabilities.length === 0 ? [] : [`Capabilities that would complete it: ${capabilities.join(', ')}.`]),
  ];
}

/** Names in which runs such as depot-1, depot-2, depot-3 are one entry. */
function folded(names: readonly string[]): string[] {
  const runs: { first: string; last: string }[] = [];
  for (const name of names) {
    const run = runs.at(-1);
    if (run !== undefined && name === following(run.last)) run.last = name;
    else runs.push({ first: name, last: name });
  }
  return runs.map(({ first, last }) => (first === last ? first : `${first} to ${last}`));
}

function following(name: string): string | undefined {
  const [, stem, number] = /^(.*-)(\d+)$/.exec(name) ?? [];
  return stem === undefined ? undefined : `${stem}${Number(number) + 1}`;
}

const cutShort = 'The run was interrupted.';
const someRows = 'Only some rows of the cases were sent, to save requests.';
const unsentReasons: readonly string[] = [notReachedReason, notSelectedReason];

function caseEntry(
  id: string,
  result: ShownResult | undefined,
  baseUrl: string,
  responseText: ResponseRenderer,
): CaseEntry {
  if (result === undefined) return { id, verdict: 'not-applicable', reason: notSelectedReason };
  const { verdict, reason, at, rows, exchange: evidence, asCase } = result;
  if (verdict === 'pass') return { id, verdict, reason };
  const unpassed = rows.filter((row) => row.verdict !== 'pass' && row.title !== '');
  return {
    id,
    verdict,
    reason,
    at: formatLocation(at),
    ...(unpassed.length > 0 ? { rows: unpassed } : {}),
    ...(verdict === 'fail' || verdict === 'error' ? { failure: renderFailure(result, baseUrl, responseText) } : {}),
    ...(evidence === undefined ? {} : { repeat_with: renderCurlCommand(evidence.request, baseUrl) }),
    ...(asCase === undefined ? {} : { as_case: asCase }),
  };
}

function questionEntry(question: Question, result: ShownResult | undefined): QuestionEntry {
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

/** Of each requirement that does not pass: its id, and the reason of its verdict. */
function reasonsFrom(requirements: readonly RequirementEntry[]): [id: string, reason: string][] {
  return requirements
    .filter(({ verdict }) => verdict !== 'pass')
    .map(({ id, verdict, cases }) => [
      id,
      cases.find((entry) => entry.verdict === verdict)?.reason ?? 'It has no case.',
    ]);
}
