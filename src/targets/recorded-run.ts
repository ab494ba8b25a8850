import { readFileSync } from 'node:fs';
import path from 'node:path';
import { casesNamed } from '../cases/selection.js';
import type { Suite } from '../cases/suite.js';
import { digestOf, type EvidenceOrigin, readArchive, type StoredEvidence } from '../report/har.js';
import { mapsAndSetsAsJson, withMapsAndSets } from '../support/json.js';
import { UnusableInput } from '../support/problem.js';
import type { Availability } from '../world/bindings.js';
import { type Environment, variables } from './environment.js';
import type { Settings } from './settings.js';

/** What a run went by beside the suite, as its evidence keeps it. Nothing of it is secret. */
export interface RecordedInputs {
  readonly availability: Availability;
  readonly settings: Settings;
}

/** A run whose evidence was kept. */
export interface RecordedRun extends RecordedInputs {
  readonly evidence: StoredEvidence;
  readonly origin: EvidenceOrigin;
  /** Of the file, such as `sha256:…`. */
  readonly digest: string;
}

/** What a run went by, as JSON for its evidence. */
export function recordedInputs(inputs: RecordedInputs): unknown {
  return mapsAndSetsAsJson(inputs);
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
  const { evidence, origin } = readArchive(content, file);
  return { evidence, origin, digest: digestOf(content), ...(withMapsAndSets(origin.inputs) as RecordedInputs) };
}

/**
 * The settings for judging a recorded run again: its own, save for where the results go and which cases are judged.
 *
 * @throws UnusableInput for names of cases that the suite does not have
 */
export function replaySettings(
  { settings }: RecordedInputs,
  environment: Environment,
  suite: Suite,
  file: string,
): Settings {
  // Whichever cases are judged again: it is no shard's run.
  const { recordTo: _, shard: __, ...recorded } = settings;
  const recordTo = environment[variables.recordTo];
  const only = environment[variables.only]?.split(',').filter(Boolean);
  return {
    ...recorded,
    // The results of the run itself stay.
    out: environment[variables.out] || path.join(path.dirname(file), 'replay'),
    ...(recordTo ? { recordTo } : {}),
    ...(only === undefined ? {} : { only: casesNamed(only, suite, '--only') }),
  };
}
