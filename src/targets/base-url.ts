import { documentedOperation } from '../contract/operation.js';
import { exposesCredentials } from '../http/connector.js';
import type { Problem } from '../support/problem.js';
import { toOneLine } from '../support/untrusted-text.js';
import { containsSecret } from './secret-checks.js';

/** What is wrong with a base URL; where it stands is known elsewhere. */
type Flaw = Omit<Problem, 'at'>;

/**
 * A base URL without what people paste along with it: slashes at its end, and the path of the operation.
 *
 * @param path of the operation, where the target offers it elsewhere than documented
 * @returns with a note for the user, where more than slashes was cut
 */
export function trimBaseUrl(stated: string, path?: string): { baseUrl: string; note?: string } {
  const baseUrl = stated.replace(/\/+$/, '');
  const ending = [path, documentedOperation.path].find((each) => each !== undefined && baseUrl.endsWith(each));
  if (ending === undefined) return { baseUrl };
  const note = `The base URL ends with ${ending}, which is the path of the operation: it was cut off.`;
  return { baseUrl: baseUrl.slice(0, -ending.length).replace(/\/+$/, ''), note };
}

/**
 * Why nothing can be sent to a base URL, if so.
 *
 * @param allowHttp whether credentials may go to another machine over plain HTTP
 * @param secrets none of which may stand in it: it is shown in every certificate and every command
 */
export function findBaseUrlFlaw(baseUrl: string, allowHttp: boolean, secrets: readonly string[]): Flaw | undefined {
  if (containsSecret(baseUrl, secrets))
    return { message: 'a base URL must not contain a credential', hint: 'Leave it out: it goes into a header.' };
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== ''))
    return { message: 'a base URL must not hold credentials', hint: 'Leave out the part before the @.' };
  // What stands before an @ may be a password.
  const shown = baseUrl.includes('@') ? 'this' : `'${baseUrl}'`;
  const isOneWord = toOneLine(baseUrl) === baseUrl && !/\s/.test(baseUrl);
  const usual = 'Write one such as https://api.example.com, with a path if the deployment has one.';
  if (/^\$\{?\w+\}?/.test(baseUrl))
    return { message: `${shown} is a variable that was not replaced by its value`, hint: usual };
  if (isOneWord && !/@|:\/\/|^https?:/.test(baseUrl) && URL.canParse(`http://${baseUrl}`)) {
    const isHere = /^(localhost|127\.|\[::1\])/.test(baseUrl);
    return { message: `${shown} lacks its scheme`, hint: `Write ${isHere ? 'http' : 'https'}://${baseUrl}.` };
  }
  if (url !== undefined && exposesCredentials(url) && !allowHttp) {
    const message = `credentials do not go to another machine (${url.host}) over plain HTTP`;
    return { message, hint: 'Use https, or say --allow-http (allow_http: true in a target file) where that is meant.' };
  }
  if (url !== undefined && isOneWord && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '')
    return undefined;
  return { message: `${shown} is no base URL`, hint: usual };
}
