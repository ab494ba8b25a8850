/**
 * The room of the overall result of a run. In: the results of all cases, and a function that shows their exchanges by id. Out:
 * the certificate, as plain JSON. It has the code of each reason, and its sentence, which `case-entry.ts` renders. The room is
 * pure. It runs in the process that certifies, the one of the reporter; the worker renders the entry of a failing case, too.
 */

import { getRequirementOrQuestionId } from '../cases/test-case.js';
import type { Contract } from '../contract/contract.js';
import type { Diagnosis } from '../explanation/diagnose-run.js';
import type { TransportIdentity } from '../http/transport.js';
import type { DeploymentStop } from '../judge/find-deployment-stop.js';
import type { DataFileSummary } from '../own-data/data-suite.js';
import type { NewDeviation } from '../record/add-deviations.js';
import type { ScopeEntry } from '../record/declared-scope.js';
import { type Baseline, emptyBaseline, hasLostRecordedAnswer } from '../record/drift.js';
import { createResponseRenderer } from '../record/exchange-text.js';
import type { KnownDeviationsFile } from '../record/known-deviations.js';
import { type CaseResult, getVerdictApartFromKnown, notSelectedReason } from '../run/case-result.js';
import type { ExchangeLookup } from '../run/exchange-store.js';
import { isOwnCase, type Suite } from '../suite/suite.js';
import { renderShortList } from '../support/collections.js';
import { renderReason } from '../support/reason.js';
import { toOneLine } from '../support/untrusted-text.js';
import { type CaseEntry, createCaseEntry, createUnstableEntry, type EntryRenderingContext } from './case-entry.js';
import { createCauseEntry } from './cause-entry.js';
import { describeOwnCases } from './describe-own-cases.js';
import { createDeviationEntry, type JudgedDeviation, judgeDeviation } from './deviation-entry.js';
import type { Disturbances } from './disturbances.js';
import { listDriftEntries } from './drift-entry.js';
import {
  countVerdicts,
  createQuestionEntry,
  createRequirements,
  type FindEntry,
  type JudgedEntries,
  listVerdicts,
  type QuestionEntry,
  type RequirementEntry,
} from './judged-requirement.js';
import { describeDataCoverage } from './notices.js';
import {
  createVerdict,
  determineRunVerdict,
  listGaps,
  listOfRun,
  listUnjudged,
  type RunFacts,
  type RunVerdict,
} from './run-verdict.js';
import { createScopeTest, judgeScopeEntry, listExcusedCases, listOutOfScope } from './scope.js';
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

export interface CertificateInputs extends RunFacts, Partial<Pick<Diagnosis, 'causes' | 'excused'>> {
  readonly target: CertifiedTarget;
  readonly requestsSent: number;
  readonly disturbances?: Disturbances | undefined;
  readonly data?: DataFileSummary;
  readonly expected?: Baseline;
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
