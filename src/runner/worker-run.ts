import { randomUUID } from 'node:crypto';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { selectFromSuite } from '../cases/case-selection.js';
import type { Suite } from '../cases/suite.js';
import type { Endpoint } from '../http/connection-options.js';
import type { Channel } from '../http/exchange.js';
import type { TargetContext } from '../judge/judge-case.js';
import { detachExchanges, type ResultWithExchanges, samplesCaseId } from '../run/case-result.js';
import { createEvidenceKeeper, type StoredExchange } from '../run/evidence-keeper.js';
import { startRun } from '../run/run.js';
import { parseJson } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { openTarget } from '../target/open-target.js';
import { createRunReplay, readRecordedRun } from '../target/recorded-run.js';
import { createEngineOptions } from '../target/settings.js';
import { createCertifiedTarget, loadTarget } from '../target/target.js';
import { getReferenceUrl, type ProjectInputs } from './options.js';
import type { RunStart, TestReport } from './test-report.js';

/** A judged case, with what its test shows and reports. */
export interface JudgedCase {
  readonly result: ResultWithExchanges;
  readonly used: readonly StoredExchange[];
  readonly report: TestReport;
}

/** The run of one project in one worker. */
export interface WorkerRun {
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
 * Opens the target of a project, or the evidence that is judged again, and sends the calibration requests.
 *
 * @param plannedCases the ids of the cases that the worker will run, in this order
 * @param use uses the run; the target is closed afterwards
 * @throws UnusableInput if the transport cannot be loaded
 */
export async function openWorkerRun(
  { options, suite: whole, settings, cases, replay: file, recorded }: ProjectInputs,
  plannedCases: readonly string[],
  use: (run: WorkerRun) => Promise<void>,
): Promise<void> {
  const suite = selectFromSuite(whole, settings);
  const { channel, baseUrl, close, findFailure, redactSecrets, replay } = await openChannel();
  const keeper = createEvidenceKeeper(redactSecrets);
  const engineOptions = { ...createEngineOptions(settings), keeper, plannedCases, ...omitUndefined({ replay }) };
  const run = await startRun(suite, channel, engineOptions);
  const { note, unreachable } = run.calibration;
  const target = createCertifiedTarget(settings.target, baseUrl);
  const start: RunStart = {
    // Text by text: what is escaped twice is not found.
    target: parseJson(JSON.stringify(target), (_, text) =>
      typeof text === 'string' ? redactSecrets(text) : text,
    ) as typeof target,
    calibration: omitUndefined({ note, unreachable }),
    inputs: recorded,
    destination: settings.destination,
    isReplay: file !== undefined,
    ...omitUndefined({ cases }),
  };
  const worker = randomUUID();
  let isReported = false;
  await use({
    suite,
    baseUrl: start.target.base_url,
    channel,
    background: run.background,
    async judge(id) {
      const testCase = suite.cases.find((each) => each.id === id);
      if (testCase === undefined && id !== samplesCaseId) return undefined;
      const result = await (testCase === undefined ? run.repeatSamples() : run.runCase(testCase));
      const { exchanges, uses, used } = run.takeEvidence();
      const failure = findFailure()?.problems;
      const first = isReported ? {} : { start };
      isReported = true;
      const report = {
        worker,
        ...first,
        result: detachExchanges(result),
        exchanges,
        uses,
        ...omitUndefined({ failure }),
      };
      return { result, used, report };
    },
  });
  await close();

  async function openChannel() {
    if (file !== undefined) {
      const { evidence, origin } = readRecordedRun(file);
      const replay = createRunReplay(evidence, settings.target, whole);
      // Evidence has no secrets.
      const redactSecrets = (text: string) => text;
      const nothing = { close: async () => undefined, findFailure: () => undefined };
      return { channel: replay.createChannel(''), baseUrl: origin.baseUrl, redactSecrets, replay, ...nothing };
    }
    const reference: Endpoint = { baseUrl: getReferenceUrl(), credentials: referenceCredentials };
    const { connection } = loadTarget(options, process.env);
    const { endpoint = reference } = connection;
    const channel = await openTarget(settings.target, endpoint, connection);
    const { close, findFailure, redactSecrets } = channel;
    return { channel, baseUrl: endpoint.baseUrl, redactSecrets, replay: undefined, close, findFailure };
  }
}
