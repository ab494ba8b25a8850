/**
 * Playwright replaces its worker after every test that fails, which takes half a second: a broken deployment would take
 * many times as long as one that conforms. After a test that fails as it was expected to the worker lives on. So a test
 * that is about to fail says that it expects to, and the reporter takes that back before any other reporter looks.
 *
 * A failure must never look like a success. The tests of a run do so only where its reporter has said that it will take
 * it back, and it says so only where it comes before all others. It need not be there at all: reporters may be named on
 * the command line, and editors bring their own.
 */

import type { TestInfo } from '@playwright/test';
import type { FullConfig, TestCase, TestResult } from '@playwright/test/reporter';

/** Names the process whose reporter takes it back: what it starts inherits the variable, and may run tests as well. */
const variable = 'CONFORMANCE_FAILURES_RESTORED_BY';

/**
 * Says to the workers, which are started later, that failures expected by their tests will be restored.
 *
 * @param reporter the file of the reporter that restores them; where another comes before it, nothing is said
 */
export function enableExpectedFailures(config: FullConfig, reporter: string): void {
  const [first] = config.reporter;
  // A worker that lives on would begin with the next test before a run ends that its first failures end.
  if (first?.[0] === reporter && config.maxFailures === 0) process.env[variable] = String(process.pid);
}

/** Ends what was said: the same process may run tests again, with other reporters. */
export function disableExpectedFailures(): void {
  delete process.env[variable];
}

/**
 * To be called by a test that is about to throw: the worker lives on where it may.
 *
 * Tests that are to be repeated, or of which traces are kept, need a worker that takes them for failures.
 */
export function expectFailure(testInfo: TestInfo): void {
  const { retries, use } = testInfo.project;
  if (process.env[variable] !== String(process.ppid) || retries > 0 || (use.trace ?? 'off') !== 'off') return;
  testInfo.expectedStatus = 'failed';
}

/** A failure that was expected is one, as of now. What was expected to fail and did not is one already. */
export function restoreFailure(test: TestCase, { status }: TestResult): void {
  if (test.expectedStatus === 'failed' && status !== 'passed') test.expectedStatus = 'passed';
}
