import { statSync } from 'node:fs';
import { listOwnFiles, listSuiteFiles, loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import { omitUndefined } from '../support/omit-undefined.js';
import { readAvailability } from '../targets/availability.js';
import { createReplaySettings, encodeRecordedInputs, readRecordedRun } from '../targets/recorded-run.js';
import { completeRunOptions, type Environment, type RunOptions } from '../targets/run-options.js';
import { loadSettings, type RunSettings } from '../targets/settings.js';
import { createRunFolder, hasRunFolder, readRunValue, writeRunValue } from './run-folder.js';

/** The suite and the settings of a run. */
export interface RunInputs {
  readonly suite: Suite;
  readonly settings: RunSettings;
  /** As JSON for the evidence of the run. */
  readonly recorded: unknown;
  /** The evidence file that is judged again instead of a target. */
  readonly replay?: string;
}

const files = { options: 'options', inputs: 'inputs' } as const;

/** The inputs and the state of the files that they were loaded from. */
type LoadedInputs = RunInputs & { readonly signature: string };

let loaded: LoadedInputs | undefined;

/** The options of the run that this process belongs to; of the environment alone if no command started it. */
export function readRunOptions(): RunOptions {
  return readRunValue<RunOptions>(files.options) ?? completeRunOptions({}, process.env);
}

/**
 * Loads suite and settings, once per run: the first process hands them to the others. Files that were edited since are
 * loaded again, for UI mode and `--watch`.
 *
 * @throws UnusableInput as `loadSuite` and `loadSettings`
 */
export function loadRunInputs(options = readRunOptions()): RunInputs {
  const signature = computeOptionsSignature(options);
  if (loaded?.signature === signature) return loaded;
  const handedOver = readRunValue<LoadedInputs>(files.inputs);
  loaded = handedOver?.signature === signature ? handedOver : { signature, ...loadInputs(options, process.env) };
  return loaded;
}

/** Loads suite and settings of any run. @throws UnusableInput as `loadSuite` and `loadSettings` */
export function loadInputs(options: RunOptions, environment: Environment): RunInputs {
  const { replay, cases } = options;
  const run = replay === undefined ? undefined : readRecordedRun(replay);
  const { availability } = run ?? readAvailability(options);
  const suite = loadSuite(suiteFolder, availability, cases);
  const settings =
    run === undefined || replay === undefined
      ? loadSettings(options, environment, suite)
      : createReplaySettings(run, options, suite, replay);
  return { suite, settings, recorded: encodeRecordedInputs(availability, settings), ...omitUndefined({ replay }) };
}

/** A text that changes whenever the options or a file of the run change. @throws UnusableInput for the target file */
export function computeOptionsSignature(options: RunOptions): string {
  const { replay, cases, against } = options;
  const ofTarget = replay === undefined ? readAvailability(options).files : [replay];
  const ofCases = [...listSuiteFiles(), ...(cases === undefined ? [] : listOwnFiles(cases))];
  const all = [...ofCases, ...ofTarget, ...(against === undefined ? [] : [against])];
  return [JSON.stringify(options), ...all.map(computeFileSignature)].join('\n');
}

export function computeFileSignature(file: string): string {
  const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return `${file} ${mtimeMs} ${size}`;
}

/**
 * Shares options and inputs with the processes that start from now on.
 *
 * @param options of a merge bring no inputs: those are in its reports
 * @returns ends that
 */
export function shareRun(options = readRunOptions()): () => void {
  if (hasRunFolder()) return () => undefined;
  const inputs = options.merge === undefined ? loadRunInputs(options) : undefined;
  const unshare = createRunFolder();
  writeRunValue(files.options, options);
  if (inputs !== undefined) writeRunValue(files.inputs, inputs);
  return unshare;
}
