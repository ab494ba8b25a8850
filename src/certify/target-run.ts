/**
 * The half of a run that sends. In: the inputs of a run, and a channel to the target or to evidence. Out: what is known before
 * the first case (`RunStartReport`), and the report of each case (`CaseReport`). It runs in a worker of Playwright; for programs, and
 * when evidence is judged again, in their own process.
 */

import type { RunInputs, RunSettings } from '../config/run-inputs.js';
import type { TargetWorld } from '../contract/world.js';
import type { RequestChannel } from '../http/exchange.js';
import type { TransportChannel } from '../http/transport.js';
import type { SuspectedWrongDataLoad } from '../judge/suspected-wrong-data-load.js';
import type { DataFileSummary } from '../own-data/data-suite.js';
import type { CaseReport } from '../run/case-report.js';
import { createRepetitionResult, repetitionCaseId } from '../run/case-result.js';
import { type StartRunOptions, startRun } from '../run/run.js';
import { selectFromSuite } from '../suite/case-selection.js';
import type { Reason } from '../support/reason.js';

/** What is said of the test data, without the data itself. */
export type SuspectedWrongDataLoadSummary = Pick<SuspectedWrongDataLoad, 'reason' | 'isProven'>;

/** What is known of a run before its first case, as plain JSON without secrets. */
export interface RunStartReport {
  readonly settings: RunSettings;
  /** What the examination of the target found to be wrong with the test data, as it seems. */
  readonly load?: SuspectedWrongDataLoadSummary;
  readonly unreachable?: Reason;
  /** What the requests show of a data file. Only the worker draws them. */
  readonly data?: DataFileSummary;
}

export type TargetRun = Awaited<ReturnType<typeof startTargetRun>>;

export type TargetRunOverrides = Pick<StartRunOptions, 'plannedCases' | 'replay' | 'recognizer' | 'suffix'>;

/** @param channel to the target, or to the evidence of an earlier run, which keeps its ids */
export async function startTargetRun(
  { suite: whole, settings }: RunInputs,
  channel: RequestChannel & Partial<Pick<TransportChannel, 'findFailure'>>,
  overrides: TargetRunOverrides = {},
) {
  const suite = selectFromSuite(whole, settings);
  const options = await createEngineOptions(settings, suite.world);
  const run = await startRun(suite, channel, { ...options, allCases: whole.cases, ...overrides });
  const { examination, target, shown } = run;
  const { unreachable } = examination;
  const load = examination.load && { reason: examination.load.reason, isProven: examination.load.isProven };
  const start: RunStartReport = { settings, load, unreachable, data: suite.data };
  const reports: CaseReport[] = [];
  /** Finds out what makes a difference. Only where something fails, and the deployment still works. */
  const narrow = async (ended: CaseReport | undefined): Promise<CaseReport | undefined> => {
    // What fails as known may fail for another reason by now: the responses tell.
    const isFailing = reports.some(({ result }) => result.verdict === 'fail');
    const isVoid = ended?.result.hasDataChanged === true || unreachable !== undefined || load?.isProven === true;
    if (!settings.narrows || !isFailing || isVoid || run.hasStopped()) return ended;
    const known = await loadKnownCauses(settings, suite.world);
    const { narrowUnexplainedFailures } = await import('./narrow-unexplained-failures.js');
    const sender = run.narrowingSender;
    const explanation = await narrowUnexplainedFailures({
      suite,
      settings,
      target,
      known,
      // What was sent again at the end shows whether equal requests have different results.
      reports: ended === undefined ? reports : [...reports, ended],
      replay: overrides.replay,
      sender,
    });
    const { exchanges, uses } = run.takeEvidence();
    const report = ended ?? { ...uncounted, exchanges: [], uses: [] };
    return { ...report, exchanges: [...report.exchanges, ...exchanges], uses: [...report.uses, ...uses], explanation };
  };
  return {
    suite,
    baseUrl: settings.target.baseUrl,
    /** Sends requests that belong to no case. */
    channel,
    target,
    examination,
    start,
    shown,
    /** Why the run has no valid verdict: its transport failed. */
    findFailure: () => channel.findFailure?.()?.problems,
    /** Sends and judges a case, by its id; undefined if it is not selected for this target. */
    async judge(id: string): Promise<CaseReport | undefined> {
      const testCase = suite.cases.find((candidate) => candidate.id === id);
      if (testCase === undefined) return id === repetitionCaseId ? await narrow(await run.repeatSamples()) : undefined;
      const report = await run.reportCase(testCase);
      if (settings.narrows) reports.push(report);
      return report;
    },
  };
}

/** The last case of a run, if nothing was sent again. */
const uncounted = { result: { ...createRepetitionResult('pass'), isUncounted: true } } as const;

/** What the cases of a run reported, all in one process. */
export interface JudgedCases {
  readonly start: RunStartReport;
  readonly reports: readonly CaseReport[];
}

/** Judges the planned cases in this process, one after another. */
export async function runPlannedCases(
  inputs: RunInputs,
  channel: Parameters<typeof startTargetRun>[1],
  overrides: TargetRunOverrides,
): Promise<JudgedCases> {
  const { judge, start } = await startTargetRun(inputs, channel, overrides);
  const reports: CaseReport[] = [];
  for (const id of overrides.plannedCases ?? []) reports.push(...[(await judge(id)) ?? []].flat());
  return { start, reports };
}

/** @throws UnusableInput as {@link loadKnownCauses} */
async function createEngineOptions(settings: RunSettings, world: TargetWorld): Promise<StartRunOptions> {
  const { target, expected, excludesIntrusive, destination } = settings;
  const isEncrypted = target.baseUrl.startsWith('https:');
  const stated = {
    ...target,
    isEncrypted,
    isReference: target.kind === 'reference',
    isThroughTransport: target.transport !== undefined,
    expected,
    excludesIntrusive,
    infersShape: destination.recordTo !== undefined,
  };
  const known = await loadKnownCauses(settings, world);
  if (known === undefined) return stated;
  // Without a cause there is nothing to correct: a failing row would be judged twice.
  const { createKnownMistakeCorrections } = await import('../explanation/known-causes.js');
  const mistakes = createKnownMistakeCorrections(known, world);
  return { ...stated, isFailureKnown: known.isFailureKnown, known: mistakes };
}

/** Loads what is known to be wrong with a target. @throws UnusableInput if the file names an unknown cause */
export async function loadKnownCauses({ known }: Pick<RunSettings, 'known'>, world: TargetWorld) {
  if (known === undefined) return undefined;
  // As in `certify-run.ts`: the mistakes of the reference deployment take time to load.
  const { readKnownCauses } = await import('../explanation/known-causes.js');
  return readKnownCauses(known, world);
}
