import { existsSync } from 'node:fs';
import path from 'node:path';
import { computeDigest } from '../certificate/har-archive.js';
import { documentedOperation, isOwnWord, listCredentialSecrets } from '../contract/operation.js';
import type { Availability } from '../contract/world-file.js';
import { type Endpoint, exposesCredentials, type PartialConnectionOptions } from '../http/connection-options.js';
import { createRedactor, minSecretLength, type Secret } from '../http/redactor.js';
import type { TransportIdentity } from '../http/transport.js';
import { createMentionFilter } from '../recognition/sibling-values.js';
import type { EngineOptions } from '../run/run.js';
import { omitUndefined } from '../support/collections.js';
import { packageRoot } from '../support/package-root.js';
import { type Problem, readInputFile, refuse, UnusableInput } from '../support/problem.js';
import { validateFile } from '../support/schema-validation.js';
import { toOneLine } from '../support/untrusted-text.js';
import { readYaml, type YamlFile, type YamlPath } from '../support/yaml-file.js';
import type { Environment, RunOptions } from './run-options.js';

/** The target file that `init` writes into a project. */
export const initialTargetFile = 'conformance/target.yaml';

/** The content of a target file; see `schemas/target.schema.json`. */
export interface TargetDocument extends Pick<PartialConnectionOptions, 'limits' | 'pacing' | 'retry'> {
  name: string;
  version?: string;
  base_url?: string;
  credentials?: { application_id?: string; token?: string };
  bindings?: string;
  cases?: string;
  known?: string;
  data?: string;
  requests?: number;
  intrusive?: boolean;
  response?: { tier?: string | string[]; where?: Record<string, unknown> };
  pins?: Record<string, string>;
  record?: string;
  transport?: string;
  headers?: Record<string, string>;
  proxy?: string;
  tls?: { ca?: string; cert?: string; key?: string };
  allow_http?: boolean;
  world?: 'loaded';
  own_promotions?: number | (string | number)[];
}

interface TargetFile {
  readonly yaml: YamlFile;
  readonly document: TargetDocument;
}

/** Reads the target file that the options name, if any. @throws UnusableInput with all its problems */
export function readTargetFile({ target, reference }: RunOptions): TargetFile | undefined {
  if (!target || reference) return undefined;
  const yaml = readYaml(target, target);
  return { yaml, document: validateFile('target', yaml) as TargetDocument };
}

function resolveBeside({ yaml }: TargetFile, name: string): string {
  return path.resolve(path.dirname(yaml.file), name);
}

/** Reads a file that a target file names. @throws UnusableInput with the location of the name */
function readBeside(target: TargetFile, name: string, at: YamlPath): string {
  const file = resolveBeside(target, name);
  const place = { at: target.yaml.locate(at), name };
  return readInputFile(file, 'Paths are relative to the target file.', place).toString('utf8');
}

/** Resolves a path that a target file may name, relative to the working folder. */
export function locateBeside(target: TargetFile | undefined, name: string | undefined): string | undefined {
  return target && name && path.relative('', resolveBeside(target, name));
}

/** Reads which test data a target has: all, a part, or data of its own. @param named the data file of a flag */
export function readAvailability(target: TargetFile | undefined, named?: string): Availability {
  const { bindings, own_promotions: counted, data: stated, requests }: Partial<TargetDocument> = target?.document ?? {};
  const data = named ?? locateBeside(target, stated);
  if (data !== undefined && bindings !== undefined)
    throw refuse(named ?? 'data', 'has the ids of the deployment itself', "Remove 'bindings' from the target file.");
  return omitUndefined({
    bindings: target && bindings && readBindings(target, bindings),
    ownPromotions: Array.isArray(counted) ? counted.length : counted,
    data: data === undefined ? undefined : { file: data, ...omitUndefined({ requests }) },
  }) as Availability;
}

function readBindings(target: TargetFile, name: string): NonNullable<Availability['bindings']> {
  const file = resolveBeside(target, name);
  if (!existsSync(file)) {
    const hint = "Load the world and write the deployment's ids into this file: see docs/targets.md.";
    throw refuse(target.yaml.locate(['bindings']), `there is no file '${name}'`, hint);
  }
  const yaml = readYaml(file);
  const worldIds = Object.keys(validateFile('bindings', yaml) as object);
  return Object.fromEntries(worldIds.map((id) => [id, { id: yaml.getSource([id]), at: yaml.locate([id]) }]));
}

