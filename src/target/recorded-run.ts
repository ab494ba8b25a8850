import path from 'node:path';
import { loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import { type EvidenceOrigin, parseArchive, type StoredEvidence } from '../certificate/har-archive.js';
import type { Availability } from '../contract/bind-world.js';
import { getHeaderValues } from '../http/exchange.js';
import { addHeaders } from '../http/request-headers.js';
import { calibrationPurpose } from '../run/evidence-keeper.js';
import { createReplay, type Replay } from '../run/replay.js';
import { decodeMapsAndSets, encodeMapsAndSets } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { refuse } from '../support/problem.js';
import { readInputFile } from '../support/read-input-file.js';
import type { Environment, RunOptions } from './run-options.js';
import { listTargetNotes, loadSettings, type ResultsDestination, type RunSettings, readSelection } from './settings.js';
import { loadTarget } from './target.js';
import type { TargetConnection } from './target-connection.js';

/** The suite and the settings of a run. */
export interface RunInputs {
  readonly suite: Suite;
  readonly settings: RunSettings;
  /** As JSON for the evidence of the run. */
  readonly recorded: unknown;
  /** The folder of own cases. */
  readonly cases?: string;
  /** How to reach the target; undefined if nothing is sent. */
  readonly connection?: TargetConnection;
  /** The run that is judged again instead of a target. */
  readonly replay?: RecordedRun;
}

/** The inputs of a run, as its evidence stores them: what follows from them is computed again. */
export interface RecordedInputs {
  readonly availability: Availability;
  readonly settings: Omit<RunSettings, 'quick' | 'destination'> & { readonly isQuick?: true };
}

/** A run with its stored evidence. */
export interface RecordedRun extends RecordedInputs {
  readonly evidence: StoredEvidence;
  readonly origin: EvidenceOrigin;
}

/** Loads suite and settings of any run. @throws UnusableInput as `loadSuite` and `loadSettings` */
export function loadInputs(options: RunOptions, environment: Environment): RunInputs {
  const { replay } = options;
  if (replay !== undefined) {
    const { cases } = options;
    const run = readRecordedRun(replay);
    const suite = loadSuite(suiteFolder, run.availability, cases);
    const settings = createReplaySettings(run, options, suite);
    const recorded = encodeRecordedInputs(run.availability, settings);
    return { suite, settings, recorded, replay: run, ...omitUndefined({ cases }) };
  }
  const { availability, cases, connection, target } = loadTarget(options, environment);
  const suite = loadSuite(suiteFolder, availability, cases);
  const settings = loadSettings({ target, connection }, options, suite);
  const recorded = encodeRecordedInputs(availability, settings);
  return { suite, settings, recorded, connection, ...omitUndefined({ cases }) };
}

/** Encodes the inputs of a run as JSON. They contain no secrets. */
export function encodeRecordedInputs(availability: Availability, settings: RunSettings): unknown {
  const { target, expected, excludesIntrusive, only, quick, notes } = settings;
  const { pins: _, notes: __, ...stated } = target;
  const isQuick = quick && true;
  const derived = listTargetNotes(target, availability.ownPromotions);
  const own = notes.filter((note) => !derived.includes(note));
  return encodeMapsAndSets({
    availability,
    settings: { target: stated, expected, excludesIntrusive, only, isQuick, notes: own },
  });
}

/** Decodes the inputs of a run. @param inputs valid by the schema of evidence */
function decodeRecordedInputs(inputs: unknown): RecordedInputs {
  const { availability, settings } = decodeMapsAndSets(inputs) as RecordedInputs;
  const target = { ...settings.target, pins: new Map(), notes: [] };
  const derived = listTargetNotes(target, availability.ownPromotions);
  return { availability, settings: { ...settings, target, notes: [...derived, ...settings.notes] } };
}

/** Reads an evidence file. @throws UnusableInput if it cannot be read or is not evidence */
export function readRecordedRun(file: string): RecordedRun {
  return parseRecordedRun(readInputFile(file, 'Name the evidence.har of a run.'), file);
}

/** Parses the content of an evidence file. @throws UnusableInput if it is not evidence */
export function parseRecordedRun(content: Buffer, file: string): RecordedRun {
  const { evidence, origin } = parseArchive(content, file);
  return { evidence, origin, ...decodeRecordedInputs(origin.inputs) };
}

/** Restores the inputs of a run that another machine reports. */
export function restoreInputs(start: {
  readonly inputs: unknown;
  readonly cases?: string;
  readonly destination: ResultsDestination;
}): RunInputs {
  const { inputs: recorded, cases, destination } = start;
  const decoded = decodeRecordedInputs(recorded);
  const suite = loadSuite(suiteFolder, decoded.availability, cases);
  const settings = restoreSettings(decoded, suite, destination);
  return { suite, settings, recorded, ...omitUndefined({ cases }) };
}

/** Restores the settings of a recorded run. @throws UnusableInput as {@link readSelection} */
export function restoreSettings(
  { settings }: RecordedInputs,
  suite: Suite,
  destination: ResultsDestination = { out: '' },
): RunSettings {
  const { isQuick: quick, ...recorded } = settings;
  return { ...recorded, ...readSelection(omitUndefined({ quick }), suite, recorded, recorded.only), destination };
}

/**
 * Creates the settings for a replay: those of the recorded run, with another folder and another selection.
 *
 * @throws UnusableInput as {@link readSelection}, and if the results would replace the evidence
 */
function createReplaySettings({ settings }: RecordedInputs, options: RunOptions, suite: Suite): RunSettings {
  const { only, isQuick: quick, ...recorded } = settings;
  const folder = path.dirname(options.replay ?? '');
  const { out = path.join(folder, 'replay') } = options;
  if (path.resolve(out) === path.resolve(folder))
    throw refuse('--out', 'is the folder of the evidence, which the results would replace', 'Name another folder.');
  return {
    ...recorded,
    destination: { out, ...omitUndefined({ recordTo: options.recordTo }) },
    ...readSelection({ ...omitUndefined({ quick }), ...options }, suite, recorded, only),
  };
}

/**
 * Replays a recorded run. Headers that the target file adds are those that the calibration was sent with.
 *
 * @param suite with the ids of the target of that run
 */
export function createRunReplay(evidence: StoredEvidence, suite: Suite): Replay {
  const { id } = evidence.uses.find((use) => use.case === calibrationPurpose) ?? {};
  const sent = evidence.exchanges.find((kept) => kept.id === id)?.exchange.request.headers ?? [];
  const own = suite.calibration[0]?.headers ?? [];
  const extra = sent.filter(([name]) => getHeaderValues(own, name).length === 0);
  return createReplay(evidence, (request) => addHeaders(request, extra));
}
