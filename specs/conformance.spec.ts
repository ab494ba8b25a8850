import path from 'node:path';
import { compileFunction } from 'node:vm';
import { isOwnCase } from '../src/cases/suite.js';
import type { TestCase } from '../src/cases/test-case.js';
import { isBroken, renderBrokenCase } from '../src/certificate/failure-text.js';
import { renderCodeFrame } from '../src/outputs/code-frame.js';
import { createResponseRenderer } from '../src/record/exchange-text.js';
import { detachExchanges, type ResultWithExchanges, samplesCaseId } from '../src/run/case-result.js';
import type { Run } from '../src/run/run.js';
import { listSampleCases } from '../src/run/sample.js';
import { expectFailure } from '../src/runner/expected-failure.js';
import { suite, test } from '../src/runner/fixtures.js';
import { attachTestReport, caseAnnotationType, type TestReport } from '../src/runner/test-report.js';
import { packageRoot } from '../src/support/package-root.js';
import type { Location } from '../src/support/problem.js';

const renderResponse = createResponseRenderer(suite.world);

const groups = new Map(suite.contract.questions.map(({ id, group }) => [id, group]));

// In the order of the suite, since requests are sent ahead: reports join groups of the same name.
for (const testCase of suite.cases) {
  const { id, at } = testCase;
  const group = testCase.kind === 'requirement' ? testCase.verifies : (groups.get(testCase.answers) ?? 'questions');
  test.describe(isOwnCase(testCase) ? `own cases: ${group}` : group, () =>
    defineTest(testCase, resolveLocation(at, id), (run) => run.runCase(testCase)),
  );
}

/** Tests that belong to no single case. */
const here = { file: import.meta.filename, line: 1, column: 1 };

if (listSampleCases(suite).length > 0) {
  const sample = { id: samplesCaseId, title: 'Some of the first cases, at the end of the run', tags: [samplesCaseId] };
  defineTest(sample, here, (run) => run.repeatSamples());
}

/** Defines a test that passes its result to the reporter. @param location shown for the test */
function defineTest(
  { id, title, tags }: Pick<TestCase, 'id' | 'title' | 'tags'>,
  location: Location,
  getResult: (run: Run) => Promise<ResultWithExchanges>,
): void {
  const details = { tag: tags.map((tag) => `@${tag}`), annotation: { type: caseAnnotationType, description: id } };
  callFrom(location, test, `${id}: ${title}`, details, async ({ run, session }, testInfo) => {
    const result = await getResult(run);
    const { target, calibration } = session;
    const { requestsSent, note } = calibration;
    const { exchanges, uses } = run.takeEvidence();
    const report: TestReport = {
      result: detachExchanges(result),
      target,
      calibration: { requestsSent, ...(note === undefined ? {} : { note }) },
      uses,
    };
    attachTestReport(testInfo, report, exchanges);
    await showRows(result);
    const { verdict, reason, at } = result;
    if (isBroken(result)) {
      expectFailure(testInfo);
      throw createLocatedError(renderBrokenCase(result, target.base_url, renderResponse), id, at);
    }
    test.skip(verdict !== 'pass', `${verdict}: ${reason}`);
  });
}

/** Calls `test` as if a line of a case file did: Playwright takes the place of the call for that of the test. */
function callFrom({ file, line, column }: Location, define: typeof test, ...args: Parameters<typeof test>): void {
  const options = { filename: file, lineOffset: line - 1, columnOffset: column - 1 };
  compileFunction('define(...args)', ['define', 'args'], options)(define, args);
}

/** Shows each row of a matrix as a step, unless all rows pass: a step takes longer than judging a row. */
async function showRows({ id, rows, at }: ResultWithExchanges): Promise<void> {
  if (rows.length < 2 || rows.every(({ verdict }) => verdict === 'pass')) return;
  for (const { title, verdict, reason } of rows) {
    const show = () => {
      // The step has the location: showing the lines again would take time.
      if (verdict === 'fail') throw createError(reason);
    };
    try {
      await test.step(verdict === 'pass' ? title : `${title} · ${verdict}`, show, {
        location: resolveLocation(at, id),
      });
    } catch {
      // The case fails, after all of its rows are shown.
    }
  }
}

/** Playwright shows no source lines of installed packages. */
const isInstalled = packageRoot.split(path.sep).includes('node_modules');

/** Creates an error whose stack points into the case file, so that Playwright shows the line with a caret. */
function createLocatedError(text: string, id: string, at: Location): Error {
  const { file, line, column } = resolveLocation(at, id);
  const message = isInstalled ? [text, '', ...renderCodeFrame({ file, line, column })].join('\n') : text;
  return createError(message, `\n    at case ${id} (${file}:${line}:${column})`);
}

function createError(text: string, stack = ''): Error {
  const error = new Error(text);
  error.stack = `Error: ${text}${stack}`;
  return error;
}

function resolveLocation({ file, line, column }: Location, id: string): Location {
  // Paths of the user's own cases are relative to the working folder.
  return { file: isOwnCase({ id }) ? path.resolve(file) : path.resolve(packageRoot, file), line, column };
}
