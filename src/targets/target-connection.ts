import type { Endpoint, PartialConnectionOptions } from '../http/connection-options.js';
import type { Problem } from '../support/problem.js';
import { findBaseUrlFlaw, trimBaseUrl } from './base-url.js';
import type { Environment } from './environment.js';
import type { RunOptions } from './run-options.js';
import { describeShortSecret, findSecretFlaw } from './secret-checks.js';
import { parseVariableReference, type ReadVariable, readStatedOptions } from './stated-options.js';
import type { TargetFile } from './target-file.js';

/** The connection to a target. It contains secrets, so every process reads it from its environment instead of a file. */
export interface TargetConnection {
  readonly location: TargetLocation;
  readonly options: PartialConnectionOptions;
}

/** A deployment, or the reference deployment, which the run starts itself. */
export type TargetLocation = ({ readonly kind: 'deployment' } & Endpoint) | { readonly kind: 'reference' };

/** Returns the endpoint of a target. @param reference the endpoint of the reference deployment that was started */
export function resolveEndpoint(location: TargetLocation, reference: Endpoint): Endpoint {
  return location.kind === 'deployment' ? location : reference;
}

/** The limits of a thorough run, unless the target file states others. */
const thoroughBudget = { requests: 20_000, timeMs: 60 * 60_000 };

/**
 * Reads the connection from the options, the environment and the target file.
 *
 * @returns with all problems of base URL, file and variables, and with notes about overridden values
 * @throws UnusableInput if a file that the target file names cannot be read
 */
export function readConnection(
  runOptions: RunOptions,
  environment: Environment,
  file: TargetFile | undefined,
): { connection: TargetConnection; problems: Problem[]; notes: string[] } {
  const problems: Problem[] = [];
  const notes: string[] = [];
  const readVariable: ReadVariable = (name, at) => {
    const value = environment[name];
    if (value) {
      const flaw = findSecretFlaw(name, value, environment);
      if (flaw !== undefined) problems.push({ at, ...flaw });
      const note = describeShortSecret(name, value);
      if (note !== undefined) notes.push(note);
      return value;
    }
    const message = `${'setting' in at ? '' : `${name} `}is not set, but the target needs it`;
    problems.push({ at, message, hint: `Set ${name}=… in the environment or in a .env file.` });
    return '';
  };
  const stated = file === undefined ? {} : readStatedOptions(file, readVariable, (each) => problems.push(each));
  const options = {
    ...stated,
    ...(runOptions.allowHttp ? { allowHttp: true } : {}),
    ...(runOptions.thorough ? { budget: { ...thoroughBudget, ...stated.budget } } : {}),
  };
  const url = findBaseUrl(runOptions, file, readVariable);
  if (url === undefined) {
    const problem = findMissingBaseUrl(runOptions, environment, file);
    if (problem !== undefined) problems.unshift(problem);
    return { connection: { location: { kind: 'reference' }, options }, problems, notes };
  }
  const { baseUrl, note } = trimBaseUrl(url.text, file?.document.operation?.path);
  if (note !== undefined) notes.push(note);

  const readCredential = (usual: string, key: 'application_id' | 'token'): string => {
    const reference = file?.document.credentials?.[key];
    const own = reference === undefined ? usual : (parseVariableReference(reference) ?? usual);
    const name = environment[usual] ? usual : own;
    if (name !== own) notes.push(`${usual} of the environment overrides ${reference} of the target file.`);
    return readVariable(name, name === usual || !file ? { setting: name } : file.yaml.locate(['credentials', key]));
  };
  const credentials = {
    applicationId: readCredential('CLIENT_APPLICATION_ID', 'application_id'),
    token: readCredential('CLIENT_TOKEN', 'token'),
  };
  const secrets = [credentials.applicationId, credentials.token, ...(options.secrets ?? []).map(({ value }) => value)];
  // An empty base URL was reported as an unset variable.
  const flaw = url.text === '' ? undefined : findBaseUrlFlaw(baseUrl, options.allowHttp ?? false, secrets);
  if (flaw !== undefined) problems.unshift({ at: url.at, ...flaw });
  const other = file?.document.base_url;
  if (runOptions.baseUrl && other !== undefined && other !== runOptions.baseUrl)
    notes.push('BASE_URL or --base-url overrides the base_url of the target file.');
  if (runOptions.baseUrl === '' && other !== undefined)
    notes.push('BASE_URL or --base-url is empty: the base_url of the target file is used.');
  return { connection: { location: { kind: 'deployment', baseUrl, credentials }, options }, problems, notes };
}

/** Finds the base URL as the user states it; undefined if there is none. */
function findBaseUrl(
  { reference, baseUrl }: RunOptions,
  file: TargetFile | undefined,
  readVariable: ReadVariable,
): { text: string; at: Problem['at'] } | undefined {
  if (reference) return undefined;
  if (baseUrl) return { text: baseUrl, at: { setting: 'BASE_URL' } };
  const inFile = file?.document.base_url;
  if (file === undefined || inFile === undefined) return undefined;
  const at = file.yaml.locate(['base_url']);
  const name = parseVariableReference(inFile);
  return { text: name === undefined ? inFile : readVariable(name, at), at };
}

/**
 * Reports a missing base URL if the user names a deployment in any way. Otherwise the reference deployment is certified,
 * and an unset variable in a pipeline must not lead to that.
 */
function findMissingBaseUrl(
  { reference, baseUrl, target }: RunOptions,
  environment: Environment,
  file: TargetFile | undefined,
): Problem | undefined {
  if (reference) return undefined;
  const hint = 'To certify the reference deployment, use --reference.';
  if (file !== undefined) {
    const message = `has no base_url, and BASE_URL is ${baseUrl === '' ? 'empty' : 'not set'}`;
    return { at: file.yaml.locate([]), message, hint: `Add a base_url to the target file, or set BASE_URL. ${hint}` };
  }
  const { CLIENT_APPLICATION_ID, CLIENT_TOKEN } = environment;
  const named = { BASE_URL: baseUrl, TARGET: target, CLIENT_APPLICATION_ID, CLIENT_TOKEN };
  const [name, value] = Object.entries(named).find(([, each]) => each !== undefined) ?? [];
  if (name === undefined) return undefined;
  const message = `${value === '' ? 'is set but empty' : 'is set'}, but no deployment is named`;
  return { at: { setting: name }, message, hint: `Set BASE_URL, or name a target file with --target. ${hint}` };
}
