/**
 * Runs the cases in this process whenever a file of the run or an answer of the target changes: starting Playwright
 * takes longer than judging a case.
 */

import { setTimeout } from 'node:timers/promises';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { serveReference } from '../../reference/server.js';
import { selectFromSuite } from '../cases/case-selection.js';
import type { Suite } from '../cases/suite.js';
import type { Calibration } from '../engine/calibrate.js';
import { createUnsentResult, isPartialRun, notReachedReason, type ResultWithExchanges } from '../engine/case-result.js';
import { listRequests } from '../engine/case-sender.js';
import { startRun } from '../engine/run.js';
import type { Endpoint } from '../http/connection-options.js';
import {
  computeFileSignature,
  computeOptionsSignature,
  loadRunInputs,
  type RunInputs,
} from '../playwright/run-inputs.js';
import { openRunTarget } from '../playwright/run-target.js';
import { collectRunFacts, createCertificate } from '../report/certificate.js';
import { isBroken } from '../report/failure-text.js';
import { addColors } from '../report/terminal/colors.js';
import { renderRunReport } from '../report/terminal/run-report.js';
import { writeResults } from '../report/write-results.js';
import { getMonotonicMs } from '../support/monotonic-clock.js';
import { UnusableInput } from '../support/problem.js';
import { joinLines } from '../support/untrusted-text.js';
import type { RunOptions } from '../targets/run-options.js';
import { createEngineOptions } from '../targets/settings.js';
import { createCertifiedTarget } from '../targets/target.js';
import { determineExitStatus, exitStatus } from './exit-status.js';

/** How often files are checked for changes, in milliseconds. */
const fileIntervalMs = 150;
/** How long to wait between two checks of the target, in milliseconds: they cost requests. */
const targetIntervalMs = 1_000;
/** How many requests a check of the target sends at most. */
const maxCheckRequests = 20;

/**
 * Runs the selected cases again and again, until a signal ends it.
 *
 * @param bail whether a round ends with its first failure
 * @returns the exit status of the last round
 */
export async function watchCases(options: RunOptions, bail: boolean): Promise<number> {
  const ended = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => ended.abort());
  const { signal } = ended;
  const { settings, suite, replay } = loadRunInputs(options);
  const isReference = replay === undefined && settings.target.kind === 'reference';
  const reference = isReference
    ? await serveReference({ world: suite.world, credentials: referenceCredentials })
    : undefined;
  const watched: WatchedRun = {
    options,
    reference: { baseUrl: reference?.url ?? '', credentials: referenceCredentials },
    signal,
  };
  let status = 0;
  try {
    while (!signal.aborted) {
      const signature = computeWatchSignature(options);
      const isEdited = () => signature !== computeWatchSignature(options);
      const round = await tryRound(watched, bail);
      status = round.status;
      const waiting = 'Waiting for a change of the cases, the target file or the target. Ctrl-C ends the watch.';
      process.stdout.write(joinLines(['', waiting]));
      while (!signal.aborted && !isEdited() && !(await hasTargetChanged(watched, round, isEdited)));
    }
  } finally {
    await reference?.close();
  }
  return status;
}

interface WatchedRun {
  readonly options: RunOptions;
  readonly reference: Endpoint;
  readonly signal: AbortSignal;
}

/** The result of a round; it has no case results if the input was unusable. */
interface Round {
  readonly status: number;
  readonly results: readonly ResultWithExchanges[];
}

/** Changes with every edit, even if the edited file is unusable. */
function computeWatchSignature(options: RunOptions): string {
  try {
    return computeOptionsSignature(options);
  } catch (error) {
    return computeFileSignature(options.target ?? '') + (error as Error).message;
  }
}

/** Prints unusable input and waits for the next edit. */
async function tryRound(watched: WatchedRun, bail: boolean): Promise<Round> {
  try {
    return await runRound(watched, bail);
  } catch (error) {
    if (!(error instanceof UnusableInput)) throw error;
    process.stderr.write(`${error.message}\n`);
    return { status: exitStatus.unusableInput, results: [] };
  }
}

