import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { MutantResult } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { stringify } from 'yaml';
import { packageRoot } from '../../src/support/package-root.js';
import { type Area, areas } from './areas.js';
import { parseQuestion } from './mutation-test.js';
import { sampleLines } from './sample.js';
import {
  calculateScore,
  type ExcusedMutant,
  listExcusedMutants,
  type MutationScore,
  readSurvivors,
  writeScore,
} from './survivors.js';
import { renderDiff } from './word-diff.js';

/**
 * Mutates the code of each area, or of the one whose runner is named, and says which mutants its tests do not notice.
 * Fails where too many have no excuse or, where all are made, an excuse is not needed any more. With `--sample N`, mutates
 * N lines of each area.
 */
const { values, positionals } = parseArgs({ options: { sample: { type: 'string' } }, allowPositionals: true });
const chosen = areas.filter(({ runner }) => positionals.length === 0 || positionals.includes(runner));
const excused = listExcusedMutants(readSurvivors());
let isGood = true;

for (const area of chosen) {
  const isWhole = values.sample === undefined;
  const mutate = isWhole ? area.files : sampleLines(area.files, Number(values.sample));
  const { score, unexcused, needless } = summedUp(await mutantsOf(area, mutate), area, isWhole);
  say(`${area.name}: ${textOf(score)}`);
  if (unexcused.size > 0) say(stringify(Object.fromEntries(unexcused), { lineWidth: 0 }));
  for (const { file, diff } of needless) say(`Needs no excuse any more, or is gone: ${file}: ${diff}`);
  if (isWhole) writeScore(area.name, score);
  // A sample is too small for a share, unless the share is all.
  const isEnough = calculateScore(score) >= area.floor || (!isWhole && area.floor < 100);
  isGood &&= isEnough && needless.length === 0;
}
process.exitCode = isGood ? 0 : 1;

function mutantsOf({ runner }: Area, mutate: readonly string[]): Promise<MutantResult[]> {
  return new Stryker({
    testRunner: runner,
    plugins: ['./dist/specs/mutation/runner.js'],
    mutate: [...mutate],
    buildCommand: 'npm run build --silent',
    // It would be rewritten by the compiler's API, which TypeScript 7 does not have.
    tsconfigFile: 'none',
    ignorePatterns: ['/dist', '/results', '/test-results', '/coverage'],
    coverageAnalysis: 'perTest',
    concurrency: 1,
    tempDirName: 'results/mutation/sandbox',
    reporters: ['progress-append-only', 'html'],
    htmlReporter: { fileName: `results/mutation/${runner}.html` },
    allowConsoleColors: false,
  }).runMutationTest();
}

interface Summary {
  readonly score: MutationScore;
  /** Survivors without an excuse, as word diffs by file. */
  readonly unexcused: ReadonlyMap<string, readonly string[]>;
  /** Where all were made: excuses of mutants that were killed, or that there are not. */
  readonly needless: readonly ExcusedMutant[];
}

function summedUp(mutants: readonly MutantResult[], { files }: Area, isWhole: boolean): Summary {
  const byQuestion = new Map<string, number>();
  const unexcused = new Map<string, string[]>();
  /** The excuses whose mutants were made, and whether any of them survives: several may read the same. */
  const made = new Map<ExcusedMutant, boolean>();
  let killed = 0;
  let byReason = 0;
  for (const mutant of mutants) {
    const file = path.relative(packageRoot, mutant.fileName);
    const diff = renderDiff(mutant, readFileSync(mutant.fileName, 'utf8'));
    const excuse = excused.find((each) => each.file === file && each.diff === diff);
    const survives = mutant.status === 'Survived' || mutant.status === 'NoCoverage';
    if (excuse !== undefined) made.set(excuse, survives || made.get(excuse) === true);
    const question = parseQuestion(mutant.killedBy?.[0] ?? '');
    if (survives && excuse !== undefined) byReason += 1;
    else if (survives) unexcused.set(file, [...(unexcused.get(file) ?? []), diff]);
    else if (question !== undefined) byQuestion.set(question, (byQuestion.get(question) ?? 0) + 1);
    else killed += 1;
  }
  const score: MutationScore = {
    mutants: mutants.length,
    killed,
    ...(byQuestion.size === 0 ? {} : { excused_by_question: Object.fromEntries([...byQuestion].sort()) }),
    excused_by_reason: byReason,
    survived: [...unexcused.values()].flat().length,
  };
  // Of a sample nobody can say: of mutants that read the same, it may have only the one that is killed.
  const needless = isWhole ? excused.filter((each) => files.includes(each.file) && made.get(each) !== true) : [];
  return { score, unexcused, needless };
}

function textOf(score: MutationScore): string {
  const { mutants, killed, excused_by_question: byQuestion = {}, excused_by_reason, survived } = score;
  const questions = Object.values(byQuestion).reduce((sum, one) => sum + one, 0);
  return `${calculateScore(score)} % of ${mutants} mutants: ${killed} killed, ${survived} survived; ${questions} change only the answer to a question, ${excused_by_reason} are excused with a reason.`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
