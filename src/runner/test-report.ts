import type { TestInfo } from '@playwright/test';
import type { TestCase, TestResult } from '@playwright/test/reporter';
import { parseJson } from '../support/json.js';
import type { TestReport } from '../target/target-run.js';

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
