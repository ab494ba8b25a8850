/**
 * Playwright replaces its worker after each failed test, which takes half a second, but keeps it after an expected failure.
 * So a test expects its failure just before it throws, and the reporter of this package turns it into an unexpected one
 * before any other reporter sees it. A failure must never look like a success, so this reporter must be the first one:
 * reporters can be named on the command line, and editors bring their own.
 */

import type { TestInfo } from '@playwright/test';
import type { FullConfig, TestCase, TestResult } from '@playwright/test/reporter';

/** Its value is the id of the process with the reporter: processes that a run starts inherit the variable. */
const variable = 'CONFORMANCE_FAILURES_RESTORED_BY';

/** Lets workers expect their failures, if the reporter that restores them is the first one. @param reporter its file */
export function enableExpectedFailures(config: FullConfig, reporter: string): void {
  const [first] = config.reporter;
  // With a limit of failures, a worker that lives on would begin a test that must not run any more.
  if (first?.[0] === reporter && config.maxFailures === 0) process.env[variable] = String(process.pid);
}

/** UI mode runs tests again in the same process, with other reporters. */
export function disableExpectedFailures(): void {
  delete process.env[variable];
}

/** Keeps the worker of a test that is about to throw. Retries and traces need a failure that is not expected. */
export function markFailureAsExpected(testInfo: TestInfo): void {
  const { retries, use } = testInfo.project;
  if (process.env[variable] !== String(process.ppid) || retries > 0 || (use.trace ?? 'off') !== 'off') return;
  testInfo.expectedStatus = 'failed';
}

export function markFailureAsUnexpected(test: TestCase, { status }: TestResult): void {
  if (test.expectedStatus === 'failed' && status !== 'passed') test.expectedStatus = 'passed';
}
