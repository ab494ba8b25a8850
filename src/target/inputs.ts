import { loadSuite, type Suite, suiteFolder } from '../cases/suite.js';
import { type EvidenceOrigin, parseArchive, type StoredEvidence } from '../certificate/har-archive.js';
import { omitUndefined } from '../support/collections.js';
import type { Environment, RunOptions } from './run-options.js';
import { loadSettings, type RunSettings } from './settings.js';
import type { TargetConnection } from './target.js';
import { loadTarget } from './target.js';
import { locateBeside } from './target-file.js';

export interface RunInputs {
  readonly suite: Suite;
  readonly settings: RunSettings;
  readonly connection: TargetConnection;
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
  const target = loadTarget(options, environment);
  const { file, connection } = target;
  const cases = options.cases ?? locateBeside(file, file?.document.cases);
  const suite = loadSuite(suiteFolder, target.availability, cases);
  return { suite, settings: { ...loadSettings(target, options, suite), ...omitUndefined({ cases }) }, connection };
}

/** Describes the run that evidence is of. It names no paths of this machine. */
export function createOrigin(
  { name, version, digest }: Suite,
  { destination: _, cases: __, ...inputs }: RunSettings,
  { isReplay, ...run }: Pick<EvidenceOrigin, 'baseUrl' | 'extent'> & { readonly isReplay: boolean },
): EvidenceOrigin {
  return { suite: { name, version, digest }, ...run, ...(isReplay && { isReplay }), inputs };
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
