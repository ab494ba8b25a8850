import { existsSync } from 'node:fs';
import { documentedOperation, isOwnWord, listCredentialSecrets } from '../contract/operation.js';
import { type Endpoint, exposesCredentials, type PartialConnectionOptions } from '../http/connection-options.js';
import { createRedactor, minSecretLength, type Secret } from '../http/redactor.js';
import { omitUndefined } from '../support/collections.js';
import { packageRoot } from '../support/package-root.js';
import type { Problem } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import type { Environment, RunOptions } from './run-options.js';
import { initialTargetFile, type TargetFile } from './target-file.js';

/** The connection to a target. It contains secrets, so every process reads it from its environment instead of a file. */
export interface TargetConnection {
  /** Undefined for the reference deployment, which the run starts itself. */
  readonly endpoint?: Endpoint;
  readonly options: PartialConnectionOptions;
  /** The file of a transport. */
  readonly transport?: string;
}

/** Lists the secrets of a target. Those of the reference deployment are public. */
export function listSecrets({ endpoint, options }: TargetConnection): Secret[] {
  const credentials = endpoint === undefined ? [] : listCredentialSecrets(endpoint.credentials);
  return [...credentials, ...(options.secrets ?? [])];
}

/** Reads how to reach a target. @returns with all problems, such as variables that are not set */
export function readConnection(options: RunOptions, environment: Environment, file: TargetFile) {
  const { document, locate } = file;
  const reader = createVariableReader(environment);
  const { problems, notes } = reader;
  const { proxy, tls, limits, pacing, retry, allow_http, transport, headers } = document;
  const connection: TargetConnection = {
    options: omitUndefined({
      ...(headers && readHeaders(headers, file, reader)),
      limits,
      pacing,
      retry,
      allowHttp: options.allowHttp || allow_http,
      proxy: proxy && reader.resolve(proxy, locate('proxy')),
      tls: tls && readTlsFiles(tls, file),
    }),
    ...omitUndefined({ transport: file.resolve(transport) }),
  };
  if (options.reference) return { connection, problems, notes };
  const url = readBaseUrl(options, file, reader);
  if (url === undefined) {
    problems.unshift(...findMissingBaseUrl(options, environment, file));
    return { connection, problems, notes };
  }
  const readCredential = (usual: string, key: 'application_id' | 'token'): string => {
    const reference = document.credentials?.[key] ?? `$${usual}`;
    return reader.resolve(reference, reference === `$${usual}` ? { setting: usual } : locate('credentials', key));
  };
  const applicationId = readCredential('CLIENT_APPLICATION_ID', 'application_id');
  const credentials = { applicationId, token: readCredential('CLIENT_TOKEN', 'token') };
  const endpoint = { baseUrl: trimBaseUrl(url.text), credentials };
  // An empty base URL was reported as an unset variable.
  const flaw = url.text === '' ? undefined : findBaseUrlFlaw({ ...connection, endpoint }, endpoint.baseUrl);
  if (flaw !== undefined) problems.unshift({ at: url.at, ...flaw });
  return { connection: { ...connection, endpoint }, problems, notes };
}

const variableReference = /^\$[A-Za-z_][A-Za-z0-9_]*$/;

/** Valid header values: visible characters of Latin-1 with spaces between them (RFC 9110, section 5.5). */
const validHeaderValue = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/;

/** The pattern that finds longer ones would be too large. */
const maxSecretLength = 4_000;

type VariableReader = ReturnType<typeof createVariableReader>;

