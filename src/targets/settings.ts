import { existsSync } from 'node:fs';
import path from 'node:path';
import { casesNamed } from '../cases/selection.js';
import type { Suite } from '../cases/suite.js';
import { elsewhere } from '../contract/operation.js';
import type { Exploration } from '../engine/explore.js';
import { whyLeftOut } from '../engine/left-out.js';
import type { RunOptions } from '../engine/run.js';
import type { Expected } from '../judge/drift.js';
import { expectedOf, leftOutNote } from '../report/drift-text.js';
import { readRecord } from '../report/record.js';
import { referenceBegins } from '../report/reference-notice.js';
import { type Problem, UnusableInput } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import { type Environment, variables } from './environment.js';
import { loadTarget, type Target } from './target.js';

/**
 * Everything that a user sets for a run, save for how the target is reached. It is read once, and handed on to every
 * process of the run: nothing of it changes, `v8.serialize` takes it, and nothing of it is secret, so that it may be
 * written to disk. What is secret is in `TargetConnection`, which each process reads anew.
 */
export interface Settings {
  readonly target: Target;
  readonly expected: Expected;
  /** Whether cases that send bad credentials, oversized bodies or other methods are left out. */
  readonly leavesOutIntrusive: boolean;
  /** The ids of the cases to run; all unless given. */
  readonly only?: readonly string[];
  /** What the user should know of the settings. */
  readonly notes: readonly string[];
  /** How far random requests go beyond the written cases, if at all. */
  readonly exploration?: Exploration;
  /** The folder for the results. */
  readonly out: string;
  /** Where the record of the run goes, if one is wanted. */
  readonly recordTo?: string;
}

/**
 * Reads the settings of a run from the environment and from the files that it names.
 *
 * @param suite as it is for the target: with what of the world is available there
 * @throws UnusableInput with every problem of the files
 */
export function loadSettings(environment: Environment, suite: Suite): Settings {
  const { target } = loadTarget(environment);
  const problems = pinProblems(target, suite);
  if (problems.length > 0) throw new UnusableInput(problems);
  const against = environment[variables.against];
  const record = against ? readRecord(against) : undefined;
  const note = record === undefined ? undefined : leftOutNote(record, suite);
  const pins = Object.fromEntries([...target.pins].map(([question, { outcome }]) => [question, outcome]));
  const recordTo = environment[variables.recordTo];
  // What is no record is not overwritten.
  if (recordTo && existsSync(recordTo)) readRecord(recordTo);
  const exploration = explorationOf(environment);
  const isPartial = suite.world.unavailable.size > 0;
  const only = environment[variables.only]?.split(',').filter(Boolean);
  return {
    target,
    expected: expectedOf(record, pins, target.responseSchema, target.additive),
    leavesOutIntrusive: environment[variables.noIntrusive] === '1',
    notes: [
      ...(target.kind === 'reference' ? [referenceBegins] : []),
      ...(target.notes ?? []),
      ...(target.operation === undefined ? [] : [elsewhere(target.operation)]),
      ...(note === undefined ? [] : [note]),
      ...(exploration !== undefined && isPartial ? ['Random requests were not sent: they need the whole world.'] : []),
    ],
    ...(exploration === undefined || isPartial ? {} : { exploration }),
    ...(only === undefined ? {} : { only: casesNamed(only, suite, '--only') }),
    out: resultsFolder(target, environment),
    ...(recordTo ? { recordTo } : {}),
  };
}

/** What the engine needs to know of the settings. */
export function runOptionsOf(settings: Settings): RunOptions {
  const { target, expected, recordTo } = settings;
  return {
    expected,
    isWorldLoaded: target.isWorldLoaded,
    infersShape: recordTo !== undefined,
    whyLeftOut: (testCase) => whyLeftOut(testCase, settings),
    ...(target.tierPatterns === undefined ? {} : { tierPatterns: target.tierPatterns }),
  };
}

/** The folder for the results: one for each target, unless somebody says otherwise. */
export function resultsFolder({ name }: Target, environment: Environment): string {
  return environment[variables.out] || path.join('results', folderNamed(name));
}

/** The name of a target as that of a folder. */
export function folderNamed(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, '-');
}

function explorationOf(environment: Environment): Exploration | undefined {
  const requests = environment[variables.explore];
  return requests ? { requests: Number(requests), seed: Number(environment[variables.seed] ?? 1) } : undefined;
}

function pinProblems({ pins }: Target, { ledger }: Suite): Problem[] {
  return [...pins].flatMap(([id, { outcome, at }]) => {
    const question = ledger.questions.find((each) => each.id === id);
    if (question === undefined) {
      const known = ledger.questions.map((each) => each.id);
      return [{ at, message: `there is no question '${id}'`, hint: suggest(id, known) }];
    }
    if (question.answer.kind === 'value' || question.answer.outcomes.has(outcome)) return [];
    const known = [...question.answer.outcomes.keys()];
    return [{ at, message: `'${id}' has no outcome '${outcome}'`, hint: suggest(outcome, known) }];
  });
}
