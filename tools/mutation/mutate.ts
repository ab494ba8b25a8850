/** Mutates judge, recognition and oracle, and prints the mutants that no test detects. `--sample N` mutates N lines. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { packageRoot } from '../../src/support/package-root.js';

const { values } = parseArgs({ options: { sample: { type: 'string' } } });
const files = [...listFiles('src/judge'), ...listFiles('src/recognition'), 'src/contract/oracle.ts'];

const mutants = await new Stryker({
  testRunner: 'specs',
  plugins: ['./dist/tools/mutation/runner.js'],
  mutate: values.sample === undefined ? files : sampleLines(Number(values.sample)),
  buildCommand: 'npm run build --silent',
  // Stryker would rewrite it with the API of the compiler, which TypeScript 7 does not have.
  tsconfigFile: 'none',
  ignorePatterns: ['/dist', '/results', '/test-results', '/coverage'],
  coverageAnalysis: 'perTest',
  concurrency: 1,
  tempDirName: 'results/mutation/sandbox',
  reporters: ['progress-append-only', 'clear-text', 'html'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: false },
  htmlReporter: { fileName: 'results/mutation/index.html' },
  allowConsoleColors: false,
}).runMutationTest();
const killed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
const valid = mutants.filter(({ status }) => status !== 'CompileError' && status !== 'Ignored').length;
process.stdout.write(`${killed} of ${valid} mutants are killed.\n`);

function listFiles(folder: string): string[] {
  // Templates of bodies are tested by mocks that take too long to be tried for each mutant.
  const isMutated = (name: string) => name.endsWith('.ts') && name !== 'body-templates.ts';
  const names = readdirSync(path.join(packageRoot, folder)).filter(isMutated);
  return names.sort().map((name) => `${folder}/${name}`);
}

/** Chooses evenly spread lines of code, in the notation of Stryker's `mutate` option. */
function sampleLines(size: number): string[] {
  const lines = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, n) => (isCode(line) ? [`${file}:${n + 1}-${n + 1}`] : [])),
  );
  const step = Math.max(1, lines.length / size);
  return lines.filter((_, n) => Math.floor(n / step) !== Math.floor((n - 1) / step));
}

function isCode(line: string): boolean {
  return !/^\s*(?:$|\/|\*|import |(?:interface|type) |readonly |[\]})]+[,;)]*$)/.test(line);
}