async function runRound(watched: WatchedRun, bail: boolean): Promise<Round> {
  const startedAt = new Date();
  const startedMs = getMonotonicMs();
  const inputs = loadRunInputs(watched.options);
  const { suite, settings } = inputs;
  const { results, calibration, baseUrl } = await judgeCases(watched, inputs, selectFromSuite(suite, settings), bail);
  const durationMs = getMonotonicMs() - startedMs;
  const certificate = createCertificate(suite, results, {
    target: createCertifiedTarget(settings.target, baseUrl),
    ...collectRunFacts(results, calibration, settings),
    isCutShort: false,
    startedAt,
    durationMs,
  });
  const isPartial = certificate.selected !== undefined || isPartialRun(results);
  const written = writeResults(certificate, suite, results, { ...settings, isPartial });
  process.stdout.write(addColors(renderRunReport(certificate, written), process));
  process.stdout.write(joinLines(['', `Judged in ${Math.round(getMonotonicMs() - startedMs)} ms.`]));
  return { status: determineExitStatus(certificate), results };
}

/** @param bail whether cases after the first failure are not sent */
async function judgeCases(
  { options, reference }: WatchedRun,
  inputs: RunInputs,
  suite: Suite,
  bail: boolean,
): Promise<{ results: ResultWithExchanges[]; calibration: Calibration; baseUrl: string }> {
  const target = openRunTarget(inputs, reference, undefined, options);
  const { channel, baseUrl, options: engineOptions, findFailure, close } = target;
  try {
    const run = await startRun(suite, channel, { ...createEngineOptions(inputs.settings), ...engineOptions });
    const results: ResultWithExchanges[] = [];
    for (const testCase of suite.cases) {
      const isOver = bail && results.some(isBroken);
      results.push(isOver ? createUnsentResult(testCase, 'not-run', notReachedReason) : await run.runCase(testCase));
    }
    const failure = findFailure();
    if (failure !== undefined) throw failure;
    return { results, calibration: run.calibration, baseUrl };
  } finally {
    await close();
  }
}

/** Waits a while, then checks whether the target answers as it did in a round. An edit ends the wait. */
async function hasTargetChanged(watched: WatchedRun, { results }: Round, isEdited: () => boolean): Promise<boolean> {
  const { options, signal } = watched;
  for (let waited = 0; waited < targetIntervalMs; waited += fileIntervalMs) {
    await setTimeout(fileIntervalMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted || isEdited()) return false;
  }
  if (results.length === 0) return false;
  const inputs = loadRunInputs(options);
  const suite = selectForCheck(selectFromSuite(inputs.suite, inputs.settings), results);
  const now = await judgeCases(watched, inputs, suite, false);
  const before = new Map(results.map((result) => [result.id, serializeResult(result)]));
  return now.results.some((result) => before.get(result.id) !== serializeResult(result));
}

/** Selects as many cases as {@link maxCheckRequests} allows, those that did not pass first. */
function selectForCheck(suite: Suite, results: readonly ResultWithExchanges[]): Suite {
  const byId = new Map(suite.cases.map((testCase) => [testCase.id, testCase]));
  const hasPassed = (result: ResultWithExchanges) => Number(result.verdict === 'pass');
  let requests = 0;
  const cases = results
    .filter(({ reason }) => reason !== notReachedReason)
    .toSorted((one, other) => hasPassed(one) - hasPassed(other))
    .flatMap(({ id }) => byId.get(id) ?? [])
    .filter((testCase, n) => {
      requests += listRequests(testCase).length;
      return n === 0 || requests <= maxCheckRequests;
    });
  return { ...suite, cases };
}

/** What a result says about the target, as a text to compare. */
function serializeResult({ verdict, outcome, reason, rows, drift }: ResultWithExchanges): string {
  return JSON.stringify([verdict, outcome, reason, rows, drift]);
}
