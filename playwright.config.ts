import path from 'node:path';
import { defineConfig } from '@playwright/test';
import { loadEnvFile } from './src/config/env-file.js';
import { claimPlaywrightFolder, multiProjectPlaywrightFolder } from './src/outputs/claimed-folder.js';
import { checkPlaywright } from './src/runner/check-playwright.js';
import { type ConformanceUseOptions, readCertifyRunOptions } from './src/runner/options.js';
import { toPosixPath } from './src/support/paths.js';
import { settleColors } from './src/support/settle-colors.js';

// A package manager may hide `@playwright/test` from a project that does not name it.
export { defineConfig } from '@playwright/test';

checkPlaywright();
settleColors(process.env);
loadEnvFile(process.env);

// This file runs as a source, and compiled in dist/ where the package is installed.
const extension = path.extname(import.meta.filename);
const resolve = (name: string) => path.join(import.meta.dirname, 'src', 'runner', `${name}${extension}`);
const runs = readCertifyRunOptions();
// The projects of another config inherit it.
const [{ project: _, ...run } = {}] = runs;
const named = runs.flatMap(({ project, ...conformance }) =>
  project === undefined ? [] : [{ name: project, use: { conformance } }],
);

// `certify` names another folder. Playwright would empty this one, so it is checked before.
const isOther = process.argv.some((arg) => /^--(output|list)(=|$)/.test(arg));
if (process.env.TEST_WORKER_INDEX === undefined && !isOther) claimPlaywrightFolder(multiProjectPlaywrightFolder);

export default defineConfig<object, ConformanceUseOptions>({
  // Not relative: the config of a project may export this one.
  testDir: path.join(import.meta.dirname, 'specs'),
  globalSetup: resolve('global-setup'),
  // The certificate reporter must be the first: see src/runner/expected-failure.ts.
  reporter: process.argv.includes('--list') ? 'list' : [[resolve('certificate-reporter')]],
  // Not test-results/ of the user's project, which Playwright would empty.
  outputDir: path.resolve(multiProjectPlaywrightFolder, 'test-results'),
  // Requests of a case overlap already: more workers would be slower, and harder on a deployment.
  workers: 1,
  // The client limits the time of every exchange.
  timeout: 0,
  use: { conformance: run },
  ...(named.length > 0 ? { projects: named } : {}),
  // Compiled files need no compiling, which would also confuse coverage.
  ...(extension === '.js' ? { build: { external: [toPosixPath(path.join(import.meta.dirname, '**'))] } } : {}),
});
