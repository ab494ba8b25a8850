import { randomUUID } from 'node:crypto';
import { selectFromSuite } from '../cases/case-selection.js';
import type { DrawnData } from '../cases/data-suite.js';
import type { Suite } from '../cases/suite.js';
import type { CertifiedTarget } from '../certificate/certificate.js';
import type { StoredEvidence } from '../certificate/har-archive.js';
import type { Endpoint } from '../http/connection-options.js';
import type { Channel } from '../http/exchange.js';
import type { TargetContext } from '../judge/judge-case.js';
import type { ResultsDestination } from '../outputs/result-files.js';
import type { CaseResult } from '../run/case-result.js';
import { detachExchanges, type ResultWithExchanges, samplesCaseId } from '../run/case-result.js';
import { createEvidenceKeeper, type StoredExchange } from '../run/evidence-keeper.js';
import type { Examination } from '../run/examine.js';
import { startRun } from '../run/run.js';
import { omitUndefined } from '../support/omit-undefined.js';
import type { Problem } from '../support/problem.js';
import { openTarget } from './open-target.js';
import { createRunReplay, type RecordedInputs, type RunInputs, recordInputs } from './recorded-run.js';
import { createEngineOptions, loadKnown } from './settings.js';
import { createCertifiedTarget } from './target.js';

/** What a worker found out before its first test. */
export interface RunStart {
  readonly target: CertifiedTarget;
  readonly examination: Pick<Examination, 'note' | 'unreachable'>;
  /** The inputs of the run, as evidence stores them, with the folder of own cases. */
  readonly inputs: RecordedInputs;
  readonly cases?: string;
  readonly destination: ResultsDestination;
  readonly isReplay: boolean;
  /** What the requests show of a data file. Only the worker draws them. */
  readonly data?: DrawnData;
}

/** What a test tells the reporter, as an attachment. It has no secrets. */
export interface TestReport extends StoredEvidence {
  /** Unique; ids of exchanges are unique within it. */
  readonly worker: string;
  /** In the first report of a worker. */
  readonly start?: RunStart;
  readonly result: CaseResult;
  /** Why the run has no valid verdict: its transport failed. */
  readonly failure?: readonly Problem[];
}

/** A judged case, with what its test shows and reports. */
export interface JudgedCase {
  readonly result: ResultWithExchanges;
  readonly used: readonly StoredExchange[];
  readonly report: TestReport;
}

/** A run against one target in this process, case by case. */
export interface TargetRun {
  readonly suite: Suite;
  readonly baseUrl: string;
  /** Sends requests that belong to no case. */
  readonly channel: Channel;
  /** What responses are judged with. */
  readonly background: TargetContext;
  /** Sends and judges a case, by its id; undefined if it is not selected for this target. */
  judge(id: string): Promise<JudgedCase | undefined>;
}

/**
 * Opens a target, or the evidence that is judged again, and examines it.
 *
 * @param reference the endpoint of the reference deployment, which is used if the inputs name no other
 * @param plannedCases the ids of the cases that will be run, in this order
 * @param use uses the run; the target is closed afterwards
 */
export async function openTargetRun(
  inputs: RunInputs,
  reference: Endpoint,
  plannedCases: readonly string[],
  use: (run: TargetRun) => Promise<void>,
): Promise<void> {
  const { suite: whole, settings, connection, cases, replay: recorded } = inputs;
  const suite = selectFromSuite(whole, settings);
  const { endpoint = reference } = connection ?? {};
  const target = connection && (await openTarget(endpoint, connection));
  const replay = recorded && createRunReplay(recorded.evidence, whole);
  const channel = target ?? replay?.createChannel('');
  if (channel === undefined) throw new Error('Nothing says what is to be judged.');
  const keeper = createEvidenceKeeper();
  const { options: known } = await loadKnown(settings, suite.world);
  const engineOptions = {
    ...createEngineOptions(settings),
    ...known,
    keeper,
    plannedCases,
    ...omitUndefined({ replay }),
  };
  const run = await startRun(suite, channel, engineOptions);
  const { note, unreachable } = run.examination;
  let start: RunStart | undefined = {
    target: createCertifiedTarget(settings.target, recorded?.origin.baseUrl ?? endpoint.baseUrl),
    examination: omitUndefined({ note, unreachable }),
    inputs: recordInputs(inputs),
    destination: settings.destination,
    isReplay: recorded !== undefined,
    ...omitUndefined({ cases, data: suite.data }),
  };
  const worker = randomUUID();
  await use({
    suite,
    baseUrl: start.target.base_url,
    channel,
    background: run.background,
    async judge(id) {
      const testCase = suite.cases.find((candidate) => candidate.id === id);
      if (testCase === undefined && id !== samplesCaseId) return undefined;
      const result = await (testCase === undefined ? run.repeatSamples() : run.runCase(testCase));
      const { exchanges, uses, used } = run.takeEvidence();
      const failure = target?.findFailure()?.problems;
      const report = { worker, result: detachExchanges(result), exchanges, uses, ...omitUndefined({ start, failure }) };
      start = undefined;
      return { result, used, report };
    },
  });
  await target?.close();
}
