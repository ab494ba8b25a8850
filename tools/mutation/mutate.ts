import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { MutantResult } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { parseDocument } from 'yaml';
import { packageRoot } from '../../src/support/package-root.js';

/** Code that is mutated together. */
interface Area {
  readonly name: string;
  readonly files: readonly string[];
  /** The tests that must fail: the requirement and question cases, or some specs. See `runner.ts`. */
  readonly runner: 'cases' | 'specs';
}

/** Files beside the reference deployment that are not about the operation itself. */
const unrelatedFiles = ['places', 'behaviours', 'reference-credentials', 'find-nearest', 'server'];

const areas: readonly Area[] = [
  {
    name: 'reference deployment',
    files: listFiles('reference').filter((file) => !unrelatedFiles.some((name) => file.endsWith(`/${name}.ts`))),
    runner: 'cases',
  },
  {
    name: 'judge, recognition and oracle',
    files: [...listFiles('src/judge'), ...listFiles('src/recognition'), 'src/contract/oracle.ts'],
    runner: 'specs',
  },
];

function listFiles(folder: string): string[] {
  const names = readdirSync(path.join(packageRoot, folder)).filter((name) => name.endsWith('.ts'));
  return names.sort().map((name) => `${folder}/${name}`);
}

/**
 * Mutates the code of each area, or of the areas with the named runner, and prints the mutants that no test detects.
 * Fails if a score is lower than the recorded one. With `--sample N`, mutates N lines of each area and records nothing.
 */
const { values, positionals } = parseArgs({ options: { sample: { type: 'string' } }, allowPositionals: true });
const scoresFile = path.join(packageRoot, 'tools', 'mutation', 'scores.yaml');

for (const area of areas.filter(({ runner }) => positionals.length === 0 || positionals.includes(runner))) {
  const isWhole = values.sample === undefined;
  const mutants = await mutate(area, isWhole ? area.files : sampleLines(area.files, Number(values.sample)));
  const killed = mutants.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
  const valid = mutants.filter(({ status }) => status !== 'CompileError' && status !== 'Ignored').length;
  // Rounded down, so that 100 % means all.
  const percent = valid === 0 ? 100 : Math.floor((1000 * killed) / valid) / 10;
  process.stdout.write(`${area.name}: ${percent} % of ${valid} mutants are killed.\n`);
  if (isWhole) recordScore(area.name, { mutants: valid, killed, percent });
}

interface Score {
  readonly mutants: number;
  readonly killed: number;
  readonly percent: number;
}

function recordScore(area: string, score: Score): void {
  const document = parseDocument(readFileSync(scoresFile, 'utf8'));
  const recorded = document.getIn([area, 'percent']);
  if (typeof recorded === 'number' && score.percent < recorded) {
    process.stderr.write(`The score was ${recorded} %. Kill more mutants, or change ${scoresFile}.\n`);
    process.exitCode = 1;
    return;
  }
  document.setIn([area], document.createNode(score, { flow: true }));
  writeFileSync(scoresFile, document.toString({ lineWidth: 0 }));
}

function mutate({ runner }: Area, lines: readonly string[]): Promise<MutantResult[]> {
  return new Stryker({
    testRunner: runner,
    plugins: ['./dist/tools/mutation/runner.js'],
    mutate: [...lines],
    buildCommand: 'npm run build --silent',
    // Stryker would rewrite it with the API of the compiler, which TypeScript 7 does not have.
    tsconfigFile: 'none',
    ignorePatterns: ['/dist', '/results', '/test-results', '/coverage'],
    coverageAnalysis: 'perTest',
    concurrency: 1,
    tempDirName: 'results/mutation/sandbox',
    reporters: ['progress-append-only', 'clear-text', 'html'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: false },
    htmlReporter: { fileName: `results/mutation/${runner}.html` },
    allowConsoleColors: false,
  }).runMutationTest();
}

/** Chooses evenly spread lines of code, in the notation of Stryker's `mutate` option. */
function sampleLines(files: readonly string[], size: number): string[] {
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
