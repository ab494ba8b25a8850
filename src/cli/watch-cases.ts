/**
 * Runs the cases in this process whenever a file of the run or an answer of the target changes: starting Playwright
 * takes longer than judging a case.
 */

import { setTimeout } from 'node:timers/promises';
import { selectFromSuite } from '../cases/case-selection.js';
import type { Suite } from '../cases/suite.js';
import type { Calibration } from '../engine/calibrate.js';
import { createUnsentResult, isPartialRun, notReachedReason, type ResultWithExchanges } from '../engine/case-result.js';
import { listRequests } from '../engine/case-sender.js';
import { startRun } from '../engine/run.js';
import type { Endpoint } from '../http/connection-options.js';
import { computeFileSignature, computeOptionsSignature, loadRunInputs } from '../playwright/run-inputs.js';
import { openRunTarget, serveReferenceIf } from '../playwright/run-target.js';
import { collectRunFacts, createCertificate } from '../report/certificate.js';
import { isBroken } from '../report/failure-text.js';
import { addColors } from '../report/terminal/colors.js';
import { renderRunReport } from '../report/terminal/run-report.js';
import { writeResults } from '../report/write-results.js';
import { getMonotonicMs } from '../support/monotonic-clock.js';
import { UnusableInput } from '../support/problem.js';
import { joinLines } from '../support/untrusted-text.js';
import type { RunInputs } from '../targets/recorded-run.js';
import type { RunOptions } from '../targets/run-options.js';
import { createEngineOptions } from '../targets/settings.js';
import { createCertifiedTarget } from '../targets/target.js';
import { determineExitStatus, exitStatus } from './exit-status.js';

/** How often files are checked for changes, in milliseconds. */
const fileIntervalMs = 150;
/** After how many of these checks the target is checked, too: that costs requests. */
const checksPerTargetCheck = 7;
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
  const { settings, suite, replay } = loadRunInputs(options);
  const isReference = replay === undefined && settings.target.kind === 'reference';
  const { endpoint, close } = await serveReferenceIf(isReference, suite.world);
  let status = 0;
  try {
    while (!ended.signal.aborted) status = await watchOnce(options, endpoint, bail, ended.signal);
  } finally {
    await close();
  }
  return status;
}

/** Runs the cases, then waits for a change. @returns the exit status of the run */
async function watchOnce(
  options: RunOptions,
  reference: Endpoint,
  bail: boolean,
  signal: AbortSignal,
): Promise<number> {
  const signature = computeWatchSignature(options);
  const { status, results } = await runRound(options, reference, bail).catch((error) => {
    if (!(error instanceof UnusableInput)) throw error;
    process.stderr.write(`${error.message}\n`);
    return { status: exitStatus.unusableInput, results: [] };
  });
  const waiting = 'Waiting for a change of the cases, the target file or the target. Ctrl-C ends the watch.';
  process.stdout.write(joinLines(['', waiting]));
  for (let check = 1; ; check += 1) {
    await setTimeout(fileIntervalMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted || signature !== computeWatchSignature(options)) return status;
    const isDue = results.length > 0 && check % checksPerTargetCheck === 0;
    if (isDue && (await hasTargetChanged(options, reference, results))) return status;
  }
}

/** Changes with every edit, even if the edited file is unusable. */
function computeWatchSignature(options: RunOptions): string {
  try {
    return computeOptionsSignature(options);
  } catch (error) {
    return computeFileSignature(options.target ?? '') + (error as Error).message;
  }
}

async function runRound(
  options: RunOptions,
  reference: Endpoint,
  bail: boolean,
): Promise<{ status: number; results: readonly ResultWithExchanges[] }> {
  const startedAt = new Date();
  const startedMs = getMonotonicMs();
  const inputs = loadRunInputs(options);
  const { suite, settings } = inputs;
  const selected = selectFromSuite(suite, settings);
  const { results, calibration, baseUrl } = await judgeCases(options, reference, inputs, selected, bail);
  const certificate = createCertificate(suite, results, {
    target: createCertifiedTarget(settings.target, baseUrl),
    ...collectRunFacts(results, calibration, settings),
    isCutShort: false,
    startedAt,
    durationMs: getMonotonicMs() - startedMs,
  });
  const isPartial = certificate.selected !== undefined || isPartialRun(results);
  const written = writeResults(certificate, suite, results, { ...settings, isPartial });
  process.stdout.write(addColors(renderRunReport(certificate, written), process));
  return { status: determineExitStatus(certificate), results };
}

/** @param bail whether cases after the first failure are not sent */
async function judgeCases(
  runOptions: RunOptions,
  reference: Endpoint,
  inputs: RunInputs,
  suite: Suite,
  bail: boolean,
): Promise<{ results: ResultWithExchanges[]; calibration: Calibration; baseUrl: string }> {
  const { channel, baseUrl, options, close } = openRunTarget(inputs, reference, {}, runOptions);
  try {
    const run = await startRun(suite, channel, { ...createEngineOptions(inputs.settings), ...options });
    const results: ResultWithExchanges[] = [];
    for (const testCase of suite.cases) {
      const isOver = bail && results.some(isBroken);
      results.push(isOver ? createUnsentResult(testCase, 'not-run', notReachedReason) : await run.runCase(testCase));
    }
    return { results, calibration: run.calibration, baseUrl };
  } finally {
    await close();
  }
}

/** Whether the target answers differently than in a round. */
async function hasTargetChanged(
  options: RunOptions,
  reference: Endpoint,
  before: readonly ResultWithExchanges[],
): Promise<boolean> {
  const inputs = loadRunInputs(options);
  const suite = selectForCheck(selectFromSuite(inputs.suite, inputs.settings), before);
  const { results } = await judgeCases(options, reference, inputs, suite, false);
  const texts = new Map(before.map((result) => [result.id, serializeResult(result)]));
  return results.some((result) => texts.get(result.id) !== serializeResult(result));
}

/** Selects as many cases as {@link maxCheckRequests} allows, those that did not pass first. */
function selectForCheck(suite: Suite, results: readonly ResultWithExchanges[]): Suite {
  const hasPassed = ({ verdict }: ResultWithExchanges) => Number(verdict === 'pass');
  let requests = 0;
  const cases = results
    .filter(({ reason }) => reason !== notReachedReason)
    .toSorted((one, other) => hasPassed(one) - hasPassed(other))
    .flatMap(({ id }) => suite.cases.find((testCase) => testCase.id === id) ?? [])
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
