import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Suite } from '../cases/suite.js';
import { computeDigest, type EvidenceOrigin, parseArchive, type StoredEvidence } from '../report/har-archive.js';
import { decodeMapsAndSets, encodeMapsAndSets } from '../support/json.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { UnusableInput } from '../support/problem.js';
import type { Availability } from '../world/bind-world.js';
import type { RunOptions } from './run-options.js';
import { type RunSettings, readSelection } from './settings.js';

/** What a run went by beside the suite, as its evidence keeps it. Nothing of it is secret. */
export interface RecordedInputs {
  readonly availability: Availability;
  readonly settings: RunSettings;
}

/** A run whose evidence was kept. */
export interface RecordedRun extends RecordedInputs {
  readonly evidence: StoredEvidence;
  readonly origin: EvidenceOrigin;
  /** Of the file, such as `sha256:…`. */
  readonly digest: string;
}

/** What a run went by, as JSON for its evidence: save for where its results went, which is of no concern to others. */
export function encodeRecordedInputs({ availability, settings }: RecordedInputs): unknown {
  const { recordTo: _, ...others } = settings;
  return encodeMapsAndSets({ availability, settings: { ...others, out: '' } });
}

/** @throws UnusableInput where the file cannot be read, or is not the evidence of a run */
export function readRecordedRun(file: string): RecordedRun {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch (error) {
    const message = `cannot be read (${(error as NodeJS.ErrnoException).code})`;
    throw new UnusableInput([{ at: { setting: file }, message, hint: 'Name the evidence.har that a run left.' }]);
  }
  return parseRecordedRun(content, file);
}

/** @throws UnusableInput where a file's content is not the evidence of a run */
export function parseRecordedRun(content: Buffer, file: string): RecordedRun {
  const { evidence, origin } = parseArchive(content, file);
  return { evidence, origin, digest: computeDigest(content), ...(decodeMapsAndSets(origin.inputs) as RecordedInputs) };
}

/**
 * The settings for judging a recorded run again: its own, save for where the results go and which cases are judged.
 *
 * @throws UnusableInput as `selectionOf`
 */
export function createReplaySettings(
  { settings }: RecordedInputs,
  options: RunOptions,
  suite: Suite,
  file: string,
): RunSettings {
  // Whichever cases are judged again: it is no shard's run.
  const { recordTo: _, shard: __, only, profile, ...recorded } = settings;
  return {
    ...recorded,
    // The results of the run itself stay.
    out: options.out ?? path.join(path.dirname(file), 'replay'),
    ...omitUndefined({ recordTo: options.recordTo }),
    ...readSelection(options, suite, recorded, omitUndefined({ only, profile })),
  };
}
