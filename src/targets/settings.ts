import { existsSync } from 'node:fs';
import path from 'node:path';
import { casesNamed, selectedSuite } from '../cases/selection.js';
import type { Suite } from '../cases/suite.js';
import { readTellingRows } from '../cases/telling-rows.js';
import { elsewhere } from '../contract/operation.js';
import type { Exploration } from '../engine/explore.js';
import { type Scope, whyLeftOut } from '../engine/left-out.js';
import { type Profile, profileOf, type Spending, spendingFor } from '../engine/profile.js';
import type { RunOptions } from '../engine/run.js';
import { type Divided, type Shard, shardIn, shareOf } from '../engine/shard.js';
import type { Expected } from '../judge/drift.js';
import { expectedOf, leftOutNote } from '../report/drift-text.js';
import { readRecord } from '../report/record.js';
import { referenceBegins } from '../report/reference-notice.js';
import { defined } from '../support/defined.js';
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
  /** The rows of them to run, where the user wants few requests. */
  readonly profile?: Profile;
  /** Of a run that several machines share: which of them this is, and what they share. `only` is the part of this one. */
  readonly shard?: Shard & { readonly whole: Divided };
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
  const leavesOutIntrusive = environment[variables.noIntrusive] === '1';
  const selection = selectionOf(environment, suite, { target, leavesOutIntrusive });
  return asShard(environment, suite, {
    target,
    expected: expectedOf(record, pins, target.responseSchema, target.additive),
    leavesOutIntrusive,
    notes: [
      ...(target.kind === 'reference' ? [referenceBegins] : []),
      ...(target.notes ?? []),
      ...(target.operation === undefined ? [] : [elsewhere(target.operation)]),
      ...(note === undefined ? [] : [note]),
      ...(exploration !== undefined && isPartial ? ['Random requests were not sent: they need the whole world.'] : []),
    ],
    ...(exploration === undefined || isPartial ? {} : { exploration }),
    ...selection,
    out: resultsFolder(target, environment),
    ...(recordTo ? { recordTo } : {}),
  });
}

/** The settings of the machine that this is, where several share a run. */
function asShard(environment: Environment, suite: Suite, settings: Settings): Settings {
  const text = environment[variables.shard];
  if (!text) return settings;
  const shard = shardIn(text);
  if (shard === undefined) {
    const hint = 'It is one of how many: 1/3, 2/3 or 3/3 where three machines share a run.';
    throw new UnusableInput([{ at: { setting: '--shard' }, message: `'${text}' is no shard`, hint }]);
  }
  const { only, exploration, ...others } = settings;
  const whole = defined({ only, exploration });
  return { ...others, ...shareOf(suite, { ...others, ...whole }, shard), shard: { ...shard, whole } };
}

/** The settings of a whole run, of which these may be a shard's. */
export function wholeSettings({ shard, ...settings }: Settings): Settings {
  if (shard === undefined) return settings;
  const { only: _, exploration: __, ...others } = settings;
  return { ...others, ...shard.whole };
}

type Selected = Pick<Settings, 'only' | 'profile'>;

/**
 * Which cases, and which of their rows, the environment selects.
 *
 * @param scope what is not sent to the target anyway
 * @param recorded what an earlier run went by: it holds where the environment says nothing
 * @throws UnusableInput for names of cases that the suite does not have, and for a budget that nothing can be sent with
 */
export function selectionOf(environment: Environment, suite: Suite, scope: Scope, recorded: Selected = {}): Selected {
  const names = environment[variables.only]?.split(',').filter(Boolean);
  const only = names === undefined ? recorded.only : casesNamed(names, suite, '--only');
  const wanted = spendingOf(environment) ?? (recorded.profile && spendingFor(recorded.profile));
  const own = selectedSuite(suite, defined({ only }));
  const profile = wanted === undefined ? undefined : profileOf(own, wanted, readTellingRows(suite), scope);
  if (profile?.rows.size === 0) {
    const message = 'is not enough for a single row of what is to be sent';
    const hint = `${suite.calibration.length} requests are sent before all cases: allow some more, or select other cases.`;
    throw new UnusableInput([{ at: { setting: budgetFlags }, message, hint }]);
  }
  return defined({ only, profile });
}

const budgetFlags = '--quick, --budget';

function spendingOf(environment: Environment): Spending | undefined {
  const stated = environment[variables.budget];
  if (!stated) return undefined;
  if (environment[variables.explore]) {
    const message = 'limit the requests, and --explore sends as many more';
    throw new UnusableInput([{ at: { setting: budgetFlags }, message, hint: 'Leave out one of them.' }]);
  }
  if (stated === 'quick') return stated;
  if (/^[1-9]\d*$/.test(stated)) return Number(stated);
  const message = `'${stated}' is no number of requests`;
  throw new UnusableInput([
    { at: { setting: variables.budget }, message, hint: "Write 'quick', or a whole number above 0." },
  ]);
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
