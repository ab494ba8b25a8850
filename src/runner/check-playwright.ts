import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describeNeededVersion, isNewEnough, readNeededVersions } from '../support/needed-versions.js';
import { createInputError } from '../support/problem.js';

const require = createRequire(import.meta.url);

/** Checks the version of Playwright that this package gets from the project. @throws UnusableInput */
export function checkPlaywright(): void {
  const { playwright } = readNeededVersions();
  const version = findPlaywrightVersion();
  if (version !== undefined && isNewEnough(version, playwright)) return;
  const found = version === undefined ? 'is not installed' : `is ${version}`;
  const hint = 'Run: npm install --save-dev @playwright/test@latest';
  throw createInputError(
    '@playwright/test',
    `${found}, but the suite needs ${describeNeededVersion(playwright)}`,
    hint,
  );
}

function findPlaywrightVersion(): string | undefined {
  try {
    return JSON.parse(readFileSync(require.resolve('@playwright/test/package.json'), 'utf8')).version;
  } catch {
    return undefined;
  }
}
