import path from 'node:path';
import { isOwnCase } from '../src/cases/suite.js';
import { detachExchanges, explorationId, type ShownResult, sampleId } from '../src/engine/case-result.js';
import type { Run } from '../src/engine/run.js';
import { listSampleCases } from '../src/engine/sample.js';
import { expectFailure } from '../src/playwright/expected-failure.js';
import { settings, suite, test } from '../src/playwright/fixtures.js';
import { attachTestReport, caseAnnotation, type TestReport } from '../src/playwright/test-report.js';
import { renderCodeFrame } from '../src/report/code-frame.js';
import { createResponseRenderer } from '../src/report/exchange-text.js';
import { isBroken, renderBrokenCase } from '../src/report/failure-text.js';
import { packageRoot } from '../src/support/package-root.js';
import type { Location } from '../src/support/problem.js';

const responseText = createResponseRenderer(suite.world);

for (const testCase of suite.cases) {
  const { id, title, tags } = testCase;
  report(id, title, tags, (run) => run.runCase(testCase));
}

if (listSampleCases(suite).length > 0) {
  report(sampleId, 'Some of the first cases, at the end of the run', [sampleId], (run) => run.repeatSamples());
}

const { exploration } = settings;
if (exploration !== undefined) {
  const title = `${exploration.requests} random requests, seed ${exploration.seed}`;
  report(explorationId, title, [explorationId], (run) => run.explore(exploration));
}

/** Makes a test of something that leads to a result, and hands the result to the reporter. */
function report(
  id: string,
  title: string,
  tags: readonly string[],
  resultIn: (run: Run) => Promise<ShownResult>,
): void {
  const details = { tag: tags.map((tag) => `@${tag}`), annotation: { type: caseAnnotation, description: id } };
  test(`${id}: ${title}`, details, async ({ run, session }, testInfo) => {
    const result = await resultIn(run);
    const { target, calibration } = session;
    const { requestsSent, note } = calibration;
    const { exchanges, uses } = run.takeEvidence();
    const whole: TestReport = {
      result: detachExchanges(result),
      target,
      calibration: { requestsSent, ...(note === undefined ? {} : { note }) },
      ...(settings.shard === undefined ? {} : { shard: settings.shard.current }),
      uses,
    };
    attachTestReport(testInfo, whole, exchanges);
    await showRows(result);
    const { verdict, reason, at } = result;
    if (isBroken(result)) {
      expectFailure(testInfo);
      throw located(renderBrokenCase(result, target.base_url, responseText).text, id, at);
    }
    test.skip(verdict !== 'pass', `${verdict}: ${reason}`);
  });
}

/** Each row of a matrix as a step, the failing ones in red; none where all pass, since each step takes longer than a row. */
async function showRows({ id, rows, at }: ShownResult): Promise<void> {
  if (rows.length < 2 || rows.every(({ verdict }) => verdict === 'pass')) return;
  for (const { title, verdict, reason } of rows) {
    const show = () => {
      if (verdict === 'fail') throw unlocated(reason);
    };
    try {
      await test.step(verdict === 'pass' ? title : `${title} · ${verdict}`, show, { location: absolute(at, id) });
    } catch {
      // All rows are shown; the case fails as a whole.
    }
  }
}

/** Playwright shows no lines of packages, as which this one may be installed. */
const isInstalled = packageRoot.split(path.sep).includes('node_modules');

/** An error whose stack points into the case file: Playwright shows the line there, with a caret. */
function located(text: string, id: string, at: Location): Error {
  const { file, line, column } = absolute(at, id);
  const message = isInstalled ? [text, '', ...renderCodeFrame({ file, line, column })].join('\n') : text;
  const error = new Error(message);
  error.stack = `Error: ${message}\n    at case ${id} (${file}:${line}:${column})`;
  return error;
}

/** The row is a step that has the place of its case: to show the lines there once more takes longer than to judge it. */
function unlocated(text: string): Error {
  const error = new Error(text);
  error.stack = `Error: ${text}`;
  return error;
}

function absolute({ file, line, column }: Location, id: string): Location {
  // Cases of somebody else's are named as they were given.
  return { file: isOwnCase({ id }) ? path.resolve(file) : path.resolve(packageRoot, file), line, column };
}
