import path from 'node:path';
import { defineConfig } from '@playwright/test';
import dotenv from 'dotenv';
import { loadRunInputs } from './src/runner/run-inputs.js';

dotenv.config({ quiet: true });

// This file runs as a source, and compiled in dist/ where the package is installed.
const extension = path.extname(import.meta.filename);
const inputs = loadRunInputs();
const adapter = (name: string) => path.join(import.meta.dirname, 'src', 'runner', `${name}${extension}`);

export default defineConfig({
  // Not relative: the config of a project may export this one.
  testDir: path.join(import.meta.dirname, 'specs'),
  testMatch: `conformance.spec${extension}`,
  globalSetup: adapter('global-setup'),
  // The certificate reporter must be the first: see src/runner/expected-failure.ts.
  reporter: [[adapter('certificate-reporter')], ...(process.argv.includes('--list') ? [['list'] as const] : [])],
  // Not test-results/ of the user's project, which Playwright would empty.
  outputDir: path.resolve(inputs.settings.out, 'playwright'),
  // Requests of a case overlap already: more workers would be slower, and harder on a deployment.
  workers: 1,
  // The client limits the time of every exchange.
  timeout: 0,
  // Compiled files need no compiling, which would also confuse coverage.
  ...(extension === '.js' ? { build: { external: ['**/*'] } } : {}),
});
