import { defineConfig } from '@playwright/test';

// Everything is compiled: the workers do without Playwright's compiler.
process.env.PW_DISABLE_TS_ESM = '1';

/** The suite's own tests. They run compiled, as the package does: `npm test` builds first. */
export default defineConfig({
  testDir: import.meta.dirname,
  outputDir: '../../test-results/suite',
  reporter: process.env.CI ? [['dot']] : [['list']],
  // More than CI has processors: many tests wait for a deployment that is slow.
  workers: 3,
  // What is drawn in large numbers runs with npm run test:long.
  grepInvert: /@long/,
  // Some tests run hundreds of whole certifications, or wait for a deployment that hangs.
  timeout: 180_000,
  // A busy machine takes its time to show a page.
  expect: { timeout: 60_000 },
  build: { external: ['**/*'] },
});
