import { existsSync } from 'node:fs';
import path from 'node:path';
import { findCasesByName, selectFromSuite } from '../cases/case-selection.js';
import { readDiscriminatingRows } from '../cases/discriminating-rows.js';
import type { Suite } from '../cases/suite.js';
import { elsewhere } from '../contract/relocation.js';
import { findExclusionReason, type RunScope } from '../engine/case-exclusion.js';
import type { Exploration } from '../engine/explore.js';
import { createProfile, getRequestLimit, type Profile, type RequestLimit } from '../engine/profile.js';
import type { EngineOptions } from '../engine/run.js';
import { parseShard, type Shard, type ShardScope, selectShard } from '../engine/shard.js';
import type { Baseline } from '../judge/drift.js';
import { createBaseline, describeUncompared } from '../report/baseline.js';
import { referenceNotice } from '../report/notices.js';
import { readRecord } from '../report/target-record.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { type Problem, UnusableInput } from '../support/problem.js';
import { suggest } from '../support/suggest.js';
import type { Environment } from './environment.js';
import type { RunOptions } from './run-options.js';
import { loadTarget, type Target } from './target.js';

/**
 * Everything that a user sets for a run, save for how the target is reached. It is read once, and handed on to every
 * process of the run: nothing of it changes, `v8.serialize` takes it, and nothing of it is secret, so that it may be
 * written to disk. What is secret is in `TargetConnection`, which each process reads anew.
 */
export interface RunSettings {
  readonly target: Target;
  readonly expected: Baseline;
  /** Whether cases that send bad credentials, oversized bodies or other methods are left out. */
  readonly leavesOutIntrusive: boolean;
  /** The ids of the cases to run; all unless given. */
  readonly only?: readonly string[];
  /** The rows of them to run, where the user wants few requests. */
  readonly profile?: Profile;
  /** Of a run that several machines share: which of them this is, and what they share. `only` is the part of this one. */
  readonly shard?: Shard & { readonly whole: ShardScope };
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
export function loadSettings(options: RunOptions, environment: Environment, suite: Suite): RunSettings {
  const { target } = loadTarget(options, environment);
  const problems = pinProblems(target, suite);
  if (problems.length > 0) throw new UnusableInput(problems);
  const { against, recordTo } = options;
  const record = against ? readRecord(against) : undefined;
  const note = record === undefined ? undefined : describeUncompared(record, suite);
  const pins = Object.fromEntries([...target.pins].map(([question, { outcome }]) => [question, outcome]));
  // What is no record is not overwritten.
  if (recordTo && existsSync(recordTo)) readRecord(recordTo);
  const exploration = explorationOf(options);
  const isPartial = suite.world.unavailable.size > 0;
  const leavesOutIntrusive = options.intrusive === false;
  const selection = readSelection(options, suite, { target, leavesOutIntrusive });
  return asShard(options, suite, {
    target,
    expected: createBaseline(record, pins, target.responseSchema, target.additive),
    leavesOutIntrusive,
    notes: [
      ...(target.kind === 'reference' ? [referenceNotice] : []),
      ...(target.notes ?? []),
      ...(target.operation === undefined ? [] : [elsewhere(target.operation)]),
      ...(note === undefined ? [] : [note]),
      ...(exploration !== undefined && isPartial ? ['Random requests were not sent: they need the whole world.'] : []),
    ],
    ...(exploration === undefined || isPartial ? {} : { exploration }),
    ...selection,
    out: resolveResultsFolder(target, options),
    ...(recordTo ? { recordTo } : {}),
  });
}

/** The settings of the machine that this is, where several share a run. */
function asShard({ shard: text }: RunOptions, suite: Suite, settings: RunSettings): RunSettings {
  if (text === undefined) return settings;
  const shard = parseShard(text);
  if (shard === undefined) {
    const hint = 'It is one of how many: 1/3, 2/3 or 3/3 where three machines share a run.';
    throw new UnusableInput([{ at: { setting: '--shard' }, message: `'${text}' is no shard`, hint }]);
  }
  const { only, exploration, ...others } = settings;
  const whole = omitUndefined({ only, exploration });
  return { ...others, ...selectShard(suite, { ...others, ...whole }, shard), shard: { ...shard, whole } };
}

/** The settings of a whole run, of which these may be a shard's. */
export function restoreWholeSettings({ shard, ...settings }: RunSettings): RunSettings {
  if (shard === undefined) return settings;
  const { only: _, exploration: __, ...others } = settings;
  return { ...others, ...shard.whole };
}

type Selected = Pick<RunSettings, 'only' | 'profile'>;

/**
 * Which cases, and which of their rows, the environment selects.
 *
 * @param scope what is not sent to the target anyway
 * @param recorded what an earlier run went by: it holds where the environment says nothing
 * @throws UnusableInput for names of cases that the suite does not have, and for a budget that nothing can be sent with
 */
export function readSelection(options: RunOptions, suite: Suite, scope: RunScope, recorded: Selected = {}): Selected {
  const only = options.only === undefined ? recorded.only : findCasesByName(options.only, suite, '--only');
  const wanted = spendingOf(options) ?? (recorded.profile && getRequestLimit(recorded.profile));
  const own = selectFromSuite(suite, omitUndefined({ only }));
  const profile = wanted === undefined ? undefined : createProfile(own, wanted, readDiscriminatingRows(suite), scope);
  if (profile?.rows.size === 0) {
    const message = 'is not enough for a single row of what is to be sent';
    const hint = `${suite.calibration.length} requests are sent before all cases: allow some more, or select other cases.`;
    throw new UnusableInput([{ at: { setting: budgetFlags }, message, hint }]);
  }
  return omitUndefined({ only, profile });
}

const budgetFlags = '--quick, --budget';

function spendingOf({ budget, explore }: RunOptions): RequestLimit | undefined {
  if (budget !== undefined && explore !== undefined) {
    const message = 'limit the requests, and --explore sends as many more';
    throw new UnusableInput([{ at: { setting: budgetFlags }, message, hint: 'Leave out one of them.' }]);
  }
  return budget;
}

/** What the engine needs to know of the settings. */
export function createEngineOptions(settings: RunSettings): EngineOptions {
  const { target, expected, recordTo } = settings;
  return {
    expected,
    isWorldLoaded: target.isWorldLoaded,
    infersShape: recordTo !== undefined,
    findExclusionReason: (testCase) => findExclusionReason(testCase, settings),
    ...(target.tierPatterns === undefined ? {} : { tierPatterns: target.tierPatterns }),
  };
}

/** The folder for the results: one for each target, unless somebody says otherwise. */
export function resolveResultsFolder({ name }: Target, { out }: RunOptions): string {
  return out ?? path.join('results', createFolderName(name));
}

/** The name of a target as that of a folder. */
export function createFolderName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, '-');
}

function explorationOf({ explore, seed = 1 }: RunOptions): Exploration | undefined {
  return explore === undefined ? undefined : { requests: explore, seed };
}

function pinProblems({ pins }: Target, { contract: ledger }: Suite): Problem[] {
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