export type LoadedTarget = ReturnType<typeof loadTarget>;

/** A deployment under test, without its connection. It contains no secrets. */
export interface Target extends Pick<EngineOptions, 'tierPatterns' | 'mentionFilter'> {
  readonly name: string;
  readonly kind: 'deployment' | 'reference';
  readonly version?: string;
  /** The target file, relative to the working folder. */
  readonly file?: string;
  readonly isWorldLoaded: boolean;
  readonly transport?: TransportIdentity;
}

/** Reads all that a run knows of its target. @param use `offline`, no variable is needed @throws UnusableInput */
export function loadTarget(options: RunOptions, environment: Environment, use: 'online' | 'offline' = 'online') {
  const file = readTargetFile(options);
  const { connection, problems, notes } = readConnection(options, environment, file);
  if (problems.length > 0 && use === 'online') throw new UnusableInput(problems);
  const { endpoint } = connection;
  const { name, version, world, response = {} }: Partial<TargetDocument> = file?.document ?? {};
  const target: Target = {
    name: name ?? (endpoint === undefined ? 'reference' : new URL(endpoint.baseUrl).host),
    kind: endpoint === undefined ? 'reference' : 'deployment',
    isWorldLoaded: endpoint === undefined || options.worldLoaded === true || world === 'loaded',
    ...omitUndefined({
      version: version && toOneLine(version),
      file: file && toOneLine(path.relative('', file.yaml.file)),
      transport: file && identifyTransport(file),
      tierPatterns: response.tier === undefined ? undefined : [response.tier].flat(),
      mentionFilter: createMentionFilter(response),
    }),
  };
  return { file, target, connection, availability: readAvailability(file, options.data), notes };
}

