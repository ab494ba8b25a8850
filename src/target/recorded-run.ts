import path from 'node:path';
import { loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import { type EvidenceOrigin, parseArchive, type StoredEvidence } from '../certificate/har-archive.js';
import type { Availability } from '../contract/bind-world.js';
import { addHeaders, getHeaderValues } from '../http/exchange.js';
import type { ResultsDestination } from '../outputs/result-files.js';
import { readKnownDeviations } from '../record/known-deviations.js';
import { calibrationPurpose } from '../run/evidence-keeper.js';
import { createReplay, type Replay } from '../run/replay.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { refuse } from '../support/problem.js';
import { readInputFile } from '../support/read-input-file.js';
import type { Environment, RunOptions } from './run-options.js';
import { findRecordToWrite, loadSettings, type RunSettings, readSelection } from './settings.js';
import { loadTarget } from './target.js';
import type { TargetConnection } from './target-connection.js';

/** The suite and the settings of a run. */
export interface RunInputs {
  readonly suite: Suite;
  readonly settings: RunSettings;
  /** What the target has of the world. */
  readonly availability: Availability;
  /** The folder of own cases. */
  readonly cases?: string;
  /** How to reach the target; undefined if nothing is sent. */
  readonly connection?: TargetConnection;
  /** The run that is judged again instead of a target. */
  readonly replay?: RecordedRun;
}

/** The inputs of a run as JSON, in its evidence: what follows from them is computed again. They contain no secrets. */
export interface RecordedInputs {
  readonly availability: Availability;
  readonly settings: Omit<RunSettings, 'quick' | 'destination'> & { readonly isQuick?: true };
  /** Whether the exchanges are those of real callers: the cases are made from them. */
  readonly isTraffic?: true;
}

/** A run with its stored evidence. */
export interface RecordedRun extends RecordedInputs {
  readonly evidence: StoredEvidence;
  readonly origin: EvidenceOrigin;
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
  const { availability, cases, connection } = target;
  const suite = loadSuite(suiteFolder, availability, cases);
  return {
    suite,
    settings: loadSettings(target, options, suite),
    availability,
    connection,
    ...omitUndefined({ cases }),
  };
}

/** Loads the inputs of a recorded run, with another folder and another selection. @param file its evidence */
function loadReplayInputs(file: string, options: RunOptions): RunInputs {
  const { cases } = options;
  const recordTo = findRecordToWrite(options);
  const replay = parseRecordedRun(readInputFile(file, 'Name the evidence.har of a run.'), file, options.data);
  const suite = loadSuite(suiteFolder, replay.availability, cases);
  const folder = path.dirname(file);
  const { out = path.join(folder, 'replay') } = options;
  if (path.resolve(out) === path.resolve(folder))
    throw refuse('--out', 'is the folder of the evidence, which the results would replace', 'Name another folder.');
  const recorded = restoreSettings(replay, suite, { out, ...omitUndefined({ recordTo }) }, options);
  const known = options.known === undefined ? recorded.known : readKnownDeviations(options.known, suite.contract);
  const settings = { ...recorded, ...omitUndefined({ known }) };
  return { suite, settings, availability: replay.availability, replay, ...omitUndefined({ cases }) };
}

/** Returns what the evidence of a run keeps of its inputs. A data file is too large: its digest is kept. */
export function recordInputs({
  availability: stated,
  settings,
  suite,
}: Pick<RunInputs, 'availability' | 'settings' | 'suite'>): RecordedInputs {
  const { quick, destination: _, ...recorded } = settings;
  const { digest } = suite.data ?? {};
  const { data } = stated;
  const availability = data === undefined ? stated : { ...stated, data: { ...data, ...omitUndefined({ digest }) } };
  return { availability, settings: { ...recorded, ...(quick && { isQuick: true }) } };
}

/** Restores the inputs of a run that another machine reports. */
export function restoreInputs(start: {
  readonly inputs: RecordedInputs;
  readonly cases?: string;
  readonly destination: ResultsDestination;
}): RunInputs {
  const { inputs, cases, destination } = start;
  const { availability } = inputs;
  const suite = loadSuite(suiteFolder, availability, cases);
  return { suite, settings: restoreSettings(inputs, suite, destination), availability, ...omitUndefined({ cases }) };
}

/**
 * Parses the content of an evidence file.
 *
 * @param dataFile the data file of the run, if it has been moved since then
 * @throws UnusableInput if it is not evidence
 */
export function parseRecordedRun(content: Buffer, file: string, dataFile?: string): RecordedRun {
  const { evidence, origin } = parseArchive(content, file);
  const { availability, ...inputs } = origin.inputs as RecordedInputs;
  const data = availability.data && { ...availability.data, ...omitUndefined({ movedTo: dataFile }) };
  return { evidence, origin, ...inputs, availability: { ...availability, ...omitUndefined({ data }) } };
}

/**
 * Restores the settings of a recorded run.
 *
 * @param options another selection
 * @throws UnusableInput as {@link readSelection}
 */
export function restoreSettings(
  { settings: { isQuick: quick, ...recorded } }: RecordedInputs,
  suite: Suite,
  destination: ResultsDestination = { out: '' },
  options: RunOptions = {},
): RunSettings {
  const selection = readSelection({ ...omitUndefined({ quick }), ...options }, suite, recorded, recorded.only);
  return { ...recorded, ...selection, destination };
}

/**
 * Replays a recorded run. Headers that the target file adds are those that the calibration was sent with.
 *
 * @param suite with the ids of the target of that run
 */
export function createRunReplay(evidence: StoredEvidence, suite: Suite): Replay {
  const { id } = evidence.uses.find((use) => use.case === calibrationPurpose) ?? {};
  const sent = evidence.exchanges.find((kept) => kept.id === id)?.exchange.request.headers ?? [];
  const stated = suite.calibration[0]?.headers ?? [];
  const extra = sent.filter(([name]) => getHeaderValues(stated, name).length === 0);
  return createReplay(evidence, (request) => addHeaders(request, extra));
}
