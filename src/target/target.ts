import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Location, UnusableInput } from '../contract/problem.js';
import { compileSchema, schemaProblems } from '../contract/schema.js';
import { readYaml, type YamlFile } from '../contract/yaml-file.js';
import type { Credentials } from '../exchange/client.js';

/** A deployment under test. */
export interface Target {
  readonly name: string;
  readonly place: Place;
  /** The pattern under which returned tiers are named, where the suite cannot find it out. */
  readonly tierPattern?: string;
  /** A JSON Schema of successful bodies. */
  readonly responseSchema?: object;
  /** Outcomes that the target is known to have, by question. */
  readonly pins: ReadonlyMap<string, { readonly outcome: string; readonly at: Location }>;
}

/** Where the target is. The reference deployment is started by whoever runs the cases. */
export type Place =
  | { readonly kind: 'deployment'; readonly baseUrl: string; readonly credentials: Credentials }
  | { readonly kind: 'reference' };

/** The settings of the environment; a value set on the command line has replaced the variable. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface TargetDocument {
  name: string;
  base_url?: string;
  credentials?: { application_id?: string; token?: string };
  response?: { tier?: string; schema?: string };
  pins?: Record<string, string>;
}

/** A setting of the environment that cannot be used. It has no file, so its name takes the place of one. */
function unusable(variable: string, message: string, mend: string): UnusableInput {
  return new UnusableInput([{ at: { file: variable, line: 1, column: 1 }, message, mend }]);
}

/**
 * Finds out which deployment is under test, from the environment and from the target file that it names, if any.
 *
 * @param environment BASE_URL, CLIENT_APPLICATION_ID and CLIENT_TOKEN win over the file that TARGET names
 * @throws UnusableInput when the file is wrong, or credentials for a base URL are missing
 */
export function loadTarget(environment: Environment): Target {
  const file = environment.TARGET ? readTarget(environment.TARGET) : undefined;
  const document = file?.value as TargetDocument | undefined;
  const stated = file === undefined ? { pins: new Map() } : statedIn(file);
  const baseUrl = (environment.BASE_URL || document?.base_url)?.replace(/\/+$/, '');
  if (baseUrl === undefined) return { name: document?.name ?? 'reference', place: { kind: 'reference' }, ...stated };

  const wrongUrl = (message: string, mend: string): UnusableInput =>
    environment.BASE_URL || file === undefined
      ? unusable('BASE_URL', message, mend)
      : new UnusableInput([{ at: file.at(['base_url']), message, mend }]);
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== '')) {
    throw wrongUrl('a base URL must not hold credentials', 'Leave out the part before the @.');
  }
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw wrongUrl(
      // What stands before an @ may be a password.
      `${baseUrl.includes('@') ? 'this' : `'${baseUrl}'`} is no base URL`,
      'Write one such as https://api.example.com, with a path if the deployment has one.',
    );
  }
  const credential = (variable: string, reference: string | undefined): string => {
    const name = environment[variable] || reference === undefined ? variable : reference.slice(1);
    const value = environment[name];
    if (value) return value;
    throw unusable(
      name,
      'is not set, and the target needs it',
      `Put ${name}=… into the environment or into a .env file.`,
    );
  };
  const credentials = {
    applicationId: credential('CLIENT_APPLICATION_ID', document?.credentials?.application_id),
    token: credential('CLIENT_TOKEN', document?.credentials?.token),
  };
  return { name: document?.name ?? url.host, place: { kind: 'deployment', baseUrl, credentials }, ...stated };
}

function readTarget(file: string): YamlFile {
  const yaml = readYaml(file, file);
  const problems = schemaProblems('target', yaml);
  if (problems.length > 0) throw new UnusableInput(problems);
  return yaml;
}

/** What a target file states of the deployment's answers. */
function statedIn(file: YamlFile): Pick<Target, 'tierPattern' | 'responseSchema' | 'pins'> {
  const { response = {}, pins = {} } = file.value as TargetDocument;
  return {
    ...(response.tier === undefined ? {} : { tierPattern: response.tier }),
    ...(response.schema === undefined ? {} : { responseSchema: readSchema(response.schema, file) }),
    pins: new Map(
      Object.entries(pins).map(([question, outcome]) => [question, { outcome, at: file.at(['pins', question]) }]),
    ),
  };
}

/** @param name of the schema's file, relative to the target file */
function readSchema(name: string, target: YamlFile): object {
  try {
    const schema = JSON.parse(readFileSync(path.resolve(path.dirname(target.file), name), 'utf8')) as object;
    compileSchema(schema);
    return schema;
  } catch (error) {
    const message = `${name} cannot be used as a JSON Schema: ${(error as Error).message}`;
    throw new UnusableInput([
      { at: target.at(['response', 'schema']), message, mend: 'Name a file with a valid schema.' },
    ]);
  }
}
