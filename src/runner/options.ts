/** What Playwright passes to its processes: options of projects, and variables of the environment. */

import path from 'node:path';
import type { FullConfig } from '@playwright/test';
import { loadInputs, type RunInputs } from '../target/recorded-run.js';
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
  reference: 'CONFORMANCE_REFERENCE',
  ownCases: 'CONFORMANCE_OWN_CASES',
  data: 'CONFORMANCE_DATA',
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

/** Whether the projects draw their requests from data files. */
export type DataUse = 'all' | 'some' | 'none';

/** Tells the workers where the reference deployment answers, and the specs which cases there are. */
export function shareSetUp(reference: string, inputs: readonly RunInputs[]): void {
  process.env[variables.reference] = reference;
  process.env[variables.ownCases] = JSON.stringify([...new Set(inputs.flatMap(({ cases }) => cases ?? []))]);
  process.env[variables.data] = summarizeDataUse(inputs.map(({ suite }) => suite.data !== undefined));
}

function summarizeDataUse(uses: readonly boolean[]): DataUse {
  if (!uses.includes(true)) return 'none';
  return uses.includes(false) ? 'some' : 'all';
}

/** Without a set-up, such as with `--list`, flags alone name data files. */
export function readDataUse(): DataUse {
  const named = summarizeDataUse(readRuns().map(({ data }) => data !== undefined));
  return (process.env[variables.data] as DataUse | undefined) ?? named;
}

/** The base URL of the reference deployment. */
export function getReferenceUrl(): string {
  return process.env[variables.reference] ?? '';
}

/** The folders of own cases of all projects. Without a set-up, such as with `--list`, those that flags name. */
export function listOwnCaseFolders(): readonly string[] {
  const named = readRuns().flatMap(({ cases }) => cases ?? []);
  return JSON.parse(process.env[variables.ownCases] ?? JSON.stringify(named));
}

/** Tells the workers which cases each project will run, in their order, so that requests can be sent ahead. */
export function sharePlannedCases(byProject: Readonly<Record<string, readonly string[]>>): void {
  process.env[variables.planned] = JSON.stringify(byProject);
}

/** No cases if the run may stop before some of them. */
export function readPlannedCases(project: string): readonly string[] {
  return JSON.parse(process.env[variables.planned] ?? '{}')[project] ?? [];
}

const loaded = new Map<string, RunInputs>();

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
  // `certify` and Playwright set variables of their own between two calls.
  const stable = Object.entries(process.env).filter(([name]) => !/^(CONFORMANCE|PLAYWRIGHT|PW_)/.test(name));
  const key = JSON.stringify([options, stable]);
  const inputs = loaded.get(key) ?? loadInputs(options, process.env);
  loaded.set(key, inputs);
  return inputs;
}
