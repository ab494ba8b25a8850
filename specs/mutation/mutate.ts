import { writeFileSync, mkdirSync } from 'node:fs';
import { Stryker } from '@stryker-mutator/core';

const areas = {
  cases: ['reference/*.ts', '!reference/{behaviours,credentials,manage,server,whole-world}.ts'],
  specs: ['src/judge/*.ts', 'src/recognition/*.ts', 'src/contract/oracle.ts'],
} as const;
const [runner = 'cases', ...only] = process.argv.slice(2);
const stryker = new Stryker({
  testRunner: runner,
  plugins: ['./dist/specs/mutation/runner.js'],
  mutate: only.length > 0 ? only : [...areas[runner as keyof typeof areas]],
  buildCommand: 'npm run build --silent',
  ignorePatterns: ['/dist', '/results', '/test-results', '/coverage'],
  coverageAnalysis: 'perTest',
  concurrency: 1,
  tempDirName: 'results/mutation/sandbox',
  reporters: ['progress-append-only', 'html'],
  htmlReporter: { fileName: `results/mutation/${runner}.html` },
  allowConsoleColors: false,
  // It would be rewritten by the compiler's API, which TypeScript 7 has not.
  tsconfigFile: 'none',
});
const results = await stryker.runMutationTest();
mkdirSync('results/mutation', { recursive: true });
writeFileSync(`results/mutation/${runner}.json`, JSON.stringify(results, null, 1));
