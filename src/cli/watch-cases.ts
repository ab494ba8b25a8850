/**
 * The cases again and again, in this process: starting Playwright takes longer than a case. A round is judged whenever a
 * file that the run goes by was edited, or the target answers otherwise than it did.
 */

import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { referenceCredentials } from '../../reference/reference-credentials.js';
import { serveReference } from '../../reference/server.js';
import { selectFromSuite } from '../cases/case-selection.js';
import { expandSuite, type Suite, suiteFolder } from '../cases/suite.js';
import type { Calibration } from '../engine/calibrate.js';
import { createUnsentResult, notReachedReason, type ShownResult } from '../engine/case-result.js';
import { listRequests } from '../engine/case-sender.js';
import { startRun } from '../engine/run.js';
import type { Endpoint } from '../http/connection-options.js';
import { computeRunSignature, loadRunInputs, type RunInputs } from '../playwright/run-state.js';
import { openRunTarget } from '../playwright/run-target.js';
import { collectRunFacts, createCertificate } from '../report/certificate.js';
import { renderCodeFrame } from '../report/code-frame.js';
import { createResponseRenderer, type ResponseRenderer } from '../report/exchange-text.js';
import { isBroken, renderBrokenCase } from '../report/failure-text.js';
import { renderSummary } from '../report/terminal/summary.js';
import { writeResults } from '../report/write-results.js';
import { getMonotonicMs } from '../support/monotonic-clock.js';
import { packageRoot } from '../support/package-root.js';
import { UnusableInput } from '../support/problem.js';
import { joinLines } from '../support/untrusted-text.js';
import { readAvailability } from '../targets/availability.js';
import { createEngineOptions } from '../targets/settings.js';
import { createCertifiedTarget } from '../targets/target.js';
import { determineExitStatus, exitStatus } from './exit-status.js';

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
  const { settings, replay } = loadRunInputs();
  const isReference = replay === undefined && settings.target.kind === 'reference';
  const reference = isReference
    ? await serveReference({ world: loadRunInputs().suite.world, credentials: referenceCredentials })
    : undefined;
  const endpoint = { baseUrl: reference?.url ?? '', credentials: referenceCredentials };
  let status = 0;
  let isFirst = true;
  try {
    while (!signal.aborted) {
      const signature = computeRunSignature();
      const isEdited = () => signature !== computeRunSignature();
      const round = await attempted(() => judgeRound(endpoint, bail));
      status = round.status;
      if (isFirst) await attempted(readAhead);
      isFirst = false;
      process.stdout.write(
        joinLines(['', 'Waits for a change of the cases, the target file or the target. Ctrl-C ends it.']),
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
  readonly results: readonly ShownResult[];
}

/** All case files are read several times faster than the first time: that is over before anybody edits one. */
async function readAhead(): Promise<Round> {
  expandSuite(suiteFolder, readAvailability(process.env).availability);
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
  const startedMs = getMonotonicMs();
  const inputs = loadRunInputs();
  const { suite, settings } = inputs;
  const selected = selectFromSuite(suite, settings);
  const { results, calibration, baseUrl } = await judged(selected, inputs, reference, bail);
  const durationMs = getMonotonicMs() - startedMs;
  const certificate = createCertificate(suite, results, {
    target: createCertifiedTarget(settings.target, baseUrl),
    ...collectRunFacts(results, calibration, settings),
    isCutShort: false,
    startedAt,
    durationMs,
  });
  const isPartial = certificate.selected !== undefined || results.some(({ reason }) => reason === notReachedReason);
  const written = writeResults(certificate, suite, results, { ...settings, isPartial });
  const responseText = createResponseRenderer(suite.world);
  const broken = results.filter(isBroken).flatMap((result) => brokenLines(result, baseUrl, responseText));
  process.stdout.write(joinLines(broken) + renderSummary(certificate, written));
  process.stdout.write(joinLines(['', `Judged in ${Math.round(getMonotonicMs() - startedMs)} ms.`]));
  return { status: determineExitStatus(certificate), results };
}

/** Sends cases and judges them; those after the first failure, where that ends it, are not reached. */
async function judged(
  suite: Suite,
  inputs: RunInputs,
  reference: Endpoint,
  bail: boolean,
): Promise<{ results: ShownResult[]; calibration: Calibration; baseUrl: string }> {
  const { channel, baseUrl, options, close } = openRunTarget(inputs, reference);
  try {
    const run = await startRun(suite, channel, { ...createEngineOptions(inputs.settings), ...options });
    const results: ShownResult[] = [];
    for (const testCase of suite.cases) {
      const isOver = bail && results.some(isBroken);
      results.push(
        isOver ? createUnsentResult(testCase, 'not-applicable', notReachedReason) : await run.runCase(testCase),
      );
    }
    return { results, calibration: run.calibration, baseUrl };
  } finally {
    await close();
  }
}

function brokenLines(result: ShownResult, baseUrl: string, responseText: ResponseRenderer): string[] {
  const { id, at } = result;
  const { kind, text } = renderBrokenCase(result, baseUrl, responseText);
  const frame = renderCodeFrame({ ...at, file: path.resolve(packageRoot, at.file) });
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
  const inputs = loadRunInputs();
  const suite = lookedAt(selectFromSuite(inputs.suite, inputs.settings), results);
  const now = await judged(suite, inputs, reference, false);
  const before = new Map(results.map((result) => [result.id, saidBy(result)]));
  return now.results.some((result) => before.get(result.id) !== saidBy(result));
}

/** As many of the cases as a few requests tell of, first those that somebody is about to correct. */
function lookedAt(suite: Suite, results: readonly ShownResult[]): Suite {
  const byId = new Map(suite.cases.map((testCase) => [testCase.id, testCase]));
  const unpassed = (result: ShownResult) => (result.verdict === 'pass' ? 1 : 0);
  const reached = results.filter(({ reason }) => reason !== notReachedReason);
  let requests = 0;
  const cases = reached
    .toSorted((one, other) => unpassed(one) - unpassed(other))
    .flatMap(({ id }) => byId.get(id) ?? [])
    .filter((testCase, n) => {
      requests += listRequests(testCase).length;
      return n === 0 || requests <= maxRequests;
    });
  return { ...suite, cases };
}

/** What a result says of the target. */
function saidBy({ verdict, outcome, reason, rows, drift }: ShownResult): string {
  return JSON.stringify([verdict, outcome, reason, rows, drift]);
}
