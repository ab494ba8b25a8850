/** The cases of one target, sent and judged one by one: by the tests of Playwright, a program, or from evidence. */

import type { RunInputs, RunSettings } from '../config/run-inputs.js';
import type { NamedWorld } from '../contract/world.js';
import type { Channel } from '../http/exchange.js';
import type { TransportChannel } from '../http/transport.js';
import type { SuspectedLoad } from '../judge/suspected-load.js';
import type { DrawnData } from '../own-data/data-suite.js';
import { type CaseResult, type ResultWithExchanges, samplesCaseId } from '../run/case-result.js';
import { createEndResult } from '../run/end-of-run.js';
import { createEvidenceKeeper, type RunEvidence } from '../run/evidence-keeper.js';
import { type EngineOptions, startRun } from '../run/run.js';
import { selectFromSuite } from '../suite/case-selection.js';
import { omitUndefined } from '../support/collections.js';
import type { Problem } from '../support/problem.js';
import type { Reason } from '../support/reason.js';

/** What is said of the test data, without the data itself. */
export type LoadFinding = Pick<SuspectedLoad, 'reason' | 'isProven'>;

export interface RunStart {
  readonly settings: RunSettings;
  /** What the examination of the target found to be wrong with the test data, as it seems. */
  readonly load?: LoadFinding;
  readonly unreachable?: Reason;
  /** What the requests show of a data file. Only the worker draws them. */
  readonly data?: DrawnData;
}

/** What a test tells the reporter, as an attachment. It has no secrets. */
export interface TestReport extends RunEvidence {
  readonly start?: RunStart;
  readonly result: CaseResult;
  /** Why the run has no valid verdict: its transport failed. */
  readonly failure?: readonly Problem[];
}

export type TargetRun = Awaited<ReturnType<typeof startTargetRun>>;

export interface RunTerms extends Pick<EngineOptions, 'plannedCases' | 'replay' | 'recognizer'> {
  /** Makes the ids of exchanges unique among the workers of a run. */
  readonly suffix?: string;
}

/** @param channel to the target, or to the evidence of an earlier run, which keeps its ids */
export async function startTargetRun(
  { suite: whole, settings }: RunInputs,
  channel: Channel & Partial<Pick<TransportChannel, 'findFailure'>>,
  { suffix, ...terms }: RunTerms = {},
) {
  const suite = selectFromSuite(whole, settings);
  const options = await createEngineOptions(settings, suite.world);
  const keeper = terms.replay === undefined ? createEvidenceKeeper(suffix) : undefined;
  const run = await startRun(suite, channel, { ...options, ...terms, ...omitUndefined({ keeper }) });
  const { examination, background } = run;
  const { unreachable } = examination;
  const load = examination.load && { reason: examination.load.reason, isProven: examination.load.isProven };
  let unreported: RunStart | undefined = { settings, ...omitUndefined({ load, unreachable, data: suite.data }) };
  return {
    suite,
    baseUrl: settings.target.baseUrl,
    /** Sends requests that belong to no case. */
    channel,
    background,
    examination,
    /** Sends and judges a case, by its id; undefined if it is not selected for this target. */
    async judge(id: string) {
      const testCase = suite.cases.find((candidate) => candidate.id === id);
      if (testCase === undefined && id !== samplesCaseId) return undefined;
      const judged = await (testCase === undefined ? run.repeatSamples() : run.runCase(testCase));
      const { exchanges, uses, used } = run.takeEvidence();
      if (judged === undefined && exchanges.length === 0) return undefined;
      const result: ResultWithExchanges = judged ?? { ...createEndResult('pass'), isUncounted: true };
      const failure = channel.findFailure?.()?.problems;
      // The evidence has the exchanges.
      const { exchange: _, repeatedExchange: __, ...plain } = result;
      const report: TestReport = { result: plain, exchanges, uses, ...omitUndefined({ start: unreported, failure }) };
      unreported = undefined;
      return { result, used, report };
    },
  };
}

/** Judges the planned cases in this process, one after another. */
export async function judgeCases(inputs: RunInputs, channel: Parameters<typeof startTargetRun>[1], terms: RunTerms) {
  const { judge } = await startTargetRun(inputs, channel, terms);
  const reports: TestReport[] = [];
  for (const id of terms.plannedCases ?? []) {
    const judged = await judge(id);
    if (judged !== undefined) reports.push(judged.report);
  }
  return reports;
}

/** @throws UnusableInput as {@link loadKnown} */
async function createEngineOptions(settings: RunSettings, world: NamedWorld): Promise<EngineOptions> {
  const { target, expected, excludesIntrusive, destination } = settings;
  const stated = { ...target, expected, excludesIntrusive, infersShape: destination.recordTo !== undefined };
  const known = await loadKnown(settings, world);
  if (known === undefined) return stated;
  const { createKnownMistakes } = await import('../explanation/known-causes.js');
  // Without a cause there is nothing to correct: a failing row would be judged twice.
  const mistakes = known.causes.length === 0 ? undefined : createKnownMistakes(known, world);
  return { ...stated, knownRequirements: known.requirements, ...omitUndefined({ known: mistakes }) };
}

/** Loads what is known to be wrong with a target. @throws UnusableInput if the file names an unknown cause */
export async function loadKnown({ known }: Pick<RunSettings, 'known'>, world: NamedWorld) {
  if (known === undefined) return undefined;
  const { readKnownCauses } = await import('../explanation/known-causes.js');
  return readKnownCauses(known, world);
}
