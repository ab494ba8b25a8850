import { readFileSync } from 'node:fs';
import { type Location, UnusableInput } from '../contract/problem.js';
import { compileSchema } from '../contract/schema.js';
import type { Headers } from '../exchange/exchange.js';
import type { Credentials, Limits, Pacing, Repeats } from '../exchange/options.js';
import { besideTarget, type Environment, readBeside, type TargetFile, targetFileOf } from './file.js';
import type { Operation } from './operation.js';

export type { Environment } from './file.js';

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

/** How the deployment is asked. */
export interface Manners {
  /** Sent with every request, beside its own. */
  readonly headers?: Headers;
  readonly requestsPerSecond?: number;
  readonly limits?: Partial<Limits & Pick<Pacing, 'concurrency'>>;
  readonly repeats?: Partial<Repeats>;
  /** After so much nothing more is sent. */
  readonly budget?: { readonly requests?: number; readonly seconds?: number };
  /** PEM texts. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Whether credentials may go to another machine over plain HTTP. */
  readonly allowHttp?: boolean;
}

/** Says, with the value 1, that credentials may go to another machine over plain HTTP. */
export const allowHttpVariable = 'CONFORMANCE_ALLOW_HTTP';

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
  const file = targetFileOf(environment);
  const document = file?.document;
  const stated: Omit<Target, 'name' | 'place'> = file === undefined ? { pins: new Map() } : statedIn(file);
  const baseUrl = (environment.BASE_URL || document?.base_url)?.replace(/\/+$/, '');
  if (baseUrl === undefined) return { name: document?.name ?? 'reference', place: { kind: 'reference' }, ...stated };

  const wrongUrl = (message: string, mend: string): UnusableInput =>
    environment.BASE_URL || file === undefined
      ? unusable('BASE_URL', message, mend)
      : new UnusableInput([{ at: file.yaml.at(['base_url']), message, mend }]);
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
  const manners = environment[allowHttpVariable] === '1' ? { manners: { ...stated.manners, allowHttp: true } } : {};
  const name = document?.name ?? url.host;
  return { name, place: { kind: 'deployment', baseUrl, credentials }, ...stated, ...manners };
}

/** What a target file states of the deployment, beside where it is. */
function statedIn(file: TargetFile): Omit<Target, 'name' | 'place'> {
  const { version, contact, response = {}, pins = {}, operation } = file.document;
  const manners = mannersIn(file);
  return {
    ...defined({ version, contact, operation, tierPattern: response.tier }),
    ...(response.schema === undefined ? {} : { responseSchema: readSchema(response.schema, file) }),
    ...(Object.keys(manners).length === 0 ? {} : { manners }),
    pins: new Map(
      Object.entries(pins).map(([question, outcome]) => [question, { outcome, at: file.yaml.at(['pins', question]) }]),
    ),
  };
}

function mannersIn(file: TargetFile): Manners {
  const { headers, pacing, limits, repeats, budget, tls, allow_http } = file.document;
  const bounds = defined({
    timeoutMs: limits?.timeout_ms,
    bodyBytes: limits?.body_bytes,
    bodyValues: limits?.body_values,
    headerBytes: limits?.header_bytes,
    concurrency: pacing?.concurrency,
  });
  const milliseconds = (seconds: number): number => seconds * 1_000;
  const patience = defined({
    waitsMs: repeats?.waits_seconds?.map(milliseconds),
    longestWaitMs: repeats?.longest_wait_seconds === undefined ? undefined : milliseconds(repeats.longest_wait_seconds),
  });
  const pem = Object.entries(tls ?? {}).map(([part, name]) => [part, readBeside(file, name, ['tls', part])]);
  return {
    ...defined({ requestsPerSecond: pacing?.requests_per_second, budget, allowHttp: allow_http }),
    ...(headers === undefined ? {} : { headers: Object.entries(headers) }),
    ...(Object.keys(bounds).length === 0 ? {} : { limits: bounds }),
    ...(repeats === undefined ? {} : { repeats: patience }),
    ...(tls === undefined ? {} : { tls: Object.fromEntries(pem) }),
  };
}

/** The members that are there. */
function defined<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as typeof members;
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
      { at: target.yaml.at(['response', 'schema']), message, mend: 'Name a file with a valid schema.' },
    ]);
  }
}
