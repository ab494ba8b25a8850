import path from 'node:path';
import { loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import { type EvidenceOrigin, parseArchive, type StoredEvidence } from '../certificate/har-archive.js';
import { readKnownDeviations } from '../record/known-deviations.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { refuse } from '../support/problem.js';
import { readInputFile } from '../support/read-input-file.js';
import type { TargetConnection } from './connection.js';
import type { Environment, RunOptions } from './run-options.js';
import { findCasesFolder, findRecordToWrite, loadSettings, type RunSettings, readSelection } from './settings.js';
import { loadTarget } from './target.js';

export interface RunInputs {
  readonly suite: Suite;
  readonly settings: RunSettings;
  /** How to reach the target; undefined if nothing is sent. */
  readonly connection?: TargetConnection;
  /** The run that is judged again instead of a target. */
  readonly replay?: RecordedRun;
}

export interface RecordedRun {
  readonly evidence: StoredEvidence;
  readonly origin: EvidenceOrigin;
  readonly settings: RunSettings;
}

const loaded = new Map<string, RunInputs>();

/** Loads the inputs of a run once per process, for processes that end with the run. @throws as {@link loadInputs} */
export function loadInputsOnce(options: RunOptions, environment: Environment): RunInputs {
  // `certify` and Playwright set variables of their own between two calls.
  const stable = Object.entries(environment).filter(([name]) => !/^(CONFORMANCE|PLAYWRIGHT|PW_)/.test(name));
  const key = JSON.stringify([options, stable]);
  const inputs = loaded.get(key) ?? loadInputs(options, environment);
  loaded.set(key, inputs);
  return inputs;
}

/** Loads suite and settings of any run. @throws UnusableInput as `loadSuite` and `loadSettings` */
export function loadInputs(options: RunOptions, environment: Environment): RunInputs {
  if (options.replay !== undefined) return loadReplayInputs(options.replay, options);
  const target = loadTarget(options, environment);
  const suite = loadSuite(suiteFolder, target.availability, findCasesFolder(options, target.file));
  return { suite, settings: loadSettings(target, options, suite), connection: target.connection };
}

/** Loads the inputs of a recorded run, with another folder and perhaps another selection. @param file its evidence */
function loadReplayInputs(file: string, options: RunOptions): RunInputs {
  const replay = parseRecordedRun(readInputFile(file, 'Name the evidence.har of a run.'), file, options.data);
  const recordTo = findRecordToWrite(options);
  const { cases } = options;
  const suite = loadSuite(suiteFolder, replay.settings.availability, cases);
  const folder = path.dirname(file);
  const { out = path.join(folder, 'replay') } = options;
  if (path.resolve(out) === path.resolve(folder))
    throw refuse('--out', 'is the folder of the evidence, which the results would replace', 'Name another folder.');
  const known = options.known === undefined ? undefined : readKnownDeviations(options.known, suite.contract);
  const settings = {
    ...replay.settings,
    ...readSelection(options, suite, replay.settings),
    ...omitUndefined({ cases, known }),
    destination: { out, ...omitUndefined({ recordTo }) },
  };
  return { suite, settings, replay };
}

/** Returns what evidence keeps of the settings of a run: no paths of its machine. */
export function recordInputs({ destination: _, cases: __, ...settings }: RunSettings): object {
  return settings;
}

/** Parses evidence. @param dataFile where the data file of the run is now @throws UnusableInput */
export function parseRecordedRun(content: Buffer, file: string, dataFile?: string): RecordedRun {
  const { evidence, origin } = parseArchive(content, file);
  const settings = origin.inputs as Omit<RunSettings, 'destination'>;
  const { availability } = settings;
  const data = availability.data && { ...availability.data, ...omitUndefined({ movedTo: dataFile }) };
  const moved = { ...availability, ...omitUndefined({ data }) };
  return { evidence, origin, settings: { ...settings, availability: moved, destination: { out: '' } } };
}
