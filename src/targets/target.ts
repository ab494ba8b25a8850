import { readFileSync } from 'node:fs';
import type { Operation } from '../contract/operation.js';
import { exposesCredentials } from '../http/connection.js';
import type { Credentials } from '../http/credentials.js';
import { type Location, type Problem, UnusableInput } from '../support/problem.js';
import { compileSchema } from '../support/stated-schema.js';
import { defined, type Manners, mannersIn, type ReadVariable, referredBy } from './connection.js';
import { besideTarget, type Environment, type TargetFile, targetFileOf } from './target-file.js';

export type { Environment } from './target-file.js';

/** A deployment under test. */
export interface Target {
  readonly name: string;
  /** Of the implementation. */
  readonly version?: string;
  /** Who answers for the implementation. */
  readonly contact?: string;
  readonly place: Place;
  /** Where the operation is, if not where the documentation says. */
  readonly operation?: Operation;
  readonly manners?: Manners;
  /** The patterns under which returned tiers are named, where the suite cannot find them out. */
  readonly tierPatterns?: readonly string[];
  /** A JSON Schema of successful bodies. */
  readonly responseSchema?: object;
  /** What of the target file does not hold, since the environment says otherwise. */
  readonly notes?: readonly string[];
  /** Outcomes that the target is known to have, by question. */
  readonly pins: ReadonlyMap<string, { readonly outcome: string; readonly at: Location }>;
}

/** Where the target is. The reference deployment is started by whoever runs the cases. */
export type Place =
  | { readonly kind: 'deployment'; readonly baseUrl: string; readonly credentials: Credentials }
  | { readonly kind: 'reference' };

/** Says, with the value 1, that credentials may go to another machine over plain HTTP. */
export const allowHttpVariable = 'CONFORMANCE_ALLOW_HTTP';

/**
 * Finds out which deployment is under test, from the environment and from the target file that it names, if any.
 *
 * @param environment BASE_URL, CLIENT_APPLICATION_ID and CLIENT_TOKEN win over the file that TARGET names
 * @throws UnusableInput with all that is wrong with file and base URL, and every variable that is missing
 */
export function loadTarget(environment: Environment): Target {
  const problems: Problem[] = [];
  const notes: string[] = [];
  const variable: ReadVariable = (name, at) => {
    const value = environment[name];
    if (value) return value;
    const message = `${'setting' in at ? '' : `${name} `}is not set, and the target needs it`;
    problems.push({ at, message, hint: `Put ${name}=… into the environment or into a .env file.` });
    return '';
  };
  const file = targetFileOf(environment);
  const document = file?.document;
  const stated: Stated =
    file === undefined ? { pins: new Map() } : statedIn(file, variable, (each) => problems.push(each));

  const credential = (usual: string, reference: string | undefined, key: string): string => {
    const own = reference === undefined ? usual : (referredBy(reference) ?? usual);
    const name = environment[usual] ? usual : own;
    if (name !== own) notes.push(`${usual} of the environment is used, not ${reference}, which the target file names.`);
    return variable(name, name === usual || !file ? { setting: name } : file.yaml.at(['credentials', key]));
  };
  const allowsHttp = environment[allowHttpVariable] === '1' || stated.manners?.allowHttp === true;
  const placeAt = (baseUrl: string): Place => ({
    kind: 'deployment',
    baseUrl,
    credentials: {
      applicationId: credential('CLIENT_APPLICATION_ID', document?.credentials?.application_id, 'application_id'),
      token: credential('CLIENT_TOKEN', document?.credentials?.token, 'token'),
    },
  });
  const baseUrl = (environment.BASE_URL || document?.base_url)?.replace(/\/+$/, '');
  const place: Place = baseUrl === undefined ? { kind: 'reference' } : placeAt(baseUrl);
  if (baseUrl !== undefined) {
    const at = environment.BASE_URL || !file ? { setting: 'BASE_URL' } : file.yaml.at(['base_url']);
    problems.unshift(...whyNoBaseUrl(baseUrl, allowsHttp).map((problem) => ({ at, ...problem })));
    if (environment.BASE_URL && document?.base_url !== undefined && document.base_url !== environment.BASE_URL)
      notes.push('BASE_URL of the environment, or --base-url, is used, not the base_url of the target file.');
  }
  if (problems.length > 0) throw new UnusableInput(problems);
  const name = document?.name ?? (baseUrl === undefined ? 'reference' : new URL(baseUrl).host);
  return {
    name,
    place,
    ...stated,
    ...(allowsHttp ? { manners: { ...stated.manners, allowHttp: true } } : {}),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

function whyNoBaseUrl(baseUrl: string, allowHttp: boolean): Omit<Problem, 'at'>[] {
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
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return [];
  // What stands before an @ may be a password.
  const shown = baseUrl.includes('@') ? 'this' : `'${baseUrl}'`;
  const hint = 'Write one such as https://api.example.com, with a path if the deployment has one.';
  return [{ message: `${shown} is no base URL`, hint }];
}

/** What a target file states of the deployment, beside where it is. */
type Stated = Omit<Target, 'name' | 'place'>;

function statedIn(file: TargetFile, variable: ReadVariable, report: (problem: Problem) => void): Stated {
  const { version, contact, response = {}, pins = {}, operation } = file.document;
  const manners = mannersIn(file, variable, report);
  return {
    ...defined({
      version,
      contact,
      operation,
      tierPatterns: response.tier === undefined ? undefined : [response.tier].flat(),
    }),
    ...(response.schema === undefined ? {} : { responseSchema: readSchema(response.schema, file) }),
    ...(Object.keys(manners).length === 0 ? {} : { manners }),
    pins: new Map(
      Object.entries(pins).map(([question, outcome]) => [question, { outcome, at: file.yaml.at(['pins', question]) }]),
    ),
  };
}

/** @param name of the schema's file, relative to the target file */
function readSchema(name: string, target: TargetFile): object {
  try {
    const schema = JSON.parse(readFileSync(besideTarget(target, name), 'utf8')) as object;
    compileSchema(schema);
    return schema;
  } catch (error) {
    const message = `${name} cannot be used as a JSON Schema: ${(error as Error).message}`;
    throw new UnusableInput([
      { at: target.yaml.at(['response', 'schema']), message, hint: 'Name a file with a valid schema.' },
    ]);
  }
}
