import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Suite } from '../cases/suite.js';
import { computeDigest, type EvidenceOrigin, parseArchive, type StoredEvidence } from '../report/har-archive.js';
import { describeFileError } from '../support/describe-file-error.js';
import { decodeMapsAndSets, encodeMapsAndSets } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { UnusableInput } from '../support/problem.js';
import type { Availability } from '../world/bind-world.js';
import type { RunOptions } from './run-options.js';
import { type RunSettings, readSelection } from './settings.js';

/** The inputs of a run, as its evidence stores them. They contain no secrets. */
export interface RecordedInputs {
  readonly availability: Availability;
  readonly settings: RunSettings;
}

/** A run with its stored evidence. */
export interface RecordedRun extends RecordedInputs {
  readonly evidence: StoredEvidence;
  readonly origin: EvidenceOrigin;
  /** The digest of the file, such as `sha256:…`. */
  readonly digest: string;
}

/** Encodes the inputs of a run as JSON, without the paths of its results. */
export function encodeRecordedInputs({ availability, settings }: RecordedInputs): unknown {
  const { recordTo: _, ...others } = settings;
  return encodeMapsAndSets({ availability, settings: { ...others, out: '' } });
}

/** Reads an evidence file. @throws UnusableInput if it cannot be read or is not evidence */
export function readRecordedRun(file: string): RecordedRun {
  try {
    return parseRecordedRun(readFileSync(file), file);
  } catch (error) {
    if (error instanceof UnusableInput) throw error;
    throw new UnusableInput([
      { at: { setting: file }, message: describeFileError(error), hint: 'Name the evidence.har of a run.' },
    ]);
  }
}

/** Parses the content of an evidence file. @throws UnusableInput if it is not evidence */
export function parseRecordedRun(content: Buffer, file: string): RecordedRun {
  const { evidence, origin } = parseArchive(content, file);
  return { evidence, origin, digest: computeDigest(content), ...(decodeMapsAndSets(origin.inputs) as RecordedInputs) };
}

/**
 * Creates the settings for a replay: those of the recorded run, with another folder and another selection.
 *
 * @throws UnusableInput as {@link readSelection}
 */
export function createReplaySettings(
  { settings }: RecordedInputs,
  options: RunOptions,
  suite: Suite,
  file: string,
): RunSettings {
  const { recordTo: _, shard: __, only, profile, ...recorded } = settings;
  return {
    ...recorded,
    // Keeps the results of the recorded run.
    out: options.out ?? path.join(path.dirname(file), 'replay'),
    ...omitUndefined({ recordTo: options.recordTo }),
    ...readSelection(options, suite, recorded, omitUndefined({ only, profile })),
  };
}
