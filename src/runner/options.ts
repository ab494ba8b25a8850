/** What Playwright passes between its processes: options of projects, variables of the environment, and attachments. */

import path from 'node:path';
import type { TestInfo } from '@playwright/test';
import type { FullConfig, TestCase, TestResult } from '@playwright/test/reporter';
import { parseJson } from '../support/json.js';
import { loadInputsOnce, type SendingInputs } from '../target/run-inputs.js';
import { checkRunOptions, completeRunOptions, type RunOptions } from '../target/run-options.js';
import type { TestReport } from '../target/target-run.js';

/** What a project sets under `use`. */
export interface ConformanceOptions {
  readonly target: string | undefined;
  /** What the flags of `certify` set, by the names that the API gives them. They win over `target`. */
  readonly conformance: RunOptions;
}

/** The options of one run of `certify`; with a project, it names its deployment itself. */
export type CertifyRun = RunOptions & { readonly project?: string };

const variables = {
  runs: 'CONFORMANCE',
  setUp: 'CONFORMANCE_SET_UP',
  planned: 'CONFORMANCE_PLANNED_CASES',
};

export function shareRuns(runs: readonly CertifyRun[]): void {
  process.env[variables.runs] = JSON.stringify(runs);
}

/** What the flags of `certify` set; one run without options if Playwright was started by itself. */
export function readRuns(): readonly [CertifyRun, ...CertifyRun[]] {
  return JSON.parse(process.env[variables.runs] ?? '[{}]');
}

export function isRunByCommand(): boolean {
  return process.env[variables.runs] !== undefined;
}

interface SetUp {
  readonly reference: string;
  readonly ownCases: readonly string[];
  /** Whether the requests of each project are drawn from a data file. */
  readonly areDrawn: readonly boolean[];
}

export function shareSetUp(setUp: SetUp): void {
  process.env[variables.setUp] = JSON.stringify(setUp);
}

/** Without a set-up, such as with `--list`, what flags name. */
export function readSetUp(): SetUp {
  const shared = process.env[variables.setUp];
  if (shared !== undefined) return JSON.parse(shared);
  const runs = readRuns();
  const ownCases = runs.flatMap(({ cases }) => cases ?? []);
  return { reference: '', ownCases, areDrawn: runs.map(({ data }) => data !== undefined) };
}

/** Tells the workers which cases each project will run, in their order, so that requests can be sent ahead. */
export function sharePlannedCases(byProject: Readonly<Record<string, readonly string[]>>): void {
  process.env[variables.planned] = JSON.stringify(byProject);
}

/** No cases if the run may stop before some of them. */
export function readPlannedCases(project: string): readonly string[] {
  return JSON.parse(process.env[variables.planned] ?? '{}')[project] ?? [];
}

/** Loads suite and settings of a project, once per process. @param use {@link ConformanceOptions} */
export function loadProject(use: object, { configFile }: Pick<FullConfig, 'configFile'> = {}): SendingInputs {
  const { target, conformance = {} } = use as Partial<ConformanceOptions>;
  checkRunOptions(conformance);
  const folder = configFile === undefined ? '' : path.dirname(configFile);
  const { target: named = target && path.relative('', path.resolve(folder, target)) } = conformance;
  const isNamed = conformance.baseUrl !== undefined || conformance.reference === true || named === undefined;
  const options = completeRunOptions({ ...conformance, ...(isNamed ? {} : { target: named }) }, process.env);
  return loadInputsOnce(options, process.env);
}

const [reportName, caseAnnotation] = ['conformance', 'case'];

export function attachTestReport(
  testInfo: TestInfo,
  report: TestReport,
  texts: Readonly<Record<string, string>>,
): void {
  // `testInfo.attach` also makes a step, which takes longer than most cases.
  const attach = (name: string, contentType: string, text: string) =>
    testInfo.attachments.push({ name, contentType, body: Buffer.from(text) });
  for (const [name, text] of Object.entries(texts)) attach(name, 'text/plain', text);
  attach(reportName, 'application/json', JSON.stringify(report));
}

/** Undefined if the test ended before it had a report. */
export function readTestReport({ attachments }: TestResult): TestReport | undefined {
  const body = attachments.find(({ name }) => name === reportName)?.body;
  return body && (parseJson(body.toString('utf8')) as TestReport | undefined);
}

/** Frees the memory of a report: Playwright keeps all test results until the end of the run. */
export function removeTestReport({ attachments }: TestResult): void {
  const others = attachments.filter(({ name }) => name !== reportName);
  attachments.splice(0, attachments.length, ...others);
}

export function createCaseAnnotation(id: string) {
  return { type: caseAnnotation, description: id };
}

export function readCaseId({ annotations }: Pick<TestCase, 'annotations'>): string | undefined {
  return annotations.find(({ type }) => type === caseAnnotation)?.description;
}
