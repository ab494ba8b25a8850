/**
 * The tests of Playwright. In: case files. Out: a test for each case. Its body runs in a worker: it judges the case and attaches
 * the report for the reporter. The main process loads this file only to list the tests.
 */

import path from 'node:path';
import { compileFunction } from 'node:vm';
import type { TestInfo } from '@playwright/test';
import { getRequirementOrQuestionId, type TestCase } from '../cases/test-case.js';
import { selectCasesByFlags } from '../config/selection.js';
import { renderCaseExchanges, renderFailureOrChangedAnswer } from '../outputs/test-texts.js';
import { createDrawnRequirementCases } from '../own-data/requirement-cases.js';
import type { CaseReport } from '../run/case-report.js';
import { type CaseResult, getVerdictApartFromKnown, repetitionCaseId } from '../run/case-result.js';
import { isOwnCase, loadSuite, packageCasesFolder, type Suite } from '../suite/suite.js';
import { packageRoot } from '../support/package-root.js';
import { toPosixPath } from '../support/paths.js';
import { hideMessagesOfErrors, type Location } from '../support/problem.js';
import { renderReason } from '../support/reason.js';
import { markFailureAsExpected } from './expected-failure.js';
import { type RunFixture, test } from './fixtures.js';
import { attachTexts, attachValue, createCaseAnnotation, readCertifyRunOptions, readSetUp } from './options.js';

/**
 * Playwright maps the stack of every error to its sources, also of the ten errors by which it locates the steps of each test.
 * Those have no message, and the package has no source maps. Without this line a run takes 18 % more processor time (median
 * of nine runs on the reference deployment).
 */
Error.prepareStackTrace = (error, frames) =>
  error.message === '' ? String(error) : [String(error), ...frames.map((frame) => `    at ${frame}`)].join('\n');

const { ownCases, areDrawn } = readSetUp();
const suite = loadSuite();
const [options = {}] = readCertifyRunOptions();
const selected = selectCasesByFlags(options, suite);

/** Defines the tests of a case file. @param file within `cases/` */
export function defineCases(file: string): void {
  const at = toPosixPath(path.relative(packageRoot, path.join(packageCasesFolder, file)));
  // Requirements are then judged by other requests.
  if (!areDrawn.includes(false) && file.startsWith('requirements/')) return;
  for (const testCase of selected) if (testCase.at.file === at) defineCase(testCase, suite);
}

/** Defines the tests whose requests are drawn from a data file. What they send is known in the worker. */
export function defineDrawnCases(): void {
  if (!areDrawn.includes(true)) return;
  const cases = { ...suite, cases: createDrawnRequirementCases(suite.contract) };
  for (const testCase of selectCasesByFlags(options, cases)) defineCase(testCase, suite);
}

export function defineOwnCases(): void {
  // Several targets may have the same cases.
  const different = new Map(ownCases.map((named) => [JSON.stringify(named), named]));
  for (const { folder, data } of different.values()) {
    const suiteOfUser = loadSuite(packageCasesFolder, { data }, folder);
    test.describe(`own cases in ${folder}${data === undefined ? '' : ` on ${data.file}`}`, () => {
      for (const testCase of selectCasesByFlags(options, suiteOfUser).filter(isOwnCase))
        defineCase(testCase, suiteOfUser);
    });
  }
}

/** Defines the test that finds out whether the deployment still works at the end of the run. @param file of the spec */
export function defineRepetition(file: string): void {
  if (selected.length === 0) return;
  const title = 'Some of the first cases, at the end of the run';
  const at = { file, line: 1, column: 1 };
  defineTest({ id: repetitionCaseId, kind: 'requirement', title, tags: [repetitionCaseId], at }, suite, []);
}

function defineCase(testCase: TestCase, ofSuite: Suite): void {
  const { requirements, questions } = ofSuite.contract;
  const subject = getRequirementOrQuestionId(testCase);
  const requirement = requirements.find(({ id }) => id === subject);
  const question = questions.find(({ id }) => id === subject);
  const annotations = [
    ...(requirement ? [{ type: 'requirement', description: requirement.statement }] : []),
    ...(question ? [{ type: 'question', description: question.open }] : []),
  ];
  const group = requirement?.id ?? question?.group ?? 'questions';
  test.describe(group, () => defineTest(testCase, ofSuite, annotations));
}

function defineTest(
  { id, kind, title, tags, at: stated }: Pick<TestCase, 'id' | 'kind' | 'title' | 'tags' | 'at'>,
  ofSuite: Pick<Suite, 'contract' | 'world'>,
  annotations: readonly { readonly type: string; readonly description: string }[],
): void {
  const details = { tag: tags.map((name) => `@${name}`), annotation: [createCaseAnnotation(id), ...annotations] };
  callFrom(resolveLocation(stated, id), test, `${id}: ${title}`, details, async ({ run }, testInfo) => {
    const judge = async () => {
      const report = await run.judge(id);
      if (report === undefined) return undefined;
      const { result } = report;
      const { shown, start } = run;
      const { target } = start.settings;
      attachTexts(testInfo, renderCaseExchanges(report, shown.find, target));
      attachReport(testInfo, report, run);
      const doubt = run.isCertified || kind === 'question' ? undefined : describeDoubt(result);
      return { result, failure: renderFailureOrChangedAnswer(result, ofSuite, target, shown.show) ?? doubt };
    };
    const judged = await hideMessagesOfErrors(judge);
    if (judged === undefined) return test.skip(true, 'It is not a case of this target, or not selected.');
    const { result, failure } = judged;
    if (failure !== undefined) {
      markFailureAsExpected(testInfo);
      const at = resolveLocation(result.at, id);
      const error = new Error(failure);
      // A stack that points into the case file: Playwright shows the line with a caret.
      error.stack = `Error: ${failure}\n    at case ${id} (${at.file}:${at.line}:${at.column})`;
      throw error;
    }
    const asKnown = result.apart_from_known === undefined ? '' : ', as known';
    test.skip(result.verdict !== 'pass', `${result.verdict}${asKnown}: ${renderReason(result.reason)}`);
  });
}

/** Attaches a report, and what concerns the whole run. */
function attachReport(testInfo: TestInfo, report: CaseReport, { takeStart, findFailure }: RunFixture): void {
  const [start, failure] = [takeStart(), findFailure()];
  if (start !== undefined) attachValue(testInfo, 'conformance-start', start);
  if (failure !== undefined) attachValue(testInfo, 'conformance-failure', failure);
  attachValue(testInfo, 'conformance', report);
}

/**
 * Describes why it is unknown whether a requirement holds; undefined if it is known, or does not concern the target. Without a
 * certificate, Playwright's exit status alone says whether the deployment conforms, and a skipped test would be green.
 */
function describeDoubt({ reason, ...result }: CaseResult): string | undefined {
  const verdict = getVerdictApartFromKnown(result);
  const isDetermined = verdict === 'pass' || verdict === 'fail' || verdict === 'not-applicable';
  return isDetermined ? undefined : `${verdict}: ${renderReason(reason)}`;
}

/** Calls `test` as if a line of a case file did: Playwright takes the place of the call for that of the test. */
function callFrom({ file, line, column }: Location, define: typeof test, ...args: Parameters<typeof test>): void {
  const place = { filename: file, lineOffset: line - 1, columnOffset: column - 1 };
  compileFunction('define(...args)', ['define', 'args'], place)(define, args);
}

function resolveLocation({ file, line, column }: Location, id: string): Location {
  // Paths of the user's own cases are relative to the working folder.
  return { file: isOwnCase({ id }) ? path.resolve(file) : path.resolve(packageRoot, file), line, column };
}
