import path from 'node:path';
import { defineConfig } from '@playwright/test';
import dotenv from 'dotenv';
import { createShardMetadata } from './src/playwright/merged-run.js';
import { loadRunInputs } from './src/playwright/run-state.js';

dotenv.config({ quiet: true });

// The same file runs as a source, and compiled from dist/ where the package is installed.
const extension = path.extname(import.meta.filename);
const { out } = loadRunInputs().settings;
const adapter = (name: string) => path.join(import.meta.dirname, 'src', 'playwright', `${name}${extension}`);

export default defineConfig({
  // In the report of a shard, so that those of one run can be put together.
  metadata: createShardMetadata(loadRunInputs(), process.argv),
  testDir: 'specs',
  testMatch: `conformance.spec${extension}`,
  globalSetup: adapter('setup'),
  // Its own first: see src/playwright/expected-failure.ts.
  reporter: [[adapter('reporter')], ['list']],
  // Not test-results/, which Playwright would clear: that may be of the project in whose folder this runs.
  outputDir: path.resolve(out, 'playwright'),
  // One worker: concurrency inside a case is faster than more workers, and gentler on a deployment.
  workers: 1,
  // Which makes nothing parallel then, but lets --shard divide the cases of a file. Otherwise each test is handed to the
  // worker by itself, and the thousandth takes longer than the first.
  fullyParallel: process.argv.some((argument) => argument.startsWith('--shard')),
  // The client bounds every exchange.
  timeout: 0,
  // What is compiled already need not be compiled again, which would also confuse coverage.
  ...(extension === '.js' ? { build: { external: ['**/*'] } } : {}),
});
