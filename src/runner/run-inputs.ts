import { statSync } from 'node:fs';
import { listOwnFiles, listSuiteFiles } from '../cases/suite.js';
import { readAvailability } from '../target/availability.js';
import { loadInputs, type RunInputs } from '../target/recorded-run.js';
import { completeRunOptions, type RunOptions } from '../target/run-options.js';
import { createRunFolder, hasRunFolder, readRunValue, writeRunValue } from './run-folder.js';

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
 * loaded again, for UI mode.
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

/** A text that changes whenever the options or a file of the run change. @throws UnusableInput for the target file */
function computeOptionsSignature(options: RunOptions): string {
  const { replay, cases, against } = options;
  const ofTarget = replay === undefined ? readAvailability(options).files : [replay];
  const ofCases = [...listSuiteFiles(), ...(cases === undefined ? [] : listOwnFiles(cases))];
  const all = [...ofCases, ...ofTarget, ...(against === undefined ? [] : [against])];
  return [JSON.stringify(options), ...all.map(computeFileSignature)].join('\n');
}

function computeFileSignature(file: string): string {
  const { mtimeMs, size } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return `${file} ${mtimeMs} ${size}`;
}

/** Shares options and inputs with the processes that start from now on. @returns ends that */
export function shareRun(options = readRunOptions()): () => void {
  if (hasRunFolder()) return () => undefined;
  const inputs = loadRunInputs(options);
  const unshare = createRunFolder();
  writeRunValue(files.options, options);
  writeRunValue(files.inputs, inputs);
  return unshare;
}
