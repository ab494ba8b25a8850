/**
 * The cases again and again, in this process: starting Playwright takes longer than a case. A round is judged whenever a
 * file that the run goes by was edited, or the target answers otherwise than it did.
 */

import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { referenceCredentials } from '../../reference/credentials.js';
import { serveReference } from '../../reference/server.js';
import { selectedSuite } from '../cases/selection.js';
import { expandSuite, ownFolder, type Suite } from '../cases/suite.js';
import type { Calibration } from '../engine/calibrate.js';
import { type CaseResult, notReached, unsent } from '../engine/case-result.js';
import { startRun } from '../engine/run.js';
import { requestsOf } from '../engine/send-case.js';
import type { Endpoint } from '../http/connection-options.js';
import { openedTarget } from '../playwright/opened-target.js';
import { inputsOfRun, type RunInputs, signatureOfRun } from '../playwright/run-state.js';
import { certificateOf, factsOf } from '../report/certificate.js';
import { codeFrame } from '../report/code-frame.js';
import { type ResponseText, responseTextFor } from '../report/exchange-text.js';
import { brokenText, isBroken } from '../report/failure-text.js';
import { writeResults } from '../report/results.js';
import { summaryOf } from '../report/summary.js';
import { asLines } from '../support/foreign-text.js';
import { monotonicMs } from '../support/monotonic-clock.js';
import { packageRoot } from '../support/package-root.js';
import { UnusableInput } from '../support/problem.js';
import { availabilityOf } from '../targets/availability.js';
import { runOptionsOf } from '../targets/settings.js';
import { certifiedTarget } from '../targets/target.js';
import { exitStatus, statusOf } from './exit-status.js';

/** How often is looked whether a file was edited, in milliseconds: it costs nothing. */
const filesEveryMs = 150;
/** How long after a look whether the target changed the next begins. It costs requests, so it is not sooner. */
const targetEveryMs = 1_000;
/** Of a look. */
const maxRequests = 20;

/**
 * Runs the selected cases until somebody ends it.
 *
 * @param bail whether a round ends with its first failure
 * @param signal ends it
 * @returns the exit status that the last round speaks of
 */
export async function watchCases(bail: boolean, signal: AbortSignal): Promise<number> {
  const { settings, replay } = inputsOfRun();
  const isReference = replay === undefined && settings.target.kind === 'reference';
  const reference = isReference
    ? await serveReference({ world: inputsOfRun().suite.world, credentials: referenceCredentials })
    : undefined;
  const endpoint = { baseUrl: reference?.url ?? '', credentials: referenceCredentials };
  let status = 0;
  let isFirst = true;
  try {
    while (!signal.aborted) {
      const signature = signatureOfRun();
      const isEdited = () => signature !== signatureOfRun();
      const round = await attempted(() => judgeRound(endpoint, bail));
      status = round.status;
      if (isFirst) await attempted(readAhead);
      isFirst = false;
      process.stdout.write(
        asLines(['', 'Waits for a change of the cases, the target file or the target. Ctrl-C ends it.']),
      );
      while (!signal.aborted && !isEdited() && !(await hasChanged(round, endpoint, isEdited, signal)));
    }
  } finally {
    await reference?.close();
  }
  return status;
}

/** What a round came to; without results where the input could not be used. */
interface Round {
  readonly status: number;
  readonly results: readonly CaseResult[];
}

/** All case files are read several times faster than the first time: that is over before anybody edits one. */
async function readAhead(): Promise<Round> {
  expandSuite(ownFolder, availabilityOf(process.env).availability);
  return { status: exitStatus.conforms, results: [] };
}

/** Somebody is editing: what cannot be used is said, and waited for. */
async function attempted(judge: () => Promise<Round>): Promise<Round> {
  try {
    return await judge();
  } catch (error) {
    if (!(error instanceof UnusableInput)) throw error;
    process.stderr.write(`${error.message}\n`);
    return { status: exitStatus.unusableInput, results: [] };
  }
}