function identifyTransport(file: TargetFile): TransportIdentity | undefined {
  const { transport } = file.document;
  if (transport === undefined) return undefined;
  const content = readBeside(file, transport, ['transport']);
  return { name: transport.replace(/^\.\//, ''), digest: computeDigest(Buffer.from(content)) };
}

/** The connection to a target. It contains secrets, so every process reads it from its environment instead of a file. */
export interface TargetConnection {
  /** Undefined for the reference deployment, which the run starts itself. */
  readonly endpoint?: Endpoint;
  readonly options: PartialConnectionOptions;
  readonly transport?: string;
}

/** Lists the secrets of a target. Those of the reference deployment are public. */
export function listSecrets({ endpoint, options }: TargetConnection): Secret[] {
  const credentials = endpoint === undefined ? [] : listCredentialSecrets(endpoint.credentials);
  return [...credentials, ...(options.secrets ?? [])];
}

interface Reader {
  readonly file: TargetFile | undefined;
  /** Reads an environment variable. An unset one is a problem at the given location. */
  readonly readVariable: (name: string, at: Problem['at']) => string;
  readonly problems: Problem[];
  readonly notes: string[];
}

function readConnection(runOptions: RunOptions, environment: Environment, file: TargetFile | undefined) {
  const problems: Problem[] = [];
  const notes: string[] = [];
  const readVariable = (name: string, at: Problem['at']): string => {
    const value = environment[name];
    if (!value) {
      const message = `${'setting' in at ? '' : `${name} `}is not set, but the target needs it`;
      problems.push({ at, message, hint: `Set ${name}=… in the environment or in a .env file.` });
      return '';
    }
    if (value.length > maxSecretLength || !validHeaderValue.test(value.trim())) {
      const message = `${name} cannot be sent in a header: it is blank or too long, or has characters that are not allowed`;
      problems.push({ at, message, hint: 'Set it again, without line breaks or invisible characters at its end.' });
    }
    if (value.trim().length < minSecretLength || isOwnWord(value)) {
      const reason = `is a word of the suite's own requests, or has fewer than ${minSecretLength} characters`;
      notes.push(`${name} ${reason}, so it is replaced only as a whole value, and beside its header name.`);
    }
    return value;
  };
  const reader = { file, readVariable, problems, notes };
  const module = file?.document.transport;
  const connection: TargetConnection = {
    options: { ...(file && readStatedOptions(file, reader)), ...(runOptions.allowHttp && { allowHttp: true }) },
    ...(file && module && { transport: resolveBeside(file, module) }),
  };
  const url = readBaseUrl(runOptions, reader);
  if (url === undefined) {
    const problem = runOptions.reference ? undefined : findMissingBaseUrl(runOptions, environment, file);
    if (problem !== undefined) problems.unshift(problem);
    return { connection, problems, notes };
  }
  const readCredential = (usual: string, key: 'application_id' | 'token'): string => {
    const reference = file?.document.credentials?.[key] ?? `$${usual}`;
    const at = reference === `$${usual}` ? undefined : file?.yaml.locate(['credentials', key]);
    return readVariable(reference.slice(1), at ?? { setting: usual });
  };
  const endpoint = {
    baseUrl: trimBaseUrl(url.text),
    credentials: {
      applicationId: readCredential('CLIENT_APPLICATION_ID', 'application_id'),
      token: readCredential('CLIENT_TOKEN', 'token'),
    },
  };
  // An empty base URL was reported as an unset variable.
  const flaw = url.text === '' ? undefined : findBaseUrlFlaw({ ...connection, endpoint });
  if (flaw !== undefined) problems.unshift({ at: url.at, ...flaw });
  return { connection: { ...connection, endpoint }, problems, notes };
}

function readBaseUrl(
  { reference, baseUrl, baseUrlSetting: setting = 'BASE_URL', onOtherBaseUrl }: RunOptions,
  { file, readVariable, problems, notes }: Reader,
): { readonly text: string; readonly at: Problem['at'] } | undefined {
  if (reference) return undefined;
  const inFile = file?.document.base_url;
  if (file === undefined || inFile === undefined) return baseUrl ? { text: baseUrl, at: { setting } } : undefined;
  if (baseUrl && onOtherBaseUrl === undefined) {
    if (baseUrl !== inFile) notes.push(`${setting} overrides the base_url of the target file.`);
    return { text: baseUrl, at: { setting } };
  }
  const at = file.yaml.locate(['base_url']);
  const text = resolveReference(inFile, at, readVariable);
  if (!baseUrl || trimBaseUrl(baseUrl) === trimBaseUrl(text)) return { text, at };
  if (onOtherBaseUrl === 'use-target-file') notes.push(`The base_url of the target file is used, not ${setting}.`);
  else {
    const hint = 'Unset one of them. To replace the base_url of the target file, use --base-url.';
    problems.push({ at: { setting }, message: `contradicts the base_url of ${file.yaml.file}`, hint });
  }
  return { text, at };
}

function trimBaseUrl(stated: string): string {
  const [baseUrl, ending] = [stated.replace(/\/+$/, ''), documentedOperation.path];
  return baseUrl.endsWith(ending) ? baseUrl.slice(0, -ending.length).replace(/\/+$/, '') : baseUrl;
}

/** Checks a base URL before anything is sent. Certificates and commands show it. */
function findBaseUrlFlaw(
  connection: TargetConnection & { readonly endpoint: Endpoint },
): Omit<Problem, 'at'> | undefined {
  const { baseUrl } = connection.endpoint;
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (createRedactor(listSecrets(connection))(baseUrl) !== baseUrl || url?.username || url?.password) {
    const hint = 'Remove them: the suite sends credentials in headers.';
    return { message: 'a base URL must not contain credentials', hint };
  }
  if (url !== undefined && exposesCredentials(url) && !connection.options.allowHttp) {
    const message = `credentials must not be sent to another machine (${url.host}) over plain HTTP`;
    return { message, hint: 'Use https, or allow it with --allow-http (allow_http: true in a target file).' };
  }
  const isOneWord = toOneLine(baseUrl) === baseUrl && !/\s/.test(baseUrl);
  if (url !== undefined && isOneWord && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '')
    return undefined;
  // A password may precede an @, so such a text is not shown.
  const message = `${baseUrl.includes('@') ? 'this' : `'${baseUrl}'`} is not a base URL`;
  return { message, hint: 'Write a URL such as https://api.example.com, with a path if the deployment has one.' };
}

/** An unset variable in a pipeline must not lead to the reference deployment. */
function findMissingBaseUrl(
  { baseUrl, target }: RunOptions,
  { CI, CLIENT_APPLICATION_ID, CLIENT_TOKEN }: Environment,
  file: TargetFile | undefined,
): Problem | undefined {
  const hint =
    'Set BASE_URL, or name a target file with a base_url. To certify the reference deployment, use --reference.';
  if (file !== undefined) {
    const message = `has no base_url, and BASE_URL is ${baseUrl === '' ? 'empty' : 'not set'}`;
    return { at: file.yaml.locate([]), message, hint };
  }
  const named: Record<string, string | undefined> = {
    BASE_URL: baseUrl,
    TARGET: target,
    CLIENT_APPLICATION_ID,
    CLIENT_TOKEN,
  };
  // In the repository of the suite, everybody means the reference deployment.
  if (process.cwd() !== packageRoot) {
    if (existsSync(initialTargetFile)) named[initialTargetFile] = initialTargetFile;
    if (CI && CI !== 'false') named.CI = CI;
  }
  const [setting, text] = Object.entries(named).find(([, value]) => value !== undefined) ?? [];
  if (setting === undefined) return undefined;
  const message = `is ${text === '' ? 'set but empty' : 'set'}, but no deployment is named`;
  return { at: { setting }, message, hint };
}

/** Replaces a reference such as `$GATEWAY_KEY` by the value of the variable. */
function resolveReference(text: string, at: Problem['at'], readVariable: Reader['readVariable']): string {
  return variableReference.test(text) ? readVariable(text.slice(1), at) : text;
}

const variableReference = /^\$[A-Za-z_][A-Za-z0-9_]*$/;

function readStatedOptions(file: TargetFile, reader: Reader): PartialConnectionOptions {
  const { proxy, tls, limits, pacing, retry, allow_http, headers } = file.document;
  return omitUndefined({
    ...(headers && readHeaders(headers, file, reader)),
    limits,
    pacing,
    retry,
    allowHttp: allow_http,
    proxy: proxy && resolveReference(proxy, file.yaml.locate(['proxy']), reader.readVariable),
    tls: tls && readTlsFiles(tls, file, reader),
  });
}

const secretHeaders = /auth|cookie|token|secret|password|api-?key/i;

function readHeaders(
  headers: Readonly<Record<string, string>>,
  { yaml }: TargetFile,
  { readVariable, problems }: Reader,
): Pick<PartialConnectionOptions, 'extraHeaders' | 'secrets'> {
  const extraHeaders = Object.entries(headers);
  const secrets: Secret[] = [];
  for (const [name, value] of extraHeaders) {
    const at = yaml.locate(['headers', name]);
    if (variableReference.test(value)) {
      const secret = readVariable(value.slice(1), at);
      secrets.push({ value: secret, placeholder: value, name, isOwnWord: isOwnWord(secret) });
    } else if (secretHeaders.test(name) || /\$\{?[A-Za-z_]/.test(value)) {
      const hint = 'Use an environment variable for the whole value, such as $GATEWAY_KEY.';
      problems.push({ at, message: `the value of '${name}' looks like a secret, or contains a variable`, hint });
    }
  }
  return { extraHeaders, ...(secrets.length === 0 ? {} : { secrets }) };
}

function readTlsFiles(
  names: NonNullable<TargetDocument['tls']>,
  file: TargetFile,
  { problems }: Reader,
): NonNullable<PartialConnectionOptions['tls']> {
  const texts = Object.entries(names).map(([use, name]) => {
    const text = readBeside(file, name, ['tls', use]);
    if (!/-----BEGIN [A-Z0-9 ]+-----/.test(text)) {
      const hint = 'A PEM file contains -----BEGIN …-----.';
      problems.push({ at: file.yaml.locate(['tls', use]), message: `'${name}' is not a PEM file`, hint });
    }
    return [use, text];
  });
  return Object.fromEntries(texts);
}

/** Valid header values: visible characters of Latin-1 with spaces between them (RFC 9110, section 5.5). */
const validHeaderValue = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/;

/** The pattern that finds longer ones would be too large. */
const maxSecretLength = 4_000;
