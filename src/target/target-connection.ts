import { existsSync } from 'node:fs';
import { listCredentialSecrets } from '../contract/operation.js';
import type { Endpoint, PartialConnectionOptions } from '../http/connection-options.js';
import type { Secret } from '../http/redactor.js';
import { packageRoot } from '../support/package-root.js';
import type { Problem } from '../support/problem.js';
import { findBaseUrlFlaw, trimBaseUrl } from './base-url.js';
import type { Environment, RunOptions } from './run-options.js';
import { describeWeakSecret, findSecretFlaw } from './secret-checks.js';
import { type ReadVariable, readStatedOptions, resolveReference } from './stated-options.js';
import { initialTargetFile, resolveBeside, type TargetFile } from './target-file.js';

/** The connection to a target. It contains secrets, so every process reads it from its environment instead of a file. */
export interface TargetConnection {
  /** Undefined for the reference deployment, which the run starts itself. */
  readonly endpoint?: Endpoint;
  readonly options: PartialConnectionOptions;
  /** The module of the transport. */
  readonly transport?: string;
}

/** Lists the secrets of a target. Those of the reference deployment are public. */
export function listSecrets({ endpoint, options }: TargetConnection): Secret[] {
  const credentials = endpoint === undefined ? [] : listCredentialSecrets(endpoint.credentials);
  return [...credentials, ...(options.secrets ?? [])];
}

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
    if (!value) {
      const message = `${'setting' in at ? '' : `${name} `}is not set, but the target needs it`;
      problems.push({ at, message, hint: `Set ${name}=… in the environment or in a .env file.` });
      return '';
    }
    const flaw = findSecretFlaw(name, value, environment);
    if (flaw !== undefined) problems.push({ at, ...flaw });
    const note = describeWeakSecret(name, value);
    if (note !== undefined) notes.push(note);
    return value;
  };
  const stated = file === undefined ? {} : readStatedOptions(file, readVariable, (each) => problems.push(each));
  const options = {
    ...stated,
    ...(runOptions.allowHttp ? { allowHttp: true } : {}),
  };
  const module = file?.document.transport;
  const transport = file === undefined || module === undefined ? {} : { transport: resolveBeside(file, module) };
  const url = findBaseUrl(runOptions, file, readVariable);
  if (url === undefined) {
    const problem = findMissingBaseUrl(runOptions, environment, file);
    if (problem !== undefined) problems.unshift(problem);
    return { connection: { options, ...transport }, problems, notes };
  }
  const { baseUrl, note } = trimBaseUrl(url.text);
  if (note !== undefined) notes.push(note);

  const readCredential = (usual: string, key: 'application_id' | 'token'): string => {
    const reference = file?.document.credentials?.[key];
    if (file === undefined || reference === undefined || reference === `$${usual}`)
      return readVariable(usual, { setting: usual });
    // Several targets may be certified together: each has its own variables.
    if (environment[reference.slice(1)] || !environment[usual])
      return readVariable(reference.slice(1), file.yaml.locate(['credentials', key]));
    notes.push(`${reference} of the target file is not set: ${usual} is used.`);
    return readVariable(usual, { setting: usual });
  };
  const credentials = {
    applicationId: readCredential('CLIENT_APPLICATION_ID', 'application_id'),
    token: readCredential('CLIENT_TOKEN', 'token'),
  };
  const connection = { endpoint: { baseUrl, credentials }, options, ...transport };
  // An empty base URL was reported as an unset variable.
  const secrets = listSecrets(connection).map(({ value }) => value);
  const flaw = url.text === '' ? undefined : findBaseUrlFlaw(baseUrl, options.allowHttp ?? false, secrets);
  if (flaw !== undefined) problems.unshift({ at: url.at, ...flaw });
  const { problem, note: aboutOther } = file === undefined ? {} : compareBaseUrls(runOptions, url.text, file);
  if (problem !== undefined) problems.unshift(problem);
  if (aboutOther !== undefined) notes.push(aboutOther);
  return { connection, problems, notes };
}

/** Finds the base URL as the user states it; undefined if there is none. */
function findBaseUrl(
  { reference, baseUrl, baseUrlSetting: setting = 'BASE_URL', onOtherBaseUrl }: RunOptions,
  file: TargetFile | undefined,
  readVariable: ReadVariable,
): { text: string; at: Problem['at'] } | undefined {
  if (reference) return undefined;
  const inFile = file?.document.base_url;
  if (baseUrl && (inFile === undefined || onOtherBaseUrl === undefined)) return { text: baseUrl, at: { setting } };
  if (file === undefined || inFile === undefined) return undefined;
  const at = file.yaml.locate(['base_url']);
  return { text: resolveReference(inFile, at, readVariable), at };
}

/** Compares the base URL of the options with that of a target file. @param used the one that is used */
function compareBaseUrls(
  { baseUrl, baseUrlSetting: setting = 'BASE_URL', onOtherBaseUrl }: RunOptions,
  used: string,
  { document, yaml }: TargetFile,
): { problem?: Problem; note?: string } {
  if (baseUrl === undefined || document.base_url === undefined || baseUrl === document.base_url) return {};
  if (baseUrl === '') return { note: `${setting} is empty: the base_url of the target file is used.` };
  if (onOtherBaseUrl === undefined) return { note: `${setting} overrides the base_url of the target file.` };
  if (trimBaseUrl(baseUrl).baseUrl === trimBaseUrl(used).baseUrl) return {};
  if (onOtherBaseUrl === 'use-target-file') return { note: `The base_url of the target file is used, not ${setting}.` };
  const message = `contradicts the base_url of ${yaml.file}`;
  const hint = 'Unset one of them. To replace the base_url of the target file, use --base-url.';
  return { problem: { at: { setting }, message, hint } };
}

/**
 * Reports a missing base URL where a deployment is to be certified: an unset variable in a pipeline must not lead to the
 * reference deployment.
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
  const { CI, CLIENT_APPLICATION_ID, CLIENT_TOKEN } = environment;
  const named = { BASE_URL: baseUrl, TARGET: target, CLIENT_APPLICATION_ID, CLIENT_TOKEN };
  const [name, value] = Object.entries(named).find(([, each]) => each !== undefined) ?? [];
  if (name !== undefined) {
    const message = `${value === '' ? 'is set but empty' : 'is set'}, but no deployment is named`;
    return { at: { setting: name }, message, hint: `Set BASE_URL, or name a target file with --target. ${hint}` };
  }
  // In the repository of the suite, everybody means the reference deployment.
  if (process.cwd() === packageRoot) return undefined;
  if (existsSync(initialTargetFile)) {
    const message = 'describes a deployment, but no deployment is named';
    const all = `Name the file with --target ${initialTargetFile}, or set TARGET or BASE_URL. ${hint}`;
    return { at: { setting: initialTargetFile }, message, hint: all };
  }
  if (!CI || CI === 'false') return undefined;
  return { at: { setting: 'CI' }, message: 'is set, but no deployment is named', hint: `Set BASE_URL. ${hint}` };
}