async function judgeRound(reference: Endpoint, bail: boolean): Promise<Round> {
  const startedAt = new Date();
  const startedMs = monotonicMs();
  const inputs = inputsOfRun();
  const { suite, settings } = inputs;
  const selected = selectedSuite(suite, settings.only);
  const { results, calibration, baseUrl } = await judged(selected, inputs, reference, bail);
  const durationMs = monotonicMs() - startedMs;
  const certificate = certificateOf(suite, results, {
    target: certifiedTarget(settings.target, baseUrl),
    ...factsOf(results, calibration, settings),
    isCutShort: false,
    startedAt,
    durationMs,
  });
  const isPartial = settings.only !== undefined || results.some(({ reason }) => reason === notReached);
  const written = writeResults(certificate, suite, results, { ...settings, isPartial });
  const responseText = responseTextFor(suite.world);
  const broken = results.filter(isBroken).flatMap((result) => brokenLines(result, baseUrl, responseText));
  process.stdout.write(asLines(broken) + summaryOf(certificate, written));
  process.stdout.write(asLines(['', `Judged in ${Math.round(monotonicMs() - startedMs)} ms.`]));
  return { status: statusOf(certificate), results };
}

/** Sends cases and judges them; those after the first failure, where that ends it, are not reached. */
async function judged(
  suite: Suite,
  inputs: RunInputs,
  reference: Endpoint,
  bail: boolean,
): Promise<{ results: CaseResult[]; calibration: Calibration; baseUrl: string }> {
  const { channel, baseUrl, options, close } = openedTarget(inputs, reference);
  try {
    const run = await startRun(suite, channel, { ...runOptionsOf(inputs.settings), ...options });
    const results: CaseResult[] = [];
    for (const testCase of suite.cases) {
      const isOver = bail && results.some(isBroken);
      results.push(isOver ? unsent(testCase, 'not-applicable', notReached) : await run.runCase(testCase));
    }
    return { results, calibration: run.calibration, baseUrl };
  } finally {
    await close();
  }
}

function brokenLines(result: CaseResult, baseUrl: string, responseText: ResponseText): string[] {
  const { id, at } = result;
  const { kind, text } = brokenText(result, baseUrl, responseText);
  const frame = codeFrame({ ...at, file: path.resolve(packageRoot, at.file) });
  return ['', `${kind}  ${id}`, ...text.split('\n'), '', ...frame];
}

/**
 * Waits a while, then looks whether the target answers as it did in a round.
 *
 * @param isEdited whether a file was edited, which ends the wait
 */
async function hasChanged(
  { results }: Round,
  reference: Endpoint,
  isEdited: () => boolean,
  signal: AbortSignal,
): Promise<boolean> {
  for (let waited = 0; waited < targetEveryMs; waited += filesEveryMs) {
    await setTimeout(filesEveryMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted || isEdited()) return false;
  }
  if (results.length === 0) return false;
  const inputs = inputsOfRun();
  const suite = lookedAt(inputs.suite, results);
  const now = await judged(suite, inputs, reference, false);
  const before = new Map(results.map((result) => [result.id, saidBy(result)]));
  return now.results.some((result) => before.get(result.id) !== saidBy(result));
}

/** As many of the cases as a few requests tell of, first those that somebody is about to correct. */
function lookedAt(suite: Suite, results: readonly CaseResult[]): Suite {
  const byId = new Map(suite.cases.map((testCase) => [testCase.id, testCase]));
  const unpassed = (result: CaseResult) => (result.verdict === 'pass' ? 1 : 0);
  const reached = results.filter(({ reason }) => reason !== notReached);
  let requests = 0;
  const cases = reached
    .toSorted((one, other) => unpassed(one) - unpassed(other))
    .flatMap(({ id }) => byId.get(id) ?? [])
    .filter((testCase, n) => {
      requests += requestsOf(testCase).length;
      return n === 0 || requests <= maxRequests;
    });
  return { ...suite, cases };
}

/** What a result says of the target. */
function saidBy({ verdict, outcome, reason, rows, drift }: CaseResult): string {
  return JSON.stringify([verdict, outcome, reason, rows, drift]);
}
