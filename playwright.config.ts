import path from 'node:path';
import { defineConfig } from '@playwright/test';
import dotenv from 'dotenv';
import { outOf } from './src/targets/settings.js';
import { loadTarget } from './src/targets/target.js';

dotenv.config({ quiet: true });

// The same file runs as a source, and compiled from dist/ where the package is installed.
const extension = path.extname(import.meta.filename);
const out = outOf(loadTarget(process.env), process.env);
const adapter = (name: string) => path.join(import.meta.dirname, 'src', 'playwright', `${name}${extension}`);

export default defineConfig({
  testDir: 'specs',
  testMatch: `conformance.spec${extension}`,
  globalSetup: adapter('setup'),
  reporter: [['list'], ['junit', { outputFile: path.resolve(out, 'junit.xml') }], [adapter('reporter')]],
  outputDir: path.resolve('test-results'),
  // One worker: concurrency inside a case is faster than more workers, and a deployment is asked gently.
  workers: 1,
  // Which makes nothing parallel then, but lets --shard divide the cases of a file.
  fullyParallel: true,
  // The client bounds every exchange.
  timeout: 0,
  // What is compiled already need not be compiled again, which would also confuse coverage.
  ...(extension === '.js' ? { build: { external: ['**/*'] } } : {}),
});
