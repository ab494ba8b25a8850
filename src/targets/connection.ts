import { exposesCredentials } from '../http/connection.js';
import type { Endpoint, StatedOptions } from '../http/connection-options.js';
import { oneLine } from '../support/foreign-text.js';
import type { Problem } from '../support/problem.js';
import { optionsIn, type ReadVariable, referredBy } from './connection-options.js';
import { type Environment, variables } from './environment.js';
import { containsSecret, secretFlaw, shortNote } from './secret-checks.js';
import type { TargetFile } from './target-file.js';

/**
 * How a target is reached. It holds secrets (credentials, keys, passwords of proxies), so it is never written down:
 * each process that needs it reads it anew, from its environment.
 */
export interface TargetConnection {
  readonly place: Place;
  readonly options: StatedOptions;
}

/** Where the target is. The reference deployment is started by whoever runs the cases, who then knows its endpoint. */
export type Place = ({ readonly kind: 'deployment' } & Endpoint) | { readonly kind: 'reference' };

/** Where requests go. @param reference the reference deployment, as whoever started it knows it */
export function endpointOf(place: Place, reference: Endpoint): Endpoint {
  return place.kind === 'deployment' ? place : reference;
}

/**
 * Finds out how the target is reached, from the environment and from its target file, if there is one.
 *
 * @returns with all that is wrong with base URL, file and variables, and with what of the file is not used, since the
 *   environment says otherwise
 * @throws UnusableInput where a file that the target file names cannot be read
 */
export function connectionOf(
  environment: Environment,
  file: TargetFile | undefined,
): { connection: TargetConnection; problems: Problem[]; notes: string[] } {
  const problems: Problem[] = [];
  const notes: string[] = [];
  const variable: ReadVariable = (name, at) => {
    const value = environment[name];
    if (value) {
      const flaw = secretFlaw(name, value, environment);
      if (flaw !== undefined) problems.push({ at, ...flaw });
      const note = shortNote(name, value);
      if (note !== undefined) notes.push(note);
      return value;
    }
    const message = `${'setting' in at ? '' : `${name} `}is not set, and the target needs it`;
    problems.push({ at, message, hint: `Put ${name}=… into the environment or into a .env file.` });
    return '';
  };
  const stated = file === undefined ? {} : optionsIn(file, variable, (each) => problems.push(each));
  const options = environment[variables.allowHttp] === '1' ? { ...stated, allowHttp: true } : stated;
  const baseUrl = (environment.BASE_URL || file?.document.base_url)?.replace(/\/+$/, '');
  if (baseUrl === undefined) return { connection: { place: { kind: 'reference' }, options }, problems, notes };

  const credential = (usual: string, key: 'application_id' | 'token'): string => {
    const reference = file?.document.credentials?.[key];
    const own = reference === undefined ? usual : (referredBy(reference) ?? usual);
    const name = environment[usual] ? usual : own;
    if (name !== own) notes.push(`${usual} of the environment is used, not ${reference}, which the target file names.`);
    return variable(name, name === usual || !file ? { setting: name } : file.yaml.at(['credentials', key]));
  };
  const credentials = {
    applicationId: credential('CLIENT_APPLICATION_ID', 'application_id'),
    token: credential('CLIENT_TOKEN', 'token'),
  };
  const at = environment.BASE_URL || !file ? { setting: 'BASE_URL' } : file.yaml.at(['base_url']);
  const secrets = [credentials.applicationId, credentials.token, ...(options.secrets ?? []).map(({ value }) => value)];
  problems.unshift(...baseUrlProblems(baseUrl, options, secrets).map((problem) => ({ at, ...problem })));
  if (environment.BASE_URL && file?.document.base_url !== undefined && file.document.base_url !== environment.BASE_URL)
    notes.push('BASE_URL of the environment, or --base-url, is used, not the base_url of the target file.');
  return { connection: { place: { kind: 'deployment', baseUrl, credentials }, options }, problems, notes };
}

function baseUrlProblems(
  baseUrl: string,
  { allowHttp = false }: StatedOptions,
  secrets: readonly string[],
): Omit<Problem, 'at'>[] {
  // It stands in every certificate and every command.
  if (containsSecret(baseUrl, secrets))
    return [{ message: 'a base URL must not contain a credential', hint: 'Leave it out: it goes into a header.' }];
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== '')) {
    return [{ message: 'a base URL must not hold credentials', hint: 'Leave out the part before the @.' }];
  }
  if (url !== undefined && exposesCredentials(url) && !allowHttp) {
    const message = `credentials do not go to another machine (${url.host}) over plain HTTP`;
    return [
      { message, hint: 'Use https, or say --allow-http (allow_http: true in a target file) where that is meant.' },
    ];
  }
  const isOneWord = oneLine(baseUrl) === baseUrl && !/\s/.test(baseUrl);
  if (url !== undefined && isOneWord && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '')
    return [];
  // What stands before an @ may be a password.
  const shown = baseUrl.includes('@') ? 'this' : `'${baseUrl}'`;
  const hint = 'Write one such as https://api.example.com, with a path if the deployment has one.';
  return [{ message: `${shown} is no base URL`, hint }];
}
