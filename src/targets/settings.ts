import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Case, intrusive } from '../cases/case.js';
import type { Suite } from '../cases/suite.js';
import { elsewhere, operationRequirement } from '../contract/operation.js';
import type { Exploration } from '../engine/explore.js';
import type { Expected } from '../judge/drift.js';
import { expectedOf, leftOutNote } from '../report/drift-text.js';
import { readRecord } from '../report/record.js';
import { type Problem, UnusableInput } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import { type Environment, loadTarget, type Target } from './target.js';

/** Everything that a user sets for a run. */
export interface Settings {
  readonly target: Target;
  readonly expected: Expected;
  /** Whether cases that send bad credentials, oversized bodies or other methods are left out. */
  readonly leavesOutIntrusive: boolean;
  /** What the user should know of the settings. */
  readonly notes: readonly string[];
  /** How far random requests go beyond the written cases, if at all. */
  readonly exploration?: Exploration;
  /** The folder for the results. */
  readonly out: string;
  /** Where the record of the run goes, if one is wanted. */
  readonly recordTo?: string;
}

/** Variables of the environment by which the command line hands its flags over to Playwright. */
export const variables = {
  out: 'CONFORMANCE_OUT',
  against: 'CONFORMANCE_AGAINST',
  recordTo: 'CONFORMANCE_RECORD_TO',
  noIntrusive: 'CONFORMANCE_NO_INTRUSIVE',
  explore: 'CONFORMANCE_EXPLORE',
  seed: 'CONFORMANCE_SEED',
} as const;

/**
 * Reads the settings of a run from the environment and from the files that it names.
 *
 * @throws UnusableInput with every problem of the files
 */
export function loadSettings(environment: Environment, suite: Suite): Settings {
  const target = loadTarget(environment);
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
  return {
    target,
    expected: expectedOf(record, pins, target.responseSchema),
    leavesOutIntrusive: environment[variables.noIntrusive] === '1',
    notes: [
      ...(target.notes ?? []),
      ...(target.operation === undefined ? [] : [elsewhere(target.operation)]),
      ...(note === undefined ? [] : [note]),
      ...(exploration !== undefined && isPartial ? ['Random requests were not sent: they need the whole world.'] : []),
    ],
    ...(exploration === undefined || isPartial ? {} : { exploration }),
    out: outOf(target, environment),
    ...(recordTo ? { recordTo } : {}),
  };
}

/** The folder for the results: one for each target, unless somebody says otherwise. */
export function outOf({ name }: Target, environment: Environment): string {
  return environment[variables.out] || path.join('results', name.replaceAll(/[^A-Za-z0-9._-]+/g, '-'));
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
    return [
      {
        at,
        message: `'${id}' has no outcome '${outcome}'`,
        hint: suggest(outcome, [...question.answer.outcomes.keys()]),
      },
    ];
  });
}

/** Why a case is not sent to this target, if so. */
export function whyLeftOut(
  testCase: Case,
  { target, leavesOutIntrusive }: Pick<Settings, 'target' | 'leavesOutIntrusive'>,
): string | undefined {
  if (leavesOutIntrusive && testCase.tags.includes(intrusive)) return 'Intrusive cases are left out of this run.';
  const isAboutPlace = testCase.kind === 'requirement' && testCase.verifies === operationRequirement;
  return target.operation !== undefined && isAboutPlace ? elsewhere(target.operation) : undefined;
}
