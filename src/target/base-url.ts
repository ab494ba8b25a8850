import { existsSync } from 'node:fs';
import { documentedOperation } from '../contract/operation.js';
import { exposesCredentials } from '../http/loopback.js';
import { minSecretLength } from '../http/redactor.js';
import { decodePercent } from '../http/request-content.js';
import { packageRoot } from '../support/package-root.js';
import type { Problem } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import type { Environment, RunOptions } from './run-options.js';
import { type ReadVariable, resolveReference } from './stated-options.js';
import { initialTargetFile, type TargetFile } from './target-file.js';

/** A problem without its location. Its texts never contain a secret. */
export type Flaw = Omit<Problem, 'at'>;

/** Finds the base URL as the user states it; undefined if there is none. */
export function findBaseUrl(
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

/** Removes slashes and the path of the operation from the end of a base URL. */
export function trimBaseUrl(stated: string): { baseUrl: string; note?: string } {
  const baseUrl = stated.replace(/\/+$/, '');
  const ending = documentedOperation.path;
  if (!baseUrl.endsWith(ending)) return { baseUrl };
  const note = `The path of the operation, ${ending}, was removed from the end of the base URL.`;
  return { baseUrl: baseUrl.slice(0, -ending.length).replace(/\/+$/, ''), note };
}

/**
 * Checks a base URL before anything is sent.
 *
 * @param allowHttp whether credentials may be sent to another machine over plain HTTP
 * @param secrets which must not be in the URL, because certificates and commands show it
 */
export function findBaseUrlFlaw(baseUrl: string, allowHttp: boolean, secrets: readonly string[]): Flaw | undefined {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (containsSecret(baseUrl, secrets) || url?.username || url?.password) {
    const hint = 'Remove them: the suite sends credentials in headers.';
    return { message: 'a base URL must not contain credentials', hint };
  }
  // A password may precede an @, so such a text is not shown.
  const shown = baseUrl.includes('@') ? 'this' : `'${baseUrl}'`;
  const isOneWord = toOneLine(baseUrl) === baseUrl && !/\s/.test(baseUrl);
  const usual = 'Write a URL such as https://api.example.com, with a path if the deployment has one.';
  if (/^\$\{?\w+\}?/.test(baseUrl))
    return { message: `${shown} is a variable that was not replaced by its value`, hint: usual };
  if (isOneWord && !/@|:\/\/|^https?:/.test(baseUrl) && URL.canParse(`http://${baseUrl}`)) {
    const scheme = /^(localhost|127\.|\[::1\])/.test(baseUrl) ? 'http' : 'https';
    return { message: `${shown} has no scheme`, hint: `Write ${scheme}://${baseUrl}.` };
  }
  if (url !== undefined && exposesCredentials(url) && !allowHttp) {
    const message = `credentials must not be sent to another machine (${url.host}) over plain HTTP`;
    return { message, hint: 'Use https, or allow it with --allow-http (allow_http: true in a target file).' };
  }
  if (url !== undefined && isOneWord && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '')
    return undefined;
  return { message: `${shown} is not a base URL`, hint: usual };
}

/** Whether a text contains a secret. Letter case and percent-encoding do not matter. */
function containsSecret(text: string, secrets: readonly string[]): boolean {
  const forms = [text, decodePercent(text)].map((form) => form.toLowerCase());
  return secrets
    .map((secret) => secret.trim().toLowerCase())
    .filter((secret) => secret.length >= minSecretLength) // Short secrets are parts of many words.
    .some((secret) => forms.some((form) => form.includes(secret)));
}

/** Compares the base URL of the options with that of a target file. @param used the one that is used */
export function compareBaseUrls(
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
export function findMissingBaseUrl(
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
  const [name, value] = Object.entries(named).find(([, text]) => text !== undefined) ?? [];
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
