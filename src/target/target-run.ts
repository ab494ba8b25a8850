import { selectFromSuite } from '../cases/case-selection.js';
import type { DrawnData } from '../cases/data-suite.js';
import { openClient } from '../http/client.js';
import { defaultConnectionOptions, type Endpoint } from '../http/connection-options.js';
import { createTransportChannel, loadTransport, type Transport, type TransportChannel } from '../http/transport.js';
import { type CaseResult, samplesCaseId } from '../run/case-result.js';
import type { RunEvidence } from '../run/evidence-keeper.js';
import { createEvidenceKeeper } from '../run/evidence-keeper.js';
import type { Examination } from '../run/examine.js';
import { startRun } from '../run/run.js';
import { omitUndefined } from '../support/collections.js';
import type { Problem } from '../support/problem.js';
import type { RunInputs } from './settings.js';
import { createEngineOptions, type RunSettings } from './settings.js';
import { listSecrets, type TargetConnection } from './target.js';

export interface RunStart {
  readonly settings: RunSettings;
  readonly baseUrl: string;
  readonly examination: Pick<Examination, 'note' | 'unreachable'>;
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

export type TargetRun = Awaited<ReturnType<typeof openTargetRun>>;

/** @param options `suffix` makes the ids of exchanges unique among the workers of a run */
export async function openTargetRun(
  { suite: whole, settings, connection }: RunInputs,
  { reference, plannedCases, suffix }: { reference: Endpoint; plannedCases: readonly string[]; suffix: string },
) {
  const suite = selectFromSuite(whole, settings);
  const { endpoint = reference } = connection;
  const { baseUrl } = endpoint;
  const channel = await openTarget(endpoint, connection);
  const stated = await createEngineOptions(settings, suite.world);
  const run = await startRun(suite, channel, { ...stated, keeper: createEvidenceKeeper(suffix), plannedCases });
  const { examination, background } = run;
  const { note, unreachable } = examination;
  const shown = omitUndefined({ note, unreachable });
  let start: RunStart | undefined = { settings, baseUrl, examination: shown, ...omitUndefined({ data: suite.data }) };
  return {
    suite,
    baseUrl,
    /** Sends requests that belong to no case. */
    channel,
    background,
    examination,
    /** Sends and judges a case, by its id; undefined if it is not selected for this target. */
    async judge(id: string) {
      const testCase = suite.cases.find((candidate) => candidate.id === id);
      if (testCase === undefined && id !== samplesCaseId) return undefined;
      const result = await (testCase === undefined ? run.repeatSamples() : run.runCase(testCase));
      if (result === undefined) return undefined;
      const { exchanges, uses, used } = run.takeEvidence();
      const failure = channel.findFailure()?.problems;
      // The evidence has the exchanges.
      const { exchange: _, repeatedExchange: __, ...plain } = result;
      const report: TestReport = { result: plain, exchanges, uses, ...omitUndefined({ start, failure }) };
      start = undefined;
      return { result, used, report };
    },
  };
}

/** Opens a target. @param embedded the transport of a program, which gets the credentials themselves */
export async function openTarget(
  endpoint: Endpoint,
  { options, transport: module }: Pick<TargetConnection, 'options' | 'transport'>,
  embedded?: Transport,
): Promise<TransportChannel> {
  const { baseUrl } = endpoint;
  const secrets = listSecrets({ endpoint, options });
  const client = openClient({ ...options, baseUrl, secrets });
  const transport = embedded ?? (module === undefined ? undefined : await loadTransport(module));
  if (transport === undefined) return { ...client, findFailure: () => undefined };
  const idleMs = options.limits?.timeout_ms ?? defaultConnectionOptions.limits.timeout_ms;
  const { extraHeaders = [] } = options;
  const filled = module === undefined ? { secrets } : { at: { file: module, line: 1, column: 1 } };
  return createTransportChannel(transport, client, { baseUrl, idleMs, extraHeaders, ...filled });
}
