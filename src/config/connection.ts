import { existsSync } from 'node:fs';
import { documentedOperation, listCredentialSecrets, occursInSuiteRequests } from '../contract/operation.js';
import { type Endpoint, exposesCredentials, type PartialConnectionOptions } from '../http/connection-options.js';
import { createRedactor, type Secret } from '../http/redactor.js';
import { packageRoot } from '../support/package-root.js';
import type { Problem } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import {
  environmentVariableNames,
  findFolderInPlaceOfEnvFile,
  findMisspeltVariables,
  locateEnvironmentValue,
} from './env-file.js';
import { findReservedHeader } from './refused-headers.js';
import type { Environment, RunOptions } from './run-options.js';
import { initialTargetFilePath, type TargetFile } from './target-file.js';
import { createVariableReader, type TargetValueReader, trimValue, variableReference } from './target-value-reader.js';
import { findUnreplacedVariable, findUnreplacedVariableInAddress } from './unreplaced-variable.js';

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
  const { proxy, tls, limits, pacing, retry, allow_http, transport, headers = {} } = document;
  const proxyUrl = proxy && reader.resolve(proxy, locate('proxy'));
  const { extraHeaders, secrets: ofHeaders } = readHeaders(headers, file, reader);
  const secrets = [...ofHeaders, ...listProxySecrets(proxy, proxyUrl)];
  const connection: TargetConnection = {
    options: {
      ...(document.headers && { extraHeaders }),
      ...(secrets.length > 0 && { secrets }),
      limits,
      pacing,
      retry,
      allowHttp: options.allowHttp || allow_http,
      proxy: proxyUrl,
      tls: tls && readTlsFiles(tls, file),
    },
    transport: file.resolve(transport),
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

function readBaseUrl(
  { baseUrl: ofOptions = '', baseUrlSetting: setting = 'BASE_URL', onOtherBaseUrl }: RunOptions,
  { document: { base_url: inFile }, file, locate }: TargetFile,
  { resolve, readText, problems, notes }: TargetValueReader,
): { readonly text: string; readonly at: Problem['at'] } | undefined {
  const baseUrl = trimValue(ofOptions);
  const isUsed = baseUrl !== '' && (inFile === undefined || onOtherBaseUrl === undefined);
  if (isUsed) {
    if (inFile !== undefined && baseUrl !== inFile) notes.push(`${setting} overrides the base_url of the target file.`);
    const locateBaseUrl = () => (setting === 'BASE_URL' ? locateEnvironmentValue(setting, ofOptions) : { setting });
    return { text: readText(baseUrl, locateBaseUrl, setting, findUnreplacedVariableInAddress), at: { setting } };
  }
  if (inFile === undefined) return undefined;
  const at = locate('base_url');
  const text = variableReference.test(inFile)
    ? resolve(inFile, at)
    : readText(inFile, () => at, undefined, findUnreplacedVariableInAddress);
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
  // A password may precede an @, so such a text is not shown. A query may have a key.
  const shown = baseUrl.replace(/[?#].*$/s, '…');
  const message = `${baseUrl.includes('@') ? 'this' : `'${shown}'`} is not a base URL`;
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
  const state = `is ${baseUrl === undefined ? 'not set' : 'empty'}`;
  const ofEnvFile = [...findMisspeltVariables(environmentVariableNames), ...findFolderInPlaceOfEnvFile()];
  if (file !== undefined)
    return [{ at: locate(), message: `has no base_url, and BASE_URL ${state}`, hint }, ...ofEnvFile];
  // In the repository of the suite, everybody means the reference deployment.
  const isOtherProject = process.cwd() !== packageRoot;
  const isExpected = isOtherProject && (existsSync(initialTargetFilePath) || Boolean(CI && CI !== 'false'));
  const isNamed = [baseUrl, target, CLIENT_APPLICATION_ID, CLIENT_TOKEN].some((stated) => stated !== undefined);
  const message = `${state}, and nothing else names a deployment`;
  const isMissing = isExpected || isNamed || ofEnvFile.length > 0;
  return isMissing ? [{ at: { setting: 'BASE_URL' }, message, hint }, ...ofEnvFile] : [];
}

/** Nothing replaces a variable within a text, so that each one is a mistake, in lower case, too. */
function hasVariable(value: string): boolean {
  return /\$\{?[A-Za-z_]/.test(value) || findUnreplacedVariable(value) !== undefined;
}

const secretHeaders = /auth|cookie|token|secret|password|api-?key/i;

function readHeaders(
  headers: Readonly<Record<string, string>>,
  { locate, locateKey }: TargetFile,
  { resolve, problems }: TargetValueReader,
) {
  const extraHeaders = Object.entries(headers).map(([name, value]) => [name, trimValue(value)] as const);
  const secrets: Secret[] = [];
  for (const [name, value] of extraHeaders) {
    const at = locate('headers', name);
    const refused = findReservedHeader(name);
    if (refused !== undefined) {
      const { reason, hint } = refused;
      problems.push({ at: locateKey('headers', name), message: `the header '${name}' ${reason}`, hint });
    } else if (variableReference.test(value)) {
      secrets.push({ value: resolve(value, at), placeholder: value, name, occursInSuiteRequests });
    } else if (secretHeaders.test(name) || hasVariable(value)) {
      const hint = 'Use an environment variable for the whole value, such as $GATEWAY_KEY.';
      problems.push({ at, message: `the value of '${name}' looks like a secret, or contains a variable`, hint });
    }
  }
  return { extraHeaders, secrets };
}

/** Only a URL with a user is a secret: messages show the address of a proxy that cannot be reached. */
function listProxySecrets(reference = '', url = ''): Secret[] {
  return variableReference.test(reference) && url.includes('@')
    ? [{ value: url, placeholder: reference, name: 'Proxy-Authorization', occursInSuiteRequests }]
    : [];
}

function readTlsFiles(names: NonNullable<TargetFile['document']['tls']>, { readBeside }: TargetFile) {
  return Object.fromEntries(Object.entries(names).map(([use, name]) => [use, readBeside(name, 'tls', use)]));
}
