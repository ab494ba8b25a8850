import type { TestInfo } from '@playwright/test';
import type { TestCase, TestResult } from '@playwright/test/reporter';
import type { CertifiedTarget } from '../certificate/certificate.js';
import type { StoredEvidence } from '../certificate/har-archive.js';
import type { Calibration } from '../run/calibrate.js';
import type { CaseResult } from '../run/case-result.js';
import { parseJson } from '../support/json.js';
import type { Problem } from '../support/problem.js';
import type { ResultsDestination } from '../target/settings.js';

/** What a worker found out before its first test. */
export interface RunStart {
  readonly target: CertifiedTarget;
  readonly calibration: Pick<Calibration, 'note' | 'unreachable'>;
  /** The inputs of the run, as evidence stores them, with the folder of own cases. */
  readonly inputs: unknown;
  readonly cases?: string;
  readonly destination: ResultsDestination;
  readonly isReplay: boolean;
}

/** What a test tells the reporter, as an attachment. It has no secrets. */
export interface TestReport extends StoredEvidence {
  /** Unique; ids of exchanges are unique within it. */
  readonly worker: string;
  /** In the first report of a worker. */
  readonly start?: RunStart;
  readonly result: CaseResult;
  /** Why the run has no valid verdict: its transport failed. */
  readonly failure?: readonly Problem[];
}

const reportName = 'conformance';

/** Attaches a report, and texts that people read in the reports of Playwright. */
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

const caseAnnotationType = 'case';

export function createCaseAnnotation(id: string) {
  return { type: caseAnnotationType, description: id };
}

export function readCaseId({ annotations }: Pick<TestCase, 'annotations'>): string | undefined {
  return annotations.find(({ type }) => type === caseAnnotationType)?.description;
}