function createVariableReader(environment: Environment) {
  const problems: Problem[] = [];
  const notes: string[] = [];
  /** Replaces a reference such as `$GATEWAY_KEY` by the value of the variable. An unset one is a problem at its place. */
  const resolve = (text: string, at: Problem['at']): string => {
    if (!variableReference.test(text)) return text;
    const name = text.slice(1);
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
  return { problems, notes, resolve };
}

function readBaseUrl(
  { baseUrl, baseUrlSetting: setting = 'BASE_URL', onOtherBaseUrl }: RunOptions,
  { document: { base_url: inFile }, file, locate }: TargetFile,
  { resolve, problems, notes }: VariableReader,
): { readonly text: string; readonly at: Problem['at'] } | undefined {
  const ofOptions = baseUrl ? { text: baseUrl, at: { setting } } : undefined;
  if (inFile === undefined) return ofOptions;
  if (ofOptions !== undefined && onOtherBaseUrl === undefined) {
    if (baseUrl !== inFile) notes.push(`${setting} overrides the base_url of the target file.`);
    return ofOptions;
  }
  const at = locate('base_url');
  const text = resolve(inFile, at);
  if (!baseUrl || trimBaseUrl(baseUrl) === trimBaseUrl(text)) return { text, at };
  if (onOtherBaseUrl === 'use-target-file') notes.push(`The base_url of the target file is used, not ${setting}.`);
  else {
    const hint = 'Unset one of them. To replace the base_url of the target file, use --base-url.';
    problems.push({ at: { setting }, message: `contradicts the base_url of ${file}`, hint });
  }
  return { text, at };
}

function trimBaseUrl(stated: string): string {
  const [baseUrl, ending] = [trimSlashes(stated), documentedOperation.path];
  return baseUrl.endsWith(ending) ? trimSlashes(baseUrl.slice(0, -ending.length)) : baseUrl;
}

/** Not a regular expression: for many slashes before another character, it would take the square of their number. */
function trimSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}

/** Checks a base URL before anything is sent. Certificates and commands show it. */
function findBaseUrlFlaw(connection: TargetConnection, baseUrl: string): Omit<Problem, 'at'> | undefined {
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
  { file, locate }: TargetFile,
): Problem[] {
  const hint =
    'Set BASE_URL, or name a target file with a base_url. To certify the reference deployment, use --reference.';
  const state = `is ${baseUrl === '' ? 'empty' : 'not set'}`;
  if (file !== undefined) return [{ at: locate(), message: `has no base_url, and BASE_URL ${state}`, hint }];
  // In the repository of the suite, everybody means the reference deployment.
  const isOtherProject = process.cwd() !== packageRoot;
  const isExpected = isOtherProject && (existsSync(initialTargetFile) || Boolean(CI && CI !== 'false'));
  const isNamed = [baseUrl, target, CLIENT_APPLICATION_ID, CLIENT_TOKEN].some((stated) => stated !== undefined);
  const message = `${state}, and nothing else names a deployment`;
  return isExpected || isNamed ? [{ at: { setting: 'BASE_URL' }, message, hint }] : [];
}

const secretHeaders = /auth|cookie|token|secret|password|api-?key/i;

function readHeaders(
  headers: Readonly<Record<string, string>>,
  { locate }: TargetFile,
  { resolve, problems }: VariableReader,
) {
  const extraHeaders = Object.entries(headers);
  const secrets: Secret[] = [];
  for (const [name, value] of extraHeaders) {
    const at = locate('headers', name);
    if (variableReference.test(value)) {
      const secret = resolve(value, at);
      secrets.push({ value: secret, placeholder: value, name, isOwnWord: isOwnWord(secret) });
    } else if (secretHeaders.test(name) || /\$\{?[A-Za-z_]/.test(value)) {
      const hint = 'Use an environment variable for the whole value, such as $GATEWAY_KEY.';
      problems.push({ at, message: `the value of '${name}' looks like a secret, or contains a variable`, hint });
    }
  }
  return { extraHeaders, ...(secrets.length > 0 && { secrets }) };
}

function readTlsFiles(names: NonNullable<TargetFile['document']['tls']>, { readBeside }: TargetFile) {
  return Object.fromEntries(Object.entries(names).map(([use, name]) => [use, readBeside(name, 'tls', use)]));
}
