import { documentedOperation } from '../contract/operation.js';
import { exposesCredentials } from '../http/loopback.js';
import { toOneLine } from '../support/untrusted-text.js';
import { containsSecret, type Flaw } from './secret-checks.js';

/**
 * Removes slashes and the path of the operation from the end of a base URL.
 *
 * @param path of the operation, if not as documented
 * @returns with a note for the user if the path was removed
 */
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
