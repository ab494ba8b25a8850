/** The tests of cases. Specs call these functions. */

import path from 'node:path';
import { compileFunction } from 'node:vm';
import type { TestInfo } from '@playwright/test';
import { isOwnCase, loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import type { TestCase } from '../cases/test-case.js';
import { createCaseEntry, isFailure, renderDifference, renderFailure } from '../certificate/case-entry.js';
import { type DriftTerms, listDriftEntries } from '../certificate/drift-entry.js';
import { renderCodeFrame } from '../outputs/code-frame.js';
import { renderExchanges } from '../outputs/exchange-texts.js';
import { removeResults } from '../outputs/result-files.js';
import { createResponseRenderer } from '../record/exchange-text.js';
import { type ResultWithExchanges, samplesCaseId } from '../run/case-result.js';
import { listSampleCases } from '../run/sample.js';
import { packageRoot } from '../support/package-root.js';
import type { Location } from '../support/problem.js';
import { selectTests } from '../target/settings.js';
import { expectFailure } from './expected-failure.js';
import { test } from './fixtures.js';
import { listOwnCaseFolders, loadProject, readRuns } from './options.js';
import { attachTestReport, createCaseAnnotation } from './test-report.js';

const suite = loadSuite();
const selected = selectTests(readRuns()[0], suite);

/** Defines the tests of a case file. @param file within `cases/` */
export function defineCases(file: string): void {
  const at = path.relative(packageRoot, path.join(suiteFolder, file)).replaceAll(path.sep, '/');
  for (const testCase of selected) if (testCase.at.file === at) defineCase(testCase, suite);
}

/** Defines the tests of the user's own cases. */
export function defineOwnCases(): void {
  for (const folder of listOwnCaseFolders()) {
    const own = loadSuite(suiteFolder, {}, folder);
    test.describe(`own cases in ${folder}`, () => {
      for (const testCase of selectTests(readRuns()[0], own).filter(isOwnCase)) defineCase(testCase, own);
    });
  }
}

/** Defines the test that sends some of the first cases again. @param file of the spec */
export function defineRepetition(file: string): void {
  if (listSampleCases({ ...suite, cases: selected }).length === 0) return;
  const title = 'Some of the first cases, at the end of the run';
  defineTest({ id: samplesCaseId, title, tags: [samplesCaseId] }, { file, line: 1, column: 1 }, suite, []);
}

function defineCase(testCase: TestCase, ofSuite: Suite): void {
  const { contract } = ofSuite;
  const isRequirement = testCase.kind === 'requirement';
  const requirement = isRequirement && contract.requirements.find(({ id }) => id === testCase.verifies);
  const question = !isRequirement && contract.questions.find(({ id }) => id === testCase.answers);
  const group = isRequirement ? testCase.verifies : question ? question.group : 'questions';
  const annotations = [
    ...(requirement ? [{ type: 'requirement', description: requirement.statement }] : []),
    ...(question ? [{ type: 'question', description: question.open }] : []),
  ];
  test.describe(group, () => defineTest(testCase, resolveLocation(testCase.at, testCase.id), ofSuite, annotations));
}

/** Defines a test that passes its result to the reporter. @param location shown for the test */
function defineTest(
  { id, title, tags }: Pick<TestCase, 'id' | 'title' | 'tags'>,
  location: Location,
  { contract, world }: Pick<Suite, 'contract' | 'world'>,
  annotations: readonly { readonly type: string; readonly description: string }[],
): void {
  const details = { tag: tags.map((name) => `@${name}`), annotation: [createCaseAnnotation(id), ...annotations] };
  callFrom(location, test, `${id}: ${title}`, details, async ({ run }, testInfo) => {
    removeOlderResults(testInfo);
    const judged = await run.judge(id);
    if (judged === undefined) return test.skip(true, 'It is not a case of this target, or not selected.');
    const { result, used, report } = judged;
    attachTestReport(testInfo, report, renderExchanges(result, used, run.baseUrl));
    await showRows(result);
    const { verdict, reason, at } = result;
    const failure = renderBrokenCase(result, {
      contract,
      baseUrl: run.baseUrl,
      renderResponse: createResponseRenderer(world),
    });
    if (failure !== undefined) {
      expectFailure(testInfo);
      throw createLocatedError(failure, id, at);
    }
    test.skip(verdict !== 'pass', `${verdict}: ${reason}`);
  });
}

/** Renders a case that fails, is an error, or has another answer than before; undefined for others. */
function renderBrokenCase(result: ResultWithExchanges, terms: DriftTerms): string | undefined {
  if (isFailure(result)) return renderFailure(createCaseEntry(result, terms.baseUrl, terms.renderResponse));
  const changes = listDriftEntries([result], terms).filter(({ kind }) => kind === 'answer');
  return changes.length === 0 ? undefined : changes.map(renderDifference).join('\n\n');
}

const certificateReporter = path.join(import.meta.dirname, 'certificate-reporter');
let areResultsCurrent = false;

/** Without the certificate reporter, the certificate of an earlier run would look like that of this one. */
function removeOlderResults({ config, project }: TestInfo): void {
  areResultsCurrent ||= config.reporter.some(([name]) => name.startsWith(certificateReporter));
  if (areResultsCurrent) return;
  removeResults(loadProject(project.use, config).settings.destination.out);
  areResultsCurrent = true;
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
