import { test } from '@playwright/test';

export const isWindows = process.platform === 'win32';

/** Skips the running test on Windows. @param what it lacks, such as `signals` */
export function skipOnWindows(what: string): void {
  test.skip(isWindows, `Windows lacks ${what}.`);
}
