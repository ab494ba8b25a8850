import { isOwnWord, listCredentialSecrets } from '../contract/operation.js';
import type { Endpoint, PartialConnectionOptions } from '../http/connection-options.js';
import { minSecretLength, type Secret } from '../http/redactor.js';
import type { Problem } from '../support/problem.js';
import {
  compareBaseUrls,
  type Flaw,
  findBaseUrl,
  findBaseUrlFlaw,
  findMissingBaseUrl,
  trimBaseUrl,
} from './base-url.js';
import type { Environment, RunOptions } from './run-options.js';
import { type ReadVariable, readStatedOptions } from './stated-options.js';
import { resolveBeside, type TargetFile } from './target-file.js';

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
  const stated = file === undefined ? {} : readStatedOptions(file, readVariable, (problem) => problems.push(problem));
  const options = { ...stated, ...(runOptions.allowHttp && { allowHttp: true }) };
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

/** Valid header values: visible characters of Latin-1 with spaces between them (RFC 9110, section 5.5). */
const validHeaderValue = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/;

/** The pattern that finds longer ones would be too large. */
const maxSecretLength = 4_000;

/** Checks whether a secret can be sent. @param name the variable that contains it */
function findSecretFlaw(name: string, value: string, environment: Environment): Flaw | undefined {
  if (value.trim() === '') return { message: `${name} is blank`, hint: 'Set it or remove it.' };
  if (!validHeaderValue.test(value.trim())) {
    const message = `${name} contains a character that is not allowed in headers`;
    return { message, hint: 'Set it again, without line breaks or invisible characters at its end.' };
  }
  if (value.length > maxSecretLength)
    return { message: `${name} has more than ${maxSecretLength} characters`, hint: 'Servers accept no such header.' };
  // The user probably expects its value.
  const names = [...value.matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?/g)].map(([, variable = '']) => variable);
  const reference = names.find((variable) => environment[variable] !== undefined);
  if (reference === undefined) return undefined;
  const message = `${name} contains $${reference}, which was not replaced by its value`;
  return { message, hint: 'Variables within a value are not replaced: write the value itself.' };
}

/** Creates a note for a secret that cannot be redacted everywhere: it is too short, or an ordinary word. */
function describeWeakSecret(name: string, value: string): string | undefined {
  if (value.trim().length < minSecretLength)
    return `${name} has fewer than ${minSecretLength} characters, so it is replaced only as a whole value, and beside its header name.`;
  if (!isOwnWord(value)) return undefined;
  return `${name} is a word of the suite's own requests, so it is redacted only as a whole value and after its header.`;
}
