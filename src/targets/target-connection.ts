import type { Endpoint, PartialConnectionOptions } from '../http/connection-options.js';
import type { Problem } from '../support/problem.js';
import { findBaseUrlFlaw, trimBaseUrl } from './base-url.js';
import type { Environment } from './environment.js';
import type { RunOptions } from './run-options.js';
import { describeShortSecret, findSecretFlaw } from './secret-checks.js';
import { parseVariableReference, type ReadVariable, readStatedOptions } from './stated-options.js';
import type { TargetFile } from './target-file.js';

/**
 * How a target is reached. It holds secrets (credentials, keys, passwords of proxies), so it is never written down:
 * each process that needs it reads it anew, from its environment.
 */
export interface TargetConnection {
  readonly location: TargetLocation;
  readonly options: PartialConnectionOptions;
}

/** Where the target is. The reference deployment is started by whoever runs the cases, who then knows its endpoint. */
export type TargetLocation = ({ readonly kind: 'deployment' } & Endpoint) | { readonly kind: 'reference' };

/** Where requests go. @param reference the reference deployment, as whoever started it knows it */
export function resolveEndpoint(place: TargetLocation, reference: Endpoint): Endpoint {
  return place.kind === 'deployment' ? place : reference;
}

/**
 * Finds out how the target is reached, from the environment and from its target file, if there is one.
 *
 * @returns with all that is wrong with base URL, file and variables, and with what the user should know: what of the
 *   file is not used, since the environment says otherwise
 * @throws UnusableInput where a file that the target file names cannot be read
 */
export function readConnection(
  runOptions: RunOptions,
  environment: Environment,
  file: TargetFile | undefined,
): { connection: TargetConnection; problems: Problem[]; notes: string[] } {
  const problems: Problem[] = [];
  const notes: string[] = [];
  const variable: ReadVariable = (name, at) => {
    const value = environment[name];
    if (value) {
      const flaw = findSecretFlaw(name, value, environment);
      if (flaw !== undefined) problems.push({ at, ...flaw });
      const note = describeShortSecret(name, value);
      if (note !== undefined) notes.push(note);
      return value;
    }
    const message = `${'setting' in at ? '' : `${name} `}is not set, and the target needs it`;
    problems.push({ at, message, hint: `Put ${name}=… into the environment or into a .env file.` });
    return '';
  };
  const stated = file === undefined ? {} : readStatedOptions(file, variable, (each) => problems.push(each));
  const options = runOptions.allowHttp ? { ...stated, allowHttp: true } : stated;
  const url = statedUrl(runOptions, file, variable);
  if (url === undefined) {
    const problem = whyNotReference(runOptions, environment, file);
    if (problem !== undefined) problems.unshift(problem);
    return { connection: { location: { kind: 'reference' }, options }, problems, notes };
  }
  const { baseUrl, note } = trimBaseUrl(url.text, file?.document.operation?.path);
  if (note !== undefined) notes.push(note);

  const credential = (usual: string, key: 'application_id' | 'token'): string => {
    const reference = file?.document.credentials?.[key];
    const own = reference === undefined ? usual : (parseVariableReference(reference) ?? usual);
    const name = environment[usual] ? usual : own;
    if (name !== own) notes.push(`${usual} of the environment is used, not ${reference}, which the target file names.`);
    return variable(name, name === usual || !file ? { setting: name } : file.yaml.locate(['credentials', key]));
  };
  const credentials = {
    applicationId: credential('CLIENT_APPLICATION_ID', 'application_id'),
    token: credential('CLIENT_TOKEN', 'token'),
  };
  const secrets = [credentials.applicationId, credentials.token, ...(options.secrets ?? []).map(({ value }) => value)];
  // One that is not set is a problem already.
  const flaw = url.text === '' ? undefined : findBaseUrlFlaw(baseUrl, options.allowHttp ?? false, secrets);
  if (flaw !== undefined) problems.unshift({ at: url.at, ...flaw });
  const other = file?.document.base_url;
  if (runOptions.baseUrl && other !== undefined && other !== runOptions.baseUrl)
    notes.push('BASE_URL of the environment, or --base-url, is used, not the base_url of the target file.');
  if (runOptions.baseUrl === '' && other !== undefined)
    notes.push('BASE_URL of the environment, or --base-url, is empty: the base_url of the target file is used.');
  return { connection: { location: { kind: 'deployment', baseUrl, credentials }, options }, problems, notes };
}

/** The base URL as the user states it, and where; undefined where nobody does. */
function statedUrl(
  { reference, baseUrl }: RunOptions,
  file: TargetFile | undefined,
  variable: ReadVariable,
): { text: string; at: Problem['at'] } | undefined {
  if (reference) return undefined;
  if (baseUrl) return { text: baseUrl, at: { setting: 'BASE_URL' } };
  const inFile = file?.document.base_url;
  if (file === undefined || inFile === undefined) return undefined;
  const at = file.yaml.locate(['base_url']);
  const name = parseVariableReference(inFile);
  return { text: name === undefined ? inFile : variable(name, at), at };
}

/**
 * That a deployment was meant, though its base URL is not known, if so. The reference deployment answers in its place
 * only where nobody can have meant another: an unset variable of a pipeline must not end as a certificate.
 */
function whyNotReference(
  { reference, baseUrl, target }: RunOptions,
  environment: Environment,
  file: TargetFile | undefined,
): Problem | undefined {
  if (reference) return undefined;
  const itself = 'Where the reference deployment is meant, say --reference.';
  if (file !== undefined) {
    const isEmpty = baseUrl === '' ? 'BASE_URL is empty' : 'BASE_URL is not set';
    const hint = `Give the target file a base_url, or set BASE_URL. ${itself}`;
    return { at: file.yaml.locate([]), message: `names no base_url, and ${isEmpty}`, hint };
  }
  const { CLIENT_APPLICATION_ID, CLIENT_TOKEN } = environment;
  const naming = { BASE_URL: baseUrl, TARGET: target, CLIENT_APPLICATION_ID, CLIENT_TOKEN };
  const [name, value] = Object.entries(naming).find(([, each]) => each !== undefined) ?? [];
  if (name === undefined) return undefined;
  const isSet = value === '' ? 'is set but empty' : 'is set';
  const hint = `Set BASE_URL, or name a target file with --target. ${itself}`;
  return { at: { setting: name }, message: `${isSet}, and no deployment is named`, hint };
}
