/** What Playwright passes to its processes: options of projects, and variables of the environment. */

import path from 'node:path';
import type { FullConfig } from '@playwright/test';
import { loadInputsOnce, type RunInputs } from '../target/recorded-run.js';
import { completeRunOptions, type RunOptions } from '../target/run-options.js';

/** What a project sets under `use`. */
export interface ConformanceOptions {
  /** The target file, relative to the config. */
  readonly target: string | undefined;
  /** What the flags of `certify` set, by the names that the API gives them. They win over `target`. */
  readonly conformance: RunOptions;
}

/** The options of one run of `certify`; with a project, it names its deployment itself. */
export type CertifyRun = RunOptions & { readonly project?: string };

const variables = {
  runs: 'CONFORMANCE',
  setUp: 'CONFORMANCE_SET_UP',
  planned: 'CONFORMANCE_PLANNED_CASES',
};

/** Tells all processes of Playwright what the flags of `certify` set. */
export function shareRuns(runs: readonly CertifyRun[]): void {
  process.env[variables.runs] = JSON.stringify(runs);
}

/** What the flags of `certify` set; one run without options if Playwright was started by itself. */
export function readRuns(): readonly [CertifyRun, ...CertifyRun[]] {
  return JSON.parse(process.env[variables.runs] ?? '[{}]');
}

/** Whether `certify` started Playwright, not the user. */
export function isRunByCommand(): boolean {
  return process.env[variables.runs] !== undefined;
}

/** What the set-up tells the other processes. */
interface SetUp {
  /** The base URL of the reference deployment. */
  readonly reference: string;
  /** The folders of own cases of all projects. */
  readonly ownCases: readonly string[];
  /** Whether the requests of each project are drawn from a data file. */
  readonly areDrawn: readonly boolean[];
}

export function shareSetUp(setUp: SetUp): void {
  process.env[variables.setUp] = JSON.stringify(setUp);
}

/** Without a set-up, such as with `--list`, what flags name. */
export function readSetUp(): SetUp {
  const runs = readRuns();
  const ownCases = runs.flatMap(({ cases }) => cases ?? []);
  const named: SetUp = { reference: '', ownCases, areDrawn: runs.map(({ data }) => data !== undefined) };
  return JSON.parse(process.env[variables.setUp] ?? JSON.stringify(named));
}

/** Tells the workers which cases each project will run, in their order, so that requests can be sent ahead. */
export function sharePlannedCases(byProject: Readonly<Record<string, readonly string[]>>): void {
  process.env[variables.planned] = JSON.stringify(byProject);
}

/** No cases if the run may stop before some of them. */
export function readPlannedCases(project: string): readonly string[] {
  return JSON.parse(process.env[variables.planned] ?? '{}')[project] ?? [];
}

/**
 * Loads suite and settings of a project, once per process.
 *
 * @param use {@link ConformanceOptions} of the project
 * @throws UnusableInput as `loadInputs`
 */
export function loadProject(use: object, { configFile }: Pick<FullConfig, 'configFile'> = {}): RunInputs {
  const { target, conformance = {} } = use as Partial<ConformanceOptions>;
  const folder = configFile === undefined ? '' : path.dirname(configFile);
  const { target: named = target && path.relative('', path.resolve(folder, target)) } = conformance;
  const isNamed = conformance.baseUrl !== undefined || conformance.reference === true || named === undefined;
  const options = completeRunOptions({ ...conformance, ...(isNamed ? {} : { target: named }) }, process.env);
  return loadInputsOnce(options, process.env);
}
